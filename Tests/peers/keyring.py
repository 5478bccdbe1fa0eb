"""A D-Bus session with a gnome-keyring that is unlocked or locked."""

import os
import subprocess
import time

from .session_bus import SessionBus


class Keyring:
    """A session bus with a keyring that a password unlocks."""

    def __init__(self):
        self._bus = SessionBus()
        self._daemon: subprocess.Popen | None = None

    def __enter__(self) -> "Keyring":
        self._bus.__enter__()
        return self

    def __exit__(self, *_) -> None:
        self.stop()
        self._bus.__exit__()

    @property
    def environment(self) -> dict[str, str]:
        return self._bus.environment

    def start(self, is_open: bool) -> None:
        self._daemon = subprocess.Popen(
            ["gnome-keyring-daemon", "--foreground", "--components=secrets", *(["--unlock"] if is_open else [])],
            stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._everything,
        )
        if is_open:
            self._daemon.stdin.write(b"pass\n")
        self._daemon.stdin.close()
        deadline = time.monotonic() + 20
        while self._call("ReadAlias", "default").returncode:
            assert time.monotonic() < deadline, "the keyring does not start"
            time.sleep(0.1)

    def stop(self) -> None:
        if self._daemon:
            self._daemon.kill()
            self._daemon.wait()
            self._daemon = None

    def holds(self, name: str) -> bool:
        """Whether the unlocked keyring has an entry of this name."""
        found = self._call("SearchItems", f"{{'name': '{name}'}}")
        assert found.returncode == 0, found.stderr
        return "/org/freedesktop/secrets/" in found.stdout

    @property
    def _everything(self) -> dict[str, str]:
        folder = self._bus.folder
        return {**os.environ, **self.environment, "HOME": folder, "XDG_DATA_HOME": f"{folder}/data"}

    def _call(self, method: str, argument: str) -> subprocess.CompletedProcess:
        service = "org.freedesktop.secrets"
        command = ["gdbus", "call", "--session", "--dest", service, "--object-path", "/org/freedesktop/secrets"]
        command += ["--method", f"org.freedesktop.Secret.Service.{method}", argument]
        return subprocess.run(command, capture_output=True, text=True, timeout=20, env=self._everything)
