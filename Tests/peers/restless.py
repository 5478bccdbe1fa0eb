"""A simulated user with many inputs, for measuring the time until the window shows their effect."""

import random
import time

from .hand import PRIMARY, Hand
from .runner import Runner


class Restless:
    """Sends the same inputs to a newly started app on its login, room and call screens."""

    def __init__(self, hand: Hand, app: Runner):
        self.hand, self.app = hand, app
        self._dice = random.Random(1)

    def log_in(self, name: str, room: int) -> None:
        self.fidget(40)
        self.open_settings()
        left, top, _, _ = self.hand.place
        self.hand.click(left + 3, top + 3)
        self.hand.press("Tab")
        self.hand.write(name)
        self.hand.press("Tab")
        self.hand.write(str(room))
        self.hand.press("Return")
        self.app.wait_for("screen", name="room")

    def join(self) -> None:
        self.fidget(40)
        self.walk(20)
        self.open_settings()
        left, top, _, _ = self.hand.place
        self.hand.click(left + 3, top + 3)
        self.hand.click_button(PRIMARY)
        self.app.wait_for("room.joined")

    def answer(self) -> None:
        self.hand.answer(within=20)
        self.app.wait_for("media.first_frame", kind="video", within=30)
        time.sleep(1)

    def be_in_a_call(self) -> None:
        self.fidget(80)
        self.walk(20)
        for key in "mmvv":
            self.hand.press(key)
            time.sleep(0.3)
        for step in range(30):
            size = (str(500 + 12 * step), str(640 - 4 * step))
            self.hand.display.xdotool("windowsize", self.hand.window, *size, "sleep", "0.05")

    def fidget(self, count: int) -> None:
        """Moves the pointer back and forth, thirty times a second."""
        left, top, width, height = self.hand.place
        steps = []
        for _ in range(count):
            x, y = left + self._dice.randrange(width), top + self._dice.randrange(height)
            steps += ["mousemove", str(x), str(y), "sleep", "0.03"]
        self.hand.display.xdotool(*steps)

    def walk(self, count: int) -> None:
        """Moves the focus through the controls by pressing Tab `count` times."""
        self.hand.display.xdotool("key", "--delay", "40", "--repeat", str(count), "Tab")

    def open_settings(self) -> None:
        for _ in range(3):
            self.hand.open_settings()
            self.app.wait_for("screen", name="settings")
            time.sleep(0.5)
            self.walk(3)
            self.hand.press("Escape")
            time.sleep(0.3)

    def quit(self) -> dict[str, dict]:
        """Closes the window; returns the measured delays by screen name."""
        self.hand.close_window()
        self.app.succeed(within=15)
        return {event["screen"]: event for event in self.app.all("window.delays")}
