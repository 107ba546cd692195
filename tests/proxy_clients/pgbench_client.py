"""pgbench: each of its protocols, a connection for each transaction, pipelines."""

import pathlib
import tempfile

from common import CLIENTS, MODE, check, check_equal, program, run

PIPELINE = """\
\\set id random(1, 100000)
\\startpipeline
SELECT abalance FROM pgbench_accounts WHERE aid = :id;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :id;
SELECT 1;
\\endpipeline
"""
# One pipeline over a whole transaction.
PIPELINED_TRANSACTION = """\
\\set id random(1, 100000)
\\startpipeline
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :id;
SELECT abalance FROM pgbench_accounts WHERE aid = :id;
COMMIT;
\\endpipeline
"""


def pgbench(*words: str) -> str:
    # It waits for the answer to a Parse, and with it all clients of that thread, who may have the servers: one each.
    told = program("pgbench", "-n", "-j", str(CLIENTS), *words)
    check("number of failed transactions: 0 " in told, told)
    return told


def query(text: str) -> str:
    return program("psql", "-X", "-q", "-A", "-t", "-c", text).strip()


def fill() -> None:
    program("pgbench", "-i", "-q", "-s", "1")
    check_equal(query("SELECT count(*) FROM pgbench_accounts"), "100000", "accounts")


def protocols() -> None:
    """Branch, teller and account get the same changes, whichever servers they were made on."""
    for number, protocol in enumerate(("simple", "extended", "prepared"), 1):
        pgbench("-c", str(CLIENTS), "-t", "25", "-M", protocol)
        totals = query("SELECT (SELECT sum(abalance) FROM pgbench_accounts) = (SELECT sum(bbalance) FROM"
                       " pgbench_branches), (SELECT sum(tbalance) FROM pgbench_tellers) = (SELECT sum(delta) FROM"
                       " pgbench_history), (SELECT count(*) FROM pgbench_history)")
        check_equal(totals, f"t|t|{number * 25 * CLIENTS}", f"books after {protocol}")
        pgbench("-S", "-c", str(CLIENTS), "-t", "50", "-M", protocol)


def connections() -> None:
    pgbench("-S", "-C", "-c", str(CLIENTS), "-t", "10", "-M", "simple")
    pgbench("-C", "-c", str(CLIENTS), "-t", "5", "-M", "prepared")


def pipelines() -> None:
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("pipeline", PIPELINE), ("transaction", PIPELINED_TRANSACTION)):
            path = pathlib.Path(folder) / name
            path.write_text(text)
            for protocol in ("extended", "prepared"):
                before = int(query("SELECT sum(abalance) FROM pgbench_accounts"))
                pgbench("-c", str(CLIENTS), "-t", "50", "-M", protocol, "-f", str(path))
                after = int(query("SELECT sum(abalance) FROM pgbench_accounts"))
                check_equal(after - before, 50 * CLIENTS, f"sum of balances after {name}, {protocol}")


def no_refusals() -> None:
    """Nothing that pgbench does needs session state."""
    check(MODE == "refuse", MODE)
    for step in (fill, protocols, pipelines):
        step()


if __name__ == "__main__":
    run([fill, protocols, connections, pipelines], [no_refusals])
