"""What tests take from pip lies in the build, each in a place of its own."""

import pathlib
import subprocess
import venv


def install(package: str, folder: pathlib.Path) -> pathlib.Path:
    """Installs the newest PACKAGE below FOLDER, beside nothing else; gives the folder of its programs."""
    programs = folder / "venv" / "bin"
    if not (programs / "python3").exists():
        venv.create(folder / "venv", with_pip=True)
    subprocess.run([programs / "python3", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--upgrade",
                    package], check=True)
    return programs
