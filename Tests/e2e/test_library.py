"""The Library of the app: recordings are renamed, deleted and played, past calls are listed."""

import json
import shutil
import time

import pytest
from peers.hand import DANGER, PRIMARY
from test_app import Person, person  # noqa: F401 - a fixture
from test_live import TEST_VIDEO

ROW = 78
FIRST_ROW = 60 + 38 + ROW // 2
"""The middle of the first recording, in pixels from the upper edge of the window."""

NAMES = ("7-Bob-20260131T120000Z.mkv", "8-Olena-20260131T115900Z.mkv")


@pytest.fixture
def ann(person) -> Person:  # noqa: F811
    """A user with two recordings, whose Library is shown."""
    ann = person("ann")
    videos = ann.home / "Videos"
    videos.mkdir()
    for name in NAMES:
        shutil.copy(TEST_VIDEO, videos / name)
    ann.open()
    ann.hand.open_library()
    ann.app.wait_for("screen", name="library")
    time.sleep(1)
    return ann


def press_button(ann: Person, row: int, number: int) -> None:
    """Presses a button of a recording: 0 renames, 1 shows the file, 2 deletes."""
    left, top, width, _ = ann.hand.place
    column = min(width - 48, 760)
    right = left + (width + column) // 2 - 8
    ann.hand.click(right - 18 - 36 * (2 - number), top + FIRST_ROW + row * ROW)
    time.sleep(0.5)


def wait_for_files(ann: Person, names: list[str]) -> None:
    deadline = time.monotonic() + 10
    while sorted(path.name for path in (ann.home / "Videos").iterdir()) != sorted(names):
        assert time.monotonic() < deadline, list((ann.home / "Videos").iterdir())
        time.sleep(0.05)


def colours_of_pictures(ann: Person, artefact) -> list[int]:
    """The number of colours in the picture of each recording; the place of a picture has three."""
    photograph = ann.hand.photograph(artefact("library.png"))
    left, top, width, _ = ann.hand.place
    x = left + (width - min(width - 48, 760)) // 2 + 8 + 48
    counts = []
    for row in range(len(NAMES)):
        y = top + FIRST_ROW + row * ROW
        counts.append(len({photograph.colour(x + dx, y + dy) for dx in range(-40, 40, 4) for dy in range(-20, 20, 4)}))
    return counts


def test_recordings_show_a_preview_and_play_in_the_mini_player(ann, artefact):
    left, top, width, _ = ann.hand.place
    deadline = time.monotonic() + 20
    while min(colours := colours_of_pictures(ann, artefact)) <= 20:
        assert time.monotonic() < deadline, f"pictures with {colours} colours"
        time.sleep(0.1)
    ann.hand.click(left + width // 2, top + FIRST_ROW + ROW)
    ann.app.wait_for("live.playing")
    assert ann.app.all("live.loading")[-1]["address"].endswith(NAMES[1])
    assert ann.app.all("screen")[-1]["name"] == "library"
    time.sleep(1)
    ann.hand.photograph(artefact("library-playing.png"))
    ann.quit()


def test_a_renamed_recording_keeps_the_time_in_its_file_name(ann, artefact):
    press_button(ann, 0, 0)
    ann.hand.photograph(artefact("library-renaming.png"))
    ann.hand.press("ctrl+a")
    ann.hand.write("a/b")
    ann.hand.press("Return")
    time.sleep(0.5)
    ann.hand.photograph(artefact("library-renaming-refused.png"))
    ann.hand.press("ctrl+a")
    ann.hand.write("Birthday")
    ann.hand.press("Return")
    wait_for_files(ann, ["Birthday-20260131T120000Z.mkv", NAMES[1]])
    ann.quit()


def test_a_recording_is_deleted_after_a_confirmation(ann, artefact):
    press_button(ann, 0, 2)
    ann.hand.photograph(artefact("library-deleting.png"))
    ann.hand.press("Escape")
    time.sleep(0.5)
    wait_for_files(ann, list(NAMES))
    press_button(ann, 0, 2)
    ann.hand.click_button(DANGER)
    time.sleep(1)
    # The folder of a test may be on a file system without a trash, which is asked for again.
    if (ann.home / "Videos" / NAMES[0]).exists():
        ann.hand.photograph(artefact("library-deleting-no-trash.png"))
        ann.hand.click_button(DANGER)
    else:
        assert list((ann.home.parent / "data/Trash/files").iterdir())
    wait_for_files(ann, [NAMES[1]])
    ann.quit()


def test_past_calls_are_listed_even_after_the_app_was_killed(machine, person, artefact):  # noqa: F811
    server = machine.server()
    ann = person("ann")
    ann.open("--server", server)
    ann.log_in("ann", "5")
    ann.become_caller()
    ann.connect()
    bob = machine.callrunner(
        "--server", server, "--room", "5", "--name", "bob", "--source", "test", "--headless"
    )
    bob.wait_for("room.joined")
    ann.hand.click_button(PRIMARY)
    ann.app.wait_for("call.state", state="connected")
    time.sleep(1)
    ann.app.process.kill()
    ann.app.finish()
    calls = json.loads((ann.home / "callrunner/calls.json").read_text())
    assert [(call["peer"], call["room"], call["outgoing"], call["result"]) for call in calls] == [
        ("bob", 5, True, "held")
    ]
    assert (ann.home / "callrunner/calls.json").stat().st_mode & 0o777 == 0o600
    ann.open("--server", server)
    ann.hand.open_library()
    ann.app.wait_for("screen", name="library")
    time.sleep(1)
    ann.hand.photograph(artefact("library-calls.png"))
    ann.quit()
