"""Sources of calls: unusual files, URLs, the screen, the test pattern, cameras and custom pipelines."""

import os
import random
import signal
import subprocess
from pathlib import Path

import expect
import pytest
from peers import probe
from peers.display import Display, Photograph
from peers.runner import REPOSITORY

# The expected `source` event for each file: passthrough of video and of audio, and words from the reason.
AWKWARD = {
    "b-frames.mp4": (False, False, ["H.264 with B-frames is transcoded", "AAC is transcoded"]),
    "aac-5.1.mkv": (True, False, ["AAC is transcoded"]),
    "hevc.mp4": (False, False, ["H.265 is transcoded"]),
    "vp9.webm": (None, True, []),
    "av1.mkv": (False, True, ["AV1 is transcoded"]),
    "mp3.mov": (True, False, ["MP3 is transcoded"]),
    "silent.mp4": (True, None, ["no audio"]),
    "sound.m4a": (None, False, ["no video"]),
    "variable.mkv": (True, True, []),
    "rotated.mp4": (False, True, ["rotated by 90°"]),
    "vp8.webm": (True, False, ["Vorbis is transcoded"]),
    "theora.ogg": (False, False, ["Theora is transcoded"]),
    "tone.mp3": (None, False, ["MP3", "no video"]),
    "tone.wav": (None, False, ["PCM", "no video"]),
    "tone.ogg": (None, False, ["Vorbis", "no video"]),
    "damaged.mp4": (False, False, ["B-frames"]),
}
# One file of each codec, always tested. So are two others, chosen by CALLRUNNER_SEED; the rest run in `make long`.
ALWAYS = ["b-frames.mp4", "hevc.mp4", "av1.mkv", "rotated.mp4", "sound.m4a", "theora.ogg"]
OTHERS = sorted(set(AWKWARD) - set(ALWAYS))
SAMPLE = random.Random(os.environ.get("CALLRUNNER_SEED", "0")).sample(OTHERS, 2)


@pytest.fixture(scope="session")
def awkward(tmp_path_factory):
    folder = tmp_path_factory.mktemp("awkward")

    def make(name: str) -> Path:
        subprocess.run([REPOSITORY / "Tests/awkward-files.sh", folder, name], check=True, timeout=120)
        return folder / name

    return make


def call(machine, *arguments, seconds: float = 2.5, record: Path | None = None, environment=None):
    """Runs a call in which Bob may record Ann's media; returns both processes after both have succeeded."""
    bob = machine.callrunner("--room", "1", "--name", "Bob", "--source", "none", *(["--record", record] if record else []))
    ann = machine.callrunner(
        "--room", "1", "--caller", "--name", "Ann", "--duration", str(seconds), *arguments, environment=environment
    )
    ann.succeed()
    bob.succeed()
    return ann, bob


def cases():
    for name in AWKWARD:
        yield pytest.param(name, marks=[] if name in ALWAYS + SAMPLE else [pytest.mark.long])


@pytest.mark.sample(4)
@pytest.mark.parametrize("name", list(cases()))
def test_an_unusual_file_is_sent_and_described_in_the_source_event(machine, tmp_path, awkward, name):
    recording = tmp_path / "seen.mkv"
    has_video = "no video" not in AWKWARD[name][2]
    # Audio files use other demuxers. Their calls are longer than the file, so that it repeats.
    seconds = 2.5 if has_video else 6
    ann, bob = call(machine, "--source", awkward(name), record=recording, seconds=seconds)
    source = ann.all("source")[0]
    assert (source["kind"], source["name"]) == ("file", name)
    passes = source["passthrough"]
    video, audio, reasons = AWKWARD[name]
    has_audio = "no audio" not in reasons
    assert ("video" in passes, "audio" in passes) == (has_video, has_audio)
    if name != "vp9.webm":
        assert (passes.get("video"), passes.get("audio")) == (video, audio), source
    for words in reasons:
        assert words in source["reason"], source
    # There are 75 frames, or 20 per second on average if the rate is variable.
    if has_video:
        expect.arrived(ann, bob, "video", least=30 if name in ("variable.mkv", "damaged.mp4") else 40)
    if has_audio:
        expect.arrived(ann, bob, "audio", least=60 if name == "damaged.mp4" else int(30 * seconds))
    seen = probe.tracks(recording)
    assert set(seen) == {kind for kind, has in (("video", has_video), ("audio", has_audio)) if has}
    assert probe.decoding_errors(recording) == ""
    if name == "rotated.mp4":
        assert probe.sizes(recording) == [(180, 320)], "the video was not rotated upright"


