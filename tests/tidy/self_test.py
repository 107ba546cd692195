"""Proves that each rule of tidy.py can fail, and that none fails on good code.

Every case is a small repository: the files of CLEAN with some replaced. Words that the rules forbid are put
together here from pieces, because this file is checked too.
"""

import argparse
import pathlib
import subprocess
import tempfile

import tidy

LAYERS = """
folder base:
folder env: base
folder env/real: env base
folder core: base env/time.hpp
folder pool: core env base
folder sim: pool
folder public: pool
external boost/: env/real
external fmt/: *.cpp
"""
CMAKE = """
forebay_library(base)
forebay_library(env DEPENDS base)
forebay_library(core DEPENDS env EXTERNAL fmt::fmt)
forebay_library(pool DEPENDS core env)
forebay_library(sim DEPENDS pool)
forebay_library(env_real FOLDER env/real DEPENDS env)
"""
CLEAN = {
    "tools/layers.txt": LAYERS,
    "CMakeLists.txt": CMAKE,
    "src/forebay/base/word.hpp": "#pragma once\n#include <vector>\nstruct Word { std::vector<int> parts; };\n",
    "src/forebay/env/time.hpp": '#pragma once\n#include "forebay/base/word.hpp"\nstruct Instant {};\n',
    "src/forebay/env/task.hpp": "#pragma once\nstruct Task {};\n",
    "src/forebay/core/plan.hpp": '#pragma once\n#include "forebay/env/time.hpp"\nint plan(Instant now);\n',
    "src/forebay/core/plan.cpp": '#include "forebay/core/plan.hpp"\n#include <fmt/core.h>\n'
                                 "// steady_clock, {} ms: only mentioned here.\nint plan(Instant) { return 1; }\n",
    "src/forebay/pool/pool.cpp": '#include "forebay/pool/pool.hpp"\n#include "forebay/core/plan.hpp"\n'
                                 '#include "forebay/env/task.hpp"\n',
    "src/forebay/base/readable_time.cpp": 'auto x = fmt::format("{}ms", time);\n'
                                          'auto y = fmt::format("{} sessions, {}", n, "s");\n',
    "src/forebay/sim/life.cpp": "// A RateAgent is only mentioned here.\nPool pool(member.sharing());\n",
    "src/forebay/env/real/loop.hpp": "#pragma once\n#include <chrono>\n"
                                     "inline auto now() { return std::chrono::steady_clock::now(); }\n",
    "include/forebay/forebay.hpp": '#pragma once\n#include "forebay/pool/pool.hpp"\n',
    "include/forebay/pool/pool.hpp": '#pragma once\n#include "forebay/detail/base/link.hpp"\n',
    "include/forebay/detail/base/link.hpp": "#pragma once\nstruct Link {};\n",
    "tests/pool_test.cpp": '#include "forebay/env/real/loop.hpp"\nint main() { return 0; }\n',
    "deploy/own.yaml": "url: http:/" "/prometheus:9090\n",
    "README.md": "See #pragma, https:/" "/www.w3.org/x and a database session of work/load.\n",
}

CO_AWAIT_ALLOWED = [
    "co_await f(options);",
    "if (const bool is_so = co_await f(a, b); is_so) { Options named{1}; use(named); }",
    "if (is_so) co_await f(a, b);",
    'auto r = co_await f(std::string("x{y}"), std::pair<int, int>(1, 2));',
    "while (!(co_await wait(deadline))) { x = Options{1}; }",
    "co_return Options{.name = s};",
    "for (auto& x : co_await all()) { total += x; } auto l = [&] { return 1; };",
]
CO_AWAIT_FORBIDDEN = [
    "co_await f(Options{.name = s});",
    "co_await f({1, s});",
    "co_await f(\n    std::array<std::string, 2>{a,\n b});",
    "co_await f([s] { return s; });",
    "co_await f(1, [&](int x) { return x; });",
    "use(Options{.name = s}, co_await f());",
    "co_return co_await f(x, {});",
    "if (co_await f(a, b)) { use(a); }",
    "if (a && !(co_await f(b))) co_return;",
]


def coroutine(statement):
    return {"src/forebay/pool/flow.cpp": "Task flow() {\n  " + statement + "\n}\n"}


def pool(code):
    return {"src/forebay/pool/extra.cpp": code + "\n"}


def sim(code):
    return {"src/forebay/sim/life.cpp": code + "\n"}


def core(code):
    return {"src/forebay/core/extra.cpp": code + "\n"}


def installed(name, code):
    return {f"include/forebay/{name}.hpp": "#pragma once\n" + code + "\n"}


