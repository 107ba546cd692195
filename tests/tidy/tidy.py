"""Checks the rules of this repository that no compiler checks.

Usage: tidy.py [--root DIR] [--compiler C++] [--include DIR]... [--cache FILE] group...
       tidy.py --self-test

Groups are the keys of GROUPS below. Each violation is one line, "file:line: rule: what to do instead", and
the exit code is 1 if there is any. There are no exceptions in comments: a rule that is wrong gets changed here
or in tools/layers.txt.
"""

import argparse
import concurrent.futures
import hashlib
import os
import pathlib
import re
import subprocess
import sys

from cpp_source import CppSource
from layers import check_cmake, check_layers, home_of, read_layers

FILE_LINES, COLUMNS, SCRIPT_COLUMNS = 500, 100, 120
FUNCTION_LINES, TEST_FUNCTION_LINES = 60, 100
CODE = (".hpp", ".cpp", ".py", ".cmake", "CMakeLists.txt", ".js", ".css", ".html", ".go", ".rs", ".java")
# Only here may code ask the machine for time, threads, chance and settings.
MACHINE_FOLDERS = ("src/forebay/embedded/", "src/forebay/env/real/", "src/forebay/cli/", "apps/",
                   "src/forebay/base/log_clock.cpp")
FUTEX_FILE = "src/forebay/env/thread_parker.cpp"
PURE_FOLDERS = ("src/forebay/core/", "src/forebay/wire/")
CONFINED_OWNERSHIP = PURE_FOLDERS + ("src/forebay/pool/", "src/forebay/proxy/")
# Tests that decide everything themselves and so have no reason to sleep, except *_stress_test.cpp.
SLEEPLESS_TESTS = ("tests/base/", "tests/core/", "tests/env/", "tests/pool/", "tests/wire/")

SLEEPS = r"\bthis_thread\s*::\s*sleep_(?:for|until)\b|\b(?:usleep|nanosleep)\s*\("
BANNED = [
    (r"\b(?:steady|system|high_resolution)_clock\b|\b(?:clock_gettime|gettimeofday)\s*\(",
     "ask Scheduler::now() or WallClock::now()"),
    (SLEEPS, "co_await sleep_for(scheduler, ...)"),
    (r"\bstd\s*::\s*(?:j?thread\b(?!\s*::\s*id)|async\b)|\bpthread_create\b",
     "spawn a task in a TaskGroup, or use BlockingLane"),
    (r"\brandom_device\b|\bs?rand\s*\(|\bgetrandom\s*\(", "take a Random from Env"),
    (r"\bgetenv\b", "read settings in cli and pass them on"),
]
BANNED_EVERYWHERE = [
    (r"\bstd\s*::\s*(?:\w+_distribution|mt19937\w*|shuffle|default_random_engine)\b",
     "use the distributions of Random; the standard ones differ between libraries"),
    (r"\bis_simulated\b", "nothing outside env and sim may know; put the difference behind an interface"),
]
# A number and its unit, in a text that is formatted.
RAW_DURATION = r"\{[^{}]*\} ?(?:[nuµm]?s|min|(?:nano|micro|milli)?seconds?|minutes?|hours?)\b"
DURATION_WRITERS = ("src/forebay/base/readable_time.cpp", "src/forebay/env/duration_text.cpp")
# A simulated process is put together where a real one is, so that no default of theirs can differ.
SIMULATOR = "src/forebay/sim/"
PARTS_OF_A_PROCESS = (r"\b(?:LeaseAgent|LeaseReaper|LeaseOptions|RateAgent|RateOptions|NodeLease|NodeLeaseOptions|"
                      r"RetireSignal|ConnectPacer|LocalPermits|Budget|Exchange|Gate|Supplier)\b")
PURE_BANNED_HEADERS = re.compile(
    r"^(?:coroutine|mutex|shared_mutex|thread|condition_variable|future|stop_token|semaphore|latch|barrier)$")
# The rule of thumb for g++ 12, which destroys such temporaries twice: see docs/architecture.md.
CO_AWAIT = re.compile(r"co_await[^;]*([\w>(,]\s*\{|\[[^\]]*\]\s*[({])")
TEMPORARY = re.compile(r"[\w>(,]\s*\{[^{}]*\}|\[[^\]]*\]\s*[({]")

