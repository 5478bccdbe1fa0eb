"""The resource usage of a process, from /proc."""

import os
import time
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


def descendants(pid: int, name: str) -> list[int]:
    """Returns the processes of this name that a process has started, directly or not."""
    parents, names = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            first, rest = (folder / "stat").read_text().rsplit(")", 1)
        except OSError:
            continue  # the process has ended
        parents[int(folder.name)], names[int(folder.name)] = int(rest.split()[1]), first.split("(", 1)[1]
    found, waiting = [], [pid]
    while waiting:
        parent = waiting.pop()
        children = [child for child, its in parents.items() if its == parent]
        found += [child for child in children if names[child] == name]
        waiting += children
    return found


def cpu_percent_of_all(pids: list[int], seconds: float) -> float:
    """Measures the CPU usage of several processes together over `seconds`, in percent of one core."""
    before, began = sum(map(cpu_seconds, pids)), time.monotonic()
    time.sleep(seconds)
    return 100 * (sum(map(cpu_seconds, pids)) - before) / (time.monotonic() - began)


def proportional_megabytes(pid: int) -> float:
    """Returns the resident memory of a process, with its share of what it has in common with others."""
    lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("Pss:")).split()[1]) / 1024


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
