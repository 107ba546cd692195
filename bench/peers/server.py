"""A throw-away PostgreSQL with one table, on a Unix socket and on a port of 127.0.0.1 for those who know no other."""
import ctypes
import os
import pathlib
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time

ACCOUNTS = 10_000
START_LIMIT = 60  # seconds
PR_SET_PDEATHSIG = 1
LIBC = ctypes.CDLL(None)


class ServerError(Exception):
    pass


def find_binaries():
    """Debian keeps each major version in a folder of its own, outside PATH."""
    found = [path.parent for path in pathlib.Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda folder: int(folder.parent.name))
    if shutil.which("initdb"):
        return pathlib.Path(shutil.which("initdb")).parent
    raise ServerError("PostgreSQL is not installed (Debian: apt install postgresql)")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def end_with_parent():
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)


class Server:
    """REQUIRES: with. It is gone, and its files with it, when the block ends. Settings are those of PostgreSQL."""

    def __init__(self, **settings):
        self.settings = settings
        self.binaries = find_binaries()
        self.account = {}
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            try:
                entry = pwd.getpwnam("postgres")
            except KeyError:
                raise ServerError('PostgreSQL does not run as root, and there is no user "postgres"') from None
            self.account = {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}
        self.process = None

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="forebay-peers-"))
        self.port = free_port()
        if self.account:
            os.chown(self.folder, self.account["user"], self.account["group"])
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        data, access = self.folder / "data", self.folder / "pg_hba.conf"
        # Nobody but the peers' own role, which owns one table, is let in by the port.
        access.write_text("local all all trust\nhost all peer 127.0.0.1/32 trust\n")
        access.chmod(0o644)
        settings = {"listen_addresses": "127.0.0.1", "port": self.port, "unix_socket_directories": self.folder,
                    "hba_file": access, "fsync": "off", "full_page_writes": "off", "shared_buffers": "64MB",
                    "wal_level": "minimal", "max_wal_senders": "0", "autovacuum": "off", "jit": "off", **self.settings}
        self.check(self.spawn("initdb", "-D", data, "-U", "postgres", "-A", "trust", "--no-sync").wait() == 0)
        self.process = self.spawn("postgres", "-D", data, *(f"--{name}={value}" for name, value in settings.items()))
        limit = time.monotonic() + START_LIMIT
        while "ready" not in self.status(data):
            self.check(self.process.poll() is None and time.monotonic() < limit)
            time.sleep(0.02)
        self.sql("CREATE ROLE peer LOGIN", "CREATE TABLE account (id int PRIMARY KEY, name text)",
                 "ALTER TABLE account OWNER TO peer")

    def status(self, data):
        """As pg_ctl does: the last line of this file is the state of the server."""
        try:
            return (data / "postmaster.pid").read_text().rstrip().rsplit("\n", 1)[-1]
        except FileNotFoundError:
            return ""

    def check(self, is_well):
        if not is_well:
            raise ServerError("PostgreSQL did not start:\n" + (self.folder / "log").read_text())

    def spawn(self, program, *words):
        with open(self.folder / "log", "a") as log:
            return subprocess.Popen(
                [str(self.binaries / program), *map(str, words)], **self.account, cwd="/", stdin=subprocess.DEVNULL,
                stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"},
                preexec_fn=end_with_parent)

    def stop(self):
        if self.process:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.send_signal(signal.SIGQUIT)
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def sql(self, *statements):
        command = [str(self.binaries / "psql"), "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h", str(self.folder), "-p",
                   str(self.port), "-U", "postgres", "-d", "postgres"]
        for statement in statements:
            command += ["-c", statement]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            raise ServerError(done.stdout)

    def refill(self):
        """The same table for each run: what the one before has changed costs nobody."""
        self.sql("TRUNCATE account",
                 f"INSERT INTO account SELECT n, 'name ' || n FROM generate_series(1, {ACCOUNTS}) n",
                 "VACUUM ANALYZE account", "CHECKPOINT")

    def version(self):
        done = subprocess.run([str(self.binaries / "postgres"), "--version"], stdout=subprocess.PIPE, text=True)
        return "PostgreSQL " + done.stdout.split()[2]