def test_the_once_flag_ends_the_call_at_the_end_of_the_file(machine, tmp_path, awkward):
    recording = tmp_path / "seen.mkv"
    bob = machine.callrunner("--room", "1", "--source", "none", "--record", recording)
    ann = machine.callrunner("--room", "1", "--caller", "--source", awkward("silent.mp4"), "--start", "1s", "--once")
    ann.succeed()
    bob.succeed()
    summary = expect.a_call_that_ended(ann, "hung-up")
    assert "hung up when silent.mp4 ended" in ann.all("call.ended")[0]["message"]
    assert 85 <= summary["sent"]["video"] <= 93, "three of its four seconds"
    assert probe.tracks(recording)["video"].span == pytest.approx(3, abs=0.3)


def test_a_file_plays_and_repeats_from_the_given_start_time(machine, awkward):
    ann, bob = call(machine, "--source", awkward("silent.mp4"), "--start", "3", seconds=2.5)
    expect.arrived(ann, bob, "video", least=40)


def test_a_start_time_beyond_the_end_of_the_file_is_refused(machine, awkward):
    ann = machine.callrunner("--room", "1", "--source", awkward("silent.mp4"), "--start", "1m")
    expect.expect_refusal(ann, 3, "silent.mp4", "--start")


def test_a_file_truncated_during_the_call_ends_it_with_one_error(machine, tmp_path, awkward):
    film = tmp_path / "film.mp4"
    film.write_bytes(awkward("silent.mp4").read_bytes())
    recording = tmp_path / "seen.mkv"
    bob = machine.callrunner("--room", "1", "--source", "none", "--record", recording)
    ann = machine.callrunner("--room", "1", "--caller", "--source", film)
    bob.wait_for("media.first_frame")
    os.truncate(film, 100)
    expect.expect_refusal(ann, 3, "film.mp4", within=30)
    bob.succeed()
    assert probe.tracks(recording)["video"].packets > 0


@pytest.mark.long
def test_a_large_file_is_not_loaded_into_memory_completely(machine, awkward):
    path = awkward("long.mp4")
    assert path.stat().st_size > 400_000_000
    bob = machine.callrunner("--room", "1", "--source", "none")
    ann = machine.callrunner("--room", "1", "--caller", "--source", path, "--start", "55m")
    bob.wait_for("media.first_frame")
    status = Path(f"/proc/{ann.pid}/status").read_text()
    peak = int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1])
    assert peak < 150_000, f"{peak} kB for half a gigabyte"
    ann.signal(signal.SIGINT)
    assert ann.finish() == 130
    bob.succeed()


# MARK: URLs


def test_a_file_from_a_url_is_sent_without_transcoding_and_repeats(machine, awkward):
    path = awkward("silent.mp4")
    url = machine.peer("file_server", path.parent).wait_for("server.listening")["url"]
    ann, bob = call(machine, "--source", f"{url}/silent.mp4?token=secret", seconds=6)
    source = ann.all("source")[0]
    assert (source["kind"], source["name"]) == ("url", f"{url}/silent.mp4")
    assert source["passthrough"] == {"video": True}
    expect.arrived(ann, bob, "video", least=150)  # of 180, beyond the file's four seconds
    assert "secret" not in ann.stderr + str(ann.events)


