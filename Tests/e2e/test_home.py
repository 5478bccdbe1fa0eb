"""Home in the app: its stream plays on while other screens are shown, and during calls."""

import itertools
import json
import time
from pathlib import Path

import pytest
from peers import numbered
from peers.drag import drop
from peers.hand import Hand
from peers.sound import SoundServer, decibels
from test_app import Person, person  # noqa: F401 - a fixture
from test_live import TEST_VIDEO, ladder, segments  # noqa: F401 - fixtures


def lit(hand: Hand, x: int, y: int, side: int = 40) -> bool:
    """Returns whether a square of the display around this point has several colours, as video has."""
    photograph = hand.display.photograph()
    colours = {photograph.colour(x + dx, y + dy) for dx in range(-side, side, 4) for dy in range(-side, side, 4)}
    return len(colours) > 20


def test_the_home_stream_plays_on_while_the_user_switches_between_home_and_settings(machine, person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open("--server", machine.server())  # so that a file is played, which never waits for segments
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


def test_the_first_start_shows_home_and_plays_the_apps_own_live_stream(person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open(first=None)
    assert ann.app.all("screen")[0]["name"] == "home"
    loading = ann.app.wait_for("live.loading", within=40)
    assert loading["address"] == "http://127.0.0.1:3000/demo.m3u8"
    assert ann.app.wait_for("live.playing")["live"]
    time.sleep(1)
    ann.hand.photograph(artefact("first-start.png"))
    left, top, width, _ = ann.hand.place
    assert lit(ann.hand, left + width // 2, top + 140)
    ann.quit()
    assert [event["name"] for event in ann.app.all("screen")] == ["home"]


def test_the_first_start_with_a_server_flag_plays_the_test_video(machine, person):  # noqa: F811
    ann = person("ann")
    ann.open("--server", machine.server(), first=None)
    assert not ann.app.wait_for("live.playing")["live"]
    assert not ann.app.all("server.listening")
    ann.quit()


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", ["library", "settings"])
def test_the_app_opens_on_the_requested_screen(person, first):  # noqa: F811
    ann = person("ann")
    ann.open(first=first)
    assert ann.app.all("screen")[0]["name"] == first
    assert not ann.app.all("live.loading")
    ann.quit()


def wait_for_width(person: Person, width: int) -> None:
    """Waits until the video that is played now is so wide."""
    deadline = time.monotonic() + 15
    while person.app.all("live.playing")[-1]["width"] != width:
        assert time.monotonic() < deadline, person.app.story
        time.sleep(0.05)


def test_the_mini_player_switches_to_a_lower_quality(machine, person, ladder):  # noqa: F811
    ann = person("ann")
    ann.open(first="home")
    ann.app.wait_for("live.playing")
    earlier = len(ann.app.all("live.playing"))
    # It has half a minute of segments.
    url = machine.peer("live_server", "--folder", ladder).wait_for("server.listening")["url"]
    enter(ann, f"{url}/ladder.m3u8")
    wait_for_width(ann, 640)
    ann.hand.open_settings()
    wait_for_width(ann, 320)
    ann.hand.open_home()
    wait_for_width(ann, 640)
    assert not ann.app.all("live.offline")
    # A stream that stood still for a moment is reported anew.
    widths = [event["width"] for event in ann.app.all("live.playing")[earlier:]]
    # Before it, the first stream may have stood still for a moment, too.
    widths = itertools.dropwhile(lambda width: width != 640, widths)
    assert [width for width, _ in itertools.groupby(widths)] == [640, 320, 640]
    ann.quit()


def windows(hand: Hand) -> list[str]:
    return hand.display.xdotool("search", "--onlyvisible", "--name", "callrunner").splitlines()


def wait_for_windows(hand: Hand, count: int) -> None:
    deadline = time.monotonic() + 5
    while len(windows(hand)) != count:
        assert time.monotonic() < deadline, f"{len(windows(hand))} windows, and not {count}"
        time.sleep(0.1)


def test_picture_in_picture_shows_the_stream_above_other_windows(person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open(first="home")
    hand = ann.hand
    ann.app.wait_for("live.playing")
    hand.press("p")
    wait_for_windows(hand, 2)
    time.sleep(1)
    hand.display.photograph().save(artefact("small-window.png"), 0, 0, hand.display.width, hand.display.height)
    x, y = hand.display.width - 216, hand.display.height - 128
    assert lit(hand, x, y)
    # It stays above the window of the app, which gets the focus again.
    hand.display.xdotool("windowactivate", "--sync", hand.window, "windowraise", hand.window)
    time.sleep(0.5)
    assert lit(hand, x, y)
    # The upper third moves it.
    hand.display.xdotool("mousemove", str(x), str(y - 80), "mousedown", "1", "mousemove", str(x - 60), str(y - 110))
    time.sleep(0.2)
    hand.display.xdotool("mousemove", str(x - 200), str(y - 180), "mouseup", "1")
    time.sleep(0.5)
    assert lit(hand, x - 200, y - 100)
    hand.display.photograph().save(artefact("small-window-moved.png"), 0, 0, hand.display.width, hand.display.height)
    hand.press("p")
    wait_for_windows(hand, 1)
    time.sleep(0.5)
    left, top, width, _ = hand.place
    assert lit(hand, left + width // 2, top + 140)
    # Esc moves the stream back, too.
    hand.display.xdotool("windowactivate", "--sync", hand.window)
    hand.press("p")
    wait_for_windows(hand, 2)
    time.sleep(1)  # until it takes keys
    small = next(window for window in windows(hand) if window != hand.window)
    hand.display.xdotool("windowactivate", "--sync", small, "key", "Escape")
    wait_for_windows(hand, 1)
    assert len(ann.app.all("live.loading")) == 1
    hand.display.xdotool("windowactivate", "--sync", hand.window)
    hand.press("p")
    wait_for_windows(hand, 2)
    hand.display.xdotool("windowactivate", "--sync", hand.window)
    ann.quit()


@pytest.mark.sample(1)
@pytest.mark.parametrize("key", ["f", "Escape"])
def test_leaving_full_screen_restores_the_window_position(person, key):  # noqa: F811
    ann = person("ann")
    ann.open(first="home")
    hand = ann.hand
    ann.app.wait_for("live.playing")
    before = hand.place
    for _ in range(3):
        hand.press("f")
        wait_for_place(hand, (0, 0, hand.display.width, hand.display.height))
        hand.press(key)
        wait_for_place(hand, before)
    ann.quit()


def wait_for_place(hand: Hand, place: tuple[int, int, int, int]) -> None:
    deadline = time.monotonic() + 5
    while hand.place != place:
        assert time.monotonic() < deadline, f"at {hand.place}, and not at {place}"
        time.sleep(0.1)
    time.sleep(0.3)
    assert hand.place == place


@pytest.mark.alone
def test_a_stream_jumps_by_at_most_two_frames_when_it_moves_between_home_and_mini_player(person, tmp_path):  # noqa: F811
    film = numbered.make(tmp_path / "film.mp4", seconds=34)
    ann = person("ann")
    ann.open()
    hand = ann.hand
    hand.open_home()
    ann.app.wait_for("live.playing")
    enter(ann, str(film))
    wait_for_playing(ann, 2)
    hand.display.xdotool("mousemove", "2", "2")
    time.sleep(3.5)  # until the controls have faded
    recording = numbered.Recording(hand.display, tmp_path, [large_line(hand), mini_line(hand)])
    time.sleep(1)
    for number in range(20):
        hand.open_home() if number % 2 else hand.open_settings()
        hand.display.xdotool("mousemove", "2", "2")
        time.sleep(0.8)
    numbers = recording.stop()
    seen = [(place, number) for place, number in enumerate(numbers) if number is not None]
    assert len(seen) > len(numbers) / 2, numbers
    # Between two frames of the recording, also across a way, the stream goes on by as many frames, give or take two.
    steps = [(later, after - before, later - earlier) for (earlier, before), (later, after) in zip(seen, seen[1:])]
    wrong = [(place, advance, span) for place, advance, span in steps if abs(advance - span) > 2]
    print(f"{len(seen)} of {len(numbers)} frames read, {len(wrong)} wrong steps")
    assert not wrong, wrong
    assert len(ann.app.all("live.loading")) == 2
    ann.quit()


def large_line(hand: Hand) -> tuple[int, int, int]:
    """Returns the left edge and the width of the video at Home, and a line through its lower part."""
    left, _, width, height = hand.place
    stage = stage_height(hand)
    wide = round(stage * 16 / 9)
    return left + (width - wide) // 2, wide, list_top(hand) - 12 - round(stage * 0.3)


def mini_line(hand: Hand) -> tuple[int, int, int]:
    left, top, width, height = hand.place
    wide = min(max(160, round(width * 0.3)), 320)
    return left + width - 12 - wide, wide, top + height - 60 - 12 - wide * 9 // 32


def wait_for_playing(person: Person, count: int) -> None:
    deadline = time.monotonic() + 10
    while len(person.app.all("live.playing")) < count:
        assert time.monotonic() < deadline, person.app.story
        time.sleep(0.05)


def test_an_address_entered_at_home_is_played_or_reported_as_not_live(machine, person, segments, artefact):  # noqa: F811
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
    return hand.place[1] + 60 + round(stage_height(hand)) + 12


def stage_height(hand: Hand) -> float:
    _, _, width, height = hand.place
    margin = 12 if width < 480 else 24
    return min(min(width - 2 * margin, 760) * 9 / 16, 0.46 * (height - 60))


def enter(person: Person, address: str) -> None:
    """Enters an address in the field of Home and plays it."""
    hand = person.hand
    left, _, width, _ = hand.place
    hand.click(left + width // 3, list_top(hand) + 49)
    hand.press("ctrl+a")
    hand.write(address)
    hand.press("Return")


def test_a_recording_in_the_videos_folder_is_listed_and_played(person, artefact):  # noqa: F811
    ann = person("ann")
    videos: Path = ann.home / "Videos"
    videos.mkdir()
    (videos / "7-Bob-20260131T120000Z.mkv").write_bytes(TEST_VIDEO.read_bytes())
    (videos / "holiday.mkv").write_bytes(TEST_VIDEO.read_bytes())
    ann.open()
    ann.hand.open_home()
    ann.app.wait_for("live.playing")
    left, top, width, height = ann.hand.place
    x, y = left + width // 2, top + height - 60 - 39  # the last row, after the list was scrolled to its end
    ann.hand.display.xdotool("mousemove", "--sync", str(x), str(y), "click", "--repeat", "10", "5")
    time.sleep(1)
    ann.hand.photograph(artefact("home-recordings.png"))
    ann.hand.click(x, y)
    wait_for_playing(ann, 2)
    assert ann.app.all("live.loading")[-1]["address"].endswith("7-Bob-20260131T120000Z.mkv")
    ann.quit()


def test_a_file_dropped_on_the_window_is_played_at_home(person, tmp_path):  # noqa: F811
    ann = person("ann")
    ann.open(first="settings")
    left, top, width, height = ann.hand.place
    window = int(ann.hand.window)
    film = tmp_path / "a film.mp4"
    film.write_bytes(Path(TEST_VIDEO).read_bytes())
    where = left + width // 2, top + height // 2
    assert drop(ann.hand.display.name, window, film.as_uri(), *where)
    ann.is_at("home")
    assert ann.app.wait_for("live.loading")["address"] == str(film)
    assert not ann.app.wait_for("live.playing")["live"]
    assert drop(ann.hand.display.name, window, (tmp_path / "missing.mp4").as_uri(), *where)
    assert ann.app.wait_for("live.failed")["reason"] == "file"
    ann.quit()


def test_the_home_stream_plays_on_the_loudspeaker_selected_in_the_settings(machine, person, stack):  # noqa: F811
    sounds = stack.enter_context(SoundServer("room", "ear"))
    ann = person("ann")
    settings = ann.home / "callrunner/app.json"
    settings.parent.mkdir(parents=True)
    settings.write_text(json.dumps({"speaker": {"id": "ear", "name": "Ear"}}))
    ann.open("--server", machine.server(), environment=sounds.environment, first="home")
    ann.app.wait_for("live.playing")
    ann.hand.press("m")
    time.sleep(1)
    assert decibels(sounds.hear("ear.monitor", 4)) > -50
    assert decibels(sounds.hear("room.monitor", 1)) < -90
    ann.quit()
