"""`callrunner live --record`: a stream is recorded in the codecs in which it arrives."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from peers import probe
from test_live import faulty, segments, started, wait_for_count  # noqa: F401 - a fixture
from test_recording import small_disk


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Six seconds of H.264 with B-frames and of AAC."""
    path = tmp_path_factory.mktemp("film") / "film.mp4"
    command = (
        "ffmpeg -v error -f lavfi -i testsrc2=size=320x180:rate=25 -f lavfi -i sine -t 6 -c:v libx264 -bf 2 -g 50 "
        f"-pix_fmt yuv420p -c:a aac {path}"
    )
    subprocess.run(command.split(), check=True, timeout=60)
    return path


def pictures(path: Path, stream: str = "v") -> list[str]:
    """Returns the digests of the decoded frames or samples in the order in which they are shown."""
    command = ["ffmpeg", "-v", "error", "-i", path, "-map", f"0:{stream}", "-f", "framemd5", "-"]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.rsplit(",", 1)[1].strip() for line in text.splitlines() if not line.startswith("#")]


def packets(path: Path, kind: str) -> list[float]:
    """Returns the presentation times of the packets of a track, sorted."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "packet=codec_type,pts_time", path]
    probed = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    return sorted(float(packet["pts_time"]) for packet in probed["packets"] if packet["codec_type"] == kind)


@pytest.mark.sample(1)
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_every_frame_of_a_file_with_b_frames_is_recorded_unchanged(machine, film, tmp_path, container):
    path = tmp_path / f"copy.{container}"
    live = machine.callrunner("live", film, "--headless", "--record", path)
    live.succeed()
    saved = live.wait_for("record.saved")
    assert saved["tracks"] == ["H264", "AAC"] and saved["path"] == str(path)
    assert probe.decoding_errors(path) == ""
    assert pictures(path) == pictures(film)
    times = packets(path, "video")
    assert all(abs(later - earlier - 0.04) < 0.002 for earlier, later in zip(times, times[1:]))


def test_a_live_stream_is_recorded_across_an_interruption(machine, segments, tmp_path):  # noqa: F811
    server, url = started(machine, segments)
    path = tmp_path / "{time}.mkv"
    live = machine.callrunner("live", f"{url}/fine.m3u8", "--headless", "--record", path)
    live.wait_for("live.playing")
    time.sleep(2)
    server.signal(signal.SIGKILL)
    live.wait_for("live.offline")
    machine.peer("live_server", "--folder", segments, "--port", url.rsplit(":", 1)[1])
    wait_for_count(live, "live.playing", 2, within=15)
    time.sleep(3)
    live.signal(signal.SIGINT)
    assert live.finish() == 130
    assert len(live.all("record.saved")) == 1
    copy = Path(live.wait_for("record.saved")["path"])
    assert copy.parent == tmp_path and "{" not in copy.name
    assert probe.decoding_errors(copy) == ""
    video, audio = packets(copy, "video"), packets(copy, "audio")
    assert video[-1] - video[0] > 4
    assert abs(video[0] - audio[0]) < 0.5 and abs(video[-1] - audio[-1]) < 1
    assert max(later - earlier for earlier, later in zip(video, video[1:])) < 0.5


def test_a_recording_survives_a_kill(machine, segments, tmp_path):  # noqa: F811
    url = faulty(machine, "--folder", segments)
    path = tmp_path / "copy.mkv"
    live = machine.callrunner("live", f"{url}/fine.m3u8", "--headless", "--record", path)
    live.wait_for("live.playing")
    time.sleep(4)
    live.signal(signal.SIGKILL)
    live.finish()
    video = packets(path, "video")
    assert video[-1] - video[0] > 2.5


def test_a_looping_file_is_recorded_without_a_gap(machine, film, tmp_path):
    path = tmp_path / "copy.mkv"
    live = machine.callrunner("live", film, "--loop", "--headless", "--record", path, "--duration", "9s")
    live.succeed()
    live.wait_for("live.looped")
    times = packets(path, "video")
    assert times[-1] - times[0] > 7.5
    assert max(later - earlier for earlier, later in zip(times, times[1:])) < 0.15


@pytest.mark.parametrize(
    ("name", "words"),
    [("copy.webm", ".mkv or .mp4"), ("{peer}.mkv", "{time} is the only placeholder"), ("none/copy.mkv", "cannot be written"), ("copy", "must end in")],
)
def test_an_invalid_recording_path_is_refused_before_the_stream_is_opened(
    machine, film, tmp_path, name, words
):
    live = machine.callrunner("live", film, "--headless", "--record", tmp_path / name)
    assert live.finish() in (64, 5, 3)
    assert words in live.stderr
    assert not live.all("live.loading")


def test_an_existing_file_is_replaced_only_with_the_overwrite_flag(machine, film, tmp_path):
    path = tmp_path / "copy.mkv"
    path.write_text("mine")
    live = machine.callrunner("live", film, "--headless", "--record", path)
    assert live.finish() != 0 and "exists already" in live.stderr
    assert path.read_text() == "mine"
    machine.callrunner("live", film, "--headless", "--record", path, "--overwrite").succeed()
    assert len(packets(path, "video")) == 150


def test_a_stream_that_never_plays_leaves_no_file(machine, tmp_path):
    path = tmp_path / "copy.mkv"
    arguments = ["--headless", "--record", path, "--server-timeout", "1s"]
    live = machine.callrunner("live", "http://127.0.0.1:9/none.m3u8", *arguments)
    assert live.finish() == 2
    assert not path.exists()


def test_a_full_disk_ends_the_playback_with_a_playable_recording(machine, segments, tmp_path):  # noqa: F811
    url = faulty(machine, "--folder", segments)
    with small_disk(tmp_path / "disk", 0.25) as disk:
        live = machine.callrunner("live", f"{url}/fine.m3u8", "--headless", "--record", disk / "copy.mkv")
        assert live.finish(40) == 5, live.story
        error = live.wait_for("error")
        assert "the disk is full" in error["message"] and error["hint"]
        assert len(packets(disk / "copy.mkv", "video")) > 10


def test_the_played_file_is_not_overwritten(machine, film):
    before = film.read_bytes()
    live = machine.callrunner("live", film, "--headless", "--record", film, "--overwrite")
    assert live.finish() == 64 and "is the file that is played" in live.stderr
    assert film.read_bytes() == before
