"""Samples of families of test cases: `make test` runs some cases of each family, and `make long` runs the others."""

import functools
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