# Written so that they do not match themselves.
WORDS = [
    (r"\b(?:TO[D]O|FIX[M]E|XX[X]|HA[C]K)\b", "do it now, or leave it out"),
    (r"(?i)\b(?:cl[a]ude|anthr[o]pic|chatg[p]t|open[a]i|gpt-?[0-9]|cop[i]lot|large language m[o]del|l[l]ms?|"
     r"a[i][- ](?:generated|assisted|agent|assistant|tool)s?|sub-?agen[t]s?)\b", "say what the code does"),
    (r"(?i)\b(?:work(?:ing)?|coding|this|earlier|future|later) sess[i]ons? (?:of work|will|did|left|should)\b|"
     r"\bcoding sess[i]ons?\b", "say what holds, not who did what when"),
    (r"(?<![\w&#/])#[0-9]{1,5}\b(?![0-9a-fA-F])|(?i:\bissues? #?[0-9]+\b)", "say what the reader needs to know"),
    (r"(?<![\w.$}/*-])/(?:wo[r]k|ro[o]t|ho[m]e/\w+)(?![\w-]|\.\w)", "derive the path, or take it as an argument"),
]
WEB_ADDRESS = re.compile(r"https?:/[/][^\s\"'<>)`\]]+")
ALLOWED_HOSTS = re.compile(
    r"https?:/[/](?:www\.w3\.org|www\.apache\.org|keepachangelog\.com|semver\.org|(?:\w+\.)*example(?:\.\w+)?|"
    r"localhost|127\.0\.0\.1|\[::1\]|\$|\{|%|"
    r"169\.254\.|10\.0\.0\.1/|\[fd00:ec2::|[\w.-]+\.amazonaws\.com/|"  # services of AWS, which only tests name
    r"[\w-]+(?:[:/]|$))")  # a name of the reader's own network
DOWNLOAD = re.compile(r"\.(?:tar|t?gz|xz|zip|deb|rpm|jar|sh|whl|iso)$|/releases/|/archive/|raw\.githubusercontent")


