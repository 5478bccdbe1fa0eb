"""Calls with every kind of peer in both roles, with each codec that the peer supports and each kind of source.

A cell of the matrix is one call of six seconds. In both directions 90 % of the frames of five seconds must arrive, and
our recording must be playable. `make test` runs eight cells, chosen at random with the seed CALLRUNNER_MATRIX_SEED
(default 1). They compete with other tests for the processors, so only 50 % of the frames must arrive. `make long`
runs all cells, one at a time.
"""

import itertools
import os
import random
from dataclasses import dataclass
from pathlib import Path

import expect
import pytest
from peers import films as films_of
from peers import probe
from peers.runner import BROWSER_PAGE

SECONDS = 6
IS_ALONE = "PYTEST_XDIST_WORKER" not in os.environ
# The required number of frames, from five seconds. The sixth second is for the set-up of the call.
ENOUGH = (0.9 if IS_ALONE else 0.5) * 5 * films_of.FPS
CHOSEN = 8

PEERS = {"chromium": ("H264", "VP8", "VP9"), "aiortc": ("H264", "VP8"), "callrunner": ("H264", "VP8", "VP9")}
SOURCES = ("passthrough", "transcoded", "pattern")


@dataclass(frozen=True)
class Cell:
    peer: str
    role: str
    codec: str
    source: str

    def __str__(self) -> str:
        return f"{self.peer}-{self.role}-{self.codec}-{self.source}"


CELLS = [
    Cell(peer, role, codec, source)
    for (peer, codecs), role, source in itertools.product(PEERS.items(), ("caller", "callee"), SOURCES)
    for codec in codecs
]
QUICK = set(random.Random(os.environ.get("CALLRUNNER_MATRIX_SEED", "1")).sample(CELLS, CHOSEN))


def cells():
    for cell in CELLS:
        marks = [] if cell in QUICK else [pytest.mark.long, pytest.mark.alone]
        yield pytest.param(cell, id=str(cell), marks=marks)


@pytest.fixture(scope="session")
def films(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A test video of eight seconds, 640×360 at 30 fps with audio, in each codec."""
    return films_of.make(tmp_path_factory.mktemp("films"), "640x360", seconds=8, bitrate="700k")


def our_source(cell: Cell, films: dict[str, Path]) -> Path | str:
    if cell.source == "pattern":
        return "pattern"
    if cell.source == "passthrough":
        return films[cell.codec]
    return films[films_of.another(cell.codec)]


def start_peer(machine, cell: Cell, server: str, films: dict[str, Path], recording: Path):
    flags = ["--room", "4", "--name", "Bob", "--server", server]
    flags += ["--caller"] if cell.role == "caller" else []
    if cell.peer == "chromium":
        return machine.peer("browser_peer", *flags, "--codec", cell.codec)
    if cell.peer == "aiortc":
        # The video is small, because aiortc's encoders are slow.
        return machine.peer("aiortc_peer", *flags, "--codec", cell.codec, "--play", films["H264"])
    return machine.callrunner(*flags, "--codec", cell.codec, "--source", films[cell.codec], "--record", recording)


def received_by(cell: Cell, peer) -> int:
    received = peer.events[-1]["received"]["video"]
    return received["in"]["frames"] if cell.peer == "chromium" else received


@pytest.mark.sample(2)
@pytest.mark.parametrize("cell", cells())
def test_enough_frames_arrive_at_both_ends_of_a_call(machine, tmp_path, films, cell):
    server = machine.server("--origin", BROWSER_PAGE)
    recording, theirs = tmp_path / "ours.mkv", tmp_path / "theirs.mkv"
    flags = ["--room", "4", "--name", "Ann", "--server", server, "--duration", str(SECONDS), "--codec", cell.codec]
    flags += [] if cell.role == "caller" else ["--caller"]
    ours = machine.callrunner(*flags, "--source", our_source(cell, films), "--record", recording)
    ours.wait_for("room.joined")
    peer = start_peer(machine, cell, server, films, theirs)
    ours.succeed(60)
    peer.succeed(30)
    summary = expect.a_call_that_ended(ours, reason="duration")
    out = ours.all("stats")[-1]["video"]["out"]
    assert out["codec"] == cell.codec and out["passthrough"] == (cell.source == "passthrough"), out
    arrived = {"there": received_by(cell, peer), "here": summary["received"]["video"]}
    assert min(arrived.values()) >= ENOUGH, f"{arrived} frames, of which {ENOUGH:.0f} are required"
    for path in [recording] + ([theirs] if cell.peer == "callrunner" else []):
        tracks = probe.tracks(path)
        assert tracks["video"].codec == cell.codec.lower() and tracks["audio"].codec == "opus"
        assert tracks["video"].packets >= ENOUGH
        assert probe.decoding_errors(path) == ""
