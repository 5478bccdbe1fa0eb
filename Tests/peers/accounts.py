"""Accounts on a server of callrunner, and the commands of one user."""

import json
import subprocess
from pathlib import Path

from peers.runner import Runner
from peers.served import Served

PHONE = "+79219999999"
# A picture of one pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)


class Accounts(Served):
    """A server and a user's commands for its accounts, on one machine."""

    def __init__(self, machine, folder: Path, *flags):
        self.folder = folder
        super().__init__(machine, folder / "data", *flags)

    def run(self, *arguments, exit: int = 0, api: str | None = None) -> Runner:
        process = self.machine.callrunner("account", *arguments, "--api", api or self.url)
        assert process.finish(within=30) == exit, process.story
        return process

    def register(self) -> None:
        self.run("login", "--phone", PHONE, "--code", "133337", exit=4)
        self.run("register", "--name", "Ann", "--username", "ann")

    def token(self) -> str:
        return "".join(self.run("token").other_output).strip()

    def profile(self) -> dict:
        return self.run("show").wait_for("account.profile")


def request(machine, method: str, url: str, token: str | None = None, body: object = None) -> tuple[int, bytes]:
    """Sends a request from the machine; returns status and body."""
    command = [*machine.prefix, "curl", "--silent", "--request", method, "--write-out", "\n%{http_code}", url]
    if token:
        command += ["--header", f"Authorization: Bearer {token}"]
    if body is not None:
        command += ["--header", "Content-Type: application/json", "--data", json.dumps(body)]
    answer, _, status = subprocess.run(command, capture_output=True, check=False).stdout.rpartition(b"\n")
    return int(status or 0), answer
