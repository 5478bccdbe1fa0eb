"""One process that holds call after call: each is connected, and nothing of any stays."""

import os
import time
from pathlib import Path

import pytest
from peers.runner import Runner


def status(process: Runner, field: str) -> int:
    """A figure of the kernel's; 0 where the process has ended."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def standing(*processes: Runner) -> list[tuple[int, int]]:
    """Descriptors and threads of each, once they stay the same: an idle thread of a pool ends after five seconds."""
    deadline, seen = time.monotonic() + 40, []
    while len(seen) < 15 or any(one != seen[-1] for one in seen[-15:]):
        assert time.monotonic() < deadline, seen
        seen.append(
            [(len(os.listdir(f"/proc/{process.pid}/fd")), status(process, "Threads:")) for process in processes]
        )
        time.sleep(0.5)
    return seen[-1]


def hold(machine, calls: int, duration: str) -> tuple[Runner, list[int]]:
    """Places so many calls; the caller, gone, and its memory in kB after each."""
    memory: list[int] = []
    ann = machine.callrunner(
        "--room", "1", "--caller", "--name", "Ann", "--headless", "--repeat", calls, "--duration", duration
    )
    while ann.process.poll() is None:
        ended = len(ann.all("call.ended"))
        if len(memory) < ended and (resident := status(ann, "VmRSS:")):
            memory += [resident] * (ended - len(memory))
        time.sleep(0.02)
    ann.succeed()
    return ann, memory


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("calls", "limit"), [(30, None), pytest.param(1000, 1.0, marks=pytest.mark.long)], ids=["30", "1000"]
)
def test_call_after_call_is_connected_and_leaves_nothing(machine, capsys, calls, limit):
    served = machine.callrunner("serve", "--port", "3000")
    served.wait_for("server.listening")
    bob = machine.callrunner("--room", "1", "--name", "Bob", "--headless", "--stay")
    bob.wait_for("room.joined")
    hold(machine, 5, "0.3")
    before = standing(bob, served)
    ann, memory = hold(machine, calls, "0.3")
    ended = ann.all("call.ended")
    assert [event["reason"] for event in ended] == ["duration"] * calls
    again = [event["reason"] for event in ann.all("call.state") if event["state"] == "retrying"]
    assert again == [], "none needed a second attempt"
    assert standing(bob, served) == before
    times = sorted(event["setup"]["firstFrame"] for event in ended)
    growth = (memory[-1] - memory[calls // 10]) / (len(memory) - calls // 10 - 1)
    with capsys.disabled():
        print(f"\n{calls} calls: first picture {times[calls // 2]} ms, at most {times[-1]} ms; {growth:.1f} kB a call")
    if limit:
        assert times[-1] <= limit * 1000
        assert growth <= 4, f"{growth} kB a call"
