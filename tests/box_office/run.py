"""Runs the tests of examples/box_office as its files say: the commands of ci.yaml, and those of compose.yaml as far as
they are not about containers.

    python   the job's command, with Debian's psycopg and a password from `forebay token`: no network
    sdk      the same with what requirements.txt names, which pip installs into the build: tokens are the SDK's
    go       the job's command for Go, with the modules that go.sum names
    compose  the stand-in of compose.yaml before a PostgreSQL that was there, and what its service in Python runs
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "box_office"
sys.dont_write_bytecode = True
sys.path += [str(ROOT / "tests" / "support"), str(ROOT / "bench" / "peers")]
import pip_tools
from serving import end_with_parent
from server import Server, free_port

START_LIMIT = 60.0  # seconds


def job_command(title):
    """What the job runs in the step of that name."""
    steps = yaml.safe_load((EXAMPLE / "ci.yaml").read_text())["jobs"]["test"]["steps"]
    (command,) = [step["run"] for step in steps if step.get("name") == title]
    return command


def environment(forebay, programs):
    """Of this process, with these folders first on the path; nothing in it names a database or somebody of AWS."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "AWS_"))}
    path = ":".join([*map(str, programs), str(forebay.parent), kept["PATH"]])
    return kept | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "AWS_EC2_METADATA_DISABLED": "true"}


def shell(command, variables, folder=ROOT):
    return subprocess.run(command, shell=True, cwd=folder, env=variables).returncode


def run_python(forebay, _):
    variables = environment(forebay, ["/usr/bin"])  # Debian's Python, which finds Debian's psycopg
    signing = variables | dict(compose_service("python")["environment"])
    token = subprocess.run([forebay, "token", "--endpoint", "localhost"], env=signing, check=True, capture_output=True,
                           text=True).stdout.strip()
    return shell(job_command("The service in Python"), variables | {"PGPASSWORD": token})


def run_sdk(forebay, build):
    programs = pip_tools.install(f"--requirement={EXAMPLE}/python/requirements.txt", build)
    return shell(job_command("The service in Python"), environment(forebay, [programs]))


def run_go(forebay, _):
    return shell(job_command("The service in Go"), environment(forebay, []))


def compose_service(name):
    return yaml.safe_load((EXAMPLE / "compose.yaml").read_text())["services"][name]


def run_compose(forebay, build):
    programs = pip_tools.install(f"--requirement={EXAMPLE}/python/requirements.txt", build)
    standin, service = compose_service("standin"), compose_service("python")
    with Server() as server, tempfile.TemporaryDirectory(prefix="forebay-box-office-") as certificates:
        # What containers have by their names and mounts, this machine has elsewhere.
        port = str(free_port())
        here = {"postgresql://postgres@postgres/postgres":
                f"postgresql://postgres@/postgres?host={server.folder}&port={server.port}",
                "0.0.0.0:5432": f"127.0.0.1:{port}", "/certificates": certificates}
        words = [here.get(word, word) for word in standin["command"]]
        assert len(set(words) & set(here.values())) == len(here), words
        with subprocess.Popen([forebay, *words], stdout=subprocess.PIPE, text=True,
                              preexec_fn=end_with_parent) as running:
            try:
                wait_until_ready(running)
                variables = environment(forebay, [programs]) | service["environment"] | {
                    "PGHOSTADDR": "127.0.0.1", "PGPORT": port, "PGSSLROOTCERT": f"{certificates}/ca.pem"}
                folder = EXAMPLE / pathlib.PurePath(service["working_dir"]).relative_to("/box_office")
                return subprocess.run(service["command"], env=variables, cwd=folder).returncode
            finally:
                running.terminate()


def wait_until_ready(running):
    """It says where it is when clients can call."""
    limit = time.monotonic() + START_LIMIT
    for line in running.stdout:
        if line.startswith("# Ctrl-C"):
            return
        assert time.monotonic() < limit
    sys.exit("the stand-in did not start")


RUNS = {"python": run_python, "sdk": run_sdk, "go": run_go, "compose": run_compose}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", type=pathlib.Path, required=True, metavar="PATH")
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="FOLDER")
    parser.add_argument("what", choices=RUNS)
    options = parser.parse_args()
    sys.exit(RUNS[options.what](options.forebay.resolve(), options.build.resolve()))


if __name__ == "__main__":
    main()
