"""Commands, settings and log messages that the runbook and the examples name are those of the program."""

import re
import shlex
import unittest

from repository import (DEPLOY, ROOT, RUNBOOK, VARIABLE, blocks, inline_code, load_yaml, problems_with_command,
                        variables)

LOG_MESSAGE = re.compile(r"(?:Reservoir|Lease)[: ][^=]*?(?= \w+=|$)")


def pages():
    return {page: page.read_text() for page in [*sorted(RUNBOOK.glob("*.md")), DEPLOY / "aws/README.md",
                                                ROOT / "docs/operations.md", ROOT / "docs/sizing.md"]}


def command_lines(text):
    lines = [line.strip() for block in blocks(text, "sh") for line in block.splitlines()]
    lines += [line.strip() for line in re.findall(r"^    (.*)$", text, re.MULTILINE)] + inline_code(text)
    return [shlex.split(line)[1:] for line in lines if line.startswith("forebay ")]


class Commands(unittest.TestCase):
    def test_that_pages_name_exist(self):
        lines = [(page.name, line) for page, text in pages().items() for line in command_lines(text)]
        self.assertGreater(len(lines), 20)
        problems = {f"{page}: {problem}" for page, line in lines for problem in problems_with_command(line)}
        self.assertEqual(problems, set())

    def test_that_containers_run_exist(self):
        services = load_yaml("deploy/compose/docker-compose.yaml")["services"].values()
        lines = [service["command"] for service in services if service["image"] == "forebay"]
        self.assertEqual(len(lines), 3)
        self.assertEqual([problem for line in lines for problem in problems_with_command(line)], [])

    def test_are_known_by_what_they_say_themselves(self):
        self.assertTrue(problems_with_command(["lease", "show"]))
        self.assertTrue(problems_with_command(["leases", "shew"]))
        self.assertTrue(problems_with_command(["token", "--endpoints", "x"]))
        self.assertEqual(problems_with_command(["leases", "show", "--table", "x"]), [])


class Settings(unittest.TestCase):
    def test_that_pages_name_exist(self):
        named = {name for text in pages().values() for name in VARIABLE.findall(text)}
        self.assertGreater(len(named), 20)
        self.assertEqual(named - variables(), set())


class LogMessages(unittest.TestCase):
    def test_that_pages_name_are_written_somewhere(self):
        sources = "\n".join(path.read_text() for path in sorted((ROOT / "src/forebay").glob("**/*.cpp")))
        messages = {match.group() for text in pages().values() for code in inline_code(text)
                    if (match := LOG_MESSAGE.match(code))}
        self.assertGreater(len(messages), 10)
        self.assertEqual({each for each in messages if f'"{each}"' not in sources}, set())


if __name__ == "__main__":
    unittest.main()
