"""The accounts API against its OpenAPI description: generated requests receive only documented responses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from peers.accounts import Accounts
from test_accounts import accounts  # noqa: F401 - a fixture

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"


def examine(accounts: Accounts, folder: Path, examples: int) -> None:  # noqa: F811
    """Sends generated requests as a user who is signed in, so that the answers are more than refusals."""
    accounts.register()
    command = [
        *accounts.machine.prefix, Path(sys.executable).parent / "schemathesis", "run", f"{accounts.url}/openapi.json", "--checks", CHECKS,
        "--header", f"Authorization: Bearer {accounts.token()}", "--max-examples", str(examples), "--seed", "21",
        "--workers", "1", "--phases", "examples,coverage,fuzzing", "--generation-database", "none", "--no-color",
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=1500, cwd=folder)
    assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    count = re.search(r"Selected: (\d+)/\1\n +Tested: \1\n", done.stdout)
    assert count and int(count[1]) >= 12, done.stdout[-3000:]


@pytest.mark.timeout(300)
def test_generated_requests_get_only_responses_listed_in_the_api_description(accounts, tmp_path):  # noqa: F811
    examine(accounts, tmp_path, examples=5)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_many_generated_requests_get_only_responses_listed_in_the_api_description(accounts, tmp_path):  # noqa: F811
    examine(accounts, tmp_path, examples=300)
