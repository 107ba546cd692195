#!/usr/bin/env python3
"""The whole of it for a service in any language: a client, four proxies with reservoirs, tokens, leases and a rate, and
a stand-in whose sessions are short. Proxies are killed by chance, and once all of their sessions are cut; nobody may
hear of anything but conflicts and the loss of a proxy, and no transfer may be lost or doubled."""

import argparse
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "tests" / "proxy_clients")]
from clients import DEBIAN_PYTHON, go
from serving import Serving, ServingError, free_port

HERE = pathlib.Path(__file__).resolve().parent
CLIENTS = {"psycopg": lambda _: [DEBIAN_PYTHON, "-B", str(HERE / "psycopg_transfers.py")], "pgx": go("transfers")}
PROXIES = 4
LIMIT = 48  # of sessions; together the proxies want more
WANTED, FILLED = 16, 6  # by each; with so many it counts as filled
RATE, BURST = 20, 30  # connects a second that the stand-in takes
WORKERS = 16
ACCOUNTS, BALANCE = 60, 1000
TABLE = "fleet"
PATIENCE = 60.0  # seconds


class Failure(Exception):
    pass


def check(is_so: bool, text: str) -> None:
    if not is_so:
        raise Failure(text)


def program(words: list[str], variables: dict[str, str]) -> str:
    done = subprocess.run(words, env=os.environ | variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    check(done.returncode == 0, f"{' '.join(words)} ended with {done.returncode}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


class Standin(Serving):
    """REQUIRES: with."""

    def __init__(self, forebay: pathlib.Path, age: float, folder: pathlib.Path) -> None:
        self.forebay = str(forebay)
        port = free_port()
        # One session is for the operator, who looks and cuts.
        super().__init__([self.forebay, "standin", "--json", "--listen", str(port), "--dynamodb", str(free_port()),
                          "--session-age", f"{age:g}s", "--rate", str(RATE), "--burst", str(BURST),
                          "--connections", str(LIMIT + 1)], port, folder / "standin.log")

    def __enter__(self) -> "Standin":
        super().__enter__()
        limit = time.monotonic() + PATIENCE
        while "\n" not in self.said() and time.monotonic() < limit:
            time.sleep(0.02)
        self.signs = json.loads(self.said().splitlines()[0])
        self.clients = dict(self.signs["environment"]) | {"AWS_EC2_METADATA_DISABLED": "true"}
        return self

    def sql(self, text: str) -> str:
        return program(["psql", "-XAtqc", text], self.operator())

    def cut_all(self) -> None:
        """That of the operator, too, so psql has nothing good to say."""
        subprocess.run(["psql", "-XAtqc", "SELECT standin.drop_connections()"], env=self.operator(),
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def operator(self) -> dict[str, str]:
        token = program([self.forebay, "token", "--endpoint", "localhost"], self.clients)
        return os.environ | self.clients | {"PGPASSWORD": token}


class Proxy:
    def __init__(self, standin: Standin, number: int, age: float, folder: pathlib.Path) -> None:
        self.standin, self.number, self.folder = standin, number, folder
        self.port, self.metrics = free_port(), free_port()
        self.lives = self.empty = 0
        signs = standin.signs
        target = (f"postgresql://app@{signs['cluster']}:{signs['port']}/postgres?hostaddr=127.0.0.1"
                  f"&sslmode=verify-full&sslrootcert={signs['certificate']}")
        settings = {
            "database": {"url": target},
            "pool": {"max": WANTED, "longest_transaction": f"{age / 10:g}s"},
            "reservoir": {"enabled": True, "low_watermark": FILLED, "base_lifetime": f"{age * 0.6:g}s",
                          "lifetime_jitter": f"{age * 0.12:g}s", "guard_window": f"{age * 0.03:g}s"},
            "leases": {"enabled": True, "table": TABLE, "limit": LIMIT, "ttl": "4s", "session_linger": "1s"},
            "rate": {"enabled": True, "table": TABLE, "limit": RATE - 4},  # with room for connects that come late
            "startup": {"max_delay": "500ms"},
            "cluster": {"service": f"proxy-{number}"},
        }
        self.config = folder / f"proxy-{number}.yaml"
        self.config.write_text(json.dumps(settings))

    def start(self) -> None:
        self.lives += 1
        self.serving = Serving([self.standin.forebay, "serve", "--config", str(self.config), "--listen",
                                f"127.0.0.1:{self.port}", "--metrics", str(self.metrics)], self.port,
                               self.folder / f"proxy-{self.number}.{self.lives}.log", variables=self.standin.clients)
        self.serving.__enter__()
        limit = time.monotonic() + PATIENCE
        while self.page("readyz") is None:
            check(time.monotonic() < limit, f"a proxy is not ready: {self.serving.said()}")
            time.sleep(0.02)
        self.empty = self.times_empty()  # callers may have come before the first connection

    def page(self, name: str) -> str | None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.metrics}/{name}", timeout=PATIENCE) as answer:
                return str(answer.read().decode())
        except (urllib.error.URLError, ConnectionError):
            return None

    def times_empty(self) -> int:
        return sum(int(count) for count in re.findall(r"^dsql_reservoir_empty_total\S* (\d+)$",
                                                      self.page("metrics") or "", re.MULTILINE))

    def check_supply(self) -> None:
        """Since it was filled somebody was always served at once."""
        times = self.times_empty() - self.empty
        check(times == 0, f"proxy {self.number} had nothing ready {times} times: {self.serving.said()}")

    def kill(self) -> None:
        self.check_supply()
        self.serving.kill()

    def end(self) -> None:
        self.serving.__exit__(None, None, None)


def prepare(standin: Standin) -> None:
    program([standin.forebay, "leases", "setup", "--table", TABLE], standin.clients)
    for statement in ("CREATE ROLE app WITH LOGIN",
                      "CREATE TABLE accounts (id int PRIMARY KEY, balance int NOT NULL)",
                      "CREATE TABLE journal (id text PRIMARY KEY, source int, target int, amount int)",
                      "GRANT SELECT, UPDATE ON accounts TO app",
                      "GRANT SELECT, INSERT ON journal TO app",
                      f"INSERT INTO accounts SELECT n, {BALANCE} FROM generate_series(0, {ACCOUNTS - 1}) n",
                      "SELECT standin.conflicts(0.02)"):
        standin.sql(statement)


def disturb(standin: Standin, proxies: list[Proxy], chance: random.Random, end: float) -> int:
    """Kills proxies, and at last cuts all sessions. How many were killed."""
    kills = 0
    cut = end - 8
    while time.monotonic() < cut:
        victim = chance.choice(proxies)
        victim.kill()
        kills += 1
        time.sleep(chance.uniform(0.1, 1))
        victim.start()
        time.sleep(chance.uniform(0.5, 3))
    for proxy in proxies:
        proxy.check_supply()
    standin.cut_all()
    return kills


def work(standin: Standin, proxies: list[Proxy], command: list[str], seconds: float, out: pathlib.Path) -> str:
    """A line about what was done."""
    words = [*command, ",".join(str(proxy.port) for proxy in proxies), f"{seconds:g}", str(WORKERS), str(ACCOUNTS)]
    end = time.monotonic() + seconds
    with open(out, "wb") as output:
        client = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        kills = disturb(standin, proxies, random.Random(20261119), end)
        code = client.wait(max(0.0, end - time.monotonic()) + 2 * PATIENCE)
    finally:
        client.kill()
        client.wait()
    said = out.read_text(errors="replace")
    check(code == 0, f"the client ended with {code}: {said}")
    done = json.loads(said.splitlines()[-1])
    check(not done["failures"], f"{done['failures']}")
    # Of a proxy that is killed each client loses its connection once, and of cut sessions those in a transaction.
    most = kills * WORKERS // PROXIES + WORKERS
    check(done["broken"] <= most, f"{done['broken']} connections were lost, and not {most}")
    check(done["transfers"] > 0 and done["conflicts"] > 0, f"{done}")
    for proxy in proxies:
        proxy.end()
    rows = standin.sql("SELECT count(*) FROM journal")
    check(rows == str(done["transfers"]), f"{rows} transfers in the journal: {done}")
    wrong = standin.sql(f"SELECT count(*) FROM accounts WHERE balance <> {BALANCE} + "
                        "(SELECT coalesce(sum(amount), 0) FROM journal WHERE target = accounts.id) - "
                        "(SELECT coalesce(sum(amount), 0) FROM journal WHERE source = accounts.id)")
    check(wrong == "0", f"{wrong} accounts are not what the journal says")
    return (f"{seconds:g} s, {kills} proxies killed, {done['transfers']} transfers, {done['conflicts']} attempts "
            f"lost a conflict, {done['broken']} connections lost")


def run(options: argparse.Namespace, command: list[str], folder: pathlib.Path) -> None:
    age = min(60.0, options.seconds / 2)
    with Standin(options.forebay.resolve(), age, folder) as standin:
        prepare(standin)
        proxies = [Proxy(standin, number, age, folder) for number in range(PROXIES)]
        try:
            for proxy in proxies:
                proxy.start()
            line = work(standin, proxies, command, options.seconds, folder / "client.log")
        finally:
            for proxy in proxies:
                if hasattr(proxy, "serving"):
                    proxy.serving.kill()
    counts = re.search(r"(\d+) sessions, (\d+) over the rate, (\d+) over the cap, (\d+) denied, (\d+) too old",
                       standin.said())
    check(counts is not None, f"no last words: {standin.said()}")
    assert counts
    check(counts.groups()[1:] == ("0", "0", "0", "0"), f"the stand-in says: {counts[0]}")
    print(f"{line}; {counts[0]}")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--forebay", type=pathlib.Path, required=True, metavar="PATH", help="the program to test")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "standin_proxies", metavar="FOLDER",
                        help="where clients are built (build/standin_proxies)")
    whole = "FOREBAY_FULL_LOAD" in os.environ
    parser.add_argument("--seconds", type=float, default=300 if whole else 60,
                        help="of load (60; 300 in the long suite)")
    parser.add_argument("client", choices=sorted(CLIENTS))
    options = parser.parse_args()
    folder = options.build.resolve() / options.client
    folder.mkdir(parents=True, exist_ok=True)
    command = CLIENTS[options.client](folder)
    with tempfile.TemporaryDirectory(prefix="forebay-standin-") as scratch:
        try:
            run(options, command, pathlib.Path(scratch))
        except (Failure, ServingError) as failure:
            print(failure)
            return 1
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # and what was started ends with it
    sys.exit(main())
