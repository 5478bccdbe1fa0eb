"""A simulated user of one display, with a mouse, a keyboard and screenshots."""

import re
import subprocess
import time

from .display import Display, Photograph

# The fill colours of buttons in the light and in the dark theme.
PRIMARY = [(0x25, 0x63, 0xEB), (0x2F, 0x6B, 0xEA)]
ANSWER = [(0x15, 0x80, 0x3D)]
DANGER = [(0xD3, 0x26, 0x2F), (0xD6, 0x30, 0x3A)]


class Hand:
    """Operates the only window of a display that has a window manager."""

    def __init__(self, display: Display):
        self.display = display
        self._environment = {**display.environment, "PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
        # The window manager announces itself before it has started. A window that is mapped in between may stay
        # unmapped, and SDL waits for it forever, so that the end of the start has to be waited for.
        mark = "CALLRUNNER_MANAGED"
        self.manager = subprocess.Popen(
            ["openbox", "--sm-disable", "--startup", f"xprop -root -format {mark} 8s -set {mark} yes"],
            env=self._environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while "yes" not in self._ask("xprop", "-root", mark):
            assert time.monotonic() < deadline, "the window manager does not start"
            time.sleep(0.05)
        # With the first key, the server announces another keyboard, and the window manager gives up its own keys for a
        # moment: an Alt+F4 would then reach the window.
        display.xdotool("key", "shift")

    def __enter__(self) -> "Hand":
        return self

    def __exit__(self, *_) -> None:
        self.manager.terminate()
        self.manager.wait()

    def find_window(self, title: str = "callrunner") -> None:
        self.window = self.display.window(title)
        self.display.xdotool("windowactivate", "--sync", self.window)
        # The pointer is moved away, so that it highlights no control.
        self.display.xdotool("mousemove", "2", "2")
        self._wait_until_drawn()

    def _wait_until_drawn(self) -> None:
        """Waits until the first screen is drawn, because earlier key presses are lost."""
        deadline = time.monotonic() + 10
        left, top, width, height = self.place
        x, ys = left + width // 2, range(max(0, top), min(top + height, self.display.height), 2)
        while True:
            photograph = self.display.photograph()
            if len({photograph.colour(x, y) for y in ys}) > 3:
                return
            assert time.monotonic() < deadline, "the window stays empty"
            time.sleep(0.05)

    def write(self, text: str) -> None:
        self.display.xdotool("type", "--delay", "30", text)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.display.xdotool("key", key)
            time.sleep(0.1)

    def click(self, x: int, y: int, times: int = 1) -> None:
        # With --sync, xdotool waits for many seconds if the pointer is there already.
        moves = ["mousemove", str(x + 1), str(y), "mousemove", "--sync", str(x), str(y)]
        self.display.xdotool(*moves, "click", "--repeat", str(times), "--delay", "60", "1")

    @property
    def video(self) -> tuple[float, float, float, float]:
        """Left, top, width and height of a video of 16:9 that fills the window as far as it fits."""
        left, top, width, height = self.place
        across = min(width, height * 16 / 9)
        down = across * 9 / 16
        return left + (width - across) / 2, top + (height - down) / 2, across, down

    def wait_for_title(self, title: str) -> None:
        """Waits until the screen with this title takes the keys; the event of the screen comes before."""
        self.display.window(title)

    def point(self, across: float, down: float) -> None:
        """Moves the pointer to a place given as fractions of the window."""
        left, top, width, height = self.place
        x, y = left + int(across * width), top + int(down * height)
        self.display.xdotool("mousemove", str(x), str(y), "mousemove", str(x + 10), str(y))

    def open_settings(self) -> None:
        self._open(5)

    def open_home(self) -> None:
        self._open(0)

    def open_account(self) -> None:
        self._open(4)

    def open_library(self) -> None:
        self._open(1)

    def open_chats(self) -> None:
        self._open(2)

    def _open(self, number: int) -> None:
        """Clicks one of the six destinations in the bar of the app, which is in the middle of the lower edge."""
        left, top, width, height = self.place
        self.click(left + width // 2 + round((number - 2.5) * min(width, 720) / 6), top + height - 30)

    def click_button(self, colours: list[tuple[int, int, int]], within: float = 10, times: int = 1) -> None:
        """Clicks the widest area of the window that is filled with one of these colours, once or several times."""
        deadline = time.monotonic() + within
        while time.monotonic() < deadline:
            if place := widest(self.display.photograph(), colours):
                self.click(*place, times)
                time.sleep(0.1)
                self.display.xdotool("mousemove", "2", "2")
                return
            time.sleep(0.2)
        raise AssertionError(f"no button of the colours {colours} within {within} s")

    def wait_for_ring(self, within: float = 10) -> None:
        """Waits until a ringing call takes keys and clicks, which it ignores for the first 0.7 seconds."""
        deadline = time.monotonic() + within
        while not widest(self.display.photograph(), ANSWER):
            assert time.monotonic() < deadline, f"nothing rings within {within} s"
            time.sleep(0.2)
        time.sleep(0.8)

    def answer(self, within: float = 10) -> None:
        self.wait_for_ring(within)
        self.click_button(ANSWER)

    def double_click_button(self, colours: list[tuple[int, int, int]]) -> None:
        self.click_button(colours, times=2)

    def photograph(self, path) -> Photograph:
        photograph = self.display.photograph()
        photograph.save(path, *self.place)
        return photograph

    @property
    def place(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the window in pixels, without the frame of the window manager."""
        told = self._ask("xwininfo", "-id", self.window)
        words = ("Absolute upper-left X", "Absolute upper-left Y", "Width", "Height")
        return tuple(int(re.search(rf"{word}: +(-?\d+)", told)[1]) for word in words)

    def _ask(self, *command: str) -> str:
        return subprocess.run(command, capture_output=True, text=True, check=True, env=self._environment).stdout

    def close_window(self) -> None:
        """Closes the window like the close button of its frame."""
        self.display.xdotool("windowactivate", "--sync", self.window, "key", "alt+F4")


def widest(photograph: Photograph, colours: list[tuple[int, int, int]]) -> tuple[int, int] | None:
    """Returns the middle of the longest horizontal run of at least ten pixels in one of the colours, or None."""
    best, place = 0, None
    for y in range(0, photograph.height, 2):
        row = photograph.row(y)
        for colour in colours:
            pixel = re.escape(bytes(colour))
            for run in re.finditer(b"(?:%s){10,}" % pixel, row):
                width = (run.end() - run.start()) // 3
                if run.start() % 3 == 0 and width > best:
                    best, place = width, (run.start() // 3 + width // 2, y)
    return place
