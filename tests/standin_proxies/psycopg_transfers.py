"""Workers with psycopg that move amounts between accounts through proxies that may be killed.

Usage: psycopg_transfers.py PORTS SECONDS WORKERS ACCOUNTS. The last line says in JSON how it went. A transfer that met
a conflict, or lost its connection, is done again until it succeeds; the journal tells whether a COMMIT without an
answer was one. Any other error is a failure.
"""

import json
import random
import sys
import threading
import time

import psycopg
from psycopg.pq import TransactionStatus

PAUSE = 0.1  # seconds between two transfers of a worker
LIMIT = 60.0  # for one, with all that is lost on its way
CONFLICT = "40001"
AWAY = ("refused", "closed the connection", "reset by peer")  # how libpq says that nobody is there


class Failure(Exception):
    pass


class Worker:
    def __init__(self, number: int, port: int, accounts: int) -> None:
        self.number, self.port, self.accounts = number, port, accounts
        self.connection: psycopg.Connection[tuple] | None = None
        self.is_uncertain = False  # a COMMIT of this transfer had no answer
        self.transfers = self.conflicts = self.broken = 0
        self.failure = ""

    def run(self, end: float) -> None:
        try:
            while time.monotonic() < end:
                self.transfer()
                time.sleep(PAUSE)
        except Failure as failure:
            self.failure = str(failure)

    def transfer(self) -> None:
        source, target = random.sample(range(self.accounts), 2)
        values = (f"{self.number}/{self.transfers}", source, target, random.randint(1, 100))
        self.is_uncertain = False
        limit = time.monotonic() + LIMIT
        while not self.is_done(values):
            if time.monotonic() > limit:
                raise Failure(f"a transfer is not done after {LIMIT:g} s")
            time.sleep(random.uniform(0, 0.05))
        self.transfers += 1

    def is_done(self, values: tuple[str, int, int, int]) -> bool:
        connection = self.connection or self.connect()
        if connection is None:
            return False
        self.connection = connection
        try:
            return self.attempt(connection, values)
        except psycopg.Error as error:
            if error.sqlstate == CONFLICT and not connection.closed:
                self.conflicts += 1
            elif connection.closed:
                self.broken += 1
                self.connection = None
            else:
                raise Failure(f"{error.sqlstate}: {error}") from None
        return False

    def attempt(self, connection: "psycopg.Connection[tuple]", values: tuple[str, int, int, int]) -> bool:
        key, source, target, amount = values
        if connection.info.transaction_status != TransactionStatus.IDLE:
            connection.execute("ROLLBACK")
        if self.is_uncertain:
            row = connection.execute("SELECT count(*) FROM journal WHERE id = %s", (key,)).fetchone()
            if row == (1,):
                return True
            self.is_uncertain = False
        connection.execute("BEGIN")
        connection.execute("UPDATE accounts SET balance = balance - %s WHERE id = %s", (amount, source))
        connection.execute("UPDATE accounts SET balance = balance + %s WHERE id = %s", (amount, target))
        connection.execute("INSERT INTO journal VALUES (%s, %s, %s, %s)", values)
        self.is_uncertain = True
        try:
            connection.execute("COMMIT")
        except psycopg.Error as error:
            self.is_uncertain = error.sqlstate != CONFLICT
            raise
        return True

    def connect(self) -> "psycopg.Connection[tuple] | None":
        try:
            return psycopg.connect(host="127.0.0.1", port=self.port, user="app", dbname="postgres", autocommit=True,
                                   connect_timeout=20)
        except psycopg.OperationalError as error:
            if any(words in str(error) for words in AWAY):
                return None
            raise Failure(f"connect: {error}") from None


def main() -> int:
    ports = [int(port) for port in sys.argv[1].split(",")]
    end = time.monotonic() + float(sys.argv[2])
    workers = [Worker(number, ports[number % len(ports)], int(sys.argv[4])) for number in range(int(sys.argv[3]))]
    threads = [threading.Thread(target=worker.run, args=(end,)) for worker in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    print(json.dumps({name: sum(getattr(worker, name) for worker in workers)
                      for name in ("transfers", "conflicts", "broken")}
                     | {"failures": [worker.failure for worker in workers if worker.failure]}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
