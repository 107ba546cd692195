"""What stands between pgbench and the server: nothing, forebay serve, or PgBouncer."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
from contextlib import contextmanager

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "support"))
from serving import Serving, forebay, free_port

TICKS = os.sysconf("SC_CLK_TCK")
DATABASE = "bench"
SETTINGS = """\
[databases]
{database} = host=127.0.0.1 port={server} dbname={database} user=peer
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
max_client_conn = 500
log_connections = 0
log_disconnections = 0
{prepared}
"""


class Direct:
    title = "direct"
    has_pool = False

    def is_able(self, protocol):
        return True

    @contextmanager
    def serve(self, server, _):
        yield server.port, lambda: 0.0


class Forebay:
    title = "forebay serve"
    has_pool = True

    def __init__(self, program):
        self.program = program

    def is_able(self, protocol):
        return True

    @contextmanager
    def serve(self, server, connections):
        database = f"postgresql://peer@127.0.0.1:{server.port}/{DATABASE}"
        with forebay(self.program, database, connections, server.folder / "forebay.log") as serving:
            yield serving.port, lambda: processor_seconds(serving.pid)


class PgBouncer:
    """Version 1.21 was the first that knows prepared statements in transactions."""
    has_pool = True

    def __init__(self):
        self.program = shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin")
        told = subprocess.run([self.program, "--version"], stdout=subprocess.PIPE, text=True).stdout
        version = re.search(r"(\d+)\.(\d+)", told)
        self.version = version.group()
        number = tuple(map(int, version.groups()))
        self.knows_prepared = number >= (1, 21)
        # Until 1.23 SIGTERM ended it at once, with 1; since then it waits for its clients, and ends well.
        self.ending = 0 if number >= (1, 23) else 1
        self.title = f"PgBouncer {self.version}"

    def is_able(self, protocol):
        return protocol != "prepared" or self.knows_prepared

    @contextmanager
    def serve(self, server, connections):
        port = free_port()
        file = server.folder / "pgbouncer.ini"
        prepared = "max_prepared_statements = 200" if self.knows_prepared else ""
        file.write_text(SETTINGS.format(database=DATABASE, server=server.port, port=port, connections=connections,
                                        prepared=prepared))
        file.chmod(0o644)
        # Like PostgreSQL, it does not run as root.
        serving = Serving([self.program, str(file)], port, server.folder / "pgbouncer.log", server.account)
        serving.code = self.ending
        with serving:
            yield serving.port, lambda: processor_seconds(serving.pid)


def processor_seconds(pid):
    """All threads of a process, in its own code and in the kernel."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def all_of(program):
    """Those that can be had here, and the names of those that cannot."""
    found, missing = [Direct()], []
    if program.exists():
        found.append(Forebay(program))
    else:
        missing.append(f"forebay: there is no {program}; scripts/build release makes it")
    if shutil.which("pgbouncer", path=f"{os.environ['PATH']}:/usr/sbin"):
        found.append(PgBouncer())
    else:
        missing.append("PgBouncer is not installed (Debian: apt install pgbouncer)")
    return found, missing