def test_a_short_file_repeats_without_http_range_requests(machine, awkward):
    path = awkward("vp8.webm")
    url = machine.peer("file_server", path.parent, "--no-ranges").wait_for("server.listening")["url"]
    ann, bob = call(machine, "--source", f"{url}/vp8.webm", seconds=6)
    expect.arrived(ann, bob, "video", least=150)  # of 180, beyond the file's four seconds
    assert ann.all("warning") == []


def test_a_stream_that_ends_is_requested_again(machine, awkward):
    path = awkward("vp8.webm")
    url = machine.peer("file_server", path.parent, "--live").wait_for("server.listening")["url"]
    ann, bob = call(machine, "--source", f"{url}/vp8.webm", seconds=14)
    assert any("trying to open it again" in warning["message"] for warning in ann.all("warning"))
    ann.wait_for("warning", message=f"{url}/vp8.webm is connected again")
    expect.arrived(ann, bob, "video", least=150)  # four seconds, a pause, and again


def test_a_killed_web_server_ends_the_call_with_one_error(machine, tmp_path):
    asset = REPOSITORY / "assets"
    server = machine.peer("file_server", asset, "--pace", "250000")
    url = server.wait_for("server.listening")["url"]
    recording = tmp_path / "seen.mkv"
    bob = machine.callrunner("--room", "1", "--source", "none", "--record", recording)
    ann = machine.callrunner("--room", "1", "--caller", "--source", f"{url}/webRtcTestVideo.mp4")
    bob.wait_for("media.first_frame")
    server.signal(signal.SIGKILL)
    expect.expect_refusal(ann, 3, f"{url}/webRtcTestVideo.mp4", within=60)
    bob.succeed()
    assert probe.tracks(recording)["video"].packets > 0


def test_the_media_of_an_hls_playlist_is_sent(machine, tmp_path, awkward):
    segments = ["-hls_time", "1", "-hls_list_size", "0", "-f", "hls", tmp_path / "live.m3u8"]
    subprocess.run(["ffmpeg", "-v", "error", "-i", awkward("silent.mp4"), "-c", "copy", *segments], check=True)
    url = machine.peer("file_server", tmp_path).wait_for("server.listening")["url"]
    ann, bob = call(machine, "--source", f"{url}/live.m3u8")
    assert ann.all("source")[0]["passthrough"] == {"video": True}
    expect.arrived(ann, bob, "video", least=40)


# The address of the machine that is not loopback, from which nothing may lead to loopback.
WIDER = ("--host", "10.99.0.1")


def offer(machine, folder: Path, *flags: str):
    """Offers a folder on the machine; returns the server and its URL."""
    server = machine.peer("file_server", folder, *flags)
    return server, server.wait_for("server.listening")["url"]


def test_a_file_is_sent_from_the_target_of_a_redirect(machine, awkward):
    folder = awkward("silent.mp4").parent
    _, place = offer(machine, folder, *WIDER)
    _, url = offer(machine, folder, *WIDER, "--redirect", f"{place}/silent.mp4")
    ann, bob = call(machine, "--source", f"{url}/film")
    assert ann.all("source")[0]["name"] == f"{url}/film"
    expect.arrived(ann, bob, "video", least=40)


def test_a_redirect_into_a_more_private_network_is_refused(machine, awkward):
    folder = awkward("vp8.webm").parent
    _, place = offer(machine, folder)
    _, url = offer(machine, folder, *WIDER, "--redirect", f"{place}/vp8.webm")
    ann = machine.callrunner("--room", "1", "--source", f"{url}/film")
    expect.expect_refusal(ann, 3, f"{url}/film", "redirects into this computer’s own network")


def test_an_hls_playlist_cannot_load_media_from_a_more_private_network(machine, tmp_path, awkward):
    canary, place = offer(machine, awkward("silent.mp4").parent)
    (tmp_path / "live.m3u8").write_text(
        f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{place}/silent.mp4\n#EXT-X-ENDLIST\n"
    )
    _, url = offer(machine, tmp_path, *WIDER)
    ann = machine.callrunner("--room", "1", "--source", f"{url}/live.m3u8")
    expect.expect_refusal(ann, 3, f"{url}/live.m3u8", within=30)
    assert not canary.all("request"), canary.events


