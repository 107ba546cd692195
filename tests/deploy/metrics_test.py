"""Dashboard, rules, tests of the rules and runbook name only metrics, labels and reasons that exist, in expressions
that Prometheus understands."""

import json
import os
import re
import subprocess
import tempfile
import unittest

from promql import SELECTOR, metrics_in, problems_in, problems_with_value
from repository import (DEPLOY, ROOT, RUNBOOK, alerts, blocks, inline_code, load_yaml, metrics, read, series,
                        values_of)


def dashboard():
    return json.loads(read("deploy/grafana/forebay.json"))


def queries():
    """Every query of the dashboard, as Prometheus gets it."""
    for panel in dashboard()["panels"]:
        for target in panel.get("targets", []):
            yield target["expr"].replace("$__rate_interval", "5m")


def runbook_expressions():
    """Those of the runbook and of docs/operations.md. A histogram may be spoken of as a whole."""
    names = {name for name, _, _ in metrics()}
    for page in [*sorted(RUNBOOK.glob("*.md")), ROOT / "docs/operations.md"]:
        text = page.read_text()
        for block in blocks(text, "promql"):
            yield from block.splitlines()
        for code in inline_code(text):
            if re.search(r"\b(?:dsql|forebay)_[a-z]", code) and code not in names:
                yield code


class TheCheckItself(unittest.TestCase):
    def test_finds_what_is_named(self):
        self.assertEqual(metrics_in('sum by (le) (rate(a_b{x="y"}[5m])) / (c_d offset 5m > 0) and on (z) up'),
                         ["a_b", "c_d", "up"])

    def test_knows_the_table(self):
        self.assertGreater(len(series()), 60)
        self.assertIn("dsql_pool_wait_duration_bucket", series())
        self.assertNotIn("dsql_pool_wait_duration", series())
        self.assertEqual(series()["dsql_reservoir_discards_total"], {"service", "pool", "reason"})

    def test_refuses_what_does_not_exist(self):
        for wrong in ("dsql_reservoir_sizes", "rate(dsql_pool_wait_duration[5m])", 'dsql_pool_open{reason="broken"}',
                      "sum by (operation) (dsql_pool_open)", "dsql_reservoir_size / reservoir_target",
                      'dsql_reservoir_discards_total{reason="bored"}'):
            self.assertTrue(problems_in(wrong), wrong)


class MetricNames(unittest.TestCase):
    def assert_all_exist(self, expressions, at_least):
        expressions = list(expressions)
        self.assertGreaterEqual(len(expressions), at_least)
        self.assertEqual([problem for each in expressions for problem in problems_in(each)], [])

    def test_rules(self):
        self.assert_all_exist((rule["expr"] for rule in alerts()), 17)

    def test_series_of_the_rule_tests(self):
        tests = load_yaml("deploy/prometheus/alerts_test.yaml")["tests"]
        self.assert_all_exist((each["series"] for test in tests for each in test["input_series"]), 17)

    def test_series_of_the_rule_tests_have_all_labels(self):
        for test in load_yaml("deploy/prometheus/alerts_test.yaml")["tests"]:
            for each in test["input_series"]:
                name, matchers = SELECTOR.fullmatch(each["series"]).groups()
                labels = set(re.findall(r"(\w+)=", matchers)) - {"le"}
                self.assertEqual(labels, series()[name] | {"job", "instance"}, each["series"])

    def test_dashboard(self):
        self.assert_all_exist(queries(), 60)

    def test_dashboard_shows_every_metric(self):
        shown = {name for expression in queries() for name in metrics_in(expression)}
        missing = {name for name in series() if not name.endswith(("_sum", "_count"))} - shown
        self.assertEqual(missing, set())

    def test_choices_of_the_dashboard(self):
        for choice in dashboard()["templating"]["list"]:
            if choice["type"] == "query":
                expression, label = re.fullmatch(r"label_values\((.+), (\w+)\)", choice["definition"]).groups()
                self.assertEqual(problems_in(f"sum by ({label}) ({expression})"), [])

    def test_runbook(self):
        self.assert_all_exist(runbook_expressions(), 60)

    def test_the_runbook_explains_every_reason(self):
        for page, header, enumeration in (
                ("DSQLReservoirDiscards", "core/discard_reason.hpp", "DiscardReason"),
                ("DSQLReservoirRefillFailures", "core/open_failure.hpp", "OpenFailure"),
                ("ForebayTransactionsExhausted", "base/error_class.hpp", "ErrorClass")):
            text = (RUNBOOK / f"{page}.md").read_text()
            for value in values_of(f"include/forebay/{header}", enumeration):
                self.assertRegex(text, rf"`{value}`|### {value}\n", page)

    def test_reasons_in_the_runbook(self):
        for page in sorted(RUNBOOK.glob("*.md")):
            for label, value in re.findall(r'\b(reason|error_class)="?(\w+)', page.read_text()):
                self.assertEqual(problems_with_value(label, value), [], page.name)


class Promtool(unittest.TestCase):
    def run_promtool(self, *words, folder=DEPLOY / "prometheus"):
        done = subprocess.run([os.environ["PROMTOOL"], *words], cwd=folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def test_accepts_the_rules(self):
        self.assertIn(f"{len(alerts())} rules found", self.run_promtool("check", "rules", "alerts.yaml"))

    def test_runs_the_tests_of_the_rules(self):
        self.assertIn("SUCCESS", self.run_promtool("test", "rules", "alerts_test.yaml"))

    def test_accepts_the_configuration(self):
        self.run_promtool("check", "config", "prometheus.yaml")

    def test_understands_every_query(self):
        expressions = sorted({*queries(), *runbook_expressions()})
        rules = [{"record": f"query:{number}", "expr": each} for number, each in enumerate(expressions)]
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/queries.yaml", "w") as file:
                json.dump({"groups": [{"name": "queries", "rules": rules}]}, file)  # JSON is YAML
            answer = self.run_promtool("check", "rules", "queries.yaml", folder=folder)
        self.assertIn(f"{len(rules)} rules found", answer)


if __name__ == "__main__":
    unittest.main()
