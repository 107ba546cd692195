"""Writes a C++ source file that holds other files: bundle_files.py function output file..."""

import pathlib
import sys

# Everything else of ASCII stands for itself; three octal digits never swallow what follows. Two question marks
# could begin a trigraph.
ESCAPES = {ord('"'): '\\"', ord("?"): "\\?", ord("\\"): "\\\\", ord("\n"): "\\n", ord("\t"): "\\t"}
PIECE = 8000

HEAD = """// Made by cmake/bundle_files.py.
#include <vector>

#include "forebay/base/bundled_file.hpp"

#ifdef __clang__
// The standard asks for 65,536 characters in a literal; every compiler we know takes more.
#pragma clang diagnostic ignored "-Woverlength-strings"
#endif

namespace forebay {

std::vector<BundledFile> %(function)s();
std::vector<BundledFile> %(function)s() {
  return {
"""
TAIL = """  };
}

}  // namespace forebay
"""


def literal(content):
    """Neighbouring literals are one; each is a line, or a part of a long one."""
    pieces = []
    for line in content.splitlines(keepends=True):
        pieces += [line[at : at + PIECE] for at in range(0, len(line), PIECE)]
    escaped = ("".join(ESCAPES.get(byte) or (chr(byte) if 32 <= byte < 127 else f"\\{byte:03o}")
                       for byte in piece) for piece in pieces)
    return "".join(f'\n       "{piece}"' for piece in escaped) or ' ""'


def main():
    function, output, *files = sys.argv[1:]
    # The length is said, not found: a file may hold a zero byte.
    entries = (f'      {{"{path.name}", {{{literal(content)},\n       {len(content)}}}}},\n'
               for path in map(pathlib.Path, files) for content in [path.read_bytes()])
    pathlib.Path(output).write_text(HEAD % {"function": function} + "".join(entries) + TAIL)


if __name__ == "__main__":
    main()
