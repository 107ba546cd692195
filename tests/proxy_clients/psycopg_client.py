"""psycopg 3: binding on the server, prepared statements, pipelines, COPY, cursors on the server, notices, cancels."""

import threading
import time

import psycopg
from common import (CANCELLED, FAILED_TRANSACTION, MEGABYTE, MODE, REFUSED, SESSION_STATE, check, check_equal,
                    check_servers, run, together)
from psycopg import errors

ROUNDS = 20


def connect(**words: object) -> "psycopg.Connection[tuple]":
    return psycopg.connect("", autocommit=True, **words)


def one(connection: "psycopg.Connection[tuple]", text: str, *values: object) -> object:
    row = connection.execute(text, values).fetchone()
    return row[0] if row and len(row) == 1 else row


def fails_with(state: str, connection: "psycopg.Connection[tuple]", text: str) -> None:
    try:
        connection.execute(text)
    except psycopg.Error as error:
        check_equal(error.sqlstate, state, f"{text}: {error}")
        return
    raise AssertionError(f"{text} did not fail")


def tables() -> None:
    with connect() as connection:
        connection.execute("DROP TABLE IF EXISTS psycopg_rows")
        connection.execute("CREATE TABLE psycopg_rows (id int PRIMARY KEY, name text, body bytea)")


def prepared_statements() -> None:
    """Each connection names its statements _pg3_0, _pg3_1 and so on: equal names, other texts."""
    seen: list[int] = []

    def work(number: int) -> None:
        with connect() as connection:
            connection.prepare_threshold = (0, 1, None, 5)[number % 4]
            texts = [f"SELECT %s::int + {number * 100 + index}, pg_backend_pid()" for index in range(4)]
            if number % 2:
                texts.reverse()
            for turn in range(ROUNDS):
                for text in texts:
                    total, server = connection.execute(text, (turn,)).fetchone() or (None, 0)
                    seen.append(server)
                    offset = int(text.split("+ ")[1].split(",")[0])
                    check_equal(total, turn + offset, text)
                check_equal(one(connection, f"SELECT %s || ' of {number}'", "text"), f"text of {number}", "text")

    together(work)
    check_servers(seen)


def many_statements() -> None:
    """More than psycopg keeps: it deallocates the oldest."""
    with connect() as connection:
        connection.prepare_threshold = 0
        connection.prepared_max = 5
        for index in (*range(20), *range(20)):
            check_equal(one(connection, f"SELECT %s + {index}", 1), 1 + index, f"statement {index}")


