"""A call over an emulated network with faults that a test controls, and measurements of the call's recovery."""

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
# Events that do not show how a call recovers.
OMITTED = {"stats", "summary", "record.saved", "sdp.sent", "sdp.received", "source", "ice.selected", "media.connected"}
# The minimum number of frames in a second that counts as moving video.
MOVING = 10


def time_of_day(event: dict) -> float:
    return datetime.fromisoformat(event["time"]).timestamp()


def wait_until(condition: str, is_so: Callable[[], bool], within: float, story: Callable[[], str] = str) -> None:
    deadline = time.monotonic() + within
    while not is_so():
        if time.monotonic() >= deadline:
            raise NotHeard(f"not within {within:.0f} s: {condition}\n{story()}")
        time.sleep(0.05)


class Side:
    """One side of the call, with its machine, its process and its recording of the peer."""

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
    def first_frame(self) -> float:
        """The time of day at which the process reported the first video frame."""
        return time_of_day(self.process.wait_for("media.first_frame", kind="video"))

    def has_frames_since(self, moment: float) -> bool:
        """Whether statistics after this time of day report moving video."""
        return any(
            time_of_day(event) > moment + 1 and event["video"].get("in", {}).get("fps", 0) >= MOVING
            for event in self.process.all("stats")
        )

    def frame_after(self, moment: float) -> float:
        """Returns the seconds from this time of day to the first recorded frame that is followed by moving video.

        It need not be a keyframe: the last one may have come before, and nothing may have been lost since.
        """
        frames, shift = self._frames()
        for first in frames:
            follow = [frame for frame in frames if first <= frame < first + 1]
            if first + shift >= moment and len(follow) >= MOVING:
                return first + shift - moment
        raise AssertionError(f"{self.name} has recorded no moving video after the fault:\n{self.story_since(moment)}")

    def longest_freeze(self, begin: float, end: float) -> float:
        """Returns the longest time in seconds between two recorded frames within this period."""
        frames, shift = self._frames()
        shown = [begin, *(frame + shift for frame in frames if begin < frame + shift < end), end]
        return max(later - earlier for earlier, later in zip(shown, shown[1:]))

    def _frames(self) -> tuple[list[float], float]:
        """Returns the times of the recorded frames, and the offset to add to them for times of day."""
        frames = sorted(probe.tracks(self.recording)["video"].times)
        return frames, self.first_frame - frames[0]

    def story_since(self, moment: float) -> str:
        """Returns a summary of the events since this time of day, each with the seconds since then."""
        return ", ".join(
            f"{time_of_day(event) - moment:.1f} {in_few_words(event)}"
            for event in self.process.events
            if time_of_day(event) >= moment and event["event"] not in OMITTED
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
    """A call from Ann to Bob over the emulated network. The server runs on the host that `serving` names."""

    def __init__(self, folder: Path, seed: int, source: list[str] = TEST_VIDEO, serving: str = "server"):
        self._serving = serving
        self._folder = folder
        self._stack = ExitStack()
        self._internet = Internet(folder, seed, "ann", "bob", "server")
        self._source = source

    def __enter__(self) -> "FaultyCall":
        with ExitStack() as undo:
            # The machines keep this stack, so that processes that they start later end with it too.
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
        """Starts or restarts the signaling server; returns the time of day at which it listens."""
        self.server = self._server_machine.callrunner("serve", "--host", "0.0.0.0", "--port", str(PORT))
        return time_of_day(self.server.wait_for("server.listening"))

    def stun(self) -> str:
        """Starts a STUN server beside the signaling server; returns its URL."""
        host = self.internet.hosts["server"].addresses[0]
        return self._server_machine.peer("stun_server", "--host", host).wait_for("server.listening")["url"]

    def everywhere(self, profile: str | dict, seconds: float | None = None) -> list[int]:
        """Applies the profile to all paths, for `seconds` or permanently; returns the numbers of the commands."""
        pairs = (("ann", "bob"), ("ann", "server"), ("bob", "server"))
        return [self.internet.profile(*pair, profile, seconds) for pair in pairs]

    def start(self, *arguments: str) -> None:
        for side in (self.bob, self.ann):
            side.start(*arguments)

    def begin(self, *arguments: str, within: float = 20) -> None:
        """Starts both sides and waits until each has received a video frame."""
        self.start(*arguments)
        began = time.time()
        for side in self.sides:
            wait_until(
                f"a first frame at {side.name}",
                lambda: any(event["kind"] == "video" for event in side.process.all("media.first_frame")),
                within,
                lambda: self.story_since(began),
            )

    def story_since(self, moment: float) -> str:
        return "\n".join(f"{side.name}: {side.story_since(moment)}" for side in self.sides)

    def video_again(self, moment: float, within: float) -> None:
        """Waits until both sides report moving video after this time of day."""
        for side in self.sides:
            wait_until(
                f"moving video at {side.name}",
                lambda: side.has_frames_since(moment),
                moment + within - time.time(),
                lambda: self.story_since(moment),
            )

    def hang_up(self) -> None:
        """Ends the call at Ann's side and expects both processes to succeed."""
        self.ann.process.signal(signal.SIGINT)
        assert self.ann.process.finish() == 130, self.ann.process.stderr
        self.bob.process.succeed()


def expect_playable_recording(side: Side, seconds: float) -> None:
    """Expects one recorded file whose video and audio last at least `seconds` and decode without errors."""
    saved = side.process.all("record.saved")
    assert [event["path"] for event in saved] == [str(side.recording)], saved
    tracks = probe.tracks(side.recording)
    assert set(tracks) == {"video", "audio"}
    for kind, track in tracks.items():
        assert track.last - track.first >= seconds, f"{kind} spans {track.last - track.first:.1f} s of {seconds:.1f}"
        assert track.steps_back == [], f"the {kind} packets' times go back"
    assert probe.decoding_errors(side.recording) == ""