def test_a_dash_manifest_is_refused(machine, tmp_path):
    (tmp_path / "film.mpd").write_text('<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"></MPD>')
    _, url = offer(machine, tmp_path)
    ann = machine.callrunner("--room", "1", "--source", f"{url}/film.mpd")
    expect.expect_refusal(ann, 3, f"{url}/film.mpd", "only HLS is supported")


@pytest.mark.parametrize(
    "playlist",
    [
        "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{url}/vp8.webm\n#EXT-X-ENDLIST\n",
        '<!-- x --><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT4S">'
        '<Period><AdaptationSet mimeType="video/webm"><Representation id="1" bandwidth="1"><BaseURL>{url}/vp8.webm'
        "</BaseURL></Representation></AdaptationSet></Period></MPD>",
    ],
    ids=["hls", "dash"],
)
def test_a_local_playlist_is_refused_without_a_request(machine, tmp_path, awkward, playlist):
    server = machine.peer("file_server", awkward("vp8.webm").parent)
    film = tmp_path / "film.mp4"
    film.write_text(playlist.format(url=server.wait_for("server.listening")["url"]))
    ours = machine.callrunner("--room", "1", "--source", film)
    expect.expect_refusal(ours, 3, "film.mp4 is a playlist")
    assert not server.all("request"), server.events


def test_an_unreachable_url_is_refused(machine):
    ann = machine.callrunner("--room", "1", "--source", "http://user:hush@127.0.0.1:9/film.mp4")
    expect.expect_refusal(ann, 3, "http://127.0.0.1:9/film.mp4", "address")
    assert "hush" not in ann.stderr + str(ann.events)


rtsp = pytest.mark.skipif(
    not Path("/usr/lib/x86_64-linux-gnu/girepository-1.0/GstRtspServer-1.0.typelib").exists(),
    reason="gir1.2-gst-rtsp-server-1.0 is not installed (make setup)",
)


@pytest.mark.sample(1)
@rtsp
@pytest.mark.parametrize("codec, passes", [("h264", True), ("jpeg", False)])
def test_the_media_of_an_rtsp_camera_is_sent(machine, codec, passes):
    url = machine.peer("rtsp_server", "--codec", codec).wait_for("server.listening")["url"]
    ann, bob = call(machine, "--source", url, seconds=3)
    source = ann.all("source")[0]
    assert (source["kind"], source["name"]) == ("url", url)
    assert source["passthrough"] == {"video": passes, "audio": True}
    expect.arrived(ann, bob, "video", least=40)
    expect.arrived(ann, bob, "audio", least=75)


@rtsp
def test_a_restarted_rtsp_server_is_used_again_in_the_call(machine, tmp_path):
    recording = tmp_path / "seen.mkv"
    server = machine.peer("rtsp_server", "--port", "8554")
    url = server.wait_for("server.listening")["url"]
    bob = machine.callrunner("--room", "1", "--source", "none", "--record", recording)
    ann = machine.callrunner("--room", "1", "--caller", "--source", url, "--duration", "14")
    bob.wait_for("media.first_frame")
    server.signal(signal.SIGKILL)
    server.finish()
    broken = ann.wait_for("warning")
    assert "trying to open it again" in broken["message"] and url in broken["message"]
    machine.peer("rtsp_server", "--port", "8554").wait_for("server.listening")
    ann.wait_for("warning", message=f"{url} is connected again")
    ann.succeed()
    bob.succeed()
    assert len(ann.all("call.ended")) == 1
    last = bob.all("stats")[-1]["video"]["in"]
    assert last["fps"] > 20, "no video arrives after the restart"
    assert probe.decoding_errors(recording) == ""