def transactions() -> None:
    def work(number: int) -> None:
        with connect() as connection:
            connection.prepare_threshold = 0
            for turn in range(ROUNDS):
                key = number * 1000 + turn
                with connection.transaction(force_rollback=turn % 2 == 1):
                    server = one(connection, "SELECT pg_backend_pid()")
                    connection.execute("INSERT INTO psycopg_rows VALUES (%s, %s)", (key, f"row {key}"))
                    try:
                        with connection.transaction():
                            connection.execute("INSERT INTO psycopg_rows VALUES (%s, %s)", (key, "again"))
                    except errors.UniqueViolation:
                        pass
                    name = one(connection, "SELECT name FROM psycopg_rows WHERE id = %s", key)
                    check_equal(name, f"row {key}", "row")
                    check_equal(one(connection, "SELECT pg_backend_pid()"), server, "server within a transaction")
            rows = one(connection, "SELECT count(*) FROM psycopg_rows WHERE id / 1000 = %s", number)
            check_equal(rows, ROUNDS // 2, "committed rows")

    together(work)
    with connect() as connection:
        connection.execute("BEGIN")
        fails_with("22012", connection, "SELECT 1 / 0")
        fails_with(FAILED_TRANSACTION, connection, "SELECT 1")
        connection.execute("ROLLBACK")
        check_equal(one(connection, "SELECT 1"), 1, "after the rollback")
    with psycopg.connect("") as connection:  # begins by itself
        connection.execute("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
        check_equal(one(connection, "SHOW transaction_isolation"), "serializable", "isolation")
    with connect() as connection:
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            check_equal(one(connection, "SHOW transaction_isolation"), "repeatable read", "isolation")
            check_equal(one(connection, "SHOW transaction_read_only"), "on", "read only")


def pipelines() -> None:
    def work(number: int) -> None:
        with connect() as connection:
            connection.prepare_threshold = 1 if number % 2 else 0
            for turn in range(ROUNDS // 2):
                with connection.pipeline() as pipeline:
                    cursors = [connection.execute(f"SELECT %s::int * {number}", (index,)) for index in range(10)]
                    pipeline.sync()
                    later = [connection.execute(f"SELECT %s::text || '{number}'", (turn,)) for _ in range(3)]
                    check_equal([cursor.fetchone() for cursor in cursors],
                                [(index * number,) for index in range(10)], "pipeline")
                    check_equal([cursor.fetchone() for cursor in later], [(f"{turn}{number}",)] * 3, "after the sync")

    together(work)
    with connect() as connection:
        try:
            with connection.pipeline():
                connection.execute("SELECT 1")
                connection.execute("SELECT 1 / %s", (0,))
                connection.execute("SELECT 2")
            raise AssertionError("a pipeline with an error went well")
        except errors.DivisionByZero:
            pass
        check_equal(one(connection, "SELECT 3"), 3, "after a pipeline that failed")
        with connection.pipeline(), connection.transaction():
            connection.cursor().executemany("INSERT INTO psycopg_rows VALUES (%s, %s)",
                                            [(90_000 + index, "many") for index in range(200)])
        rows = one(connection, "SELECT count(*) FROM psycopg_rows WHERE id >= 90000")
        check_equal(rows, 200, "rows of executemany")
        cursor = connection.cursor()
        cursor.executemany("DELETE FROM psycopg_rows WHERE id = %s RETURNING id", [(90_000,), (90_001,)],
                           returning=True)
        check_equal(cursor.fetchone(), (90_000,), "returned")


def copies() -> None:
    rows = 2000
    with connect() as connection:
        connection.execute("TRUNCATE psycopg_rows")
        with connection.cursor().copy("COPY psycopg_rows (id, name) FROM STDIN") as copy:
            for index in range(rows):
                copy.write_row((index, f"copied\t{index}\n"))
        with connection.cursor().copy("COPY (SELECT id, name FROM psycopg_rows ORDER BY id) TO STDOUT") as copy:
            check_equal(list(copy.rows()), [(str(i), f"copied\t{i}\n") for i in range(rows)], "copied out")
        with connection.cursor().copy("COPY psycopg_rows (id, name) FROM STDIN (FORMAT binary)") as copy:
            copy.set_types(["int4", "text"])
            copy.write_row((rows, "binary"))
        # The client gives up, and the server finds an error: the connection goes on after both.
        try:
            with connection.cursor().copy("COPY psycopg_rows (id, name) FROM STDIN") as copy:
                copy.write_row((rows + 1, "lost"))
                raise KeyError("enough")
        except (errors.QueryCanceled, KeyError):
            pass
        try:
            with connection.cursor().copy("COPY psycopg_rows (id, name) FROM STDIN") as copy:
                for _ in range(1000):
                    copy.write("no number\tx\n")
            raise AssertionError("a COPY of nonsense went well")
        except errors.InvalidTextRepresentation:
            pass
        try:
            with connection.cursor().copy("COPY (SELECT generate_series(1, 100000000)) TO STDOUT") as copy:
                check_equal(copy.read_row(), ("1",), "first of many")
                connection.cancel()
                for _ in copy:
                    pass
            raise AssertionError("a cancelled COPY went well")
        except errors.QueryCanceled:
            pass
        check_equal(one(connection, "SELECT count(*) FROM psycopg_rows"), rows + 1, "rows")


def large_rows() -> None:
    def work(number: int) -> None:
        body = bytes([number]) * MEGABYTE
        with connect() as connection:
            connection.prepare_threshold = 0
            for _ in range(3):
                check_equal(one(connection, "SELECT %b::bytea", body), body, "a large row")
                check_equal(one(connection, "SELECT length(%s)", "x" * MEGABYTE), MEGABYTE, "a large parameter")

    together(work, 4)


def server_cursors() -> None:
    def work(number: int) -> None:
        with connect() as connection, connection.transaction():
            with connection.cursor(name="same") as cursor:
                cursor.execute("SELECT n * %s FROM generate_series(1, 250) n", (number,))
                cursor.itersize = 100
                check_equal([row[0] for row in cursor], [n * number for n in range(1, 251)], "rows of a cursor")

    together(work)


def notices() -> None:
    with connect() as connection:
        heard: list[str] = []
        connection.add_notice_handler(lambda notice: heard.append(str(notice.message_primary)))
        connection.execute("DO $$ BEGIN RAISE NOTICE 'one'; RAISE WARNING 'two'; END $$")
        check_equal(heard, ["one", "two"], "notices")


def parameters() -> None:
    def work(number: int) -> None:
        with connect(application_name=f"named {number}") as connection:
            connection.execute(f"SET TimeZone = 'Etc/GMT+{number + 1}'")
            connection.execute(f"SET DateStyle = {'German' if number % 2 else 'ISO'}")
            for _ in range(ROUNDS):
                check_equal(one(connection, "SHOW application_name"), f"named {number}", "application_name")
                check_equal(one(connection, "SHOW TimeZone"), f"Etc/GMT+{number + 1}", "TimeZone")
                told = connection.info.parameter_status("TimeZone")
                check_equal(told, f"Etc/GMT+{number + 1}", "TimeZone as reported")
                style = one(connection, "SELECT %s::date::text", "2026-11-18")
                check_equal(style, "18.11.2026" if number % 2 else "2026-11-18", "a date")

    together(work)
    with connect(options="-c statement_timeout=200 -c search_path=pg_catalog") as connection:
        check_equal(one(connection, "SHOW statement_timeout"), "200ms", "statement_timeout of the start")
        fails_with(CANCELLED, connection, "SELECT pg_sleep(20)")
        check_equal(one(connection, "SHOW search_path"), "pg_catalog", "search_path of the start")
    with connect() as connection:
        check_equal(one(connection, "SHOW statement_timeout"), "0", "statement_timeout of others")


def cancels() -> None:
    def work(number: int) -> None:
        with connect() as connection:
            if number % 2:
                connection.execute("BEGIN")
            timer = threading.Timer(0.3, connection.cancel)
            timer.start()
            began = time.monotonic()
            fails_with(CANCELLED, connection, "SELECT pg_sleep(30)")
            check(time.monotonic() - began < 20, "a cancel took long")
            timer.join()
            if number % 2:
                connection.execute("ROLLBACK")
            # A cancel that comes late hits nobody.
            connection.cancel()
            check_equal(one(connection, "SELECT 1"), 1, "after the cancel")

    together(work, 2)


def session_state() -> None:
    with connect() as listener, connect() as other:
        listener.execute("LISTEN psycopg_channel")
        other.execute("SELECT pg_notify('psycopg_channel', 'hello')")
        notify = next(listener.notifies())
        check_equal((notify.channel, notify.payload), ("psycopg_channel", "hello"), "notification")
        listener.execute("UNLISTEN *")
    with connect() as connection:
        connection.execute("CREATE TEMPORARY TABLE psycopg_temporary (id int)")
        for index in range(5):
            connection.execute("INSERT INTO psycopg_temporary VALUES (%s)", (index,))
        check_equal(one(connection, "SELECT sum(id) FROM psycopg_temporary"), 10, "rows of a temporary table")
    with connect() as connection, connect() as other:
        check_equal(one(connection, "SELECT pg_try_advisory_lock(17)"), True, "lock")
        check_equal(one(other, "SELECT pg_try_advisory_lock(17)"), False, "the same lock for another")
        check_equal(one(connection, "SELECT pg_advisory_unlock(17)"), True, "unlock")


def refusals() -> None:
    check_equal(MODE, "refuse", "mode")
    for prepare_threshold in (0, None):
        with connect() as connection:
            connection.prepare_threshold = prepare_threshold
            for statement in SESSION_STATE:
                fails_with(REFUSED, connection, statement)
                check_equal(one(connection, "SELECT %s::int", 7), 7, f"after {statement}")


if __name__ == "__main__":
    run([tables, prepared_statements, many_statements, transactions, pipelines, copies, large_rows, server_cursors,
         notices, parameters, cancels, session_state],
        [refusals, tables, prepared_statements, transactions, pipelines, copies])
