"""A Wayland compositor whose screen is a window on an X display, so that tests can send input and take screenshots."""

import os
import subprocess
import tempfile
import time

from .display import Display


class Wayland:
    """Weston with software rendering. Its screen covers the X display and is scaled by `scale`."""

    def __init__(self, display: Display, scale: int):
        self._display, self._scale = display, scale

    def __enter__(self) -> "Wayland":
        self._folder = tempfile.TemporaryDirectory(prefix="wayland-")
        os.chmod(self._folder.name, 0o700)
        size = [
            f"--{name}={pixels // self._scale}"
            for name, pixels in (("width", self._display.width), ("height", self._display.height))
        ]
        self._compositor = subprocess.Popen(
            ["weston", "--backend=x11-backend.so", "--socket=wayland-test", *size, f"--scale={self._scale}",
             "--use-pixman", "--no-config"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**os.environ, "DISPLAY": self._display.name, "XDG_RUNTIME_DIR": self._folder.name},
        )
        deadline = time.monotonic() + 20
        while not os.path.exists(f"{self._folder.name}/wayland-test"):
            assert time.monotonic() < deadline, "the compositor does not start"
            time.sleep(0.05)
        return self

    def __exit__(self, *_) -> None:
        self._compositor.terminate()
        self._compositor.wait()
        self._folder.cleanup()

    @property
    def environment(self) -> dict[str, str]:
        return {"WAYLAND_DISPLAY": "wayland-test", "XDG_RUNTIME_DIR": self._folder.name, "DISPLAY": ""}
