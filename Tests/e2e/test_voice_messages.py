"""Voice messages in the app: recorded from a microphone, sent, heard, and kept if the app is killed."""

import signal
import subprocess
import time
from pathlib import Path

import pytest
from peers.sound import SoundServer, amplitude, recorded, write_tone
from test_app import person  # noqa: F401 - a fixture
from test_app_chat import open_person, served  # noqa: F401 - a fixture

TONE = 440
SENT = "SELECT text, type FROM chat_message JOIN chat_media ON chat_media.id = media ORDER BY number"


@pytest.fixture
def sound(tmp_path):
    with SoundServer("mouth", "ears") as server:
        server.play("mouth", write_tone(tmp_path / "tone.raw", TONE, 0.5, 90))
        yield server


def open_conversation(ann, served, sound) -> None:  # noqa: F811
    environment = {**sound.environment, "PULSE_SOURCE": "mouth.monitor", "PULSE_SINK": "ears"}
    ann.open("--server", served.url, first="chats", environment=environment)
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_person(ann, "Wren Ashby")
    time.sleep(1)


def press_microphone(ann) -> None:
    """Clicks the microphone beside the field; the button that sends a recording is at the same place."""
    left, top, width, height = ann.hand.place
    ann.hand.click(left + width // 2 + min(width - 32, 760) // 2 - 22, top + height - 90)


def recordings(ann) -> list[Path]:
    return list((ann.home / "callrunner/chat").rglob("*.ogg"))


def seconds(path: Path) -> float:
    command = ["ffprobe", "-v", "error", "-show_entries", "format=duration", "-of", "csv=p=0", str(path)]
    return float(subprocess.run(command, check=True, capture_output=True, timeout=60).stdout)


def wait_until(holds, within: float = 15) -> None:
    deadline = time.monotonic() + within
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_a_voice_message_is_recorded_sent_and_heard(served, person, sound, artefact):  # noqa: F811
    ann = person("ann")
    open_conversation(ann, served, sound)
    press_microphone(ann)
    wait_until(lambda: any(path.stat().st_size for path in recordings(ann)))
    time.sleep(3)
    ann.hand.photograph(artefact("voice-recording.png"))
    press_microphone(ann)
    served.wait_for_rows(SENT, [("", "audio/ogg")])
    wait_until(lambda: not recordings(ann))
    [(name,)] = served.rows("SELECT id FROM chat_media")
    [stored] = Path(served.data).rglob(name)
    assert 2.5 < seconds(stored) < 6
    assert amplitude(recorded(stored, start=0.5), TONE) > 0.2
    time.sleep(1)
    left, top, width, _ = ann.hand.place
    # Below the day and two texts, with which each simulated person begins.
    ann.hand.click(left + width - 308, top + 249)
    time.sleep(1.5)
    ann.hand.photograph(artefact("voice-playing.png"))
    assert amplitude(sound.hear("ears.monitor", 1), TONE) > 0.05
    ann.hand.press("Escape")
    ann.is_at("chats")
    wait_until(lambda: not list((ann.home / ".cache/callrunner/chat").iterdir()))
    ann.quit()


def test_a_recording_survives_a_kill_of_the_app_and_is_sent_on_a_retry(
    served, person, sound, artefact  # noqa: F811
):
    ann = person("ann")
    open_conversation(ann, served, sound)
    press_microphone(ann)
    wait_until(lambda: any(path.stat().st_size for path in recordings(ann)))
    time.sleep(4)
    ann.app.signal(signal.SIGKILL)
    ann.app.process.wait(10)
    [kept] = recordings(ann)
    assert kept.stat().st_mode & 0o777 == 0o600
    assert seconds(kept) > 2.5
    open_conversation(ann, served, sound)
    ann.hand.photograph(artefact("voice-not-sent.png"))
    left, top, _, _ = ann.hand.place
    # “Try again”, below the reason.
    ann.hand.click(left + 62, top + 298)
    served.wait_for_rows(SENT, [("", "audio/ogg")])
    wait_until(lambda: not recordings(ann))
    ann.quit()


def test_an_unusable_microphone_is_reported_and_records_no_file(served, person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open("--server", served.url, first="chats", environment={"PULSE_SERVER": "unix:/nonexistent"})
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_person(ann, "Wren Ashby")
    time.sleep(1)
    press_microphone(ann)
    ann.app.wait_for_words("the voice message is not recorded: the microphone default cannot be used: it delivers no audio")
    ann.hand.photograph(artefact("voice-no-microphone.png"))
    assert not recordings(ann)
    ann.quit()
