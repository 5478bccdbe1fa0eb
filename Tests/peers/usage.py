"""The resource usage of a process, from /proc."""

import os
import time
from contextlib import suppress
from pathlib import Path


def cpu_seconds(pid: int) -> float:
    """Returns the user and system time of all threads in seconds."""
    after_name = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(after_name[11]) + int(after_name[12])) / os.sysconf("SC_CLK_TCK")


def cpu_percent(pid: int, seconds: float) -> float:
    """Measures the CPU usage over `seconds`, in percent of one core."""
    before, began = cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (cpu_seconds(pid) - before) / (time.monotonic() - began)


def named(name: str) -> list[int]:
    """Returns the processes of this name."""
    return [pid for pid, its in _processes() if its == name]


def _processes() -> list[tuple[int, str]]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # the process has ended
            found.append((int(folder.name), (folder / "comm").read_text().strip()))
    return found


def children(pid: int) -> list[int]:
    """Returns the processes that a process has started and that still run."""
    found = []
    for other, _ in _processes():
        with suppress(OSError):
            state, parent = Path(f"/proc/{other}/stat").read_text().rsplit(")", 1)[1].split()[:2]
            if int(parent) == pid and state != "Z":
                found.append(other)
    return found


def family(pid: int) -> list[int]:
    """Returns a process and those that it has started."""
    return [pid, *children(pid)]


def cpu_percent_of_all(pids: list[int], seconds: float) -> float:
    """Measures the CPU usage of several processes over `seconds`, in percent of one core.

    Those that end meanwhile are left out.
    """
    before, began = _cpu_of_all(pids), time.monotonic()
    time.sleep(seconds)
    after, span = _cpu_of_all(pids), time.monotonic() - began
    return 100 * sum(after[pid] - before[pid] for pid in before.keys() & after.keys()) / span


def _cpu_of_all(pids: list[int]) -> dict[int, float]:
    found = {}
    for pid in pids:
        with suppress(OSError):
            found[pid] = cpu_seconds(pid)
    return found


def proportional_megabytes(pid: int) -> float:
    """Returns the resident memory of a process, with its share of what it has in common with others.

    0 if it has ended.
    """
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0


def threads(pid: int) -> int:
    return _status(pid, "Threads")


def resident_megabytes(pid: int) -> float:
    return _status(pid, "VmRSS") / 1024


def most_resident_megabytes(pid: int) -> float:
    """Returns the peak resident memory in megabytes since the process started."""
    return _status(pid, "VmHWM") / 1024


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return int(line.split()[1])
    raise RuntimeError(f"process {pid} tells no {name}")
