#!/usr/bin/env python3
"""Real clients of PostgreSQL through `forebay serve`, on a throw-away server."""

import argparse
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "bench" / "peers")]
from clients import CLIENTS, EVERYWHERE, BuildError, Client
from server import Server, ServerError
from serving import ServingError, forebay

# With fewer servers than clients, unless each client keeps one.
WORDS = {
    "transaction": (3, ["--pooling", "transaction", "--on-session-state", "pin"]),
    "refuse": (3, ["--pooling", "transaction", "--on-session-state", "refuse"]),
    "session": (12, ["--pooling", "session"]),
}
EXAMPLES = """\
examples:
  run.py --forebay build/dev/forebay psql psycopg          two of them, in each mode
  run.py --forebay build/dev/forebay --mode session all    all of them, in one mode
  run.py --direct all                                      without a proxy: what each must do anyway

Ends with 1 if a client fails, with 2 if it does not understand.
"""


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [client.name for client in CLIENTS]
    parser.add_argument("--forebay", type=pathlib.Path, metavar="PATH", help="the program to test")
    parser.add_argument("--direct", action="store_true", help="on the server itself, as a control")
    parser.add_argument("--mode", action="append", choices=list(WORDS), help="default: all of them")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "proxy_clients", metavar="FOLDER",
                        help="where clients are built (build/proxy_clients)")
    parser.add_argument("--limit", type=float, default=90, metavar="SECONDS", help="for each client (90)")
    parser.add_argument("--verbose", action="store_true", help="print what each client says, though it went well")
    parser.add_argument("clients", nargs="+", choices=[*names, "all"], metavar="CLIENT",
                        help=f"{', '.join(names)}, or all")
    options = parser.parse_args()
    if not options.direct and not options.forebay:
        parser.error("--forebay PATH or --direct")
    return options


def environment(server: Server, port: int, mode: str) -> dict[str, str]:
    """What libpq and its relatives read; the others read the same."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    servers = WORDS[mode][0] if mode in WORDS else 100
    return kept | {"PATH": f"{server.binaries}:{kept['PATH']}", "PGHOST": "127.0.0.1", "PGPORT": str(port),
                   "PGUSER": "peer", "PGDATABASE": "clients", "PGCONNECT_TIMEOUT": "20", "LC_ALL": "C.UTF-8",
                   "PROXY_MODE": mode, "PROXY_SERVERS": str(servers)}


def run_client(command: list[str], variables: dict[str, str], limit: float) -> tuple[str, str]:
    """Why it failed, or nothing; and what it said."""
    process = subprocess.Popen(command, env=variables, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, text=True, errors="replace", start_new_session=True)
    try:
        said, _ = process.communicate(timeout=limit)
        return (f"ended with {process.returncode}" if process.returncode else "", said)
    except BaseException as error:
        os.killpg(process.pid, signal.SIGKILL)
        said, _ = process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            return f"not done after {limit:g} s", said
        raise


@contextmanager
def proxy(server: Server, mode: str, options: argparse.Namespace) -> Iterator[tuple[int, pathlib.Path | None]]:
    """The port to connect to, and what the proxy writes to."""
    if mode == "direct":
        yield server.port, None
        return
    connections, words = WORDS[mode]
    database = f"postgresql://peer@127.0.0.1:{server.port}/clients"
    with tempfile.TemporaryDirectory(prefix="forebay-clients-") as folder:
        log = pathlib.Path(folder) / "log"
        with forebay(options.forebay, database, connections, log, *words) as serving:
            yield serving.port, log


def run_mode(server: Server, mode: str, commands: dict[Client, list[str]], options: argparse.Namespace) -> int:
    """How many failed. Each has a proxy of its own, which must also end well."""
    failures = 0
    for client, command in commands.items():
        if mode not in client.modes:
            continue
        began = time.monotonic()
        said = ""
        try:
            with proxy(server, mode, options) as (port, log):
                why, said = run_client(command, environment(server, port, mode), options.limit)
                told = log.read_text(errors="replace")[-4000:] if log else ""
        except ServingError as error:
            why, told = "the proxy failed", str(error)
        print(f"{client.name:10} {mode:12} {time.monotonic() - began:6.1f} s  {why or 'well'}", flush=True)
        if why or options.verbose:
            print(said, end="", flush=True)
        if why:
            failures += 1
            print(f"---- the proxy said:\n{told}\n----" if mode != "direct" else "", flush=True)
    return failures


def main() -> int:
    options = read_options()
    chosen = [client for client in CLIENTS if client.name in options.clients or "all" in options.clients]
    modes = ["direct"] if options.direct else [mode for mode in EVERYWHERE if mode in (options.mode or WORDS)]
    commands: dict[Client, list[str]] = {}
    failures = 0
    for client in chosen:
        folder = options.build.resolve() / client.name
        folder.mkdir(parents=True, exist_ok=True)
        try:
            commands[client] = client.build(folder)
        except BuildError as error:
            failures += 1
            print(f"{client.name:10} cannot be built: {error}", flush=True)
    with Server() as server:
        server.sql("CREATE DATABASE clients OWNER peer ENCODING 'UTF8' TEMPLATE template0")
        for mode in modes:
            failures += run_mode(server, mode, commands, options)
    return 1 if failures else 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and what was started ends with it
    try:
        sys.exit(main())
    except ServerError as error:
        sys.exit(str(error))
