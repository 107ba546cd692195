"""docs/simulation.md says what happens: its commands are run, and its figures compared with what comes out.

A block of the page is a file (```yaml), commands for a shell (```sh) or what these print (```text). In a text, "..."
stands for what differs from machine to machine, and a line with nothing else for lines that are left out. Figures in
sentences about a run are put together from its result here; a figure of these sections that is in no such sentence
fails the test, so that none goes untested.
"""

import difflib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PAGE = SOURCE / "docs" / "simulation.md"
sys.path.insert(0, str(SOURCE / "tests" / "guide"))
from blocks import blocks  # noqa: E402

PLANTED = "planted.txt"  # printed by a program of its own


def pattern(expected):
    """What a text of the page matches."""
    lines = []
    for line in expected.splitlines():
        parts = [re.escape(part) for part in line.split("...")]
        lines.append("(?:.*\n)*?" if line.strip() == "..." else ".*".join(parts) + "\n")
    return re.compile("".join(lines))


def sections(names):
    """The prose of the sections of these headings: no blocks, no tables, no code, no addresses of links."""
    text = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
    chosen = [part for part in re.split(r"^## ", text, flags=re.MULTILINE) if part.split("\n")[0] in names]
    assert len(chosen) == len(names), f"the page has lost one of {names}"
    prose = "\n".join(re.sub(r"^\|.*$", "", part, flags=re.MULTILINE) for part in chosen)
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)", "", prose)
    return " ".join(prose.split())


def total(run, key):
    return sum(process[key] for process in run["services"])


def new_ones(run):
    return [process for process in run["services"] if process["name"].endswith("(new)")]


def sentences(local, fleet, waves):
    """Every sentence, or part of one, that tells a figure of a run."""
    caught = [fault["recovered_after_seconds"] for fault in fleet["faults"]]
    return [
        f"{total(local, 'opened'):,} connections were opened for {total(local, 'target'):,} places",
        f"there were never more than {local['most_sessions']:,}",
        f"two fleets want 2 × 12 × {fleet['services'][0]['target'] + 2} connections",
        f"the cap has {fleet['max_connections']:,}",
        f"{fleet['callers']['failed']:,} of the {fleet['callers']['started']:,} callers fail",
        f"all is well again {max(caught):.1f} s after",
        f"{waves['most_sessions']:,} sessions at most",
        f"each new process is full "
        f"{max(process['converged_after_seconds'] for process in new_ones(waves)):.1f} s after its start at the latest",
    ]


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        place = tempfile.TemporaryDirectory(prefix="forebay-page-")
        cls.addClassCleanup(place.cleanup)
        cls.folder = pathlib.Path(place.name)
        (cls.folder / "bin").mkdir()
        (cls.folder / "bin" / "forebay").symlink_to(os.environ["FOREBAY_PROGRAM"])
        cls.blocks = dict(blocks(PAGE))
        for name, text in cls.blocks.items():
            (cls.folder / name).write_text(text)

    def run_in_folder(self, *words):
        variables = {**os.environ, "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "NO_COLOR": "1"}
        return subprocess.run(words, cwd=self.folder, env=variables, text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, check=False)

    def compare(self, name, printed):
        expected = self.blocks[name]
        if not pattern(expected).fullmatch(printed):
            difference = "\n".join(difflib.unified_diff(expected.splitlines(), printed.splitlines(),
                                                        f"{PAGE.name}: {name}", "what is printed", lineterm=""))
            self.fail(f"the page shows another run (lines with ... match anything):\n{difference}")

    # One after the other: later ones use files of earlier ones.
    def test_commands_print_what_the_page_shows(self):
        scripts = [name for name in self.blocks if name.endswith(".sh")]
        self.assertGreaterEqual(len(scripts), 4, "the page has lost its commands")
        for name in scripts:
            with self.subTest(name):
                done = self.run_in_folder("/bin/bash", "-u", name)
                self.compare(name.replace(".sh", ".txt"), done.stdout)
                fails = 2 if "nothing was started" in done.stdout else int("FAILED" in done.stdout)
                self.assertEqual(done.returncode, fails, done.stdout)
        self.check_sentences()

    def check_sentences(self):
        runs = []
        for name in ("local", "fleet.yaml", "waves.yaml"):
            runs.append(json.loads(subprocess.run(
                [os.environ["FOREBAY_PROGRAM"], "sim", name, "--json"], cwd=self.folder, text=True,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout))
        prose = sections(["Quick start", "Your own deployment"])
        for sentence in sentences(*runs):
            with self.subTest(sentence):
                self.assertIn(sentence, prose)
            prose = prose.replace(sentence, "")
        self.assertEqual(re.findall(r"\S*\d[\d.,]*(?: \S+)?", prose), [], "figures that nobody compares")

    def test_the_broken_promise_is_one(self):
        done = self.run_in_folder(os.environ["FOREBAY_PLANTED_BUG"], "fleet.yaml")
        self.compare(PLANTED, done.stdout)

    def test_every_file_is_a_scenario(self):
        used = " ".join(text for name, text in self.blocks.items() if name.endswith(".sh"))
        for name in self.blocks:
            if name.endswith(".yaml") and name not in used:
                done = self.run_in_folder("forebay", "sim", name, "--quiet")
                self.assertEqual((done.returncode, done.stdout), (0, ""), name)

    def test_every_text_is_printed_by_something(self):
        for name in self.blocks:
            if name.endswith(".txt") and name != PLANTED:
                self.assertIn(name.replace(".txt", ".sh"), self.blocks)

    def test_nothing_is_hidden_in_an_indented_block(self):
        text = re.sub(r"^```.*?^```$", "", PAGE.read_text(), flags=re.MULTILINE | re.DOTALL)
        self.assertEqual(re.findall(r"^ {4}.*$", text, flags=re.MULTILINE), [])


if __name__ == "__main__":
    unittest.main()
