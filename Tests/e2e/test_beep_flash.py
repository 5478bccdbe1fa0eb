"""Synchronization of audio and video in recordings, measured with a video that beeps and flashes once a second."""

import statistics

import pytest
from peers import beep_flash

alone = pytest.mark.alone

# The largest permitted offset of a beep from its flash, in seconds.
LARGEST_OFFSET = 0.06


def hold_call(machine, film, seconds: int, ours: list, theirs: list) -> None:
    """Runs a call in which both sides send the video for the given number of seconds."""
    server = machine.server()
    callee = machine.callrunner("--server", server, "--room", "1", "--source", film, *theirs)
    callee.wait_for("room.joined")
    caller = machine.callrunner(
        "--server", server, "--room", "1", "--caller", "--source", film, "--duration", str(seconds), *ours
    )
    for process in (caller, callee):
        process.succeed(within=seconds + 30)


def expect_in_sync(path, seconds: int, track: int = 0) -> None:
    sync = beep_flash.measure(path, track)
    print(f"{path.name} track {track}: {len(sync.offsets)} pairs, worst {sync.worst * 1000:.0f} ms")
    assert len(sync.offsets) >= seconds - 2, sync
    assert len(sync.flashes) - len(sync.offsets) <= 1, sync
    assert round(sync.worst, 3) <= LARGEST_OFFSET, sync.offsets


def test_the_measurement_detects_an_offset_between_beep_and_flash(tmp_path):
    film = beep_flash.make(tmp_path / "film.mkv", "H264", seconds=4)
    assert beep_flash.measure(film).worst < 0.02
    late = tmp_path / "late.mkv"
    beep_flash.subprocess.run(
        ["ffmpeg", "-v", "error", "-itsoffset", "0.1", "-i", film, "-i", film, "-map", "0:a", "-map", "1:v", "-c", "copy", late],
        check=True,
    )
    apart = beep_flash.measure(late)
    assert len(apart.offsets) == 3 and all(0.08 < offset < 0.12 for offset in apart.offsets), apart


@pytest.mark.parametrize(
    "seconds",
    # The long calls mostly wait, and may run while other tests run.
    [pytest.param(10, marks=alone), pytest.param(600, marks=[pytest.mark.long, pytest.mark.timeout(900)])],
)
@pytest.mark.parametrize("codec", ["H264", "VP8"])
def test_beep_and_flash_are_in_sync_in_every_recording(machine, tmp_path, codec, seconds):
    film = beep_flash.make(tmp_path / "film.mkv", codec)
    first, second = ("mkv", "mp4") if codec == "H264" else ("webm", "mkv")
    remote, local = (tmp_path / f"{name}.{first}" for name in ("remote", "local"))
    theirs, both = tmp_path / f"theirs.{second}", tmp_path / "both.mkv"
    hold_call(
        machine, film, seconds, ["--record", remote, "--record-local", local],
        ["--record", theirs, "--record-both", both],
    )
    for path in (remote, local, theirs, both):
        expect_in_sync(path, seconds)
    expect_in_sync(both, seconds, track=1)


@alone
def test_transcoded_media_is_in_sync_from_the_first_second(machine, tmp_path):
    film = beep_flash.make(tmp_path / "film.mkv", "H264", seconds=6, size="640x360", grain=20)
    encoded = ["--codec", "VP8"]
    hold_call(machine, film, 5, encoded, [*encoded, "--record", tmp_path / "theirs.mkv"])
    sync = beep_flash.measure(tmp_path / "theirs.mkv")
    print(sync.offsets)
    assert len(sync.offsets) >= 3, sync
    # On a busy host, a single offset may be larger until the next RTCP report.
    assert statistics.median(map(abs, sync.offsets)) <= 0.02, sync.offsets
