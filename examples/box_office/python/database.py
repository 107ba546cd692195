"""Connections to Aurora DSQL, and transactions that are run again after a conflict.

Where it is, PGHOST and its relatives say, which libpq reads by itself: on a cluster its endpoint, PGUSER, PGDATABASE
and PGSSLMODE=verify-full; under `forebay standin --for` nothing need be set.
"""

import functools
import os
import random
import threading
import time

import psycopg

LIFETIME = 55 * 60  # seconds: DSQL cuts a session at 60 minutes, and a transaction may take 5
ATTEMPTS = 10
CONFLICT = "40001"


@functools.cache
def signer(region):
    import boto3  # only here: whoever has a PGPASSWORD needs none

    return boto3.client("dsql", region_name=region)


def password():
    """A token is for one connect: it is signed in no time, without a network, and soon too old."""
    if "PGPASSWORD" in os.environ:
        return os.environ["PGPASSWORD"]
    host, region = os.environ["PGHOST"], os.environ["AWS_REGION"]
    if os.environ["PGUSER"] == "admin":
        return signer(region).generate_db_connect_admin_auth_token(host, region)
    return signer(region).generate_db_connect_auth_token(host, region)


def is_worth_another_try(error):
    """A conflict, or a session that was cut: psycopg has no code for that."""
    return error.sqlstate in (CONFLICT, None)


class Database:
    """Any number of threads may use it; each transaction has a connection of its own."""

    def __init__(self):
        self._lock = threading.Lock()
        self._idle = []  # (connection, when it was opened)

    def transaction(self, work):
        """What work(connection) returns. It runs in a transaction, perhaps several times, and perhaps again after a
        COMMIT of which nobody knows the outcome: it must change nothing but the database, and find out what it did
        before."""
        for attempt in range(1, ATTEMPTS + 1):
            connection, opened = self._take()
            try:
                with connection.transaction():
                    return work(connection)
            except psycopg.OperationalError as error:
                if attempt == ATTEMPTS or not is_worth_another_try(error):
                    raise
            finally:
                self._give_back(connection, opened)
            time.sleep(random.uniform(0, 0.005 * 2**attempt))
        raise AssertionError("the last attempt returns or raises")

    def run_each(self, statements):
        """Each by itself, as DSQL wants its DDL."""
        for statement in statements:
            self.transaction(lambda connection, text=statement: connection.execute(text))

    def close(self):
        with self._lock:
            idle, self._idle = self._idle, []
        for connection, _ in idle:
            connection.close()

    def _take(self):
        with self._lock:
            if self._idle:
                return self._idle.pop()
        return psycopg.connect(password=password(), autocommit=True), time.monotonic()

    def _give_back(self, connection, opened):
        if connection.closed:  # it was cut, and those beside it probably, too
            self.close()
        elif time.monotonic() - opened > LIFETIME:
            connection.close()
        else:
            with self._lock:
                self._idle.append((connection, opened))
