"""A call over a network that can be made to fail, and what is measured of it."""

import signal
import time
from collections.abc import Callable
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import pytest
from conftest import Machine
from peers import probe
from peers.internet import Internet
from peers.runner import NotHeard, Runner

needs_tun = pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="no TUN devices here")

PORT = 3000
TEST_VIDEO = ["--source", "test"]
# Events that say nothing of how a call recovers.
TOO_MUCH = {"stats", "summary", "record.saved", "sdp.sent", "sdp.received", "source", "ice.selected", "media.connected"}
# What a person would call moving pictures: so many in the second after the first.
MOVING = 10


def time_of_day(event: dict) -> float:
    return datetime.fromisoformat(event["time"]).timestamp()


def wait_until(what: str, is_so: Callable[[], bool], within: float, story: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + within
    while not is_so():
        if time.monotonic() >= deadline:
            raise NotHeard(f"not within {within:.0f} s: {what}\n{story()}")
        time.sleep(0.05)


class Side:
    """One of the two in the call: its machine, its process, its recording of the other."""

    def __init__(self, name: str, machine: Machine, folder: Path, arguments: list[str]):
        self.name = name
        self.recording = folder / f"{name}.mkv"
        self._machine = machine
        self._arguments = arguments
        self.process: Runner

    def record_into(self, container: str) -> None:
        self.recording = self.recording.with_suffix(f".{container}")

    def start(self, *arguments: str) -> None:
        into = ["--record", self.recording]
        self.process = self._machine.callrunner("--name", self.name, *self._arguments, *arguments, *into)

    @property
    def first_picture(self) -> float:
        """The time of day at which the process told of it."""
        return time_of_day(self.process.wait_for("media.first_frame", kind="video"))

    def has_pictures_since(self, moment: float) -> bool:
        """Whether statistics told, after this time of day, of pictures that move."""
        return any(
            time_of_day(event) > moment + 1 and event["video"].get("in", {}).get("fps", 0) >= MOVING
            for event in self.process.all("stats")
        )

    def picture_after(self, moment: float) -> float:
        """Seconds from this time of day to the first recorded picture that a decoder can begin with.

        One that moves: others follow it within a second.
        """
        pictures, shift = self._pictures()
        for keyframe in sorted(probe.keyframes(self.recording)):
            follow = [picture for picture in pictures if keyframe <= picture < keyframe + 1]
            if keyframe + shift >= moment and len(follow) >= MOVING:
                return keyframe + shift - moment
        raise AssertionError(f"{self.name} has recorded no moving picture after the fault:\n{self.story_since(moment)}")

    def longest_freeze(self, begin: float, end: float) -> float:
        """The longest time between two recorded pictures from one time of day to another, in seconds."""
        pictures, shift = self._pictures()
        shown = [begin, *(picture + shift for picture in pictures if begin < picture + shift < end), end]
        return max(later - earlier for earlier, later in zip(shown, shown[1:]))

    def _pictures(self) -> tuple[list[float], float]:
        """The times of the recorded pictures, and what makes them times of day."""
        pictures = sorted(probe.tracks(self.recording)["video"].times)
        return pictures, self.first_picture - pictures[0]

    def story_since(self, moment: float) -> str:
        """What the program told since this time of day, in few words with the seconds from then."""
        return ", ".join(
            f"{time_of_day(event) - moment:.1f} {in_few_words(event)}"
            for event in self.process.events
            if time_of_day(event) >= moment and event["event"] not in TOO_MUCH
        )


def in_few_words(event: dict) -> str:
    match event:
        case {"event": "call.state", "state": "retrying", "reason": reason}:
            return f"retrying ({reason})"
        case {"event": "call.state", "state": state}:
            return state
        case {"event": "call.started", "attempt": attempt}:
            return f"attempt {attempt}"
        case {"event": "media.first_frame", "kind": kind}:
            return f"first {kind}"
        case {"event": name, "reason": reason}:
            return f"{name} ({reason})"
    return event["event"]


class FaultyCall:
    """Ann calls Bob; the emulator lies between them and the server of both, which one of them may be running."""

    def __init__(self, folder: Path, seed: int, source: list[str] = TEST_VIDEO, serving: str = "server"):
        self._serving = serving
        self._folder = folder
        self._stack = ExitStack()
        self._internet = Internet(folder, seed, "ann", "bob", "server")
        self._source = source

    def __enter__(self) -> "FaultyCall":
        with ExitStack() as undo:
            # The machines go on with this very stack: what they start later must end with it too.
            stack = undo.enter_context(self._stack)
            self.internet = stack.enter_context(self._internet)
            machines = {
                name: Machine(host.namespace, self._folder, stack) for name, host in self.internet.hosts.items()
            }
            self._server_machine = machines[self._serving]
            common = ["--room", "1", "--headless", *self._source]
            self.ann = Side("ann", machines["ann"], self._folder, [*common, *self._server_for("ann"), "--caller"])
            self.bob = Side("bob", machines["bob"], self._folder, [*common, *self._server_for("bob")])
            self.serve()
            undo.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    @property
    def sides(self) -> tuple[Side, Side]:
        return self.ann, self.bob

    def _server_for(self, name: str) -> list[str]:
        host = "127.0.0.1" if name == self._serving else self.internet.hosts[self._serving].addresses[0]
        return ["--server", f"http://{host}:{PORT}"]

    def serve(self) -> float:
        """Starts the signaling server, again where it was; the time of day at which it listens."""
        self.server = self._server_machine.callrunner("serve", "--host", "0.0.0.0", "--port", str(PORT))
        return time_of_day(self.server.wait_for("server.listening"))

    def stun(self) -> str:
        """Starts a STUN server beside the signaling server; its URL."""
        host = self.internet.hosts["server"].addresses[0]
        return self._server_machine.peer("stun_server", "--host", host).wait_for("server.listening")["url"]

    def everywhere(self, profile: str | dict, seconds: float | None = None) -> list[int]:
        """Puts the profile on the ways to the server too, for some seconds or for good; the numbers of these orders."""
        pairs = (("ann", "bob"), ("ann", "server"), ("bob", "server"))
        return [self.internet.profile(*pair, profile, seconds) for pair in pairs]

    def start(self, *arguments: str) -> None:
        for side in (self.bob, self.ann):
            side.start(*arguments)

    def begin(self, *arguments: str, within: float = 20) -> None:
        """Starts both and waits until each has a picture of the other."""
        self.start(*arguments)
        began = time.time()
        for side in self.sides:
            wait_until(
                f"a first picture at {side.name}",
                lambda: any(event["kind"] == "video" for event in side.process.all("media.first_frame")),
                within,
                lambda: self.story_since(began),
            )

    def story_since(self, moment: float) -> str:
        return "\n".join(f"{side.name}: {side.story_since(moment)}" for side in self.sides)

    def pictures_again(self, moment: float, within: float) -> None:
        """Waits until both tell of moving pictures after this time of day."""
        for side in self.sides:
            wait_until(
                f"pictures at {side.name}",
                lambda: side.has_pictures_since(moment),
                moment + within - time.time(),
                lambda: self.story_since(moment),
            )

    def hang_up(self) -> None:
        """Ann ends the call, and both end well."""
        self.ann.process.signal(signal.SIGINT)
        assert self.ann.process.finish() == 130, self.ann.process.stderr
        self.bob.process.succeed()


def one_recording_that_plays(side: Side, seconds: float) -> None:
    """One file, whose picture and sound span so many seconds, and which a decoder takes without a word."""
    saved = side.process.all("record.saved")
    assert [event["path"] for event in saved] == [str(side.recording)], saved
    tracks = probe.tracks(side.recording)
    assert set(tracks) == {"video", "audio"}
    for kind, track in tracks.items():
        assert track.last - track.first >= seconds, f"{kind} spans {track.last - track.first:.1f} s of {seconds:.1f}"
        assert track.steps_back == [], f"the {kind} packets' times go back"
    assert probe.decoding_errors(side.recording) == ""
