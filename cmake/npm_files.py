"""Copies files of npm packages: npm_files.py web-folder output-folder path-below-node_modules...

Packages are installed as web/package-lock.json says, and only if they are not there as it says already: builds
of several kinds share web/node_modules, and only the first of them needs the network.
"""

import fcntl
import hashlib
import pathlib
import shutil
import subprocess
import sys


def install(web):
    packages = web / "node_modules"
    if packages.is_symlink():  # npm would empty the folder behind it
        sys.exit(f"npm_files: {packages} is a link; remove it, and the packages are installed here")
    stamp = packages / ".installed"
    wanted = hashlib.sha256()
    for name in ("package.json", "package-lock.json"):
        wanted.update((web / name).read_bytes())
    with open(web / "package-lock.json", "rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two builds may start at once
        if stamp.exists() and stamp.read_text() == wanted.hexdigest():
            return
        npm = shutil.which("npm")
        if not npm:
            sys.exit("npm_files: npm is not installed; scripts/packages installs it. "
                     "Or build without the command: cmake -D FOREBAY_APP=OFF")
        if subprocess.run([npm, "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"],
                          cwd=web, stdout=subprocess.DEVNULL).returncode != 0:
            sys.exit(f"npm_files: npm ci failed in {web}; see above. The first build needs the npm registry, "
                     "later ones do not")
        stamp.write_text(wanted.hexdigest())


def main():
    web, output = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    install(web)
    output.mkdir(parents=True, exist_ok=True)
    for path in sys.argv[3:]:
        shutil.copyfile(web / "node_modules" / path, output / pathlib.Path(path).name)


if __name__ == "__main__":
    main()
