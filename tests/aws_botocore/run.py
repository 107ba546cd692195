"""Installs botocore by pip into FOLDER, beside nothing else, and starts compare.py with it.

Usage: run.py REPOSITORY FOLDER [part of a name]
"""

import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "support"))
import pip_tools


def main():
    repository, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    python = pip_tools.install("botocore", folder) / "python3"
    compare = pathlib.Path(__file__).with_name("compare.py")
    os.execv(python, [python, "-B", compare, repository, str(folder), *sys.argv[3:]])


if __name__ == "__main__":
    main()
