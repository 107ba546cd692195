"""The clients: how each is built, if it must be, and how it is started."""

import pathlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
DEBIAN_PYTHON = "/usr/bin/python3"  # which finds Debian's drivers, whatever else is called python3
JDBC = "/usr/share/java/postgresql.jar"
JAVA = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto", "-Xmx128m"]  # it starts fast
EVERYWHERE = ("direct", "transaction", "session", "refuse")


class BuildError(Exception):
    """A client cannot be built here; the text says why."""


def step(*words: object, folder: pathlib.Path = HERE) -> None:
    program = str(words[0])
    if not shutil.which(program):
        raise BuildError(f"{program} is not installed")
    done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise BuildError(f"{program} failed:\n{done.stdout}")


def is_newer(target: pathlib.Path, *sources: pathlib.Path) -> bool:
    return target.exists() and all(target.stat().st_mtime > source.stat().st_mtime for source in sources)


def python(name: str) -> Callable[[pathlib.Path], list[str]]:
    return lambda _: [DEBIAN_PYTHON, "-B", str(HERE / f"{name}_client.py")]


def libpq(build: pathlib.Path) -> list[str]:
    sources, target = sorted(HERE.glob("libpq_*.cpp")), build / "libpq_client"
    if not is_newer(target, *sources, HERE / "libpq_session.hpp"):
        step("g++-12", "-std=c++23", "-Wall", "-Wextra", "-Werror", "-I/usr/include/postgresql", "-o", target, *sources,
             "-lpq")
    return [str(target)]


def jdbc(build: pathlib.Path) -> list[str]:
    source, classes = HERE / "JdbcClient.java", build / "classes"
    if not is_newer(classes / "JdbcClient.class", source):
        step("javac", "-J-XX:TieredStopAtLevel=1", "-cp", JDBC, "-d", classes, source)
    return [*JAVA, "-cp", f"{classes}:{JDBC}", "JdbcClient"]


def node(_: pathlib.Path) -> list[str]:
    step(sys.executable, "-B", ROOT / "cmake" / "npm_files.py", HERE / "node", HERE / "node" / "node_modules")
    return ["node", str(HERE / "node" / "node_client.js")]


def go(name: str) -> Callable[[pathlib.Path], list[str]]:
    def build_go(build: pathlib.Path) -> list[str]:
        step("go", "build", "-o", build / name, f"./{name}", folder=HERE / "go")
        return [str(build / name)]
    return build_go


def rust(build: pathlib.Path) -> list[str]:
    step("cargo", "build", "--quiet", "--target-dir", build, folder=HERE / "rust")
    return [str(build / "debug" / "tokio_client")]


@dataclass(frozen=True)
class Client:
    name: str
    build: Callable[[pathlib.Path], list[str]]  # gives the command
    modes: tuple[str, ...] = EVERYWHERE


CLIENTS = [
    Client("psql", python("psql")),
    Client("pgbench", python("pgbench")),
    # It sets a dozen parameters of its session first: no client for a proxy that refuses these.
    Client("pg_dump", python("pg_dump"), ("direct", "transaction", "session")),
    Client("libpq", libpq),
    Client("psycopg", python("psycopg")),
    Client("asyncpg", python("asyncpg")),
    Client("jdbc", jdbc),
    Client("node", node),
    Client("pq", go("pq")),
    Client("pgx", go("pgx")),
    Client("tokio", rust),
]
