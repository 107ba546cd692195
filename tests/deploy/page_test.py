"""The demo serves its metrics, probes say when it is ready, and Prometheus's own checker accepts the page."""

import gzip
import os
import re
import signal
import subprocess
import time
import unittest
import urllib.error
import urllib.request

from repository import metrics, series

PATIENCE = 120  # seconds: a machine may be busy, and the first start makes a database


def ask(url):
    """Status and text."""
    try:
        with urllib.request.urlopen(url, timeout=30) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = subprocess.Popen([os.environ["FOREBAY_PROGRAM"], "demo", "--metrics", "127.0.0.1:0"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        cls.addClassCleanup(cls.end)
        cls.url = re.search(r"metrics at (\S+)/metrics", cls.demo.stderr.readline()).group(1)
        cls.before_ready = ask(cls.url + "/readyz")
        deadline = time.monotonic() + PATIENCE
        while ask(cls.url + "/readyz")[0] != 200:
            if time.monotonic() > deadline:
                raise AssertionError(ask(cls.url + "/readyz"))
            time.sleep(0.05)
        cls.status, cls.page = ask(cls.url + "/metrics")

    @classmethod
    def end(cls):
        cls.demo.send_signal(signal.SIGINT)
        cls.demo.wait(timeout=PATIENCE)
        cls.demo.stderr.close()

    def test_is_there(self):
        self.assertEqual(self.status, 200)
        self.assertEqual(ask(self.url + "/healthz"), (200, "ok\n"))
        self.assertEqual(ask(self.url + "/readyz"), (200, "ready\n"))
        self.assertEqual(ask(self.url + "/elsewhere")[0], 404)

    def test_was_not_ready_before_the_fill(self):
        status, text = self.before_ready
        self.assertEqual(status, 503)
        self.assertTrue(text.startswith("demo: "), text)

    def test_is_accepted_by_promtool(self):
        done = subprocess.run([os.environ["PROMTOOL"], "check", "metrics"], input=self.page, text=True,
                              capture_output=True)
        # The one name that is older than the rule it breaks.
        self.assertEqual(done.stderr.strip().splitlines(),
                         ['dsql_reservoir_checkout_latency_milliseconds use base unit "seconds" instead of '
                          '"milliseconds"'], done.stdout)
        better = self.page.replace("latency_milliseconds", "latency_seconds")
        subprocess.run([os.environ["PROMTOOL"], "check", "metrics"], input=better, text=True, check=True)

    def test_names_what_the_table_names(self):
        known = {name: kind for name, kind, _ in metrics()}
        types = dict(re.findall(r"^# TYPE (\w+) (\w+)$", self.page, re.MULTILINE))
        self.assertGreater(len(types), 20)
        for name, kind in types.items():
            self.assertEqual(kind, known[name])
        for name, labels in re.findall(r"^(\w+)(?:\{(.*)\})? \S+$", self.page, re.MULTILINE):
            self.assertEqual(set(re.findall(r'(\w+)="', labels)) - {"le"}, series()[name], name)


    def test_comes_as_scrapers_ask_for_it(self):
        headers = {"Accept": "application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5",
                   "Accept-Encoding": "gzip"}
        with urllib.request.urlopen(urllib.request.Request(self.url + "/metrics", headers=headers)) as reply:
            self.assertEqual(reply.headers["Content-Encoding"], "gzip")
            self.assertEqual(reply.headers["Content-Type"],
                             "application/openmetrics-text; version=1.0.0; charset=utf-8")
            page = gzip.decompress(reply.read()).decode()
        self.assertTrue(page.endswith("\n# EOF\n"))
        families = dict(re.findall(r"^# TYPE (\w+) (\w+)$", page, re.MULTILINE))
        plain = dict(re.findall(r"^# TYPE (\w+) (\w+)$", self.page, re.MULTILINE))
        self.assertEqual({name + ("_total" if kind == "counter" else ""): kind for name, kind in families.items()},
                         plain)


if __name__ == "__main__":
    unittest.main()
