"""The peers: how each is built into build/peers, how it is started, and what it is made of."""
import collections
import pathlib
import re
import shutil
import subprocess

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "peers"


class Missing(Exception):
    """A peer cannot be built here; the text says why."""


def step(*words, folder=ROOT):
    done = subprocess.run([str(word) for word in words], cwd=folder, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        last = "".join(f"\n    {line}" for line in done.stdout.strip().splitlines()[-15:])
        raise Missing(f"{words[0]} failed:{last}")
    return done.stdout.strip()


def need(*programs):
    for program in programs:
        if not shutil.which(program):
            raise Missing(f"{program} is not installed")


def build_cpp():
    """The library of build/release, installed as for an application, and the program that uses it."""
    need("cmake", "ninja", "g++-12")
    # What the package of the library installs, without the command.
    step("scripts/build", "release", "--target", "forebay_public", "changelog.gz", "changelog.Debian.gz")
    step("cmake", "--install", "build/release", "--component", "library", "--prefix", BUILD / "forebay")
    step("cmake", "-S", HERE / "cpp", "-B", BUILD / "cpp", "-G", "Ninja", "-D", "CMAKE_CXX_COMPILER=g++-12",
         "-D", "CMAKE_BUILD_TYPE=Release", "-D", "CMAKE_CXX_FLAGS_RELEASE=-O2",
         "-D", f"CMAKE_PREFIX_PATH={BUILD / 'forebay'}")
    step("cmake", "--build", BUILD / "cpp")
    return [str(BUILD / "cpp" / "peers")]


def build_go():
    need("go")
    step("go", "build", "-o", BUILD / "go" / "pgx_peer", ".", folder=HERE / "go")
    return [str(BUILD / "go" / "pgx_peer")]


def build_rust():
    need("cargo")
    step("cargo", "build", "--release", "--target-dir", BUILD / "rust", folder=HERE / "rust")
    return [str(BUILD / "rust" / "release" / "deadpool_peer")]


def build_java():
    need("mvn", "javac", "java")
    jars, classes = BUILD / "java" / "jars", BUILD / "java" / "classes"
    if jars.exists():
        shutil.rmtree(jars)  # an older version would be found, too
    step("mvn", "-q", "-B", "-f", HERE / "java" / "pom.xml", "dependency:copy-dependencies",
         f"-DoutputDirectory={jars}")
    step("javac", "-d", classes, "-cp", f"{jars}/*", HERE / "java" / "HikariPeer.java")
    return ["java", "-cp", f"{classes}:{jars}/*", "HikariPeer"]


def first(pattern, text):
    found = re.search(pattern, text)
    return found.group(1) if found else "?"


def pinned(file, pattern):
    return first(pattern, (HERE / file).read_text(encoding="utf-8"))


def cpp_version():
    version = first(r"VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8").split("project(")[1])
    return f"forebay {version} and libpq (g++ {step('g++-12', '-dumpfullversion')} -O2)"


def go_version():
    return f"pgx {pinned('go/go.mod', r'pgx/v5 v([0-9.]+)')} (Go {first(r'go([0-9.]+)', step('go', 'version'))})"


def rust_version():
    pool, driver = (pinned("rust/Cargo.toml", rf'(?m)^{name}-postgres = "=([0-9.]+)') for name in ("deadpool", "tokio"))
    return f"deadpool-postgres {pool}, tokio-postgres {driver} (Rust {first(r'([0-9.]+)', step('cargo', '--version'))})"


def java_version():
    pool, driver = (pinned("java/pom.xml", rf"<artifactId>{name}</artifactId>\s*<version>([0-9.]+)")
                    for name in ("HikariCP", "postgresql"))
    return f"HikariCP {pool}, JDBC {driver} (Java {first(r'version .([0-9.]+)', step('java', '-version'))})"


Peer = collections.namedtuple("Peer", "name title build version words")
PEERS = [
    Peer("libpq", "bare libpq", build_cpp, cpp_version, ["--peer", "libpq"]),
    Peer("forebay-threads", "forebay threads", build_cpp, cpp_version, ["--peer", "threads"]),
    Peer("forebay-tasks", "forebay tasks", build_cpp, cpp_version, ["--peer", "tasks"]),
    Peer("forebay-loop", "forebay tasks, one loop", build_cpp, cpp_version, ["--peer", "loop"]),
    Peer("pgx", "pgxpool (Go)", build_go, go_version, []),
    Peer("deadpool", "deadpool-postgres (Rust)", build_rust, rust_version, []),
    Peer("hikari", "HikariCP (Java, over TCP)", build_java, java_version, []),
]
