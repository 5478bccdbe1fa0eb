"""Random clicks and keys on the stream of the app, while its server stops and resumes: the app never ends or gets stuck."""

import os
import random
import signal
import time

import pytest
from peers.hand import Hand
from test_app import Person, person  # noqa: F401 - a fixture
from test_home import enter, list_top, windows
from test_live import TEST_VIDEO, segments, started  # noqa: F401 - a fixture

KEYS = [
    "space", "m", "f", "Escape", "Left", "Right", "Up", "Down", "Home", "End", "Tab", "Prior", "Next", "i", "k", "l", "p",
]
SEED = int(os.environ.get("CALLRUNNER_SEED", "20"))
TITLE_BAR = 70
# At once, as many as a person makes in a few seconds.
BATCH = 20


def batch(choice: random.Random, hand: Hand) -> list[str]:
    """Returns the arguments of xdotool for some clicks and keys, in the upper part of the window or above its bar."""
    left, top, width, height = hand.place
    # The window may leave full screen in the middle, and its title bar has a button that closes it. The wheel is left out,
    # because there it rolls the window up.
    top = max(top, TITLE_BAR)
    arguments: list[str] = []
    for _ in range(BATCH):
        match choice.randrange(10):
            case 0 | 1 | 2 | 3:
                bottom = list_top(hand) if choice.random() < 0.7 else top + height - 62
                x, y = choice.randrange(left, left + width), choice.randrange(top, bottom)
                arguments += ["mousemove", str(x), str(y), "click", "1"]
            case 4:
                x, y = left + choice.randrange(width), choice.randrange(top, list_top(hand))
                arguments += ["mousemove", str(x), str(y), "click", "--repeat", "2", "--delay", "30", "1"]
            case _:
                arguments += ["key", choice.choice(KEYS)]
        if choice.random() < 0.3:
            arguments += ["sleep", f"{choice.random() * 0.1:.3f}"]
    return arguments


def close_small_window(hand: Hand) -> None:
    deadline = time.monotonic() + 10
    while others := [window for window in windows(hand) if window != hand.window]:
        assert time.monotonic() < deadline, "the small window stays"
        hand.display.xdotool("windowactivate", "--sync", others[0], "key", "Escape")
        time.sleep(0.5)
    hand.display.xdotool("windowactivate", "--sync", hand.window)


def playing(person: Person) -> str | None:
    """Returns the address that plays, neither paused nor lost."""
    state, address = None, None
    for event in list(person.app.events):
        match event.get("event", "").split("."):
            case ["live", "loading"]:
                state, address = "loading", event["address"]
            case ["live", ("playing" | "paused" | "buffering" | "offline" | "ended" | "failed") as news]:
                state = news
    return address if state == "playing" else None


def play_with(machine, person: Person, folder, artefact, actions: int) -> None:
    choice = random.Random(SEED)
    server, url = started(machine, folder)
    ann = person("ann")
    ann.open()
    hand = ann.hand
    hand.open_home()
    ann.app.wait_for("live.playing")
    enter(ann, f"{url}/fine.m3u8")
    addresses = [f"{url}/{name}.m3u8" for name in ("fine", "fine", "damaged", "unknown", "page")] + [str(TEST_VIDEO)]
    is_frozen = False
    for number in range(actions // BATCH):
        hand.display.xdotool(*batch(choice, hand))
        match choice.randrange(12):
            case 0:
                hand.open_settings()
            case 1:
                hand.open_library()
            case 2 | 3 | 4:
                hand.open_home()
            case 5:
                hand.open_home()
                enter(ann, choice.choice(addresses))
            case 6:
                server.signal(signal.SIGCONT if is_frozen else signal.SIGSTOP)
                is_frozen = not is_frozen
        assert ann.app.process.poll() is None, f"ended after {number * BATCH} inputs with the seed {SEED}\n{ann.app.story}"
    if is_frozen:
        server.signal(signal.SIGCONT)
    hand.photograph(artefact("random.png"))
    close_small_window(hand)
    hand.press("Escape", "Escape")
    hand.open_home()
    time.sleep(0.5)
    hand.display.xdotool("mousemove", "--sync", str(hand.place[0] + hand.place[2] // 2), str(list_top(hand) + 40))
    hand.display.xdotool("click", "--repeat", "20", "4")  # the list may be scrolled
    time.sleep(0.5)
    enter(ann, str(TEST_VIDEO))
    deadline = time.monotonic() + 15
    while playing(ann) != str(TEST_VIDEO):
        if time.monotonic() > deadline:
            hand.photograph(artefact("random-stuck.png"))
            raise AssertionError(f"stuck with the seed {SEED}\n{ann.app.story}")
        time.sleep(0.05)
    ann.quit()


def test_random_clicks_and_keys_leave_the_stream_usable(machine, person, segments, artefact):  # noqa: F811
    play_with(machine, person, segments, artefact, actions=400)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_ten_thousand_random_clicks_and_keys_leave_the_stream_usable(machine, person, segments, artefact):  # noqa: F811
    play_with(machine, person, segments, artefact, actions=10_000)
