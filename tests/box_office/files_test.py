"""What can be known of examples/box_office without containers and without its CI: files name what exists, and agree."""

import pathlib
import shlex
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.append(str(ROOT / "tests" / "deploy"))
from repository import load_yaml, problems_with_command, read

EXAMPLE = ROOT / "examples" / "box_office"
MOUNT = "/box_office"


class Compose(unittest.TestCase):
    def setUp(self):
        self.services = load_yaml("examples/box_office/compose.yaml")["services"]
        self.standin = self.services["standin"]
        self.clients = [self.services["python"], self.services["go"]]

    def test_the_stand_in_is_built_from_this_tree(self):
        context = (EXAMPLE / self.standin["build"]["context"]).resolve()
        self.assertEqual(context, ROOT)
        self.assertTrue((context / self.standin["build"]["dockerfile"]).is_file())

    def test_its_command_line_is_understood(self):
        self.assertEqual(self.standin["command"][0], "standin")
        self.assertEqual(problems_with_command(self.standin["command"]), [])

    def test_services_call_it_by_a_name_that_it_has_where_it_listens(self):
        words = self.standin["command"]
        told = {word: words[place + 1] for place, word in enumerate(words[:-1])}
        for client in self.clients:
            variables = client["environment"]
            self.assertEqual(variables["PGHOST"], told["--name"])
            self.assertEqual(f"0.0.0.0:{variables['PGPORT']}", told["--listen"])
            self.assertEqual(variables["PGSSLROOTCERT"], told["--certificates"] + "/ca.pem")
            self.assertIn(f"certificates:{told['--certificates']}:ro", client["volumes"])
        self.assertIn(f"certificates:{told['--certificates']}", self.standin["volumes"])

    def test_the_key_and_the_alias_are_those_of_every_stand_in(self):
        source = read("src/forebay/cli/standin/standin_arguments.hpp")
        for client in self.clients:
            for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
                self.assertIn(f'"{client["environment"][name]}"', source)
        (alias,) = self.standin["networks"]["default"]["aliases"]
        self.assertIn(f"`{alias}`", read("docs/standin.md"))

    def test_services_run_where_their_files_are(self):
        for client in self.clients:
            self.assertIn(f".:{MOUNT}:ro", client["volumes"])
            folder = pathlib.PurePath(client["working_dir"]).relative_to(MOUNT)
            self.assertTrue((EXAMPLE / folder).is_dir())
            self.assertRegex(client["image"], r":\d")

    def test_all_wait_for_what_they_need(self):
        for client in self.clients:
            self.assertEqual(client["depends_on"], {"standin": {"condition": "service_healthy"}})
        for name in [*self.standin["depends_on"], "standin"]:
            self.assertIn("healthcheck", self.services[name])


class Job(unittest.TestCase):
    def setUp(self):
        (job,) = load_yaml("examples/box_office/ci.yaml")["jobs"].values()
        self.steps = job["steps"]
        self.lines = [line for step in self.steps for line in step.get("run", "").splitlines()]

    def test_actions_are_of_a_version(self):
        for step in self.steps:
            if "uses" in step:
                self.assertRegex(step["uses"], r"^actions/[a-z-]+@v\d+$")

    def test_commands_of_ours_are_understood(self):
        ours = [shlex.split(line) for line in self.lines if line.startswith("forebay ")]
        self.assertEqual(len(ours), 2)
        for words in ours:
            command = words.index("--for") + 1  # what follows is not ours
            self.assertEqual(problems_with_command(words[1:command]), [])

    def test_files_that_it_names_exist(self):
        words = [word for line in self.lines for word in shlex.split(line)]
        named = [word for word in words if word.startswith(("examples/", "scripts/"))]
        named += [step["with"]["go-version-file"] for step in self.steps if "with" in step]
        self.assertGreater(len(named), 4)
        for name in named:
            self.assertTrue((ROOT / name).exists(), name)

    def test_the_package_is_taken_from_where_the_script_puts_it(self):
        self.assertIn("cpack -G DEB -B packages", read("scripts/deb"))
        self.assertTrue(any("./build/release/packages/forebay_*.deb" in line for line in self.lines))


if __name__ == "__main__":
    unittest.main()
