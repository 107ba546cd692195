"""What the programs here share: where they connect, what they may expect there, and how they fail."""

import os
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterable

# "direct" on a server; through forebay "transaction", "session", or "refuse": transactions without session state.
MODE = os.environ.get("PROXY_MODE", "direct")
SERVERS = int(os.environ.get("PROXY_SERVERS", "100"))  # that a proxy may use
CLIENTS = 8  # at once
REFUSED = "0A000"
CANCELLED = "57014"
FAILED_TRANSACTION = "25P02"
MEGABYTE = 1 << 20
# What a client leaves in its session, and what must be refused where it cannot follow the client.
SESSION_STATE = [
    "LISTEN refused_channel",
    "CREATE TEMPORARY TABLE refused_table (id int)",
    "SELECT pg_advisory_lock(4711)",
    "DECLARE refused_cursor CURSOR WITH HOLD FOR SELECT 1",
]

Step = Callable[[], None]


def check(is_so: bool, text: str) -> None:
    if not is_so:
        raise AssertionError(text)


def check_equal(actual: object, expected: object, what: str) -> None:
    check(actual == expected, f"{what}: {shortened(actual)}, not {shortened(expected)}")


def shortened(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 1000 else f"{text[:1000]}... ({len(text)} characters)"


def check_servers(processes: Iterable[int]) -> None:
    """REQUIRES: the process ids of all servers that clients have seen in one step."""
    if MODE in ("transaction", "refuse"):
        check(len(set(processes)) <= SERVERS, f"{len(set(processes))} servers for a proxy that may use {SERVERS}")


def why() -> str:
    """REQUIRES: an exception is being handled."""
    error = sys.exc_info()[1]
    return str(error) if isinstance(error, AssertionError) else traceback.format_exc(limit=-4)


def together(work: Callable[[int], None], count: int = CLIENTS) -> None:
    """Calls work(0), work(1) ... on threads, and fails with the first of them that does."""
    failures: list[str] = []

    def guarded(number: int) -> None:
        try:
            work(number)
        except Exception:
            failures.append(f"client {number}: {why()}")

    threads = [threading.Thread(target=guarded, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    check(not failures, f"{len(failures)} of {count}; {''.join(failures[:1])}")


def program(*words: str, text: str = "", expected: int = 0) -> str:
    """What a program printed, both ways of it. It has no terminal, and must end with the expected code."""
    done = subprocess.run(words, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    told = shortened(done.stdout)
    check(done.returncode == expected, f"{' '.join(words)} ended with {done.returncode}, not {expected}: {told}")
    return done.stdout


def run(steps: list[Step], refused: list[Step]) -> None:
    """Ends the process: with 0 if every step went well. Each is tried, whatever became of those before it."""
    failed = []
    for step in refused if MODE == "refuse" else steps:
        began = time.monotonic()
        print(f"  {step.__name__}", end="", flush=True)
        try:
            step()
            print(f": {time.monotonic() - began:.2f} s", flush=True)
        except Exception:
            failed.append(step.__name__)
            print(f" failed after {time.monotonic() - began:.2f} s: {why()}", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", flush=True)
    sys.exit(1 if failed else 0)
