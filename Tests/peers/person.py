"""A user of the application, who has a display, mouse and keyboard, and a home folder."""

import json
import time
from pathlib import Path

from peers.display import Display
from peers.hand import PRIMARY, Hand


class Person:
    """A user with a display, a home folder and a running app."""

    def __init__(self, machine, display: Display, hand: Hand, home: Path):
        self._machine, self.display, self.hand, self.home = machine, display, hand, home

    def open(
        self, *arguments: str, first: str | None = "calls", locale: str = "C.UTF-8",
        environment: dict[str, str] | None = None,
    ) -> None:
        self.app = self._machine.callrunner(
            "app", *(["--open", first] if first else []), "--source", "test", *arguments,
            environment={
                **self.display.environment, "XDG_CONFIG_HOME": str(self.home), "HOME": str(self.home),
                "SDL_RENDER_DRIVER": "software", "LC_ALL": locale,
                **(environment or {}),
            },
        )
        self.app.wait_for("screen")
        self.hand.find_window()

    def log_in(self, name: str, room: str) -> None:
        self.hand.write(name)
        self.hand.press("Tab")
        self.hand.write(f"{room}x")  # the field takes digits only
        self.hand.press("Return")
        self.is_at("room")
        self.wait_for_room()

    def wait_for_room(self) -> None:
        """Waits until the screen of the room takes keys; the event of the screen comes before."""
        self.hand.wait_for_title(".+ .+ .+ callrunner")  # Login's has fewer words.

    def become_caller(self) -> None:
        """Switches the role by keyboard. The first Tab focuses Logout, the second one the switch."""
        self.wait_for_room()
        self.hand.press("Tab", "Tab", "space")
        deadline = time.monotonic() + 5
        while self.remembered().get("role") != "caller":
            assert time.monotonic() < deadline, "the second Tab does not focus the switch"

    def connect(self) -> None:
        self.hand.click_button(PRIMARY)
        self.app.wait_for("room.joined")

    def is_at(self, screen: str, within: float = 15) -> None:
        deadline = time.monotonic() + within
        while self.app.all("screen")[-1]["name"] != screen:
            assert time.monotonic() < deadline, f"not at {screen}\n{self.app.story}"
            time.sleep(0.05)

    def remembered(self) -> dict:
        path = self.home / "callrunner/identity.json"
        time.sleep(0.2)
        return json.loads(path.read_text()) if path.exists() else {}

    def quit(self) -> None:
        self.hand.close_window()
        self.app.succeed(within=15)


def new_person(machine, stack, home: Path, display: Display | None = None) -> Person:
    home.mkdir()
    display = stack.enter_context(display or Display())
    return Person(machine, display, stack.enter_context(Hand(display)), home)
