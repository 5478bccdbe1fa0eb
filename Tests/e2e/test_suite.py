"""The end-to-end tests themselves."""

import json
import os
import subprocess
import sys
from pathlib import Path

import samples

TESTS = Path(__file__).resolve().parent


def test_all_fixtures_used_by_the_long_tests_exist():
    """Without this test only `make long` would notice a renamed fixture."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--quiet", "-m", "long", "--setup-plan", TESTS]
    planned = subprocess.run(
        [*command, "--config-file", TESTS.parent / "pytest.ini"], capture_output=True, text=True, timeout=60
    )
    assert planned.returncode == 0, planned.stdout.partition("= ERRORS =")[2]


def collected(marks: str, commit: str) -> list[str]:
    """Returns the names of the cases of a sampled test that are selected."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--quiet", "--collect-only", "-m", marks]
    found = subprocess.run(
        [*command, "--config-file", TESTS.parent / "pytest.ini", TESTS / "test_bad_input.py"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "CALLRUNNER_SAMPLE": commit},
    )
    return [line for line in found.stdout.splitlines() if "::test_an_invalid_session_description_is_an_error[" in line]


def test_each_commit_runs_a_different_sample_of_cases_and_make_long_runs_the_others():
    one, other, rest = collected("not long", "1"), collected("not long", "2"), collected("long", "1")
    assert len(one) == len(other) == 5 and one != other
    assert sorted(one + rest) == sorted(set(one + rest)) == sorted(collected("long or not long", "1"))
    assert one == collected("not long", "1")


def test_costs_are_stored_only_for_tests_that_exist():
    for name in json.loads(samples.COSTS.read_text()):
        file, _, test = name.partition("::")
        assert f"def {test}(" in (TESTS / file).read_text(), f"{name}: --store-costs writes the file anew"


def test_each_python_requirement_has_hashes():
    repository = TESTS.parents[1]
    files = [*repository.glob("Tests/requirements*.txt"), *repository.glob("bench/*/requirements.txt")]
    assert files
    for file in files:
        lines = [line for line in file.read_text().splitlines() if not line.lstrip().startswith("#")]
        names = [number for number, line in enumerate(lines) if "==" in line]
        assert names and all("--hash=sha256:" in lines[number + 1] for number in names), file