# (group, part of the expected message, files)
SEEDED = [
    ("layers", 'pool may not include "forebay/env/real', pool('#include "forebay/env/real/loop.hpp"')),
    ("layers", 'core may not include "forebay/env/task.hpp"', core('#include "forebay/env/task.hpp"')),
    ("layers", "base may not include", {"src/forebay/base/up.cpp": '#include "forebay/core/plan.hpp"\n'}),
    ("layers", "base may not include", installed("detail/base/up", '#include "forebay/pool/pool.hpp"')),
    ("layers", 'core may not include "forebay/pool/pool.hpp"', core('#include "forebay/pool/pool.hpp"')),
    ("layers", "no place in a pure folder", installed("core/extra", "#include <mutex>")),
    ("layers", "by the full path", core('#include "plan.hpp"')),
    ("layers", "does not exist", core('#include "forebay/core/gone.hpp"')),
    ("layers", "belongs to env/real", pool("#include <boost/asio.hpp>")),
    ("layers", "belongs to *.cpp", {"src/forebay/core/text.hpp": "#pragma once\n#include <fmt/core.h>\n"}),
    ("layers", "is not listed", pool("#include <sys/socket.h>")),
    ("layers", "no place in a pure folder", core("#include <mutex>")),
    ("layers", "no place in a pure folder", core("#include <coroutine>")),
    ("layers", "a cycle", {"tools/layers.txt": LAYERS.replace("base:", "base: pool", 1)}),
    ("layers", "cannot read", {"tools/layers.txt": LAYERS + "folders x\n"}),
    ("layers", "give its folder a line", {"src/forebay/new/x.cpp": "\n"}),
    ("layers", "may not link pool", {"CMakeLists.txt": CMAKE.replace("core DEPENDS env", "core DEPENDS env pool")}),
    ("assembly", "LeaseAgent: ClusterMember", sim("LeaseAgent agent(env, store, options);")),
    ("assembly", "RateAgent: ClusterMember", sim("std::optional<RateAgent> permits_;")),
    ("assembly", "RetireSignal: ClusterMember", sim("RetireSignal retire(fence);")),
    ("assembly", "ConnectPacer: ClusterMember", sim("auto pace = std::make_unique<ConnectPacer>(100.0, 1);")),
    ("assembly", "LeaseOptions: ClusterMember", sim("LeaseOptions options;")),
    ("banned_calls", "steady_clock", pool("auto t = std::chrono::steady_clock::now();")),
    ("banned_calls", "system_clock", {"include/forebay/x.hpp": "using Clock = std::chrono::system_clock;\n"}),
    ("banned_calls", "clock_gettime", core("void f() { clock_gettime(1, &t); }")),
    ("banned_calls", "sleep_for", pool("void f() { std::this_thread::sleep_for(x); }")),
    ("banned_calls", "sleep_for", {"tests/core/x_test.cpp": "void f() { std::this_thread::sleep_for(x); }\n"}),
    ("banned_calls", "std::thread", pool("std::thread worker(run);")),
    ("banned_calls", "random_device", core("std::random_device entropy;")),
    ("banned_calls", "rand", core("int x = rand();")),
    ("banned_calls", "getenv", pool('auto x = std::getenv("HOME");')),
    ("banned_calls", "futex", pool("void f() { syscall(SYS_futex); }")),
    ("banned_calls", "distribution", pool("std::uniform_int_distribution<int> d;")),
    ("banned_calls", "is_simulated", pool("bool is_simulated();")),
    ("banned_calls", "ownership", pool("std::shared_ptr<int> x;")),
    ("banned_calls", "ownership", installed("pool/extra", "std::shared_ptr<int> x;")),
    ("banned_calls", "unordered iteration",
     core("std::unordered_map<int, int> seen_;\nvoid f() { for (auto& [a, b] : seen_) use(a); }")),
    ("banned_calls", "unordered iteration", core("std::unordered_set<int> seen;\nauto x = *seen.begin();")),
    ("banned_calls", "pointer order", core("std::map<const Slot*, int> slots;")),
    ("durations", "{} ms: readable_time()", pool('auto x = fmt::format("within {} ms ({})", time.count(), n);')),
    ("durations", "{:.1f}s: readable_time()", core('auto x = fmt::format("{:.1f}s", seconds);')),
    ("durations", "{} minutes: readable_time()", core('auto x = fmt::format("is {} minutes late", late);')),
    ("co_await", "one co_await", coroutine("use(co_await f(), co_await g());")),
    ("co_await", "co_await in catch", coroutine("try { x(); } catch (const E& e) { co_await f(); }")),
    ("co_await", "lock in a coroutine", coroutine("{ MutexLock lock(mutex_); count(); }\n  co_return;")),
    ("co_await", "capturing coroutine", coroutine("auto t = [this]() -> Task { co_return; };")),
    ("sizes", "long file", {"src/forebay/core/long.cpp": "\n" * 501}),
    ("sizes", "long line", core("int x = 1;" + " " * 91 + "int y;")),
    ("sizes", "long file", {"web/page/long.js": "\n" * 501}),
    ("sizes", "long line", {"web/page/long.css": "a" * 121}),
    ("sizes", "long line", {"bench/peers/go/long.go": "a" * 121}),
    ("sizes", "long line", {"bench/peers/long": "#!/bin/sh\n" + "a" * 121}),
    ("sizes", "long function", core("void f() {\n" + "  step();\n" * 60 + "}")),
    ("sizes", "long function", core("X::X(int a)\n    : a_{a}, b_(1) {\n" + "  step();\n" * 60 + "}")),
    ("sizes", "long function", {"tests/long_test.cpp": "TEST(A, B) {\n" + "  step();\n" * 100 + "}\n"}),
    ("words", "do it now", core("// TO" "DO: later")),
    ("words", "do it now", {"scripts/x": "# FIX" "ME\n"}),
    ("words", "what the code does", {"docs/x.md": "Written by Cla" "ude.\n"}),
    ("words", "who did what", {"docs/x.md": "A later ses" "sion will do it.\n"}),
    ("words", "reader needs", core("// see #" "12")),
    ("words", "reader needs", {"docs/x.md": "As issue " "7 says.\n"}),
    ("words", "take it as an argument", {"scripts/x": "cd /ro" "ot/project\n"}),
    ("words", "take it as an argument", {"docs/x.md": "It lies in /wo" "rk.\n"}),
    ("words", "nothing is downloaded", {"scripts/x": "curl https:/" "/somewhere.net/x\n"}),
    ("words", "nothing is downloaded", {"deploy/x.yaml": "url: http:/" "/somewhere.net:9090\n"}),
    ("words", "nothing is downloaded", {"docs/x.md": "Get https:/" "/somewhere.net/x.tar.gz first.\n"}),
    ("dead_files", "nobody includes it", {"src/forebay/core/alone.hpp": "#pragma once\n"}),
    ("dead_files", "no forebay_library()", {"src/forebay/retry/x.cpp": "\n"}),
    ("public_face", "is not installed", installed("extra", '#include "forebay/core/plan.hpp"')),
    ("public_face", "is not installed", installed("detail/base/link", "#include <forebay/base/word.hpp>")),
    ("public_face", "leads here", installed("pool/alone", "struct Alone {};")),
    ("public_face", "exists in src", {"src/forebay/pool/pool.hpp": "#pragma once\n"}),
    ("headers_compile_alone", "header alone", installed("extra", '#include "forebay/core/plan.hpp"')),
    ("headers_compile_alone", "header alone", installed("extra", "std::string name();")),
    ("headers_compile_alone", "header alone", {"src/forebay/core/bad.hpp": "#pragma once\nstd::string name();\n"}),
]


