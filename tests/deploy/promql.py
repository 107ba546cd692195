"""What a PromQL expression names, and whether all of it exists."""

import re

from repository import LABELS_OF_PROMETHEUS, label_values, series

WORDS = {"and", "or", "unless", "bool", "offset", "by", "without", "on", "ignoring"}
SELECTOR = re.compile(r"([a-zA-Z_:][\w:]*)\s*\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"')
LABEL_LIST = re.compile(r"\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)")
NAME = re.compile(r"\b([a-zA-Z_:][\w:]*)\b(?!\s*\()")


def metrics_in(expression):
    bare = re.sub(r"\{[^}]*\}|\[[^\]]*\]|\"[^\"]*\"", "", expression)
    return [name for name in NAME.findall(LABEL_LIST.sub("", bare)) if name not in WORDS]


def problems_in(expression):
    """Metrics that nobody serves, labels that they do not have, and values that those cannot have."""
    problems, known = [], set(LABELS_OF_PROMETHEUS)
    for name in metrics_in(expression):
        if name in series():
            known |= series()[name]
        else:
            problems.append(f"{name} is no metric, in: {expression}")
    for name, matchers in SELECTOR.findall(expression):
        for label, _, value in MATCHER.findall(matchers):
            if label not in series().get(name, set()) | LABELS_OF_PROMETHEUS:
                problems.append(f"{name} has no label {label}, in: {expression}")
            problems += problems_with_value(label, value)
    for labels in LABEL_LIST.findall(expression):
        for label in filter(None, map(str.strip, labels.split(","))):
            if label not in known:
                problems.append(f"nothing has the label {label}, in: {expression}")
    return problems


def problems_with_value(label, value):
    possible = label_values().get(label)
    if possible is None or "$" in value:
        return []
    return [f"{label} is never {each}" for each in value.split("|") if each not in possible]