class Repository:
    """The files that git tracks or would track, read once."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()
        command = ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split("\0")
        self.texts = {}
        for path in sorted(filter(None, set(listed))):
            try:
                self.texts[path] = (self.root / path).read_text(encoding="utf-8")
            except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
                continue  # binary, or deleted but still in the index
        self.cpp = {
            path: CppSource(path, text) for path, text in self.texts.items() if path.endswith((".hpp", ".cpp"))
        }

    def product(self):
        """The files that make up the library and the command."""
        return [source for path, source in self.cpp.items() if path.startswith(("src/", "include/", "apps/"))]


def layers(repository, _):
    rules = read_layers(repository.texts["tools/layers.txt"])
    yield from rules.problems
    for source in repository.product():
        yield from check_layers(rules, source, repository.cpp)
    yield from check_cmake(rules, repository.texts.get("CMakeLists.txt", ""))
    for source in repository.product():
        if not home_of(source.path).startswith(PURE_FOLDERS):
            continue
        for header, is_system, line in source.includes:
            if is_system and PURE_BANNED_HEADERS.match(header):
                yield source.path, line, "pure", f"<{header}> has no place in a pure folder; decide, do not wait"


def matches(source, rules, name):
    for pattern, instead in rules:
        for match in re.finditer(pattern, source.code):
            yield source.path, source.line_of(match.start()), name, f"{match.group().strip()}: {instead}"


def banned_calls(repository, _):
    for source in repository.cpp.values():
        path = source.path
        if path.startswith(SLEEPLESS_TESTS) and not path.endswith("_stress_test.cpp"):
            yield from matches(source, [(SLEEPS, "step virtual time instead")], "banned call")
        if not path.startswith(("src/", "include/", "apps/")):
            continue
        yield from matches(source, BANNED_EVERYWHERE, "banned call")
        home = home_of(path)
        if not home.startswith(MACHINE_FOLDERS):
            yield from matches(source, BANNED, "banned call")
            if path != FUTEX_FILE:
                yield from matches(source, [(r"\bSYS_futex\b|\bfutex\s*\(", "use ThreadParker")], "banned call")
        if home.startswith(CONFINED_OWNERSHIP):
            yield from matches(source, [(r"\bshared_ptr\b", "one owner: a value or unique_ptr")], "ownership")
        if home.startswith(PURE_FOLDERS):
            yield from unordered_iteration(repository, source)


def durations(repository, _):
    """Times that people read are written in one manner, whatever their unit."""
    for source in repository.product():
        if source.path in DURATION_WRITERS:
            continue
        for start, text in source.literals():
            for match in re.finditer(RAW_DURATION, text):
                instead = "readable_time() for what was measured, duration_text() for what is set"
                yield source.path, source.line_of(start + match.start()), "duration", f"{match.group()}: {instead}"


def assembly(repository, _):
    for source in repository.cpp.values():
        if source.path.startswith(SIMULATOR):
            instead = "ClusterMember, Pool and TenantPools make it, for real processes and simulated ones"
            yield from matches(source, [(PARTS_OF_A_PROCESS, instead)], "assembly")


def unordered_iteration(repository, source):
    """Iterating over hashes, or ordering by address, gives another order on another machine."""
    folder = os.path.dirname(home_of(source.path))
    names = set()
    for other in repository.cpp.values():
        if os.path.dirname(home_of(other.path)) == folder:
            names |= set(re.findall(r"\bunordered_\w+\s*<[^;{}()]*>[\s&]*(\w+)", other.code))
    if names:
        name = r"(?:this\s*->\s*|\w+\.)*(?:" + "|".join(sorted(names)) + r")\b"
        pattern = rf"\bfor\s*\([^;{{}}]*?:\s*{name}\s*\)|\b{name}\s*\.\s*c?begin\s*\("
        instead = "the order is not the same everywhere; use an ordered container"
        yield from matches(source, [(pattern, instead)], "unordered iteration")
    pointer_keys = r"\bstd\s*::\s*(?:multi)?(?:set\s*<[^,<>]*\*\s*>|map\s*<[^,<>]*\*\s*,)"
    yield from matches(source, [(pointer_keys, "order by a number that means something")], "pointer order")


def co_await(repository, _):
    for source in repository.cpp.values():
        yield from co_await_expressions(source)
        yield from co_await_bodies(source)


def co_await_expressions(source):
    seen = set()
    for match in re.finditer(r"\bco_await\b", source.structure):
        start, end = source.full_expression(match.start())
        line = source.line_of(match.start())
        before, rest = source.structure[start : match.start()], source.structure[match.start() : end] + ";"
        if CO_AWAIT.search(rest) or TEMPORARY.search(before):
            yield (source.path, line, "co_await",
                   "g++ 12 destroys braced temporaries and lambdas of such an expression twice; name it first")
        elif is_if_condition(source.structure, match.start()):
            yield source.path, line, "co_await", "g++ 12 compiles if (co_await ...) wrongly; name the result first"
        elif start in seen:
            yield source.path, line, "co_await", "one co_await per full expression; name the first result"
        seen.add(start)


def is_if_condition(code, at):
    """Whether this place is in the condition of an if: in its parentheses, and not in a statement before it."""
    depth, place = 0, at
    while place > 0:
        place -= 1
        if code[place] == ")":
            depth += 1
        elif code[place] == "(" and depth > 0:
            depth -= 1
        elif code[place] == "(" and re.search(r"\bif\s*$", code[:place][-20:]):
            return not is_followed_by_statement(code, at)
        elif code[place] in ";{}" and depth == 0:
            return False
    return False


def is_followed_by_statement(code, at):
    """Whether a semicolon comes before the parentheses around this place are closed."""
    depth = 0
    for letter in code[at:]:
        if letter == ";" and depth == 0:
            return True
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "{" or depth < -1:
            return False
    return False


def co_await_bodies(source):
    for block in source.blocks:
        line = source.line_of(block.start)
        if block.kind == "block" and block.head.startswith("catch"):
            if "co_await" in source.structure[block.start : block.end]:
                yield source.path, line, "co_await in catch", "remember the error and wait after the handler"
        if not block.is_body():
            continue
        own = source.own_code(block)
        if not re.search(r"\bco_(?:await|return|yield)\b", own):
            continue
        lock = re.search(r"\bMutexLock\b|\bstd\s*::\s*(?:lock_guard|unique_lock|scoped_lock)\b", own)
        if lock:
            line = source.line_of(block.start + lock.start())
            yield source.path, line, "lock in a coroutine", "call a plain function that takes the lock"
        if block.kind == "lambda" and source.path.startswith(("src/", "include/", "apps/")):
            if re.search(r"\[\s*[^\]\s]", block.head[block.head.rindex("[") :]):
                yield (source.path, line, "capturing coroutine",
                       "the captures die with the lambda; make it a named function with parameters")


def sizes(repository, _):
    for path, text in repository.texts.items():
        is_code = path.endswith(CODE) or path.startswith(("scripts/", ".ci/")) or text.startswith("#!")
        if not is_code:
            continue
        lines = text.splitlines()
        if len(lines) > FILE_LINES:
            yield path, FILE_LINES + 1, "long file", f"{len(lines)} lines, at most {FILE_LINES}; split by concept"
        limit = COLUMNS if path.endswith((".hpp", ".cpp")) else SCRIPT_COLUMNS
        for number, line in enumerate(lines, 1):
            if len(line) > limit:
                yield path, number, "long line", f"{len(line)} columns, at most {limit}"
    for source in repository.cpp.values():
        is_product = source.path.startswith(("src/", "include/", "apps/"))
        limit = FUNCTION_LINES if is_product else TEST_FUNCTION_LINES
        for block in source.blocks:
            if block.kind != "function" or block.is_inside("function", "lambda"):
                continue
            first, last = source.line_of(block.start), source.line_of(block.end)
            if last - first + 1 > limit:
                told = f"{last - first + 1} lines, at most {limit}; give parts of it names"
                yield source.path, first, "long function", told


def words(repository, _):
    for path, text in repository.texts.items():
        if path == "LICENSE":
            continue
        is_prose = path.endswith((".md", ".cpp", ".hpp"))  # where an address is a reference
        for number, line in enumerate(text.splitlines(), 1):
            for pattern, instead in WORDS:
                for match in re.finditer(pattern, line):
                    yield path, number, "words", f'"{match.group()}": {instead}'
            for match in WEB_ADDRESS.finditer(line):
                address = match.group().rstrip(".,;")
                if not ALLOWED_HOSTS.match(address) and (not is_prose or DOWNLOAD.search(address)):
                    yield path, number, "words", f"{address}: nothing is downloaded but packages of Debian and npm"


def dead_files(repository, _):
    included_by = {}
    for source in repository.cpp.values():
        for header, _, _ in source.includes:
            included_by.setdefault(header, set()).add(source.path)
    libraries = re.findall(r"^\s*forebay_library\((\w+)(?:\s+FOLDER\s+([\w/]+))?"
                           r"(?:\s+ROOMS\s+([\w ]+?)(?=\s+DEPENDS))?",
                           repository.texts.get("CMakeLists.txt", ""), re.MULTILINE)
    built = {folder or name for name, folder, _ in libraries}
    built |= {f"{folder or name}/{room}" for name, folder, rooms in libraries for room in rooms.split()}
    for path in repository.cpp:
        if not path.startswith("src/"):
            continue
        name = path.removeprefix("src/")
        folder = os.path.dirname(name).removeprefix("forebay/")
        if folder not in built:
            yield path, 1, "dead file", f"no forebay_library() in CMakeLists.txt builds src/forebay/{folder}"
        own_source = path.removesuffix(".hpp") + ".cpp"
        if path.endswith(".hpp") and not included_by.get(name, set()) - {own_source, path}:
            yield path, 1, "dead file", "nobody includes it; use it or delete it"


def public_face(repository, _):
    """What is installed is include/forebay, and nothing else: it stands by itself, and callers can reach all of it."""
    installed = {path: source for path, source in repository.cpp.items() if path.startswith("include/")}
    waiting = [path for path in installed if is_for_callers(path)]
    reached = set(waiting)
    while waiting:
        includes = {f"include/{header}" for header, _, _ in installed[waiting.pop()].includes}
        found = (includes & installed.keys()) - reached
        reached |= found
        waiting += found
    for path, source in installed.items():
        for header, _, line in source.includes:
            if f"src/{header}" in repository.cpp:
                yield path, line, "public face", f'"{header}" is not installed; declare what it has, or move it here'
        if path.replace("include/", "src/", 1) in repository.cpp:
            yield path, 1, "public face", "the same path exists in src; keep one of them"
        if path not in reached:
            yield path, 1, "public face", "no header directly in include/forebay leads here; move it to src"


def is_for_callers(path):
    return os.path.dirname(path) == "include/forebay"


def headers_compile_alone(repository, options):
    """Compiles each header by itself. What passed is remembered by the content of all that it includes.

    Headers of include/ see nothing but include/, as those who use the installed package. No daily build shows this:
    sources are compiled in batches, and see all. A header of src/ whose own source begins with it is left to the long
    suite, which compiles each source by itself. Headers of the tests are compiled with what includes them.
    """
    version = subprocess.run([options.compiler, "--version"], check=True, capture_output=True, text=True).stdout
    flags = [options.compiler, "-std=c++23", "-fsyntax-only", "-Wall", "-Wextra", "-Werror"]

    def command(path):
        roots = ("include",) if path.startswith("include/") else ("src", "include", "tests")
        folders = [str(repository.root / root) for root in roots] + options.include
        return flags + [f"-I{folder}" for folder in folders] + ["-x", "c++", "-"]

    cache = pathlib.Path(options.cache).expanduser() if options.cache else None
    if cache:
        cache.mkdir(parents=True, exist_ok=True)

    def key(path):
        seen, waiting = set(), [path]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                for header, _, _ in repository.cpp[current].includes:
                    waiting += [c for c in (f"src/{header}", f"include/{header}", f"tests/{header}")
                                if c in repository.cpp]
        settings = version + " ".join(command(path)) + path
        digest = hashlib.sha256(settings.replace(str(repository.root), "").encode())
        for name in sorted(seen):
            digest.update(repository.texts[name].encode())
        return digest.hexdigest()

    def problem(path):
        text = f'#include "{repository.root / path}"\n'
        run = subprocess.run(command(path), input=text, capture_output=True, text=True)
        errors = [line for line in run.stderr.splitlines() if "error:" in line] or [run.stderr.strip()]
        return None if run.returncode == 0 else errors[0]

    def begins_its_source(path):
        source = repository.cpp.get(path.removesuffix(".hpp") + ".cpp")
        return source and source.includes and source.includes[0][0] == path.removeprefix("src/")

    headers = {path: key(path) for path in repository.cpp
               if path.endswith(".hpp") and path.startswith(("src/", "include/")) and not begins_its_source(path)}
    todo = [path for path in headers if not cache or not (cache / headers[path]).exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(zip(todo, pool.map(problem, todo)))
    for path, error in results:
        if cache and not error:
            (cache / headers[path]).touch()
        if error:
            yield path, 1, "header alone", f"include what it uses: {error}"


GROUPS = {
    "layers": layers,
    "banned_calls": banned_calls,
    "durations": durations,
    "assembly": assembly,
    "co_await": co_await,
    "sizes": sizes,
    "words": words,
    "dead_files": dead_files,
    "public_face": public_face,
    "headers_compile_alone": headers_compile_alone,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="default: all of them")
    parser.add_argument("--root", default=pathlib.Path(__file__).parents[2])
    parser.add_argument("--compiler", default="g++-12")
    parser.add_argument("--include", action="append", default=["/usr/include/postgresql"])
    parser.add_argument("--cache", help="a folder in which headers that passed are remembered")
    parser.add_argument("--self-test", action="store_true", help="prove that each rule can fail")
    options = parser.parse_args()
    if options.self_test:
        import self_test
        return self_test.run()
    repository = Repository(options.root)
    count = 0
    for group in options.groups or GROUPS:
        for path, line, rule, instead in GROUPS[group](repository, options):
            print(f"{path}:{line}: {rule}: {instead}")
            count += 1
    print(f"{len(repository.texts)} files, {count} violations")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