def violations(folder, files, groups):
    root = pathlib.Path(tempfile.mkdtemp(dir=folder))
    for path, text in {**CLEAN, **files}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    subprocess.run(["git", "init", "--quiet", str(root)], check=True)
    options = argparse.Namespace(compiler="g++-12", include=[], cache=None)
    repository = tidy.Repository(root)
    return [f"{path}:{line}: {rule}: {instead}"
            for group in groups for path, line, rule, instead in tidy.GROUPS[group](repository, options)]


def run():
    """The exit code of tidy.py --self-test."""
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        found = violations(folder, {}, tidy.GROUPS)
        if found:
            failures.append(f"clean files were blamed: {found}")
        for group, expected, files in SEEDED:
            found = violations(folder, files, [group])
            if not any(expected in line for line in found):
                failures.append(f"{group} did not say '{expected}' about {list(files)}, but {found}")
        for statement in CO_AWAIT_ALLOWED:
            found = violations(folder, coroutine(statement), ["co_await"])
            if found:
                failures.append(f"an allowed form was blamed: {statement}: {found}")
        for statement in CO_AWAIT_FORBIDDEN:
            if not violations(folder, coroutine(statement), ["co_await"]):
                failures.append(f"a forbidden form passed: {statement}")
    untested = set(tidy.GROUPS) - {group for group, _, _ in SEEDED}
    failures += [f"no seeded violation for {group}" for group in untested]
    print("\n".join(failures))
    cases = len(SEEDED) + len(CO_AWAIT_ALLOWED) + len(CO_AWAIT_FORBIDDEN)
    print(f"{cases} cases, {len(failures)} failures")
    return 1 if failures else 0
