"""The Aurora DSQL connector for Python with each of its drivers, told nothing but an endpoint and a user: eight queries
at once, transactions that the connector runs again after conflicts, and another role."""

import asyncio
import importlib.metadata
import os
import threading

import aurora_dsql_asyncpg
import aurora_dsql_psycopg
import aurora_dsql_psycopg2
from dsql_core.occ_retry import OCCRetryConfig

CLUSTER = {"host": os.environ["CLUSTER_ENDPOINT"], "user": "admin"}
PATIENT = OCCRetryConfig(max_retries=50, max_delay_ms=4)
TRANSACTIONS = 20
CROWD = 8


def together(work):
    failures = []

    def guarded(number):
        try:
            work(number)
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


def one(cursor, text, values=()):
    cursor.execute(text, values)
    return cursor.fetchone()[0]


def transact(run_transaction, table, run):
    """Adds rows while half of all transactions conflict; run is for statements by themselves."""
    attempts = 0

    def insert(connection, number):
        nonlocal attempts
        attempts += 1
        with connection.cursor() as cursor:
            cursor.execute(f"INSERT INTO {table} VALUES (%s)", (number,))

    run(f"CREATE TABLE {table} (id int PRIMARY KEY)")
    run("SELECT standin.conflicts(0.5)")
    for number in range(TRANSACTIONS):
        run_transaction(lambda connection, number=number: insert(connection, number))
    run("SELECT standin.calm()")
    assert attempts > TRANSACTIONS, attempts


def use_psycopg():
    with aurora_dsql_psycopg.create_pool("", kwargs=CLUSTER, min_size=2, max_size=CROWD, retry=PATIENT) as pool:

        def ask(number):
            with pool.connection() as connection:
                assert one(connection.cursor(), "SELECT %s", (number,)) == number

        together(ask)
        with aurora_dsql_psycopg.DSQLConnection.connect(**CLUSTER, autocommit=True) as admin:
            name = one(admin.cursor(), "SHOW application_name")
            assert name.startswith("aurora-dsql-python-psycopg/"), name
            transact(pool.run_transaction, "psycopg_rows", admin.execute)
            assert one(admin.cursor(), "SELECT count(*) FROM psycopg_rows") == TRANSACTIONS
            admin.execute("CREATE ROLE python_role WITH LOGIN")
    with aurora_dsql_psycopg.DSQLConnection.connect(**CLUSTER | {"user": "python_role"}) as other:
        assert one(other.cursor(), "SELECT current_user") == "python_role"


def use_psycopg2():
    with aurora_dsql_psycopg2.AuroraDSQLThreadedConnectionPool(2, CROWD, retry=PATIENT, **CLUSTER) as pool:

        def ask(number):
            connection = pool.getconn()
            assert one(connection.cursor(), "SELECT %s", (number,)) == number
            connection.rollback()
            pool.putconn(connection)

        together(ask)
        admin = aurora_dsql_psycopg2.connect(**CLUSTER)
        admin.autocommit = True
        name = one(admin.cursor(), "SHOW application_name")
        assert name.startswith("aurora-dsql-python-psycopg2/"), name
        transact(pool.run_transaction, "psycopg2_rows", lambda text: admin.cursor().execute(text))
        assert one(admin.cursor(), "SELECT count(*) FROM psycopg2_rows") == TRANSACTIONS
        admin.close()


async def use_asyncpg():
    pool = await aurora_dsql_asyncpg.create_pool(min_size=2, max_size=CROWD, retry=PATIENT, **CLUSTER)
    try:
        answers = await asyncio.gather(*(pool.fetchval("SELECT $1::int", number) for number in range(CROWD)))
        assert answers == list(range(CROWD)), answers
        name = await pool.fetchval("SHOW application_name")
        assert name.startswith("aurora-dsql-python-asyncpg/"), name
        await pool.execute("CREATE TABLE asyncpg_rows (id int PRIMARY KEY)")
        await pool.execute("SELECT standin.conflicts(0.5)")
        attempts = []

        async def insert(connection):
            attempts.append(number)
            await connection.execute("INSERT INTO asyncpg_rows VALUES ($1)", number)

        for number in range(TRANSACTIONS):
            await pool.run_transaction(insert)
        await pool.execute("SELECT standin.calm()")
        assert len(attempts) > TRANSACTIONS, attempts
        assert await pool.fetchval("SELECT count(*) FROM asyncpg_rows") == TRANSACTIONS
    finally:
        await pool.close()


def main():
    use_psycopg()
    use_psycopg2()
    asyncio.run(use_asyncpg())
    version = importlib.metadata.version("aurora-dsql-python-connector")
    print(f"the connector for Python {version}, with psycopg, psycopg2 and asyncpg: all as expected")


if __name__ == "__main__":
    main()
