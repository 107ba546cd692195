"""Installs dsql-lint, Amazon's checker of SQL for Aurora DSQL, by pip into FOLDER, and has it read SCHEMA: it must find
nothing. Then it reads the same with what DSQL refuses and must find that: a checker that finds nothing proves nothing.

Usage: run.py SCHEMA FOLDER
"""

import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import pip_tools

# What is put into the schema, in place of what, and a word of the complaint about it.
MISTAKES = [
    ("CREATE INDEX", "CREATE INDEX ASYNC", "without ASYNC"),
    ("BIGSERIAL", "BIGINT NOT NULL", "BIGSERIAL"),
    ("TEXT[]", "BYTEA NOT NULL", "array"),
]


def lint(program, sql):
    done = subprocess.run([program, "-"], input=sql, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def main():
    schema, folder = pathlib.Path(sys.argv[1]).read_text(), pathlib.Path(sys.argv[2]).resolve()
    program = pip_tools.install("dsql-lint", folder) / "dsql-lint"
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    status, words = lint(program, schema)
    if status != 0:
        sys.exit(f"{version} about {sys.argv[1]}:\n{words}")
    for mistake, right, complaint in MISTAKES:
        assert right in schema, right
        status, words = lint(program, schema.replace(right, mistake))
        if status != 1 or complaint.lower() not in words.lower():
            sys.exit(f"{version} has nothing to say about {mistake} in place of {right}: {status}\n{words}")
    statements = sum(line.endswith(";") for line in schema.splitlines())
    print(f"{version}: nothing wrong with {statements} statements, and {len(MISTAKES)} mistakes found")


if __name__ == "__main__":
    main()
