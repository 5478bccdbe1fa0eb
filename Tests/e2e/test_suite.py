"""The end-to-end tests themselves."""

import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent


def test_all_fixtures_that_the_long_tests_use_exist():
    """Without this test only `make long` would notice a renamed fixture."""
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "--quiet", "-m", "long", "--setup-plan", TESTS]
    planned = subprocess.run(
        [*command, "--config-file", TESTS.parent / "pytest.ini"], capture_output=True, text=True, timeout=60
    )
    assert planned.returncode == 0, planned.stdout.partition("= ERRORS =")[2]
