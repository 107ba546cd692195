"""Runs a command where a name of Aurora DSQL leads to this machine, and where its port is free, whatever else is
running: in a network and a mount namespace of its own.

Usage: unshare --net --mount own_world.py NAME COMMAND...
"""

import fcntl
import os
import pathlib
import socket
import struct
import subprocess
import sys
import tempfile

SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def main():
    name, command = sys.argv[1], sys.argv[2:]
    with socket.socket() as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh", b"lo", IFF_UP))
    with tempfile.TemporaryDirectory() as folder:  # what is mounted stays
        hosts = pathlib.Path(folder) / "hosts"
        hosts.write_text(f"127.0.0.1 localhost {name}\n")
        hosts.chmod(0o644)
        subprocess.run(["mount", "--bind", hosts, "/etc/hosts"], check=True)
    os.execvp(command[0], command)


if __name__ == "__main__":
    main()
