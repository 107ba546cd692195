"""The dashboard is what its script writes, and one that Grafana can draw on any machine."""

import json
import re
import runpy
import unittest

from repository import DEPLOY, read

UNITS = {"short", "ops", "reqps", "s", "ms", "percentunit"}


class Dashboard(unittest.TestCase):
    def setUp(self):
        self.text = read("deploy/grafana/forebay.json")
        self.dashboard = json.loads(self.text)
        self.panels = self.dashboard["panels"]
        self.plots = [panel for panel in self.panels if panel["type"] != "row"]

    def test_is_what_its_script_writes(self):
        made = runpy.run_path(str(DEPLOY / "grafana/dashboard.py"))["dashboard"]()
        self.assertEqual(self.dashboard, made, "run deploy/grafana/dashboard.py > deploy/grafana/forebay.json")

    def test_asks_first_whether_the_reservoir_is_full(self):
        rows = [number for number, panel in enumerate(self.panels) if panel["type"] == "row"]
        self.assertEqual(rows[0], 0)
        first = self.panels[1:rows[1]]
        named = set(re.findall(r"(?:dsql|forebay)_\w+", json.dumps(first)))
        for metric in ("dsql_reservoir_size", "dsql_reservoir_target", "dsql_reservoir_empty_total",
                       "dsql_reservoir_refill_failures_total", "dsql_distributed_conn_lease_limit",
                       "forebay_permit_waits_total", "forebay_store_failures", "forebay_token_failures_total"):
            self.assertIn(metric, named)
        # One screen of Grafana shows about twenty rows of its grid.
        self.assertLessEqual(self.panels[rows[1]]["gridPos"]["y"], 20)

    def test_says_what_each_panel_shows(self):
        self.assertGreater(len(self.plots), 30)
        for panel in self.plots:
            self.assertGreater(len(panel["description"]), 10, panel["title"])
            self.assertIn(panel["fieldConfig"]["defaults"]["unit"], UNITS, panel["title"])
            self.assertTrue(panel["targets"], panel["title"])

    def test_puts_no_panel_upon_another(self):
        taken = {}
        for panel in self.panels:
            place = panel["gridPos"]
            self.assertLessEqual(place["x"] + place["w"], 24, panel["title"])
            for x in range(place["x"], place["x"] + place["w"]):
                for y in range(place["y"], place["y"] + place["h"]):
                    self.assertEqual(taken.setdefault((x, y), panel["id"]), panel["id"], panel["title"])
        self.assertEqual(len({panel["id"] for panel in self.panels}), len(self.panels))

    def test_takes_its_data_from_where_the_reader_says(self):
        names = [choice["name"] for choice in self.dashboard["templating"]["list"]]
        self.assertEqual(names, ["datasource", "service", "pool"])
        sources = {json.dumps(item["datasource"]) for panel in self.plots for item in [panel, *panel["targets"]]}
        self.assertEqual(sources, {json.dumps({"type": "prometheus", "uid": "${datasource}"})})
        self.assertNotRegex(self.text, r"localhost|https?:")


if __name__ == "__main__":
    unittest.main()
