"""Runs the examples of a documentation page in terminals, and compares their output with the page.

An example is a fenced `console` block. Commands begin with `$ `, and the lines below a command are its output. The
comment above the block defines how the example is run:

    <!-- example -->                     to its end, before the next example starts
    <!-- example terminal=NAME -->       in a separate terminal, until the end of the page, and then interrupted
    <!-- example in any order -->        to its end; its lines may be printed in another order
    <!-- not run: REASON -->             not at all

All examples of a page share one folder and one network namespace. Numbers, spaces and bars match any others. `…`
matches any lines if it is alone on its line, otherwise any text. A line that the program replaced later, such as a
progress line, need not be in the documentation.
"""

import fcntl
import os
import pty
import re
import signal
import struct
import subprocess
import termios
import threading
import time
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

WIDTH = 160
ANY = "…"
# The mark that is printed between two commands, with the exit code of the first one.
MARK = "\x1e"
ESCAPE = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|[()][A-Z0-9]|[=>78])")
SOMEWHAT = re.compile(r"(?:(?<!\w)-)?\d+(?:[.,]\d+)*|[0-9a-f]{2}(:[0-9A-Fa-f]{2})+|[█▏▎▍▌▋▊▉]+")


@dataclass
class Command:
    """A command and its documented output."""

    text: str
    expected: list[str] = field(default_factory=list)

    @property
    def may_fail(self) -> bool:
        return any(line.startswith("callrunner: ") for line in self.expected) or "timeout" in self.text


@dataclass
class Example:
    """A fenced block of a page."""

    path: Path
    line: int
    directive: str
    commands: list[Command]

    @property
    def is_run(self) -> bool:
        return self.directive.startswith("example")

    @property
    def terminal(self) -> str | None:
        found = re.search(r"terminal=(\S+)", self.directive)
        return found and found[1]

    def __str__(self) -> str:
        return f"{self.path.name}:{self.line}"


def fences(path: Path) -> list[tuple[int, str, list[str], str]]:
    """Returns the fenced blocks of a page as (line number, language, content, last non-empty line above)."""
    found, above, inside = [], "", None
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if match := re.match(r"( *)```(\S*)", line):
            if inside is None:
                inside = (number, match[2], [], above, len(match[1]))
            else:
                found.append(inside[:4])
                inside, above = None, ""
        elif inside is not None:
            inside[2].append(line[inside[4] :])
        elif line.strip():
            above = line.strip()
    assert inside is None, f"{path}:{inside[0]}: this block does not end"
    return found


def examples(path: Path) -> list[Example]:
    """Returns the `console` blocks of a page."""
    found = []
    for number, language, lines, above in fences(path):
        if language != "console":
            continue
        directive = re.fullmatch(r"<!-- (example.*|not run: .+) -->", above)
        assert directive, f"{path}:{number}: the line above says neither `example` nor `not run`"
        commands: list[Command] = []
        for line in lines:
            if line.startswith("$ "):
                commands.append(Command(line[2:]))
            elif commands and not commands[-1].expected and commands[-1].text.endswith("\\"):
                commands[-1].text += "\n" + line
            elif commands and line.strip():
                commands[-1].expected.append(line)
            assert commands, f"{path}:{number}: the block does not begin with a command"
        found.append(Example(path, number, directive[1], commands))
    return found


