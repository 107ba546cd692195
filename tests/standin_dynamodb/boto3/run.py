"""Installs boto3 by pip into FOLDER, beside nothing else, and starts use.py with it on a DynamoDB of the stand-in.

Usage: run.py SERVER FOLDER
"""

import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "support"))
import pip_tools


def main():
    server, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    python = pip_tools.install("boto3", folder) / "python3"
    settings = {"PATH": os.environ["PATH"], "AWS_ACCESS_KEY_ID": "any", "AWS_SECRET_ACCESS_KEY": "any",
                "AWS_DEFAULT_REGION": "eu-west-1", "AWS_CONFIG_FILE": "/nonexistent",
                "AWS_EC2_METADATA_DISABLED": "true"}
    with subprocess.Popen([server], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as serving:
        settings["AWS_ENDPOINT_URL_DYNAMODB"] = serving.stdout.readline().strip()
        use = pathlib.Path(__file__).with_name("use.py")
        used = subprocess.run([python, "-B", use], env=settings, check=False)
        serving.stdin.close()
        sys.exit(used.returncode or serving.wait())


if __name__ == "__main__":
    main()
