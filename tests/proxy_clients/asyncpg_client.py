"""asyncpg: its cache of prepared statements, cursors, COPY in binary, executemany, listeners, cancels."""

import asyncio
import io
from collections.abc import Awaitable, Callable

import asyncpg
from common import (CLIENTS, MEGABYTE, REFUSED, SESSION_STATE, check, check_equal, check_servers, run)

ROUNDS = 20
Work = Callable[[asyncpg.Connection, int], Awaitable[None]]


async def with_one(work: Work, number: int) -> None:
    connection = await asyncpg.connect(timeout=20, server_settings={"application_name": f"client {number}"})
    try:
        await work(connection, number)
    finally:
        await connection.close()


def at_once(work: Work, count: int = CLIENTS) -> None:
    async def all_of_them() -> None:
        await asyncio.gather(*(with_one(work, number) for number in range(count)))

    asyncio.run(all_of_them())


async def fails_with(state: str, statement: Awaitable[object]) -> None:
    try:
        await statement
    except asyncpg.PostgresError as error:
        check_equal(error.sqlstate, state, str(error))
        return
    raise AssertionError(f"nothing failed with {state}")


def tables() -> None:
    async def work(connection: asyncpg.Connection, _: int) -> None:
        await connection.execute("DROP TABLE IF EXISTS asyncpg_rows; CREATE TABLE asyncpg_rows (id int, name text)")

    at_once(work, 1)


def prepared_statements() -> None:
    """Their names are counted by each process: these connections have the same ones in turn."""
    seen: list[int] = []

    async def work(connection: asyncpg.Connection, number: int) -> None:
        own = await connection.prepare(f"SELECT $1::int + {number}")
        for turn in range(ROUNDS):
            check_equal(await own.fetchval(turn), turn + number, "prepared")
            row = await connection.fetchrow(f"SELECT $1::int * {number} AS total, pg_backend_pid() AS server", turn)
            check_equal(row["total"], turn * number, "cached")
            seen.append(row["server"])
            name = await connection.fetchval("SHOW application_name")
            check_equal(name, f"client {number}", "application_name")

    at_once(work)
    check_servers(seen)


def equal_names() -> None:
    """As connections of several processes would have them."""
    async def work(connection: asyncpg.Connection, number: int) -> None:
        statement = await connection.prepare(f"SELECT {number}, $1::text", name="same")
        for turn in range(ROUNDS):
            row = await statement.fetchrow(str(turn))
            check_equal(tuple(row), (number, str(turn)), "row")

    at_once(work)


