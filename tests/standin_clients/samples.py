"""Runs the samples in a clone of aurora-dsql-connectors as they are, against the cluster that the environment names.

Usage: samples.py CLONE PYTHON NODE_FOLDER

PYTHON has the connector and its drivers; NODE_FOLDER has node_modules beside it. Ends with 1 if a sample fails.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

OWNER = "CREATE TABLE IF NOT EXISTS owner (id uuid PRIMARY KEY DEFAULT gen_random_uuid(), name varchar(30) NOT NULL, " \
        "city varchar(80) NOT NULL, telephone varchar(20))"
LIMIT = 120  # seconds for each
AT_LEAST = 10


def python_samples(clone, python, folder):
    """They look for the authority in root.pem, and expect a table of the README."""
    shutil.copy(os.environ["PGSSLROOTCERT"], folder / "root.pem")
    prepare = f"import aurora_dsql_psycopg as d, os; d.connect(os.environ['CLUSTER_ENDPOINT'], autocommit=True, " \
              f"sslmode='verify-full', sslrootcert='root.pem').execute('''{OWNER}''')"
    yield "the table of the README", [python, "-c", prepare]
    for path in sorted(clone.glob("python/connector/examples/*/src/**/example*.py")):
        yield str(path.relative_to(clone)), [python, "-B", path]


def node_samples(clone, packages, folder):
    (folder / "node_modules").symlink_to(packages / "node_modules")
    (folder / "package.json").write_text('{"type": "module"}')
    for number, path in enumerate(sorted(clone.glob("node/node-postgres/example/src/**/*.js"))):
        copy = folder / f"sample_{number}.js"
        shutil.copy(path, copy)
        run = f"const all = await import('./{copy.name}'); await Object.values(all)[0]();"
        yield str(path.relative_to(clone)), ["node", "--input-type=module", "--eval", run]


def go_samples(clone):
    module = clone / "go" / "pgx" / "example"
    for path in sorted(module.glob("test/**/*_test.go")):
        package = path.parent.relative_to(module)
        yield str(path.relative_to(clone)), ["go", "-C", module, "test", "-count=1", f"./{package}"]


def main():
    clone, python, packages = (pathlib.Path(word).resolve() for word in sys.argv[1:4])
    python = pathlib.Path(sys.argv[2]).absolute()  # resolved it would not be that of its own place
    failures, count = 0, 0
    with tempfile.TemporaryDirectory(prefix="forebay-samples-") as name:
        folder = pathlib.Path(name)
        variables = os.environ | {"SSL_CERT_FILE": os.environ["PGSSLROOTCERT"]}  # for those in Go
        samples = [*python_samples(clone, python, folder), *node_samples(clone, packages, folder)]
        if shutil.which("go"):
            samples += dict(go_samples(clone)).items()
        for title, command in samples:
            done = subprocess.run([str(word) for word in command], cwd=folder, env=variables, timeout=LIMIT,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            count += 1
            failures += done.returncode != 0
            print(f"{title}: {'well' if done.returncode == 0 else done.stdout}", flush=True)
    print(f"{count} samples, {failures} failures")
    sys.exit(1 if failures or count < AT_LEAST else 0)


if __name__ == "__main__":
    main()
