#!/usr/bin/env python3
"""Runs clang-tidy over what a build of clang compiles: lint.py BUILD [--cache FOLDER]

It reads the batches of files that the build compiles together, so each header is read once a batch instead of once a
file; "lint.py build/long-clang" reads file by file. Warnings of the compiler, thread-safety analysis among them, count
like those of clang-tidy. What has passed is remembered by the text that the compiler sees and is not read again.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys

TIDY = "clang-tidy-19"
ROOT = pathlib.Path(__file__).resolve().parent.parent
# A batch includes sources by design.
CHECKS = "clang-diagnostic-*,-bugprone-suspicious-include"


def default_cache():
    caches = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(caches) / "forebay-lint"


class Lint:
    def __init__(self, build, cache):
        self.build, self.cache = build, cache
        cache.mkdir(parents=True, exist_ok=True)
        version = subprocess.run([TIDY, "--version"], check=True, capture_output=True, text=True).stdout
        self.rules = (version + CHECKS + (ROOT / ".clang-tidy").read_text()).encode()

    def units(self):
        """Sources of the library and the command, alone or in batches; not those that the build wrote."""
        for unit in json.loads((self.build / "compile_commands.json").read_text()):
            path = pathlib.Path(unit["file"])
            is_ours = path.is_relative_to(ROOT / "src") or path.is_relative_to(ROOT / "apps")
            if is_ours or "Unity" in path.parts and "/tests/" not in str(path) and "/bench/" not in str(path):
                yield unit

    def key(self, unit):
        """The same for the same text under the same rules, wherever the clone lies."""
        words = [word for word in shlex.split(unit["command"]) if not word.endswith("ccache")]
        flags, output = [], False
        for word in words[1:]:
            if output or word in ("-c", "-o"):
                output = word == "-o"
                continue
            flags.append(word)
        text = subprocess.run([words[0], *flags, "-E", "-P", "-C"], cwd=unit["directory"], capture_output=True)
        if text.returncode != 0:
            return None  # clang-tidy will say why
        seen = hashlib.sha256(self.rules)
        seen.update(re.sub(rb"\S*-f?file-prefix-map\S*|-I\S+", b"", " ".join(flags).encode()).replace(
            str(ROOT).encode(), b""))
        seen.update(text.stdout.replace(str(ROOT).encode(), b""))
        return seen.hexdigest()

    def read(self, unit):
        """What is wrong with it, as text; nothing if it passed, now or before."""
        key = self.key(unit)
        stamp = self.cache / key if key else None
        if stamp and stamp.exists():
            stamp.touch()
            return ""
        done = subprocess.run([TIDY, "-p", str(self.build), "--quiet", f"--checks={CHECKS}", unit["file"]],
                              capture_output=True, text=True)
        if done.returncode != 0 or re.search(r": (?:warning|error): ", done.stdout):
            return done.stdout or done.stderr
        if stamp:
            stamp.touch()
        return ""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--cache", type=pathlib.Path, default=default_cache())
    arguments = parser.parse_args()
    lint = Lint(arguments.build.resolve(), arguments.cache)
    units = list(lint.units())
    if not units:
        sys.exit(f"lint: {arguments.build} has nothing to read; scripts/build lint makes it")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        findings = [text for text in pool.map(lint.read, units) if text]
    print("".join(findings), end="")
    print(f"lint: {len(units)} batches of sources, {len(findings)} with findings")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
