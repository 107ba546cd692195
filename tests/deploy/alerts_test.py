"""Each alert has its tests and its page in the runbook, and nothing there is left over."""

import re
import unittest

from repository import ALERT_NAME, ROOT, RUNBOOK, alerts, load_yaml, read


def names():
    return [rule["alert"] for rule in alerts()]


class Alerts(unittest.TestCase):
    def test_have_different_names(self):
        self.assertEqual(len(names()), len(set(names())))

    def test_say_how_bad_and_what(self):
        for rule in alerts():
            self.assertIn(rule["labels"]["severity"], ("warning", "critical"), rule["alert"])
            self.assertEqual(set(rule["annotations"]), {"summary", "description", "runbook"}, rule["alert"])

    def test_lead_to_a_page_of_their_own(self):
        for rule in alerts():
            self.assertEqual(rule["annotations"]["runbook"], f"deploy/runbook/{rule['alert']}.md")
            page = read(rule["annotations"]["runbook"])
            self.assertTrue(page.startswith(f"# {rule['alert']}\n"), rule["alert"])
            self.assertIn("\n## Look at\n", page)
            self.assertRegex(page, r"\n## (?:Causes and what to do|By reason)\n")

    def test_are_all_that_there_are_pages_for(self):
        self.assertEqual({page.stem for page in RUNBOOK.glob("*.md")}, {*names(), "README"})

    def test_stand_in_the_list_in_their_order(self):
        listed = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \|", read("deploy/runbook/README.md"), re.MULTILINE)
        self.assertEqual(listed, [(name, name) for name in names()])

    def test_exist_where_the_table_of_metrics_speaks_of_them(self):
        named = set(ALERT_NAME.findall(read("src/forebay/metrics/metric_table.cpp")))
        self.assertGreater(len(named), 10)
        self.assertEqual(named - set(names()), set())

    def test_fire_in_one_situation_and_stay_silent_in_another(self):
        firing, silent = set(), set()
        for test in load_yaml("deploy/prometheus/alerts_test.yaml")["tests"]:
            for each in test["alert_rule_test"]:
                (firing if each["exp_alerts"] else silent).add(each["alertname"])
        self.assertEqual(firing, set(names()))
        self.assertEqual(silent, set(names()))


def anchors(path):
    """The headings of a page, as links name them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


class Links(unittest.TestCase):
    def test_of_all_pages_lead_somewhere(self):
        pages = [*ROOT.glob("deploy/**/*.md"), ROOT / "docs/operations.md"]
        self.assertGreater(len(pages), 18)
        for page in pages:
            for target in re.findall(r"\]\(([^)]+)\)", page.read_text()):
                path, _, anchor = target.partition("#")
                there = (page.parent / path).resolve() if path else page
                self.assertTrue(there.exists(), f"{page}: {target}")
                if anchor:
                    self.assertIn(anchor, anchors(there), f"{page}: {target}")


if __name__ == "__main__":
    unittest.main()
