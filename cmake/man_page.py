#!/usr/bin/env python3
"""Writes the manual page of a program from a frame and from what the program says about itself.

    man_page.py PROGRAM FRAME PAGE

In the frame, @VERSION@ becomes the program's version and @COMMANDS@ a part for each command, made of its help. So the
page says what the help says. The layout of that help is the one of src/forebay/cli/text/help_text.cpp.
"""

import pathlib
import re
import subprocess
import sys

OPTION = re.compile(r"^  (-\S.*?) {2,}(\S.*)$")
LONG_OPTION = re.compile(r"\n  (-\S[^\n]*)\n {10,}(?=\S)")  # its text begins in the next line
GROUP = re.compile(r"^(\S.*):$")
SUBCOMMAND = re.compile(r"^  (\w+) {2,}\S")


def answer(program, *words):
    return subprocess.run([program, *words], check=True, capture_output=True, text=True).stdout


def escaped(text):
    """As troff would have it: a backslash, a plain hyphen, and no line that looks like a request."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def commands(program):
    """The names, in the order of the help; without "help" itself."""
    listed = answer(program, "--help").split("Subcommands:\n")[1]
    names = [match.group(1) for match in map(SUBCOMMAND.match, listed.splitlines()) if match]
    return [name for name in names if name != "help"]


def part(program, name):
    """The part of one command: its usage as a heading, its summary, options by group, and the rest as it stands."""
    text = LONG_OPTION.sub(r"\n  \1  ", answer(program, name, "--help"))
    summary, usage, *lines = text.splitlines()
    yield ".SS " + escaped(usage.removeprefix("Usage: "))
    yield escaped(summary) + "."
    while lines:
        line = lines.pop(0)
        option, group = OPTION.match(line), GROUP.match(line)
        if option:
            yield from (".TP", f".B {escaped(option.group(1))}", escaped(option.group(2)))
        elif group and lines and OPTION.match(lines[0]):
            yield from (".PP", escaped(group.group(1)) + ":")
        elif line:
            lines.insert(0, line)
            break
    yield from (".PP", ".nf", *map(escaped, lines), ".fi")


def main():
    program, frame, page = sys.argv[1:]
    version = answer(program, "--version").split()[1]
    parts = "\n".join(line for name in commands(program) for line in part(program, name))
    text = pathlib.Path(frame).read_text().replace("@VERSION@", version).replace("@COMMANDS@", parts)
    pathlib.Path(page).write_text(text)


if __name__ == "__main__":
    main()
