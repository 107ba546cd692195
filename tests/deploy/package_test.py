"""Makes the Debian packages of this build, unpacks them into a temporary root, and runs the command from there."""

import gzip
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from repository import commands, help_of, read


def run(*words, **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **options)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def alternatives(dependencies):
    """Names of packages: for each dependency those that satisfy it."""
    return [[re.split(r"[ (:]", each.strip())[0] for each in dependency.split("|")]
            for dependency in dependencies.split(",")]


class Packages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="forebay_package_test."))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        config = pathlib.Path(os.environ["FOREBAY_BUILD"]) / "CPackConfig.cmake"
        run("cpack", "-G", "DEB", "--config", config, "-B", cls.folder)
        cls.root = cls.folder / "root"
        cls.control = {}
        for package in cls.folder.glob("*.deb"):
            run("dpkg-deb", "-x", package, cls.root)
            fields = run("dpkg-deb", "-f", package)
            control = dict(re.findall(r"^([\w-]+): (.*)$", fields, re.MULTILINE))
            cls.control[control["Package"]] = control
        cls.program = cls.root / "usr/bin/forebay"

    def test_are_two(self):
        self.assertEqual(set(self.control), {"forebay", "libforebay-dev"})

    def test_say_what_debian_wants_to_know(self):
        version = run(self.program, "--version").split()[1]
        architecture = run("dpkg", "--print-architecture").strip()
        for name, control in self.control.items():
            self.assertEqual(control["Version"], version + "-0forebay1", name)
            self.assertEqual(control["Architecture"], architecture, name)
            self.assertRegex(control["Maintainer"], r"^.+ <.+@.+>$", name)
            self.assertTrue(control["Description"] and control["Section"] and control["Installed-Size"], name)

    def test_depend_on_what_the_command_links(self):
        linked = {match for match in re.findall(r"(lib[\w+-]+?)[-\d.]*\.so", run("ldd", self.program))}
        named = self.control["forebay"]["Depends"]
        for library in ("libpq", "libcurl", "libssl", "libfmt", "libyaml-cpp", "libstdc++"):
            self.assertIn(library, named)
        self.assertIn("libpq", linked)

    def test_depend_on_packages_that_exist(self):
        for name, control in self.control.items():
            for possible in alternatives(control["Depends"]):
                states = [subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status}", each],
                                         capture_output=True, text=True).stdout for each in possible]
                self.assertIn("installed", states, f"{name}: {possible}")

    def test_of_the_library_needs_what_the_library_is_made_of(self):
        table = read("docs/dependencies.md").split("## In the library")[1].split("\n## ")[0]
        wanted = set(re.findall(r"^\| `([\w.+-]+-dev)`", table, re.MULTILINE))
        named = {each for possible in alternatives(self.control["libforebay-dev"]["Depends"]) for each in possible}
        self.assertEqual(named, wanted)
        for path in ("include/forebay/forebay.hpp", "lib/cmake/forebay/forebayConfig.cmake", "lib/libforebay_pool.a",
                     "lib/pkgconfig/forebay.pc"):
            self.assertTrue((self.root / "usr" / path).is_file(), path)

    def test_carry_the_files_for_the_field(self):
        share = self.root / "usr/share"
        for path in ("forebay/deploy/prometheus/alerts.yaml", "forebay/deploy/grafana/forebay.json",
                     "forebay/deploy/runbook/README.md", "forebay/deploy/aws/service-policy.json",
                     "forebay/docs/configuration.md", "doc/forebay/copyright", "doc/forebay/changelog.gz",
                     "doc/libforebay-dev/copyright", "doc/forebay/changelog.Debian.gz",
                     "doc/libforebay-dev/changelog.gz", "doc/libforebay-dev/changelog.Debian.gz"):
            self.assertTrue((share / path).is_file(), path)
        for path in ("forebay/deploy/compose", "forebay/deploy/docker", "forebay/deploy/debian"):
            self.assertFalse((share / path).exists(), path)

    def test_can_be_read_by_all_and_written_by_root(self):
        for path in [self.root / "usr", *self.root.glob("usr/**/*")]:
            mode = path.stat().st_mode & 0o777
            self.assertEqual(mode, 0o755 if path.is_dir() or path == self.program else 0o644, path)

    def test_run_from_where_they_lie(self):
        empty = self.folder / "empty"
        empty.mkdir()
        options = {"cwd": empty, "env": {"PATH": os.environ["PATH"]}}
        self.assertIn("Usage: forebay demo", run(self.program, "demo", "--help", **options))
        self.assertIn('"problems":[]', run(self.program, "config", "check", "--json", **options))
        scenario = run(self.program, "sim", "local", "--duration", "30s", "--quiet", **options)
        self.assertEqual(scenario, "")

    def test_are_as_debian_wants_them(self):
        """No error, and of the warnings one: the library lies where every Debian finds it, not where a cross-compiler
        looks. lintian also knows whether bindnow and fortified functions are on."""
        found = subprocess.run(["lintian", "--allow-root", *map(str, sorted(self.folder.glob("*.deb")))],
                               capture_output=True, text=True).stdout
        complaints = [line for line in found.splitlines() if line.startswith(("E:", "W:"))]
        self.assertEqual([line for line in complaints if "pkg-config-unavailable" not in line], [])
        self.assertLessEqual(len(complaints), 1)

    def test_are_stripped(self):
        self.assertNotIn(".debug_info", run("readelf", "--sections", "--wide", self.program))


class ManualPage(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        packed = pathlib.Path(os.environ["FOREBAY_BUILD"]) / "forebay.1.gz"
        cls.page = packed.with_suffix("")
        cls.source = gzip.decompress(packed.read_bytes()).decode()
        settings = {**os.environ, "MANWIDTH": "100", "LC_ALL": "C.UTF-8", "MAN_KEEP_FORMATTING": ""}
        done = subprocess.run(["man", "--warnings=w", "--local-file", cls.page], env=settings, capture_output=True,
                              text=True)
        cls.code, cls.warnings, cls.text = done.returncode, done.stderr, done.stdout

    def test_is_understood_without_a_warning(self):
        self.assertEqual((self.code, self.warnings), (0, ""))

    def test_has_a_part_for_each_command(self):
        self.assertGreater(len(commands()), 4)
        for name in commands() - {"help"}:
            self.assertRegex(self.text, rf"(?m)^   forebay {name}\b")

    def test_names_every_option(self):
        for name in commands() - {"help"}:
            part = re.split(r"(?m)^   forebay ", self.text.split(f"\n   forebay {name} ")[1])[0]
            for option in re.findall(r"^  (-\S+)", help_of(name), re.MULTILINE):
                self.assertIn(f"\n       {option}", part, name)

    def test_is_the_packed_one(self):
        self.assertEqual(self.page.read_text(), self.source)
        self.assertNotIn("@", re.sub(r"\w+@\w+", "", self.source))


if __name__ == "__main__":
    unittest.main()