class Terminal:
    """A shell in a pseudo-terminal that runs the commands of one example."""

    def __init__(self, example: Example, prefix: list[str], environment: dict[str, str], folder: Path):
        self.example = example
        lines = [f"{command.text}\nprintf '{MARK}%d\\n' $?" for command in example.commands]
        mine, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 50, WIDTH, 0, 0))
        settings = termios.tcgetattr(theirs)
        settings[1] &= ~termios.ONLCR
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        self._process = subprocess.Popen(
            [*prefix, "bash", "-c", "\n".join(lines)],
            stdin=theirs, stdout=theirs, stderr=theirs, cwd=folder, env=environment, start_new_session=True,
        )  # fmt: skip
        os.close(theirs)
        self._read = b""
        self._reader = threading.Thread(target=self._drain, args=(mine,), daemon=True)
        self._reader.start()

    def finish(self, within: float) -> None:
        """Waits for the last command to end, and compares the output of all commands."""
        self._wait(lambda: self._process.poll() is not None, within)
        self._reader.join(timeout=5)
        parts = self._parts()
        for command, part in zip(self.example.commands, parts, strict=False):
            output, _, code = part.rpartition(MARK)
            difference = compare(*self._ordered(command.expected, lines_of(output)))
            assert difference is None, f"{self.example}: $ {command.text}\n{difference}"
            assert code == "0" or command.may_fail, f"{self.example}: $ {command.text}\nexit code {code}\n{output}"
        assert len(parts) > len(self.example.commands), f"{self.example}: ended early\n{self.output}"

    def wait_for_first_line(self, within: float) -> None:
        """Waits until the first documented line has been printed."""
        first = next((command.expected[0] for command in self.example.commands if command.expected), None)
        assert first, f"{self.example}: it runs beside others, so it must say what it prints first"
        self._wait(lambda: any(fits(first, line) for line, _ in lines_of(self.output)), within)

    def interrupt(self, within: float) -> None:
        """Waits until the whole documented output has been printed, then presses Ctrl-C."""
        last = self.example.commands[-1]

        def said() -> bool:
            parts = self._parts()
            return len(parts) >= len(self.example.commands) and not compare(last.expected, lines_of(parts[-1]))

        try:
            self._wait(lambda: self._process.poll() is not None or said(), within)
        except AssertionError:
            difference = compare(last.expected, lines_of(self._parts()[-1]))
            raise AssertionError(f"{self.example}: $ {last.text}\n{difference}") from None
        if self._process.poll() is not None:
            self.finish(within)
            return
        os.killpg(self._process.pid, signal.SIGINT)
        self._wait(lambda: self._process.poll() is not None, within)

    def close(self) -> None:
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self._process.wait()

    @property
    def output(self) -> str:
        return ESCAPE.sub("", self._read.decode(errors="replace"))

    def _parts(self) -> list[str]:
        """Returns the output of each command, ending with the mark and the exit code."""
        return re.split(rf"(?<={MARK}\d)\n|(?<={MARK}\d\d)\n|(?<={MARK}\d\d\d)\n", self.output)

    def _ordered(self, expected: list[str], printed: list[tuple[str, bool]]) -> tuple[list, list]:
        if "in any order" not in self.example.directive:
            return expected, printed
        return sorted(expected, key=stable), sorted(printed, key=lambda line: stable(line[0]))

    def _drain(self, terminal: int) -> None:
        try:
            while data := os.read(terminal, 65536):
                self._read += data
        except OSError:
            pass  # no process has the terminal open any more
        finally:
            os.close(terminal)

    def _wait(self, condition, within: float) -> None:
        deadline = time.monotonic() + within
        while not condition():
            assert time.monotonic() < deadline, f"{self.example}: not within {within} s\n{self.output}"
            time.sleep(0.05)


def lines_of(output: str) -> list[tuple[str, bool]]:
    """Returns the lines of an output as (line, whether the program replaced it later)."""
    found = []
    for line in output.split("\n"):
        *replaced, last = line.split("\r")
        found += [(text.rstrip(), True) for text in replaced if text.strip()]
        if last.strip():
            found.append((last.rstrip(), False))
    return found


def fits(expected: str, line: str) -> bool:
    """Whether a printed line matches a documented line, apart from numbers, bars and spaces."""
    pattern = ".*".join(re.escape(part) for part in stable(expected).split(ANY))
    return re.fullmatch(pattern, stable(line)) is not None


def stable(line: str) -> str:
    """Returns a line without the parts that may differ between two runs."""
    return re.sub(r"\s+", " ", SOMEWHAT.sub("#", line)).replace("# #", "#").strip()


def compare(expected: list[str], printed: list[tuple[str, bool]]) -> str | None:
    """Returns the difference between documented and printed lines, or None if they match."""
    furthest = 0

    @cache
    def matches(here: int, there: int) -> bool:
        nonlocal furthest
        if here == len(expected):
            return all(replaced for _, replaced in printed[there:])
        if expected[here].strip() == ANY:
            return matches(here + 1, there) or (there < len(printed) and matches(here, there + 1))
        if there == len(printed):
            furthest = max(furthest, here)
            return False
        line, replaced = printed[there]
        if fits(expected[here], line) and matches(here + 1, there + 1):
            return True
        furthest = max(furthest, here)
        return replaced and matches(here, there + 1)

    # The output of a command without documented lines is not compared.
    if not expected or matches(0, 0):
        return None
    promised = expected[furthest] if furthest < len(expected) else "(nothing more)"
    return "\n".join([f"promised, and not there: {promised}", "printed:", *(f"  {line}" for line, _ in printed)])
