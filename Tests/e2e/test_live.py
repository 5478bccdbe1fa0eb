"""Live streams: `callrunner live` plays them, and `serve --live-file` serves a file as a live stream."""

import json
import signal
import subprocess
import time
from pathlib import Path

import pytest
from expect import expect_refusal
from peers.runner import REPOSITORY

TEST_VIDEO = REPOSITORY / "assets/webRtcTestVideo.mp4"


@pytest.fixture(scope="session")
def segments(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Half a minute of video with a tone, in segments of one second."""
    folder = tmp_path_factory.mktemp("segments")
    write_segments(folder, "320x180")
    return folder


@pytest.fixture(scope="session")
def ladder(segments: Path) -> Path:
    """The same with a second, larger quality in the folder `large`."""
    large = segments / "large"
    large.mkdir()
    write_segments(large, "640x360")
    return segments


def write_segments(folder: Path, size: str) -> None:
    command = (
        f"ffmpeg -v error -f lavfi -i testsrc2=size={size}:rate=30 -f lavfi -i sine -t 30 -c:v libx264 -preset ultrafast "
        "-pix_fmt yuv420p -g 30 -sc_threshold 0 -c:a aac -f hls -hls_time 1 -hls_list_size 0 "
        "-hls_segment_filename %d.ts index.m3u8"
    )
    subprocess.run(command.split(), cwd=folder, check=True, timeout=120)


def wait_for_count(live, event: str, count: int, within: float) -> None:
    """Waits until the program has written this event so many times since its start."""
    deadline = time.monotonic() + within
    while len(live.all(event)) < count:
        assert time.monotonic() < deadline, live.story
        time.sleep(0.05)


def started(machine, folder: Path):
    """Starts a server of the segments in a folder; returns it with its URL."""
    server = machine.peer("live_server", "--folder", folder)
    return server, server.wait_for("server.listening")["url"]


def faulty(machine, *arguments) -> str:
    return machine.peer("live_server", *arguments).wait_for("server.listening")["url"]


def test_a_file_that_the_server_offers_as_a_live_stream_can_be_played(machine):
    url = machine.server("--live-file", TEST_VIDEO)
    live = machine.callrunner("live", f"{url}/demo.m3u8", "--duration", "4s")
    playing = live.wait_for("live.playing")
    assert (playing["width"], playing["height"], playing["live"]) == (1280, 720, True)
    live.succeed()
    assert not live.all("live.offline")[1:], live.story  # once, until there is a playlist


def test_ffmpeg_plays_the_stream_of_the_server_without_an_error(machine, tmp_path):
    url = machine.server("--live-file", TEST_VIDEO)
    machine.callrunner("live", f"{url}/demo.m3u8", "--duration", "1s").succeed()
    copy = tmp_path / "copy.ts"
    command = ["ffmpeg", "-v", "error", "-i", f"{url}/demo.m3u8", "-t", "12", "-c", "copy", copy]
    done = subprocess.run([*machine.prefix, *command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_entries", "packet=codec_type,pts_time,flags:stream=codec_name"]
    probed = json.loads(subprocess.run([*command, copy], capture_output=True, check=True).stdout)
    assert sorted(stream["codec_name"] for stream in probed["streams"]) == ["aac", "h264"]
    # The file lasts ten seconds, so its end and its beginning are among these: they follow without a gap.
    for kind, longest in [("video", 0.05), ("audio", 0.06)]:
        times = sorted(float(packet["pts_time"]) for packet in probed["packets"] if packet["codec_type"] == kind)
        assert times[-1] - times[0] > 10
        assert max(later - earlier for earlier, later in zip(times, times[1:])) <= longest


def test_no_proxy_is_used_for_a_stream_on_loopback(machine):
    url = machine.server("--live-file", TEST_VIDEO)
    proxies = {name: "http://127.0.0.1:1" for name in ("http_proxy", "https_proxy", "all_proxy")}
    live = machine.callrunner(
        "live", f"{url}/demo.m3u8", "--server-timeout", "15s", "--duration", "2s", environment=proxies
    )
    live.succeed()


@pytest.mark.long
def test_a_stream_survives_repeated_losses_of_its_server(machine, segments):
    server, url = started(machine, segments)
    live = machine.callrunner("live", f"{url}/fine.m3u8")
    live.wait_for("live.playing")
    for loss in range(8):
        time.sleep(1.5)
        offline, playing = len(live.all("live.offline")), len(live.all("live.playing"))
        server.signal(signal.SIGKILL)
        wait_for_count(live, "live.offline", offline + 1, within=15)
        time.sleep(0.5 * (loss % 3))
        server = machine.peer("live_server", "--folder", segments, "--port", url.rsplit(":", 1)[1])
        wait_for_count(live, "live.playing", playing + 1, within=25)  # the waits grow to 15 s
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_stream_plays_again_within_three_seconds_after_its_server_is_back(machine):
    served = machine.callrunner("serve", "--port", "0", "--live-file", TEST_VIDEO)
    url = served.wait_for("server.listening")["url"]
    live = machine.callrunner("live", f"{url}/demo.m3u8", "--server-timeout", "20s")
    live.wait_for("live.playing")
    served.signal(signal.SIGKILL)
    served.finish()
    live.wait_for("live.offline", reason="unreachable")
    time.sleep(8)
    again = machine.callrunner("serve", "--port", url.rsplit(":", 1)[1], "--live-file", TEST_VIDEO)
    again.wait_for("server.listening")
    while machine.callrunner("live", f"{url}/demo.m3u8", "--server-timeout", "1s", "--duration", "0s").finish():
        pass  # until there is a playlist
    started = time.monotonic()
    wait_for_count(live, "live.playing", 2, within=10)
    assert time.monotonic() - started < 3
    live.signal(signal.SIGINT)
    assert live.finish() == 130


@pytest.mark.sample(7)
@pytest.mark.parametrize(
    ("name", "reason", "code"),
    [
        ("unknown", "not-live", 2),
        ("idle", "not-live", 2),
        ("forbidden", "forbidden", 4),
        ("token", "forbidden", 4),
        ("gone", "refused", 4),
        ("broken", "server-failed", 2),
        ("page", "not-media", 3),
        ("empty", "not-media", 3),
        ("binary", "not-media", 3),
        ("garbage", "damaged", 3),
        ("endless", "too-large", 3),
        ("circle", "redirected", 4),
        ("silent", "timed-out", 2),
    ],
)
def test_a_stream_that_cannot_be_played_ends_with_the_reason(loopback_machine, name, reason, code):
    url = faulty(loopback_machine)
    live = loopback_machine.callrunner("live", f"{url}/{name}.m3u8", "--server-timeout", "2s")
    assert live.finish() == code, live.story
    error = live.wait_for("error")
    assert error["code"] == f"live-{reason}", live.story
    assert error["hint"]


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", ["damaged", "cut"])
def test_a_damaged_segment_does_not_end_the_playback(machine, segments, name):
    url = faulty(machine, "--folder", segments)
    live = machine.callrunner("live", f"{url}/{name}.m3u8", "--duration", "15s")
    live.succeed(within=40)


def test_a_playlist_that_is_sometimes_empty_does_not_end_the_playback(machine, segments):
    url = faulty(machine, "--folder", segments)
    live = machine.callrunner("live", f"{url}/hollow.m3u8", "--duration", "6s")
    live.succeed(within=40)


@pytest.mark.long
def test_the_loss_of_a_server_does_not_count_as_the_end_of_a_file(machine, segments):
    server, url = started(machine, segments)
    live = machine.callrunner("live", f"{url}/film.m3u8")
    live.wait_for("live.playing", live=False)
    server.signal(signal.SIGKILL)
    live.wait_for("live.offline", within=80)  # when what was loaded ahead has been played
    assert not live.all("live.ended")
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_stream_continues_after_its_server_was_frozen(machine, segments):
    server, url = started(machine, segments)
    live = machine.callrunner("live", f"{url}/fine.m3u8")
    live.wait_for("live.playing")
    server.signal(signal.SIGSTOP)
    live.wait_for("live.buffering")
    time.sleep(5)
    server.signal(signal.SIGCONT)
    wait_for_count(live, "live.playing", 2, within=5)
    live.signal(signal.SIGTERM)
    assert live.finish() == 143


def test_an_interrupt_ends_the_player_at_once_while_its_server_is_frozen(machine, segments):
    server, url = started(machine, segments)
    live = machine.callrunner("live", f"{url}/fine.m3u8")
    live.wait_for("live.playing")
    server.signal(signal.SIGSTOP)
    live.wait_for("live.buffering")
    live.signal(signal.SIGINT)
    assert live.finish(within=5) == 130
    assert "crashed" not in live.stderr


def test_a_file_plays_once_or_repeatedly(machine, segments, tmp_path):
    film = tmp_path / "film.mp4"
    command = ["ffmpeg", "-v", "error", "-i", TEST_VIDEO, "-t", "2", "-c", "copy", film]
    subprocess.run(command, check=True, timeout=60)
    once = machine.callrunner("live", film)
    once.succeed()
    assert once.wait_for("live.ended")
    # MPEG-TS has no segments, so it is rewound at its end.
    transport = tmp_path / "film.ts"
    command = ["ffmpeg", "-v", "error", "-i", film, "-c:v", "copy", "-c:a", "aac", transport]
    subprocess.run(command, check=True, timeout=60)
    for path in [film, transport]:
        looped = machine.callrunner("live", path, "--loop", "--duration", "5s")
        looped.succeed()
        assert len(looped.all("live.looped")) == 2


def test_a_damaged_file_does_not_crash_the_player(machine, tmp_path):
    film, damaged = tmp_path / "film.mkv", tmp_path / "damaged.mkv"
    command = ["ffmpeg", "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=320x180:r=30:d=4", "-f", "lavfi", "-i", "sine=d=4"]
    subprocess.run([*command, "-c:v", "libvpx", "-b:v", "500k", "-c:a", "libopus", film], check=True, timeout=60)
    data = film.read_bytes()
    for offset in [5000, 10_000, 20_000, 20_001, 20_100, 30_000]:
        damaged.write_bytes(data[:offset] + data[offset + 240 :])
        assert machine.callrunner("live", damaged, "--headless").finish(within=20) in (0, 3)


def test_a_looping_file_can_be_closed_at_any_moment(machine, tmp_path):
    film = tmp_path / "film.mp4"
    command = ["ffmpeg", "-v", "error", "-i", TEST_VIDEO, "-t", "2", "-c", "copy", film]
    subprocess.run(command, check=True, timeout=60)
    for _ in range(2):
        spans = [3000 + 250 * step for step in range(8)]
        players = [machine.callrunner("live", film, "--loop", "--duration", f"{span}ms") for span in spans]
        for player in players:
            player.succeed()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rtsp://h/x"], "“rtsp” is not supported"),
        ([""], "the address is empty"),
        (["a b"], "a playback ID may contain only letters"),
        (["/missing.mp4"], "there is no file /missing.mp4"),
    ],
)
def test_an_unusable_address_is_refused_with_an_explanation(loopback_machine, arguments, words):
    live = loopback_machine.callrunner("live", *arguments)
    assert live.finish() == (3 if "/missing.mp4" in arguments else 64)
    assert words in live.stderr


def test_serve_refuses_a_missing_live_file_at_the_start(loopback_machine):
    served = loopback_machine.callrunner("serve", "--port", "0", "--live-file", "/missing.mp4")
    assert served.finish() == 3
    assert "there is no file /missing.mp4" in served.stderr and not served.all("server.listening")


def test_a_stream_is_shown_in_a_window_and_controlled_by_keys(machine, display, artefact):
    url = machine.server("--live-file", TEST_VIDEO)
    live = machine.callrunner("live", f"{url}/demo.m3u8", environment=display.environment)
    live.wait_for("live.playing")
    window = display.window("demo.m3u8")
    left, top, width, height = display.geometry(window)
    display.photograph().save(artefact("live.png"), left, top, width, height)
    display.press("space", window)
    live.wait_for("live.paused")
    display.press("space", window)
    wait_for_count(live, "live.playing", 2, within=5)
    display.press("q", window)
    live.succeed()


def test_the_live_demo_succeeds_and_reports_its_measurements(loopback_machine):
    # Its stream has just begun: the playlist has two segments.
    demo = loopback_machine.callrunner("demo", "--live", "--headless", "--duration", "6s")
    demo.succeed(within=60)
    summary = demo.wait_for("summary")
    assert summary["exit"] == 0 and summary["faults"] == []
    assert summary["frames"] > 60 and 0 < summary["latency"] < 10
    assert not demo.all("error")


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (["--out", "calls"], ["--out"]),
        (["--source", "camera"], ["file"]),
        (["--source", "none"], ["none"]),
    ],
)
def test_the_live_demo_refuses_flags_that_apply_only_to_calls(loopback_machine, flags, words):
    expect_refusal(loopback_machine.callrunner("demo", "--live", *flags), 64, *words)


def test_the_live_demo_names_a_file_that_is_not_a_video(loopback_machine, tmp_path):
    page = tmp_path / "page.txt"
    page.write_text("no video\n" * 1000)
    demo = loopback_machine.callrunner("demo", "--live", "--headless", "--source", page)
    assert demo.finish(within=60) == 3
    assert "page.txt" in demo.wait_for("error")["message"]
