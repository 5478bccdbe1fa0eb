"""Joins and leaves at a high rate, with every way to disconnect, which must leak no resources of the server."""

import os
import re
import subprocess
import time
from pathlib import Path

import pytest
from peers.runner import PYTHON, Runner

SEED = 20_241
FETCH = "import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1], timeout=10).read().decode())"


def serve(machine) -> tuple[Runner, str]:
    served = machine.callrunner("serve", "--port", "0")
    return served, served.wait_for("server.listening")["url"]


def churn(machine, server, rate, seconds, number=0) -> Runner:
    flags = ["--rate", rate, "--seconds", seconds, "--first-room", 1000 + number * 1_000_000]
    return machine.peer("churn", "--server", server, "--seed", SEED + number, *flags)


def call(machine, server, *flags) -> Runner:
    """Starts a member of room 1 that stays while other clients join and leave."""
    return machine.callrunner(
        "--room", "1", "--server", server, "--source", "test", "--headless", "--verbose", *flags
    )


def descriptors(process: Runner) -> int:
    return len(os.listdir(f"/proc/{process.pid}/fd"))


def resident_megabytes(process: Runner) -> float:
    pages = int(Path(f"/proc/{process.pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1e6


def metrics(machine, server) -> dict[str, float]:
    command = [*machine.prefix, PYTHON, "-c", FETCH, f"{server}/metrics"]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {name: float(value) for name, value in re.findall(r"^([a-z_]+) (\S+)$", text, re.MULTILINE)}


def wait_until_left(machine, server, members) -> dict[str, float]:
    """Waits for the grace period of lost clients, which remain members for two seconds; returns the metrics."""
    deadline = time.monotonic() + 20
    while True:
        told = metrics(machine, server)
        # The connection of this request is included in the count.
        if told["callrunner_members"] == members and told["callrunner_connections"] == members + 1:
            return told
        assert time.monotonic() < deadline, told
        time.sleep(0.2)


def test_frequent_joins_and_leaves_leak_no_resources_and_disturb_no_call(machine):
    served, server = serve(machine)
    bob = call(machine, server, "--name", "Bob")
    bob.wait_for("room.joined")
    ann = call(machine, server, "--name", "Ann", "--caller")
    for process in (ann, bob):
        process.wait_for("media.connected")
    wait_until_left(machine, server, members=2)
    before = descriptors(served)
    churning = churn(machine, server, rate=300, seconds=4)
    churning.succeed(60)
    joins = churning.wait_for("gone")["joins"]
    told = wait_until_left(machine, server, members=2)
    assert told["callrunner_joins_total"] == joins + 2
    assert told["callrunner_rooms"] == 1
    assert descriptors(served) == before
    for process in (ann, bob):
        assert process.process.poll() is None
        assert not process.all("peer.left") and not process.all("signaling.disconnected")


@pytest.mark.long
@pytest.mark.alone
def test_a_thousand_joins_and_leaves_a_second_leak_no_memory(machine):
    served, server = serve(machine)
    wait_until_left(machine, server, members=0)
    before = descriptors(served)
    visitors = [churn(machine, server, 500, 60, number) for number in range(2)]
    for process in visitors:
        process.wait_for("churned", within=30, second=10)
    early = resident_megabytes(served)
    for process in visitors:
        process.succeed(120)
    late = resident_megabytes(served)
    took = max(process.wait_for("gone")["took"] for process in visitors)
    joins = sum(process.wait_for("gone")["joins"] for process in visitors)
    told = wait_until_left(machine, server, members=0)
    print(f"{joins} joins in {took} s; {early:.2f} MB after 10 s, {late:.2f} MB at the end; {before} descriptors")
    assert told["callrunner_joins_total"] == joins
    assert told["callrunner_rooms"] == 0
    assert late <= early * 1.1
    assert descriptors(served) == before
    assert took < 66, "the machine was too slow for the rate"
