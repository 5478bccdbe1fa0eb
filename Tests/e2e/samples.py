"""Samples of the tests: `make test` runs some cases of each family and some of the slow tests, `make long` the others.

How long a test takes is read from `costs.json`, which `pytest --store-costs` writes.
"""

import functools
import json
import os
import random
import subprocess
from collections import defaultdict
from pathlib import Path

import pytest


@functools.cache
def seed() -> str:
    """Returns what the samples are drawn from: by default the commit, so that each change tests other cases."""
    if chosen := os.environ.get("CALLRUNNER_SAMPLE"):
        return chosen
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "--short", "HEAD"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "none"


def leave_others_to_long(items: list[pytest.Item], seed: str) -> None:
    """Marks all cases of a family as long, except as many of the others as its mark `sample` names."""
    families = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sample") and not item.get_closest_marker("long"):
            families[item.nodeid.partition("[")[0]].append(item)
    for name, cases in families.items():
        [count] = cases[0].get_closest_marker("sample").args
        cases.sort(key=lambda case: case.nodeid)
        chosen = random.Random(f"{seed} {name}").sample(cases, min(count, len(cases)))
        for case in cases:
            if case not in chosen:
                case.add_marker("long")


COSTS = Path(__file__).with_name("costs.json")
# Tests that take fewer seconds always run.
CHEAP = 4
# The seconds that the drawn slow tests take together, if they run one after the other.
BUDGET = 900
# The number of tests that run at a time, but for those that are marked `alone`.
AT_ONCE = 3


def family(nodeid: str) -> str:
    """Returns the name of a test without its file's folder and its case."""
    return nodeid.partition("[")[0].rpartition("/")[2]


def leave_slow_ones_to_long(items: list[pytest.Item], seed: str) -> None:
    """Draws slow tests until their costs reach the budget, and marks the others as long; new tests count as cheap."""
    costs = json.loads(COSTS.read_text())
    slow = [item for item in items if not item.get_closest_marker("long") and family(item.nodeid) in costs]
    slow = [item for item in slow if not item.get_closest_marker("quick")]
    random.Random(seed).shuffle(slow)
    spent = 0
    for item in slow:
        spent += costs[family(item.nodeid)] * (AT_ONCE if item.get_closest_marker("alone") else 1)
        if spent > BUDGET:
            item.add_marker("long")


class Costs:
    """The seconds that each test takes, with its fixtures."""

    def __init__(self) -> None:
        self._seconds = defaultdict(lambda: defaultdict(float))

    def add(self, report: pytest.TestReport) -> None:
        self._seconds[family(report.nodeid)][report.nodeid] += report.duration

    def store(self) -> None:
        """Writes the costs of the tests that have run, and keeps those of the others; tests that cost little have none."""
        known = json.loads(COSTS.read_text())
        for name, cases in self._seconds.items():
            known[name] = round(sum(cases.values()) / len(cases), 1)
        slow = {name: seconds for name, seconds in sorted(known.items()) if seconds >= CHEAP}
        COSTS.write_text(json.dumps(slow, indent=2) + "\n")
