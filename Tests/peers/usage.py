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
