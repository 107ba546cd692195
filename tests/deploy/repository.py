"""What the tests of deploy/ ask the repository and the command: files, metrics, settings, and the help."""

import functools
import os
import pathlib
import re
import subprocess

import yaml

ROOT = pathlib.Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
RUNBOOK = DEPLOY / "runbook"
# Of the process that scrapes, of histograms, and of what Prometheus says about alerts.
LABELS_OF_PROMETHEUS = {"job", "instance", "le"}

METRIC = re.compile(r'\{Metric::\w+,\s*"(\w+)",\s*(counter|gauge|histogram),\s*"([^"]*)"')
ALERT_NAME = re.compile(r"\b(?:DSQL|Forebay)[A-Z]\w+")
VARIABLE = re.compile(r"\b(?:DSQL|DB|FOREBAY)_[A-Z][A-Z_]*[A-Z]\b")
INLINE_CODE = re.compile(r"`([^`\n]+)`")
BLOCK = re.compile(r"^( *)```(\w+)\n(.*?)^\1```", re.MULTILINE | re.DOTALL)


def read(path):
    return (ROOT / path).read_text()


def load_yaml(path):
    return yaml.safe_load(read(path))


@functools.cache
def metrics():
    """The table of metrics: name, type, labels."""
    return METRIC.findall(read("src/forebay/metrics/metric_table.cpp"))


@functools.cache
def series():
    """The labels of everything that a scrape brings, by name. A histogram is three series."""
    result = {"up": set()}
    for name, kind, labels in metrics():
        own = set(filter(None, labels.split(", ")))
        for suffix in ("_bucket", "_sum", "_count") if kind == "histogram" else ("",):
            result[name + suffix] = own
    return result


def values_of(path, enumeration):
    body = re.search(rf"enum class {enumeration} [^{{]*\{{(.*?)\n\}};", read(path), re.DOTALL).group(1)
    return set(re.findall(r"^\s*(\w+),", body, re.MULTILINE))


@functools.cache
def label_values():
    """The closed sets among the labels' values."""
    discards = values_of("include/forebay/core/discard_reason.hpp", "DiscardReason")
    failures = values_of("include/forebay/core/open_failure.hpp", "OpenFailure")
    return {"reason": discards | failures,
            "error_class": values_of("include/forebay/base/error_class.hpp", "ErrorClass")}


def alerts():
    """Every rule of alerts.yaml."""
    return [rule for group in load_yaml("deploy/prometheus/alerts.yaml")["groups"] for rule in group["rules"]]


@functools.cache
def variables():
    """The variables of a configuration, as its reference lists them."""
    return set(VARIABLE.findall(read("docs/configuration.md")))


def blocks(text, language):
    return [body for _, each, body in BLOCK.findall(text) if each == language]


def inline_code(text):
    return INLINE_CODE.findall(BLOCK.sub("", text))


def program():
    return os.environ["FOREBAY_PROGRAM"]


@functools.cache
def help_of(*words):
    return subprocess.run([program(), *words, "--help"], check=True, capture_output=True, text=True).stdout


@functools.cache
def commands():
    return set(re.findall(r"^  (\w+) {2,}", help_of().split("Subcommands:")[1], re.MULTILINE))


def problems_with_command(words):
    """What the command does not know in such a command line, "forebay" itself left out."""
    name, rest = words[0], words[1:]
    if name.startswith("-"):
        return [] if name in help_of() else [f"forebay has no {name}"]
    if name not in commands():
        return [f"there is no command {name}"]
    known = help_of(name)
    problems = [f"forebay {name} has no {word}" for word in rest
                if word.startswith("--") and not re.search(rf"(?<![\w-]){word}(?![\w-])", known)]
    if " ACTION" in known and rest and f"\n  {rest[0]} " not in known:
        problems.append(f"forebay {name} has no action {rest[0]}")
    return problems


def config_check(environment):
    """What "forebay config check" says to these variables and no others: problems and warnings."""
    done = subprocess.run([program(), "config", "check", "--json"], env=environment, capture_output=True, text=True)
    answer = yaml.safe_load(done.stdout)
    return answer["problems"] + answer["warnings"]
