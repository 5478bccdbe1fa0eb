"""A separate X display for each window under test, and screenshots of it."""

import os
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class Photograph:
    """The pixels of the whole screen, three bytes each."""

    def __init__(self, pixels: bytes, width: int, height: int):
        self._pixels, self.width, self.height = pixels, width, height

    @classmethod
    def of_png(cls, png: bytes) -> "Photograph":
        # The first chunk after the signature has width and height.
        width, height = struct.unpack(">II", png[16:24])
        return cls(_ffmpeg("-i", "-", "-f", "rawvideo", "-pix_fmt", "rgb24", "-", input=png), width, height)

    def colour(self, x: int, y: int) -> tuple[int, int, int]:
        start = 3 * (y * self.width + x)
        return tuple(self._pixels[start : start + 3])

    def row(self, y: int) -> bytes:
        """Returns a row of pixels, three bytes each."""
        return self._pixels[3 * self.width * y : 3 * self.width * (y + 1)]

    def save(self, path: Path, left: int, top: int, width: int, height: int) -> None:
        """Writes this rectangle of the screen as PNG."""
        size = f"{self.width}x{self.height}"
        raw = ["-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-i", "-"]
        _ffmpeg("-y", *raw, "-vf", f"crop={width}:{height}:{left}:{top}", str(path), input=self._pixels)

    def changed(self, other: "Photograph", left: int, top: int, right: int, bottom: int) -> float:
        """Returns the share, 0 to 1, of pixels in a rectangle whose colour differs clearly."""
        differing = total = 0
        for y in range(top, bottom, 2):
            for x in range(left, right, 2):
                ours, theirs = self.colour(x, y), other.colour(x, y)
                differing += max(abs(a - b) for a, b in zip(ours, theirs)) > 24
                total += 1
        return differing / max(1, total)


class Display:
    """Xvfb on a free display number, without a window manager, so that windows keep their requested geometry."""

    def __init__(self, width: int = 1280, height: int = 720):
        self.width, self.height = width, height

    def __enter__(self) -> "Display":
        told, tells = os.pipe()
        self._server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(tells), "-screen", "0", f"{self.width}x{self.height}x24", "-nolisten", "tcp",
             # Otherwise it resets when its last client disconnects, and drops clients that connect meanwhile.
             "-noreset"],
            pass_fds=[tells], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        os.close(tells)
        with os.fdopen(told) as answer:
            self.name = f":{answer.readline().strip()}"
        return self

    def __exit__(self, *_) -> None:
        self._server.terminate()
        self._server.wait()

    def kill(self) -> None:
        """Kills the X server, as if it had crashed."""
        self._server.kill()
        self._server.wait()

    @property
    def environment(self) -> dict[str, str]:
        return {"DISPLAY": self.name, "SDL_VIDEODRIVER": "x11"}

    def photograph(self) -> Photograph:
        grab = ["-f", "x11grab", "-draw_mouse", "0", "-video_size", f"{self.width}x{self.height}", "-i", self.name]
        pixels = _ffmpeg(*grab, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
        return Photograph(pixels, self.width, self.height)

    @contextmanager
    def painted(self, red: int, green: int, blue: int) -> Iterator[None]:
        """Sets the background colour of the screen over the X protocol until the end of the `with` block."""
        with socket.socket(socket.AF_UNIX) as server:
            server.connect(f"/tmp/.X11-unix/X{self.name[1:]}")
            server.sendall(struct.pack("<BxHHHHxx", ord("l"), 11, 0, 0, 0))
            answer = server.makefile("rb")
            accepted, length = struct.unpack("<BxxxxxH", answer.read(8))
            assert accepted == 1
            setup = answer.read(length * 4)
            # The screen follows the vendor's name and the pixmap formats of eight bytes each.
            name = (struct.unpack_from("<H", setup, 16)[0] + 3) // 4 * 4
            root = struct.unpack_from("<I", setup, 32 + name + 8 * setup[21])[0]
            pixel = red << 16 | green << 8 | blue
            server.sendall(struct.pack("<BxHIII", 2, 4, root, 2, pixel))  # ChangeWindowAttributes: background
            server.sendall(struct.pack("<BxHIHHHH", 61, 4, root, 0, 0, 0, 0))  # ClearArea: all of it
            yield

    def enlarge(self, scale: float) -> None:
        """Sets the scale factor for programs that are started later, as desktop environments do."""
        resource = f"Xft.dpi:\t{int(96 * scale)}\n"
        command = ["xprop", "-root", "-format", "RESOURCE_MANAGER", "8s", "-set", "RESOURCE_MANAGER", resource]
        subprocess.run(command, check=True, timeout=20, env={**os.environ, "DISPLAY": self.name})

    def xdotool(self, *arguments: str) -> str:
        command = ["xdotool", *arguments]
        answer = subprocess.run(
            command, capture_output=True, text=True, timeout=20, env={**os.environ, "DISPLAY": self.name}
        )
        return answer.stdout.strip()

    def window(self, title: str, within: float = 10) -> str:
        """Returns the id of the visible window whose title matches."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if found := self.xdotool("search", "--onlyvisible", "--name", title):
                return found.splitlines()[0]
            time.sleep(0.1)
        raise AssertionError(f"no window titled {title!r} within {within} s")

    def geometry(self, window: str) -> tuple[int, int, int, int]:
        """Returns left, top, width and height of a window in pixels."""
        told = self.xdotool("getwindowgeometry", "--shell", window)
        values = dict(line.split("=", 1) for line in told.splitlines())
        return tuple(int(values[key]) for key in ("X", "Y", "WIDTH", "HEIGHT"))

    def press(self, key: str, window: str) -> None:
        self.xdotool("windowfocus", window, "key", key)

    def click(self, x: int, y: int) -> None:
        self.xdotool("mousemove", str(x), str(y))
        time.sleep(0.3)
        self.xdotool("click", "1")


def _ffmpeg(*arguments: str, input: bytes = b"") -> bytes:
    command = ["ffmpeg", "-v", "error", *arguments]
    return subprocess.run(command, input=input, check=True, capture_output=True, timeout=20).stdout
