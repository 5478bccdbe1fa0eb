"""Synchronization of the peer's video and audio, measured on the display and at the loudspeaker."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from conftest import Machine
from faults import needs_tun
from peers import beep_flash
from peers.display import Display
from peers.internet import Internet
from peers.seen_and_heard import Sighting, Watch
from peers.sound import SoundServer

pytestmark = pytest.mark.alone

# The limits of EBU R 37, in seconds, by which audio may be ahead of video or behind it.
EARLY, LATE = -0.040, 0.060
# A point inside the video in a window of 640×480.
SPOT = (240, 240)


class Person:
    """Bob, whose call has a window and a loudspeaker."""

    def __init__(self, machine: Machine, folder: Path, stack: ExitStack, *speakers: str):
        self.machine, self._stack = machine, stack
        self._display = stack.enter_context(Display(640, 480))
        self.sounds = stack.enter_context(SoundServer(*(speakers or ["ear"])))
        self.film = beep_flash.make(folder / "film.mkv", "H264")

    @property
    def environment(self) -> dict[str, str]:
        return {**self._display.environment, **self.sounds.environment}

    def joins(self, server: str, *arguments):
        """Joins room 1 and waits for a call."""
        self.process = self.machine.callrunner(
            *("--server", server, "--room", "1", "--name", "Bob", "--window", "--source", "none", "--control", "-"),
            *arguments,
            environment=self.environment, is_steered=True,
        )
        self.process.wait_for("room.joined")

    def watches_a_stream(self) -> None:
        """Plays the test video as a live stream."""
        url = self.machine.server("--live-file", self.film)
        self.process = self.machine.callrunner(
            "live", f"{url}/demo.m3u8", "--window", "--speaker", "ear", environment=self.environment
        )
        self.process.wait_for("live.playing")
        time.sleep(2)  # until it has gone to the newest part

    def perceives(self, seconds: float, speaker: str = "ear") -> Sighting:
        """Measures the displayed video and the played audio of the next seconds of the call."""
        watch = Watch(self.environment, f"{speaker}.monitor", *SPOT, seconds)
        found = self._stack.enter_context(watch).found()
        print(found)
        return found


@pytest.fixture
def person(machine: Machine, tmp_path: Path, stack: ExitStack) -> Iterator[Callable[..., Person]]:
    yield lambda *speakers: Person(machine, tmp_path, stack, *speakers)


def call(person: Person, *arguments, speaker: str = "ear") -> None:
    """Starts a call in which Ann sends the test video to Bob."""
    server = person.machine.server()
    person.joins(server, "--speaker", speaker)
    person.machine.callrunner(
        *("--server", server, "--room", "1", "--caller", "--headless", "--source", person.film, *arguments)
    )
    person.process.wait_for("media.first_frame", kind="video")


def expect_in_sync(found: Sighting, seconds: float) -> None:
    # ffmpeg needs about a second to start.
    assert len(found.offsets) >= 0.5 * seconds, found
    assert EARLY <= found.median() <= LATE, (found, found.offsets)


def test_video_and_audio_are_rendered_in_sync(person):
    bob = person()
    call(bob)
    expect_in_sync(bob.perceives(8), 8)
    assert bob.process.all("warning") == []


def test_video_is_delayed_to_match_a_slow_loudspeaker(person):
    bob = person()
    bob.sounds.add_slow_sink("far")
    call(bob, speaker="far")
    # Waits, because the delay of the video grows by only a tenth of the elapsed time.
    time.sleep(4)
    expect_in_sync(bob.perceives(6, "far"), 6)
    assert bob.process.all("warning") == []


@pytest.mark.long
def test_video_and_audio_stay_in_sync_on_another_loudspeaker(person):
    bob = person("ear", "nose")
    call(bob)
    assert bob.process.ask("select", speaker="nose")["ok"]
    expect_in_sync(bob.perceives(8, "nose"), 8)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_video_and_audio_stay_in_sync_for_ten_minutes(person):
    bob = person()
    call(bob)
    found = bob.perceives(600)
    for minute in range(10):
        median = found.median(minute / 10, (minute + 1) / 10)
        print(f"minute {minute + 1}: {1000 * median:+.0f} ms")
        assert EARLY <= median <= LATE, (minute, found.offsets)


@pytest.mark.long
@needs_tun
def test_video_and_audio_are_in_sync_during_and_after_packet_loss(tmp_path, stack):
    internet = stack.enter_context(Internet(tmp_path, 1, "ann", "bob", "server"))
    ann, bob, server = (
        Machine(internet.hosts[name].namespace, tmp_path, stack) for name in ("ann", "bob", "server")
    )
    served = server.callrunner("serve", "--host", "0.0.0.0", "--port", "3000")
    served.wait_for("server.listening")
    address = f"http://{internet.hosts['server'].addresses[0]}:3000"
    person = Person(bob, tmp_path, stack)
    person.joins(address, "--speaker", "ear")
    ann.callrunner(
        *("--server", address, "--room", "1", "--caller", "--headless", "--name", "Ann", "--source", person.film)
    )
    person.process.wait_for("media.first_frame", kind="video")
    internet.profile("ann", "bob", {"loss": 0.05, "delay": 20, "jitter": 10})
    # Waits, because the delay of the video grows gradually.
    time.sleep(5)
    expect_in_sync(person.perceives(15), 15)
    internet.profile("ann", "bob", {})
    time.sleep(15)
    expect_in_sync(person.perceives(15), 15)


def test_a_live_stream_is_rendered_in_sync(person):
    bob = person()
    bob.watches_a_stream()
    expect_in_sync(bob.perceives(8), 8)


@pytest.mark.long
@pytest.mark.timeout(900)
def test_a_live_stream_stays_in_sync_for_ten_minutes(person):
    bob = person()
    bob.watches_a_stream()
    found = bob.perceives(600)
    for minute in range(10):
        median = found.median(minute / 10, (minute + 1) / 10)
        print(f"minute {minute + 1}: {1000 * median:+.0f} ms")
        assert EARLY <= median <= LATE, (minute, found.offsets)
