"""Many calls of one process in succession, which must all connect without leaking resources."""

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import linear_regression

import pytest
from peers.runner import Runner


def status(process: Runner, field: str) -> int:
    """Returns a number from the /proc status of the process; 0 if the process has ended."""
    lines = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return next((int(line.split()[1]) for line in lines if line.startswith(field)), 0)


def descriptors(process: Runner) -> int:
    try:
        return len(os.listdir(f"/proc/{process.pid}/fd"))
    except FileNotFoundError:
        return 0


def settled_counts(*processes: Runner) -> list[tuple[int, int]]:
    """Returns descriptors and threads of each process once they are constant; idle pool threads end after 5 s."""
    deadline, seen = time.monotonic() + 40, []
    while len(seen) < 15 or any(one != seen[-1] for one in seen[-15:]):
        assert time.monotonic() < deadline, seen
        seen.append(
            [(descriptors(process), status(process, "Threads:")) for process in processes]
        )
        time.sleep(0.5)
    return seen[-1]


@dataclass
class Footprint:
    """The resources of a process after each call."""

    process: Runner
    memory: list[int] = field(default_factory=list)
    descriptors: list[int] = field(default_factory=list)
    threads: list[int] = field(default_factory=list)

    def note(self, calls: int) -> None:
        """Records the resources after `calls` calls: memory in the first sample, the fewest descriptors and threads.

        A process has the fewest between two calls, for some milliseconds, so a single sample may be too high.
        """
        files, threads = descriptors(self.process), status(self.process, "Threads:")
        resident = status(self.process, "VmRSS:")
        if resident == 0:
            return
        new = calls - len(self.memory)
        self.memory += [resident] * new
        self.descriptors += [files] * new
        self.threads += [threads] * new
        self.descriptors[-1] = min(self.descriptors[-1], files)
        self.threads[-1] = min(self.threads[-1], threads)

    @property
    def growth(self) -> float:
        """The growth of memory in kB per call over the last 90 %, by linear regression."""
        late = self.memory[len(self.memory) // 10 :]
        return linear_regression(range(len(late)), late).slope

    def least(self, figures: list[int]) -> tuple[int, int]:
        """Returns the minimum of the second tenth of the run, and that of the last tenth."""
        tenth = max(len(figures) // 10, 1)
        return min(figures[tenth : 2 * tenth]), min(figures[-tenth:])


def place_calls(machine, calls: int, duration: str, opposite: Runner) -> tuple[Footprint, Footprint]:
    """Places `calls` calls; returns the resources of the caller and of the opposite side after each call."""
    ann = machine.callrunner(
        "--room", "1", "--caller", "--name", "Ann", "--headless", "--repeat", calls, "--duration", duration
    )
    sides = Footprint(ann), Footprint(opposite)
    while ann.process.poll() is None:
        ended = len(ann.all("call.ended"))
        # The last call is excluded, because the caller closes everything after it.
        if 0 < ended < calls:
            for side in sides:
                side.note(ended)
        time.sleep(0.02)
    ann.succeed()
    return sides


@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("calls", "limit"), [(30, None), pytest.param(1000, 1.0, marks=pytest.mark.long)], ids=["30", "1000"]
)
def test_repeated_calls_all_connect_and_leak_no_resources(machine, capsys, calls, limit):
    served = machine.callrunner("serve", "--port", "3000")
    served.wait_for("server.listening")
    bob = machine.callrunner("--room", "1", "--name", "Bob", "--headless", "--stay")
    bob.wait_for("room.joined")
    # The first calls grow the thread pools to their final size.
    place_calls(machine, 20, "0.3", bob)
    before = settled_counts(bob, served)
    sides = place_calls(machine, calls, "0.3", bob)
    after = settled_counts(bob, served)
    ended = sides[0].process.all("call.ended")
    assert [event["reason"] for event in ended] == ["duration"] * calls
    again = [event["reason"] for event in sides[0].process.all("call.state") if event["state"] == "retrying"]
    assert again == [], "a call needed a second attempt"
    connected = max(event["setup"]["dtls"] for event in ended)
    # On a busy host, a call of 0.3 s may end before its first frame.
    frames = sorted(event["setup"]["firstFrame"] for event in ended if "firstFrame" in event["setup"])
    growths = [side.growth for side in sides]
    held = [(side.least(side.descriptors), side.least(side.threads)) for side in sides]
    with capsys.disabled():
        print(
            f"\n{calls} calls: connected after at most {connected} ms; {len(frames)} with video, after"
            f" {frames[len(frames) // 2]} ms, at most {frames[-1]} ms;"
            f" kB a call {growths[0]:.1f} and {growths[1]:.1f}; descriptors and threads {held}, {before}, {after}"
        )
    for (files, threads), (files_before, threads_before) in zip(after, before):
        # Up to three threads that read the source file may still be idle, or have ended.
        assert files == files_before and threads <= threads_before + 3, (before, after)
    assert len(frames) >= 0.99 * calls
    if limit:
        for (few, many), (fewer, more) in held:
            # A thread of the previous call may not have ended yet.
            assert many <= few + 2 and more <= fewer + 2, held
        assert max(connected, frames[-1]) <= limit * 1000
        assert max(growths) <= 4, growths
