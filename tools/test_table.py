#!/usr/bin/env python3
"""Sums up what ctest ran: test_table.py LastTest.log BUILDS

One line for each build and ring: how many tests there were, and the seconds that they took one after the other. A
program of GoogleTest counts as many tests as it says it ran.
"""

import collections
import pathlib
import re
import sys

TEST = re.compile(r"^\d+/\d+ Testing: (\S+)$", re.MULTILINE)
RAN = re.compile(r"^\[==========\] (\d+) tests? from", re.MULTILINE)


def rows(log, builds):
    pieces = TEST.split(log)[1:]
    for name, text in zip(pieces[::2], pieces[1::2]):
        folder = re.search(r"^Directory: (.*)$", text, re.MULTILINE).group(1)
        seconds = re.search(r"^Test time = +([\d.]+) sec$", text, re.MULTILINE)
        ran = RAN.search(text)
        build = pathlib.Path(folder).relative_to(builds).parts[0]
        yield build, name.split(".")[0], int(ran.group(1)) if ran else 1, float(seconds.group(1)) if seconds else 0.0


def main():
    log, builds = sys.argv[1:]
    counts = collections.defaultdict(lambda: [0, 0.0])
    for build, folder, tests, seconds in rows(pathlib.Path(log).read_text(errors="replace"), builds):
        for key in ((build, folder), (build, "")):
            counts[key][0] += tests
            counts[key][1] += seconds
    for (build, folder), (tests, seconds) in sorted(counts.items()):
        name = f"  {folder}" if folder else f"tests of {build}"
        print(f"{name:<28} {seconds:5.0f} s {tests:6} tests")
    print(f"{'all tests':<28} {sum(v[1] for k, v in counts.items() if not k[1]):5.0f} s "
          f"{sum(v[0] for k, v in counts.items() if not k[1]):6} tests")


if __name__ == "__main__":
    main()
