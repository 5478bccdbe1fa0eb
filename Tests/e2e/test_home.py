"""Home in the app: its stream plays on while other screens are shown, and during calls."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from peers.display import Display
from peers.hand import Hand
from test_app import Person, new_person
from test_live import TEST_VIDEO, segments  # noqa: F401 - a fixture


@pytest.fixture
def person(machine, stack, tmp_path) -> Callable[[str], Person]:
    return lambda name: new_person(machine, stack, tmp_path / name)


def lit(hand: Hand, x: int, y: int, side: int = 40) -> bool:
    """Returns whether a square of the display around this point has several colours, as video has."""
    photograph = hand.display.photograph()
    colours = {photograph.colour(x + dx, y + dy) for dx in range(-side, side, 4) for dy in range(-side, side, 4)}
    return len(colours) > 20


def test_the_stream_of_home_plays_on_through_twenty_changes_of_the_destination(person, artefact):
    ann = person("ann")
    ann.open()
    hand = ann.hand
    left, top, width, height = hand.place
    hand.open_home()
    ann.app.wait_for("screen", name="home")
    ann.app.wait_for("live.playing")
    time.sleep(1)
    hand.photograph(artefact("home.png"))
    assert lit(hand, left + width // 2, top + 140)
    for number in range(10):
        hand.open_settings()
        ann.is_at("settings")
        if number == 0:
            time.sleep(0.6)
            hand.photograph(artefact("home-mini.png"))
            assert lit(hand, left + width - 90, top + height - 110)
        hand.open_home()
        ann.is_at("home")
    assert len(ann.app.all("live.loading")) == 1
    assert not ann.app.all("live.buffering") and not ann.app.all("live.offline")
    # The mini player leads back to Home.
    hand.open_settings()
    ann.is_at("settings")
    time.sleep(0.6)
    hand.click(left + width - 140, top + height - 90)
    ann.is_at("home")
    ann.quit()


def test_an_address_is_entered_at_home_and_its_lost_stream_returns(machine, person, segments, artefact):  # noqa: F811
    server = machine.peer("live_server", "--folder", segments)
    url = server.wait_for("server.listening")["url"]
    ann = person("ann")
    ann.open()
    ann.hand.open_home()
    ann.app.wait_for("live.playing")
    enter(ann, f"{url}/unknown.m3u8")
    ann.app.wait_for("live.offline", reason="not-live")
    time.sleep(0.5)
    ann.hand.photograph(artefact("home-not-live.png"))
    enter(ann, f"{url}/fine.m3u8")
    ann.app.wait_for("live.playing", live=True)
    ann.quit()


def list_top(hand: Hand) -> int:
    """Returns the upper edge of Home's list, in pixels of the display."""
    _, top, width, height = hand.place
    margin = 12 if width < 480 else 24
    stage = min((min(width - 2 * margin, 760)) * 9 / 16, 0.46 * (height - 60))
    return top + 60 + round(stage) + 12


def enter(person: Person, address: str) -> None:
    """Enters an address in the field of Home and plays it."""
    hand = person.hand
    left, _, width, _ = hand.place
    hand.click(left + width // 3, list_top(hand) + 68 + 49)
    hand.press("ctrl+a")
    hand.write(address)
    hand.press("Return")


def test_a_recording_in_the_folder_of_videos_is_listed_and_played(person, artefact):
    ann = person("ann")
    videos: Path = ann.home / "Videos"
    videos.mkdir()
    (videos / "7-Bob-20260131T120000Z.mkv").write_bytes(TEST_VIDEO.read_bytes())
    (videos / "holiday.mkv").write_bytes(TEST_VIDEO.read_bytes())
    ann.open()
    ann.hand.open_home()
    ann.app.wait_for("live.playing")
    time.sleep(0.5)
    ann.hand.photograph(artefact("home-recordings.png"))
    left, _, width, _ = ann.hand.place
    ann.hand.click(left + width // 2, list_top(ann.hand) + 68 + 88 + 38 + 34)
    deadline = time.monotonic() + 10
    while len(ann.app.all("live.playing")) < 2:
        assert time.monotonic() < deadline, ann.app.story
        time.sleep(0.05)
    assert ann.app.all("live.loading")[-1]["address"].endswith("7-Bob-20260131T120000Z.mkv")
    ann.quit()
