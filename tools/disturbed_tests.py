#!/usr/bin/env python3
"""Which of the tests that failed may have been disturbed by others: disturbed_tests.py SUITE

SUITE is the folder in which ctest ran. Prints the names of tests with servers, clocks or other processes: beside others
on a busy machine they can fail although nothing is wrong, so it is fair to run them again by themselves.

Exit status 1, with the names on standard error: some failed for good. They have no I/O, or a sanitizer, a check or a
signal ended them.

>>> sorted(reports("1/2 Testing: a\\nx\\n2/2 Testing: b\\ny\\n").items())
[('a', '\\nx\\n'), ('b', '\\ny\\n')]
>>> is_certain(["real"], "Expected: true"), is_certain(["simulated", "load"], "Expected: true")
(False, True)
>>> is_certain(["real"], "WARNING: ThreadSanitizer: data race (pid=1)")
True
>>> is_certain(["load"], "forebay: internal error at src/x.cpp:1: expected open <= max")
True
"""

import json
import pathlib
import re
import subprocess
import sys

CERTAIN_LABELS = {"pure", "simulated", "tidy"}
# The words of sanitizers, of a failed check and of ctest about a signal.
CERTAIN_WORDS = re.compile(
    r"(Address|Thread|Leak)Sanitizer|runtime error:|forebay: internal error|\*\*\*Exception|SegFault|core dumped")


def reports(log):
    """What ctest wrote of each test, by name."""
    pieces = re.split(r"^\d+/\d+ Testing: (\S+)$", log, flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2]))


def is_certain(labels, report):
    return bool(CERTAIN_LABELS.intersection(labels) or CERTAIN_WORDS.search(report))


def labels_of(suite):
    listed = subprocess.run(["ctest", "--test-dir", suite, "--show-only=json-v1"], check=True, capture_output=True)
    labels = {}
    for test in json.loads(listed.stdout)["tests"]:
        properties = {each["name"]: each["value"] for each in test.get("properties", [])}
        labels[test["name"]] = properties.get("LABELS", [])
    return labels


def main():
    suite = pathlib.Path(sys.argv[1])
    results = suite / "Testing" / "Temporary"
    failed = [line.split(":", 1)[1] for line in (results / "LastTestsFailed.log").read_text().split()]
    report = reports((results / "LastTest.log").read_text(errors="replace"))
    labels = labels_of(suite)
    certain = [name for name in failed if is_certain(labels.get(name, []), report.get(name, ""))]
    if certain:
        sys.exit("test: failed for good: " + " ".join(certain))
    print("\n".join(failed))


if __name__ == "__main__":
    main()
