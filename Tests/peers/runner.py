"""Processes that write JSON Lines, and waiting for their events."""

import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
BINARY = Path(os.environ.get("CALLRUNNER_BINARY", REPOSITORY / ".build/release/callrunner"))
PYTHON = REPOSITORY / ".venv/bin/python"
# The origin of the page of `browser_peer`, which the signaling server does not serve.
BROWSER_PAGE = "http://127.0.0.1:5173"


class NotHeard(AssertionError):
    """The error for an expected event that did not arrive in time, with the output of the process."""


class Runner:
    """A running process with its events, its standard error and its exit code.

    The end of the `with` block kills the process and its children.
    """

    def __init__(
        self,
        command: list[str],
        environment: dict[str, str] | None = None,
        folder: Path | None = None,
        is_steered: bool = False,
    ):
        self.command = [str(part) for part in command]
        self.events: list[dict] = []
        self.other_output: list[str] = []
        self._errors: list[str] = []
        self._news = threading.Condition()
        self._reading = 2
        self._asked = 0
        self.started = time.monotonic()
        self.process = subprocess.Popen(
            self.command,
            stdin=subprocess.PIPE if is_steered else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            env={**os.environ, **(environment or {})},
            cwd=folder,
            start_new_session=True,
        )
        threading.Thread(target=self._read, args=(self.process.stdout, self._take_output), daemon=True).start()
        threading.Thread(target=self._read, args=(self.process.stderr, self._errors.append), daemon=True).start()

    def __enter__(self) -> "Runner":
        return self

    def __exit__(self, *_) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()

    @property
    def stderr(self) -> str:
        return "".join(self._errors)

    @property
    def pid(self) -> int:
        return self.process.pid

    def wait_for(self, event: str, within: float = 20, **fields) -> dict:
        """Waits for the first event with this name and these field values, and returns it."""
        deadline = time.monotonic() + within
        with self._news:
            while True:
                for candidate in self.events:
                    if candidate.get("event") == event and fields.items() <= candidate.items():
                        return candidate
                if self._reading == 0:
                    raise NotHeard(f"ended without {event} {fields or ''}\n{self.story}")
                if not self._news.wait(deadline - time.monotonic()) and time.monotonic() >= deadline:
                    raise NotHeard(f"no {event} {fields or ''} within {within} s\n{self.story}")

    def wait_for_words(self, words: str, within: float = 20) -> None:
        """Waits until standard error contains these words."""
        with self._news:
            if not self._news.wait_for(lambda: words in self.stderr or self._reading == 0, within):
                raise NotHeard(f"no {words!r} within {within} s\n{self.story}")
        assert words in self.stderr, self.story

    def all(self, event: str) -> list[dict]:
        return [candidate for candidate in self.events if candidate.get("event") == event]

    def wait_for_more(self, event: str, count: int, within: float = 30) -> dict:
        """Waits for `count` further events with this name; returns the last one."""
        wanted = len(self.all(event)) + count
        with self._news:
            self._news.wait_for(lambda: len(self.all(event)) >= wanted or self._reading == 0, within)
        if len(self.all(event)) < wanted:
            raise NotHeard(f"no {count} more {event} within {within} s\n{self.story}")
        return self.all(event)[wanted - 1]

    def say(self, text: str) -> None:
        """Writes to the standard input of a process with `--control -`."""
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def ask(self, command: str, within: float = 20, **arguments) -> dict:
        """Sends a command to a process with `--control -`; returns the reply."""
        self._asked += 1
        number = f"ask-{self._asked}"
        self.say(json.dumps({"id": number, "command": command, **arguments}) + "\n")
        return self.wait_for("control", within, id=number)

    def signal(self, number: int) -> None:
        self.process.send_signal(number)

    def finish(self, within: float = 30) -> int:
        """Waits for the process to end; returns its exit code, which is negative if a signal killed it."""
        try:
            code = self.process.wait(within)
        except subprocess.TimeoutExpired:
            raise NotHeard(f"still running after {within} s\n{self.story}") from None
        with self._news:
            self._news.wait_for(lambda: self._reading == 0, timeout=5)
        return code

    def succeed(self, within: float = 30) -> None:
        """Waits for the process to end, and expects exit code 0."""
        code = self.finish(within)
        assert code == 0, f"exit code {code}\n{self.story}"

    def _read(self, stream, take) -> None:
        for line in stream:
            with self._news:
                take(line)
                self._news.notify_all()
        with self._news:
            self._reading -= 1
            self._news.notify_all()

    def _take_output(self, line: str) -> None:
        try:
            event = json.loads(line)
        except ValueError:
            event = None
        if isinstance(event, dict):
            self.events.append(event)
        else:
            self.other_output.append(line)

    @property
    def story(self) -> str:
        said = "\n".join(json.dumps(event)[:300] for event in self.events[-30:])
        return f"$ {' '.join(self.command)}\n{said}\n--- stderr\n{self.stderr[-4000:]}"


def callrunner(*arguments, prefix: list[str] = (), **keywords) -> Runner:
    """Starts callrunner with JSON Lines as its output."""
    return Runner([*prefix, BINARY, *arguments, "--json"], **keywords)


def peer(module: str, *arguments, prefix: list[str] = (), **keywords) -> Runner:
    """Starts a peer of this package, given the name of its module."""
    command = [*prefix, PYTHON, "-m", f"peers.{module}", *arguments]
    return Runner(command, folder=REPOSITORY / "Tests", **keywords)