@rtsp
def test_a_killed_rtsp_server_ends_the_call_with_one_error(machine, tmp_path):
    recording = tmp_path / "seen.mkv"
    server = machine.peer("rtsp_server")
    url = server.wait_for("server.listening")["url"]
    bob = machine.callrunner("--room", "1", "--source", "none", "--record", recording)
    ann = machine.callrunner("--room", "1", "--caller", "--source", url)
    bob.wait_for("media.first_frame")
    bob.wait_for("stats")
    server.signal(signal.SIGKILL)
    expect.expect_refusal(ann, 3, url, "address", within=60)
    bob.succeed()
    assert probe.tracks(recording)["video"].packets > 0


# MARK: Screen, pattern, camera and custom pipelines


def frame_of(recording: Path, at: float) -> Photograph:
    command = ["ffmpeg", "-v", "error", "-ss", str(at), "-i", recording, "-frames:v", "1", "-f", "image2pipe", "-c:v", "png", "-"]
    return Photograph.of_png(subprocess.run(command, check=True, capture_output=True, timeout=30).stdout)


def test_the_screen_is_sent_in_its_size_and_colours(machine, display: Display, tmp_path):
    recording = tmp_path / "seen.mkv"
    with display.painted(210, 40, 30):
        environment = {"DISPLAY": display.name}
        ann, _ = call(machine, "--source", "screen", "--headless", record=recording, environment=environment)
    assert ann.all("source")[0]["kind"] == "screen"
    assert probe.sizes(recording) == [(1280, 720)]
    red, green, blue = frame_of(recording, 1).colour(300, 200)
    assert abs(red - 210) < 30 and abs(green - 40) < 30 and abs(blue - 30) < 30, (red, green, blue)


def test_losing_the_display_ends_the_call_and_closes_the_recording(machine, tmp_path):
    recording, own = tmp_path / "seen.mkv", tmp_path / "own.mp4"
    with Display() as display, display.painted(210, 40, 30):
        bob = machine.callrunner("--room", "1", "--name", "Bob", "--headless", "--record", recording)
        bob.wait_for("room.joined")
        ann = machine.callrunner(
            *("--room", "1", "--caller", "--headless", "--source", "screen", "--record-local", own),
            environment={"DISPLAY": display.name},
        )
        ann.wait_for("stats")
        ann.wait_for_more("stats", 2)
        display.kill()
        expect.expect_refusal(ann, 3, "X server is lost", within=30)
    bob.succeed()
    for path in (recording, own):
        assert probe.tracks(path)["video"].packets > 30
        # The file was finalized: its header has the duration.
        assert probe.length_on_label(path) > 1


def test_the_screen_source_requires_a_display(machine):
    ann = machine.callrunner("--room", "1", "--source", "screen")
    assert ann.finish() == 64 and "DISPLAY" in ann.stderr


def test_the_test_pattern_has_the_given_size_and_rate_and_numbered_frames(machine, tmp_path):
    recording = tmp_path / "seen.mkv"
    ann, bob = call(machine, "--source", "pattern", "--size", "640x360", "--fps", "15", record=recording, seconds=3)
    assert probe.sizes(recording) == [(640, 360)]
    expect.arrived(ann, bob, "video", least=25)
    frames = probe.tracks(recording)["video"]
    assert frames.span / frames.packets > 0.05, "more than 20 a second"
    # The frame number is at the top.
    early, late = frame_of(recording, 0.5), frame_of(recording, 1.5)
    assert early.changed(late, 240, 5, 400, 60) > 0.01


def fake_camera(folder: Path, elements: str) -> tuple[list, Path]:
    """Returns the flags of a camera that sends a test pattern, and its device, which is an empty file."""
    subprocess.run(["cp", "-r", REPOSITORY / "pipelines", folder / "pipelines"], check=True)
    description = folder / "pipelines/sources/camera.pipeline"
    description.write_text(description.read_text().replace("v4l2src name=camera", elements))
    device = folder / "video0"
    device.touch()
    return ["--pipelines", folder / "pipelines", "--source", f"camera:{device}"], device


