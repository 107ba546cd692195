"""Runs the trace-hash program of several builds and fails unless they print the same lines.

Usage: compare_builds.py BUILD

BUILD is compared with the builds beside it that FOREBAY_COMPARED_BUILDS names, or else with asan and lint: another
compiler, and other optimizations. A program prints one line "seed hash" for each of its seeds. A build that is missing
fails the test, unless FOREBAY_SINGLE_BUILD is set in the environment, for those who build only one preset.
"""

import os
import pathlib
import subprocess
import sys


def hashes(program):
    """The seeds and hashes that a program prints, run twice to see that it agrees with itself."""
    first, second = (
        subprocess.run([program], check=True, capture_output=True, text=True).stdout for _ in range(2)
    )
    if first != second:
        raise RuntimeError(f"{program} printed different hashes in two runs:\n{first}{second}")
    lines = [line.split() for line in first.splitlines() if line.strip()]
    if len(lines) < 3 or any(len(line) != 2 for line in lines):
        raise RuntimeError(f"{program} should print at least three lines 'seed hash', not:\n{first}")
    return dict(lines)


def compare(results):
    """One sentence for each seed on which the builds do not agree."""
    problems = []
    for seed in sorted({seed for result in results.values() for seed in result}):
        by_build = {name: result.get(seed, "nothing") for name, result in results.items()}
        if len(set(by_build.values())) > 1:
            told = ", ".join(f"{name} says {value}" for name, value in by_build.items())
            problems.append(f"seed {seed}: {told}")
    return problems


def main(arguments):
    own = pathlib.Path(arguments[0])
    names = [own.name, *os.environ.get("FOREBAY_COMPARED_BUILDS", "asan lint").split()]
    programs = {name: own.parent / name / "forebay_trace_hash" for name in names}
    missing = [name for name, program in programs.items() if not os.path.exists(program)]
    if missing and not os.environ.get("FOREBAY_SINGLE_BUILD"):
        for name in missing:
            print(f"the {name} build is missing: run scripts/build {name}, or set FOREBAY_SINGLE_BUILD=1")
        return 1

    results = {}
    for name, program in programs.items():
        if name in missing:
            print(f"{name}: not built, left out")
            continue
        results[name] = hashes(program)
        print(f"{name}: " + ", ".join(f"seed {seed} {value}" for seed, value in results[name].items()))

    problems = compare(results)
    for problem in problems:
        print(problem)
    if problems:
        print("If a build is older than the sources, build it again first, with scripts/build.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
