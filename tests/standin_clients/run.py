#!/usr/bin/env python3
"""Programs that know Aurora DSQL, and nothing of us, on `forebay standin`."""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "tests" / "support"))
import pip_tools

CLUSTER = "forebaystandin000000000000.dsql.us-east-1.on.aws"
SKIPPED = 77  # to ctest
ENDPOINT = {"CLUSTER_ENDPOINT": CLUSTER, "CLUSTER_USER": "admin", "REGION": "us-east-1"}
EXAMPLES = """\
clients:
  sdk_python, sdk_go            token generators of the AWS SDKs with psycopg and pgx, on localhost
  connector_python              aurora-dsql-python-connector with psycopg, psycopg2 and asyncpg
  connector_go, connector_node  aurora-dsql-connectors/go/pgx, and aurora-dsql-node-postgres-connector
  connector_jdbc                aurora-dsql-jdbc-connector
  samples                       those of awslabs themselves, as they are, from a clone of aurora-dsql-connectors that
                                FOREBAY_DSQL_SAMPLES names

Connectors and samples are told an endpoint and nothing else, so they get a network of their own, in which it leads to
this machine and port 5432 is free. Where that is not allowed (it takes root, or user namespaces), they are left out,
and this ends with 77. Otherwise it ends with 1 if a client fails.
"""


def without_aws():
    """This process's variables, but for those that name a database or somebody of AWS."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "AWS_"))}
    return kept | {"AWS_EC2_METADATA_DISABLED": "true", "PYTHONDONTWRITEBYTECODE": "1"}


def on_localhost(forebay, *command, folder=HERE):
    return subprocess.run([forebay, "standin", "--for", *map(str, command)], env=without_aws(), cwd=folder).returncode


def namespaces():
    """How to get namespaces of one's own, or nothing if that is not allowed."""
    own = [] if os.geteuid() == 0 else ["--map-current-user", "--keep-caps"]
    for words in (own, ["--map-root-user"]):
        command = ["unshare", "--net", "--mount", *words]
        if subprocess.run([*command, "true"], stderr=subprocess.DEVNULL).returncode == 0:
            return command
    return None


def as_a_cluster(forebay, *command, folder=HERE):
    """The command finds the stand-in by the endpoint of a cluster, at the port of a cluster."""
    unshare = namespaces()
    if unshare is None:
        print("no namespaces here: left out")
        return SKIPPED
    words = [*unshare, sys.executable, "-B", HERE / "own_world.py", CLUSTER, forebay, "standin", "--listen",
             "127.0.0.1:5432", "--for", "sh", "-c", 'unset PGHOST PGUSER PGPORT PGDATABASE; exec "$@"', "sh", *command]
    return subprocess.run([*map(str, words)], env=without_aws() | ENDPOINT, cwd=folder).returncode


def trusting(*command):
    """For programs that know no PGSSLROOTCERT, only what Go and OpenSSL trust."""
    return "sh", "-c", 'SSL_CERT_FILE=$PGSSLROOTCERT exec "$@"', "sh", *command


def sdk_python(forebay, build):
    python = pip_tools.install("--requirement=" + str(HERE / "python" / "sdk.txt"), build) / "python3"
    return on_localhost(forebay, python, "-B", HERE / "python" / "sdk_client.py")


def go_program(name, build):
    subprocess.run(["go", "build", "-o", build / name, f"./{name}"], cwd=HERE / "go", check=True)
    return build / name


def sdk_go(forebay, build):
    return on_localhost(forebay, go_program("sdk", build))


def python_connector(build):
    return pip_tools.install("aurora-dsql-python-connector[psycopg,psycopg2,asyncpg]", build) / "python3"


def connector_python(forebay, build):
    return as_a_cluster(forebay, python_connector(build), "-B", HERE / "python" / "connector_client.py")


def connector_go(forebay, build):
    return as_a_cluster(forebay, *trusting(go_program("connector", build)))


def node_packages():
    node = HERE / "node"
    subprocess.run([sys.executable, "-B", ROOT / "cmake" / "npm_files.py", node, node / "node_modules"], check=True)


def connector_node(forebay, _):
    node_packages()
    return as_a_cluster(forebay, "node", HERE / "node" / "connector.js")


def connector_jdbc(forebay, build):
    jars, source = build / "jars", HERE / "java" / "ConnectorClient.java"
    subprocess.run(["mvn", "-q", "-B", "-f", HERE / "java" / "pom.xml", "dependency:copy-dependencies",
                    f"-DoutputDirectory={jars}"], check=True)
    subprocess.run(["javac", "-d", build / "classes", source], check=True)
    store = build / "trusted"
    store.unlink(missing_ok=True)
    trust = f'keytool -importcert -noprompt -file "$PGSSLROOTCERT" -keystore {store} -storepass changeit && exec "$@"'
    return as_a_cluster(forebay, "sh", "-c", trust, "sh", "java", "-XX:TieredStopAtLevel=1", "-cp",
                        f"{build}/classes:{jars}/*", f"-Djavax.net.ssl.trustStore={store}", "ConnectorClient")


def samples(forebay, build):
    clone = os.environ.get("FOREBAY_DSQL_SAMPLES")
    if not clone:
        print("FOREBAY_DSQL_SAMPLES names no clone of aurora-dsql-connectors: left out")
        return SKIPPED
    python = python_connector(build.parent / "connector_python")
    node_packages()
    if shutil.which("go"):  # while there is a network
        subprocess.run(["go", "test", "-run", "NONE", "./..."], cwd=pathlib.Path(clone) / "go" / "pgx" / "example",
                       check=True, stdout=subprocess.DEVNULL)
    return as_a_cluster(forebay, python, "-B", HERE / "samples.py", clone, python, HERE / "node")


CLIENTS = {"sdk_python": sdk_python, "sdk_go": sdk_go, "connector_python": connector_python,
           "connector_go": connector_go, "connector_node": connector_node, "connector_jdbc": connector_jdbc,
           "samples": samples}


def main():
    parser = argparse.ArgumentParser(description=__doc__, epilog=EXAMPLES,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--forebay", type=pathlib.Path, required=True, metavar="PATH", help="the program to test")
    parser.add_argument("--build", type=pathlib.Path, required=True, metavar="FOLDER", help="where clients are built")
    parser.add_argument("client", choices=CLIENTS)
    options = parser.parse_args()
    folder = options.build.resolve() / options.client
    folder.mkdir(parents=True, exist_ok=True)
    sys.exit(CLIENTS[options.client](options.forebay.resolve(), folder))


if __name__ == "__main__":
    main()