YUYV = "videotestsrc is-live=true ! video/x-raw,format=YUY2,width=800,height=600,framerate=30/1 ! identity name=camera"
JPEG = "videotestsrc is-live=true ! video/x-raw,format=I420,width=640,height=480,framerate=30/1 ! jpegenc ! image/jpeg,width=640,height=480 ! identity name=camera"


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "elements, size, words", [(YUYV, (800, 600), "uncompressed; the camera does not support 320x240"), (JPEG, (640, 480), "Motion JPEG")]
)
def test_camera_video_is_sent_in_the_nearest_size_that_the_camera_supports(machine, tmp_path, elements, size, words):
    camera, device = fake_camera(tmp_path, elements)
    recording = tmp_path / "seen.mkv"
    ann, bob = call(machine, *camera, "--size", "320x240", record=recording)
    source = ann.all("source")[0]
    assert (source["kind"], source["name"]) == ("camera", str(device))
    assert source["passthrough"] == {"video": False, "audio": False}, "the audio does not come from the microphone"
    assert words in source["reason"]
    assert probe.sizes(recording) == [size]
    expect.arrived(ann, bob, "video", least=30)


def test_the_test_video_replaces_a_lost_camera(machine, tmp_path):
    camera, _ = fake_camera(tmp_path, f"{YUYV} ! identity error-after=60")
    recording = tmp_path / "seen.mkv"
    ann, bob = call(machine, *camera, record=recording, seconds=4)
    first, second = ann.all("source")
    assert (first["kind"], second["kind"], second["name"]) == ("camera", "file", "webRtcTestVideo.mp4")
    assert "failed" in second["reason"]
    expect.arrived(ann, bob, "video", least=65)  # the camera sends 60 of them
    assert probe.decoding_errors(recording) == ""


def test_the_media_of_a_custom_pipeline_is_sent(machine, tmp_path):
    mine = tmp_path / "mine.pipeline"
    mine.write_text(
        "# a ball\nvideotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=30/1\n"
        "  ! x264enc tune=zerolatency key-int-max=30 ! h264parse config-interval=-1\n"
        "  ! video/x-h264,stream-format=byte-stream,alignment=au,profile=constrained-baseline ! appsink name=video\n"
        "audiotestsrc is-live=true ! appsink name=audio\n"
    )
    ann, bob = call(machine, "--source", mine)
    source = ann.all("source")[0]
    assert (source["kind"], source["name"]) == ("pipeline", "mine.pipeline")
    assert source["passthrough"] == {"video": True, "audio": False}
    expect.arrived(ann, bob, "video", least=30)
    expect.arrived(ann, bob, "audio", least=60)


@pytest.mark.parametrize(
    "text, words",
    [
        ("videotestsrc ! fakesink", "appsink named video or audio"),
        ("videotestsrc ! nosuchelement ! appsink name=video", "nosuchelement"),
        ("videotestsrc num-buffers=0 ! appsink name=video", "it has ended"),
        ("videotestsrc ! video/x-raw,format=I420 ! x264enc ! video/x-h264,stream-format=avc ! appsink name=video", "byte-stream"),
    ],
)
def test_an_unusable_pipeline_is_refused_with_its_name(machine, tmp_path, text, words):
    mine = tmp_path / "mine.pipeline"
    mine.write_text(text)
    expect.expect_refusal(machine.callrunner("--room", "1", "--source", mine), 3, "mine.pipeline", words)


# MARK: Devices


def test_the_devices_command_lists_screens_and_counts_them(machine, display: Display):
    listed = machine.callrunner("devices", environment={"DISPLAY": display.name})
    listed.succeed()
    screens = [device for device in listed.all("device") if device["kind"] == "screen"]
    assert [screen["id"] for screen in screens] == [display.name]
    assert "1280x720" in screens[0]["formats"][0]
    assert listed.events[-1]["event"] == "devices" and listed.events[-1]["screens"] == 1
    without_display = machine.callrunner("devices")
    without_display.succeed()
    assert without_display.events[-1]["screens"] == 0