def transactions() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        for turn in range(ROUNDS):
            key = number * 1000 + turn
            transaction = connection.transaction(isolation="repeatable_read" if turn % 2 else None)
            await transaction.start()
            server = await connection.fetchval("SELECT pg_backend_pid()")
            await connection.execute("INSERT INTO asyncpg_rows VALUES ($1, $2)", key, f"row {key}")
            try:
                async with connection.transaction():  # a savepoint
                    await connection.fetchval("SELECT 1 / $1::int", 0)
            except asyncpg.DivisionByZeroError:
                pass
            check_equal(await connection.fetchval("SELECT pg_backend_pid()"), server, "server within a transaction")
            await (transaction.commit() if turn % 2 else transaction.rollback())
        rows = await connection.fetchval("SELECT count(*) FROM asyncpg_rows WHERE id / 1000 = $1", number)
        check_equal(rows, ROUNDS // 2, "committed rows")

    at_once(work)


def failed_transactions() -> None:
    async def work(connection: asyncpg.Connection, _: int) -> None:
        transaction = connection.transaction()
        await transaction.start()
        await fails_with("42P01", connection.fetch("SELECT * FROM nowhere"))
        await fails_with("25P02", connection.fetch("SELECT 1"))
        await transaction.rollback()
        check_equal(await connection.fetchval("SELECT 1"), 1, "after the rollback")

    at_once(work)


def cursors() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        async with connection.transaction():
            rows = [row[0] async for row in connection.cursor(f"SELECT n + {number} FROM generate_series(1, 205) n")]
            check_equal(rows, list(range(1 + number, 206 + number)), "rows of a cursor")
            cursor = await connection.cursor("SELECT generate_series(1, 100)")
            await cursor.forward(10)
            check_equal([row[0] for row in await cursor.fetch(3)], [11, 12, 13], "fetched")

    at_once(work)


def copies() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        rows = [(100_000 + number * 1000 + index, f"copied {index}") for index in range(1000)]
        await connection.copy_records_to_table("asyncpg_rows", records=rows)
        out = io.BytesIO()
        query = "SELECT * FROM asyncpg_rows WHERE id BETWEEN $1 AND $1 + 999 ORDER BY id"
        await connection.copy_from_query(query, 100_000 + number * 1000, output=out, format="csv")
        check_equal(out.getvalue().decode().splitlines(), [f"{key},{name}" for key, name in rows], "copied out")
        await fails_with("22P04", connection.copy_to_table("asyncpg_rows", source=io.BytesIO(b"1,2,3\n"), format="csv"))
        check_equal(await connection.fetchval("SELECT 1"), 1, "after a COPY that failed")

    at_once(work)


def executemany() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        rows = [(200_000 + number * 1000 + index, "many") for index in range(500)]
        await connection.executemany("INSERT INTO asyncpg_rows VALUES ($1, $2)", rows)
        count = await connection.fetchval("SELECT count(*) FROM asyncpg_rows WHERE id / 1000 = $1", 200 + number)
        check_equal(count, 500, "rows")
        bad = [(300_000, "kept?"), (2**31 - 1, None)]
        await fails_with("22012", connection.executemany("INSERT INTO asyncpg_rows SELECT 1 / ($1::int - 300000), $2",
                                                         bad))
        check_equal(await connection.fetchval("SELECT 1"), 1, "after an executemany that failed")

    at_once(work)


def large_rows() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        body = bytes([number]) * MEGABYTE
        for _ in range(3):
            check_equal(await connection.fetchval("SELECT $1::bytea", body), body, "a large row")

    at_once(work, 4)


def cancels() -> None:
    async def work(connection: asyncpg.Connection, number: int) -> None:
        try:
            await connection.fetch("SELECT pg_sleep(30)", timeout=0.3)
            raise AssertionError("a timeout did not happen")
        except asyncio.TimeoutError:
            pass
        check_equal(await connection.fetchval("SELECT $1::int", number), number, "after the timeout")

    at_once(work, 2)


def listeners() -> None:
    async def listen() -> None:
        heard: asyncio.Queue[tuple[str, str]] = asyncio.Queue()
        listener, other = await asyncpg.connect(), await asyncpg.connect()

        def hear(_: object, __: int, channel: str, payload: str) -> None:
            heard.put_nowait((channel, payload))

        await listener.add_listener("asyncpg_channel", hear)
        for turn in range(3):
            await other.execute("SELECT pg_notify('asyncpg_channel', $1)", f"hello {turn}")
            told = await asyncio.wait_for(heard.get(), 10)
            check_equal(told, ("asyncpg_channel", f"hello {turn}"), "notification")
        await listener.remove_listener("asyncpg_channel", hear)
        await listener.reset()
        await listener.close()
        await other.close()

    asyncio.run(listen())


def pools() -> None:
    """asyncpg's own pool resets each connection that comes back to it: advisory locks, cursors, listeners, settings."""
    async def use() -> None:
        async with asyncpg.create_pool(min_size=2, max_size=4) as pool:
            async def one(number: int) -> None:
                async with pool.acquire() as connection:
                    check_equal(await connection.fetchval("SELECT $1::int", number), number, "of a pool")

            await asyncio.gather(*(one(number) for number in range(40)))

    asyncio.run(use())


def refusals() -> None:
    async def work(connection: asyncpg.Connection, _: int) -> None:
        for statement in SESSION_STATE:
            await fails_with(REFUSED, connection.execute(statement))  # simple protocol
            await fails_with(REFUSED, connection.fetch(statement))  # extended protocol
            check_equal(await connection.fetchval("SELECT 1"), 1, f"after {statement}")
        check(not connection.is_closed(), "the connection is closed")

    at_once(work, 1)


if __name__ == "__main__":
    run([tables, prepared_statements, equal_names, transactions, failed_transactions, cursors, copies, executemany,
         large_rows, cancels, listeners, pools], [refusals])
