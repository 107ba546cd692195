"""`forebay serve` as a process, for tests and benchmarks in Python."""

import ctypes
import os
import pathlib
import signal
import socket
import subprocess
import time
from types import TracebackType
from typing import Any

START_LIMIT = 30.0  # seconds
STOP_LIMIT = 20.0
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class ServingError(Exception):
    """The proxy did not start, or did not end well; the text has what it said."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def end_with_parent() -> None:
    """Whoever started it may be killed."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Serving:
    """REQUIRES: with. It listens on a port of 127.0.0.1 until the block ends; SIGTERM ends it, with this code."""

    code = 0

    def __init__(self, command: list[str], port: int, log: pathlib.Path,
                 account: dict[str, Any] | None = None, variables: dict[str, str] | None = None) -> None:
        """The account: user, group and extra_groups, if it is to be another. The variables: beside our own."""
        self.account = account or {}
        self.variables = os.environ | (variables or {})
        self.command = command
        self.port = port
        self.log = log
        self.process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Serving":
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            cwd="/", env=self.variables, preexec_fn=end_with_parent,
                                            **self.account)
        limit = time.monotonic() + START_LIMIT
        while not answers(self.port):
            if self.process.poll() is not None or time.monotonic() > limit:
                self.kill()
                raise ServingError(f"{' '.join(self.command)} did not start:\n{self.said()}")
            time.sleep(0.02)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None,
                 trace: TracebackType | None) -> None:
        assert self.process
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(STOP_LIMIT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise ServingError(f"{self.command[0]} does not end:\n{self.said()}") from None
        if code != self.code and error is None:
            raise ServingError(f"{self.command[0]} ended with {code}:\n{self.said()}")

    @property
    def pid(self) -> int:
        assert self.process
        return self.process.pid

    def kill(self) -> None:
        if self.process:
            self.process.kill()
            self.process.wait()

    def said(self) -> str:
        return self.log.read_text(errors="replace")


def forebay(program: pathlib.Path, database: str, connections: int, log: pathlib.Path, *words: str) -> Serving:
    """The program as a proxy for a database, with more words of its command line."""
    port = free_port()
    command = [str(program.resolve()), "serve", "--database", database, "--listen", f"127.0.0.1:{port}",
               "--connections", str(connections), *words]
    return Serving(command, port, log)
