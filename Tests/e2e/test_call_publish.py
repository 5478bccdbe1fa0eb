"""Calls that are published as live streams while they last."""

import array
import math
import signal
import subprocess
import time

import expect
import pytest
from peers import probe
from peers.publishing_server import Server
from peers.runner import BROWSER_PAGE

SECONDS = 12
TONES = {"Ann": 500, "Bob": 1300}


@pytest.fixture
def server(machine):
    return Server(machine, "--origin", BROWSER_PAGE)


def film(folder, name: str):
    """Makes a film that calls can send as it is, with the tone of a person."""
    path = folder / f"{name}.mp4"
    pictures = "-f lavfi -i testsrc2=size=320x180:rate=30".split()
    tone = f"-f lavfi -i sine=frequency={TONES[name]}:sample_rate=48000".split()
    coded = "-t 10 -c:v libx264 -profile:v baseline -pix_fmt yuv420p -g 30 -c:a libopus".split()
    subprocess.run(["ffmpeg", "-v", "error", *pictures, *tone, *coded, path], check=True)
    return path


def start(machine, server: Server, name: str, *flags, **keywords):
    arguments = ["--room", "5", "--name", name, "--server", server.url, "--headless", *flags]
    process = machine.callrunner(*arguments, **keywords)
    process.wait_for("room.joined")
    return process


def copy(server: Server, stream: dict, path, seconds: int) -> dict[str, str]:
    """Copies a part of the stream; returns the codec of each kind of media."""
    command = ["ffmpeg", "-v", "error", "-i", server.playlist_url(stream), "-t", str(seconds), "-c", "copy", path]
    subprocess.run([*server.machine.prefix, *command], check=True, timeout=60)
    return {kind: track.codec for kind, track in probe.tracks(path).items()}


def shares(path, frequency: int) -> list[float]:
    """Computes the share of a frequency in the loudness of each twentieth of a second of a recording."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-ac", "1", "-ar", "8000", "-f", "s16le", "-"]
    samples = array.array("h", subprocess.run(command, capture_output=True, check=True).stdout)
    turns = [2 * math.pi * frequency * index / 8000 for index in range(400)]
    found = []
    for start in range(0, len(samples) - 400, 400):
        part = samples[start : start + 400]
        real = sum(sample * math.cos(turn) for sample, turn in zip(part, turns))
        imaginary = sum(sample * math.sin(turn) for sample, turn in zip(part, turns))
        found.append((real * real + imaginary * imaginary) / 200 / max(1, sum(sample * sample for sample in part)))
    return found


def test_a_published_call_has_the_peers_video_and_both_voices(machine, server, tmp_path):
    stream = server.create()
    url = f"{server.rtmp}/{stream['stream_key']}"
    flags = ["--source", film(tmp_path, "Ann"), "--publish", url, "--duration", f"{SECONDS}s"]
    ann = start(machine, server, "Ann", *flags)
    bob = start(machine, server, "Bob", "--caller", "--source", film(tmp_path, "Bob"))
    assert ann.wait_for("publish.connected")["url"] == server.rtmp
    server.wait_for_playlist(stream)
    copied = tmp_path / "copied.mkv"
    assert copy(server, stream, copied, 4) == {"video": "h264", "audio": "aac"}
    for name, tone in TONES.items():
        # A film begins anew after ten seconds, and each voice may have a gap where the packets of a busy machine are late.
        heard = shares(copied, tone)
        assert sum(share > 0.4 for share in heard) > 0.9 * len(heard), f"{name}: {heard}"
    # The other side learns that more people than its peer see it.
    assert bob.wait_for("peer.media", recording=True)
    ann.succeed()
    bob.succeed()
    assert stream["stream_key"] not in ann.story.split("\n", 1)[1]
    server.wait_for_playlist(stream, contains="#EXT-X-ENDLIST", within=3)


@pytest.mark.parametrize("codec", ["VP8", "H264"])
def test_a_call_with_chromium_is_watched_live(machine, server, tmp_path, codec):
    stream = server.create()
    environment = {"CALLRUNNER_STREAM_KEY": stream["stream_key"]}
    ann = start(
        machine, server, "Ann", "--publish", server.rtmp, "--duration", f"{SECONDS}s", environment=environment)
    arguments = ["--room", "5", "--name", "Bob", "--server", server.url, "--caller", "--codec", codec]
    browser = machine.peer("browser_peer", *arguments)
    ann.wait_for("publish.connected")
    server.wait_for_playlist(stream)
    copied = tmp_path / "copied.mkv"
    assert copy(server, stream, copied, 4) == {"video": "h264", "audio": "aac"}
    tracks = probe.tracks(copied)
    assert tracks["video"].packets > 30 and tracks["audio"].packets > 150
    ann.succeed()
    browser.succeed()


def test_the_restart_of_the_server_interrupts_the_stream_briefly_and_the_recording_not_at_all(machine, tmp_path):
    data = tmp_path / "data"
    server = Server(machine, data=data)
    stream = server.create()
    ports = [server.url.rsplit(":", 1)[1], server.rtmp.removesuffix("/app").rsplit(":", 1)[1]]
    recording = tmp_path / "bob.mkv"
    url = f"{server.rtmp}/{stream['stream_key']}"
    flags = ["--publish", url, "--record", recording, "--duration", "15s", "--server-timeout", "20s"]
    ann = start(machine, server, "Ann", *flags)
    bob = start(machine, server, "Bob", "--caller", "--source", film(tmp_path, "Bob"))
    server.wait_for_segments(stream, 2)
    server.process.signal(signal.SIGKILL)
    begin = time.monotonic()
    server.process.finish()
    again = Server(machine, "--port", ports[0], "--rtmp-port", ports[1], data=data)
    again.wait_for_playlist(stream)
    assert time.monotonic() - begin < 5
    assert ann.wait_for("publish.lost")["reason"] == "unreachable"
    ann.succeed()
    bob.finish()
    expect.an_intact_recording(recording, seconds=15)


def test_a_call_that_could_not_be_published_ends_with_the_reason(machine, server, tmp_path):
    recording = tmp_path / "bob.mkv"
    flags = ["--publish", f"{server.rtmp}/wrong-key", "--record", recording, "--duration", "5s"]
    ann = start(machine, server, "Ann", *flags)
    bob = start(machine, server, "Bob", "--caller", "--source", film(tmp_path, "Bob"))
    failed = ann.wait_for("publish.failed")
    assert failed["reason"] == "refused" and "wrong-key" not in failed["message"]
    assert ann.finish() == 4
    assert "the call was not published" in ann.stderr and "check the stream key" in ann.stderr
    bob.succeed()
    expect.an_intact_recording(recording, seconds=5)


@pytest.mark.parametrize(
    ("flags", "reason"),
    [
        (["--publish", "http://127.0.0.1/app/key"], "--publish: the address of the server cannot be used"),
        (["--publish", "rtmp://127.0.0.1/app/key", "--calls", "2"], "--publish publishes one call"),
        (
            ["--publish", "rtmp://127.0.0.1/app/key", "--sendonly", "--media", "video"],
            "--publish publishes the peer's video and both voices",
        ),
    ],
)
def test_a_publication_that_is_not_possible_is_a_usage_error(machine, flags, reason):
    process = machine.callrunner("--room", "1", *flags)
    assert process.finish() == 64
    assert reason in process.stderr
