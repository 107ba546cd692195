#!/usr/bin/env python3
"""Writes the code blocks of a document into a folder, each under the name that it gives itself:

    ```cpp hello.cpp        a whole program; hello.hpp: what programs include
    ```text hello.cpp       what that program, or script, prints, word for word: hello.txt
    ```yaml service.yaml    a configuration file
    ```sh check.sh          commands for a shell

Every block has one of these forms; another one is an error, so that nothing goes untested. Files whose text has
not changed are left alone, and what the document no longer has is removed.
"""

import pathlib
import re
import sys

LANGUAGES = ("cpp", "text", "yaml", "sh")
FENCE = re.compile(r"^```(.*)$")


def blocks(document: pathlib.Path):
    """Yields (file name, text) for every block."""
    start, words, lines = 0, [], []
    for number, line in enumerate(document.read_text().splitlines(), 1):
        fence = FENCE.match(line)
        if not fence:
            lines.append(line)
        elif not start:
            start, words, lines = number, fence.group(1).split(), []
        else:
            if len(words) != 2 or words[0] not in LANGUAGES:
                sys.exit(f"{document}:{start}: ```{' '.join(words)}: a block begins with one of {', '.join(LANGUAGES)} "
                         "and the name of a file")
            name = pathlib.PurePath(words[1])
            yield str(name.with_suffix(".txt") if words[0] == "text" else name), "\n".join(lines) + "\n"
            start = 0
    if start:
        sys.exit(f"{document}:{start}: this block does not end")


def main() -> None:
    document, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    found = {}
    for name, text in blocks(document):
        if name in found:
            sys.exit(f"{document}: two blocks are called {name}")
        found[name] = text
    for old in folder.iterdir():
        if old.name not in found:
            old.unlink()
    for name, text in found.items():
        path = folder / name
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
    print("\n".join(sorted(found)))


if __name__ == "__main__":
    main()
