"""Calls with peers and servers that share no code with callrunner: Chromium, aiortc and python-socketio."""

import subprocess
import time

import expect
import pytest
from peers import probe
from peers.candidate_forms import FORMS
from peers.runner import BROWSER_PAGE

SECONDS = 4
# The number of frames that must arrive. Of transcoded video fewer must arrive, because the host may be busy.
FEWEST_FRAMES = {"H264": 25 * SECONDS, "VP8": 8 * SECONDS, "VP9": 8 * SECONDS}
# The encoders of other peers need longer for the first video frame than for the first audio packet.
FOREIGN = {"seconds": SECONDS, "tolerance": 0.7, "apart": 0.4}
ROLES = ["caller", "callee"]


def role_flags(role: str) -> list[str]:
    return ["--caller"] if role == "caller" else []


def opposite(role: str) -> str:
    return "callee" if role == "caller" else "caller"


def server_for_browsers(machine) -> str:
    """Starts a server that accepts the origin of the browser peer's page; returns the server's URL."""
    return machine.server("--origin", BROWSER_PAGE)


def hold_call(machine, server, ours, theirs, role, ours_first=True, seconds=SECONDS):
    """Runs a call between callrunner in `role` and a peer; returns both processes after both have succeeded."""

    def start_ours():
        arguments = ("--room", "5", "--name", "Ann", "--server", server, "--duration", str(seconds))
        process = machine.callrunner(*arguments, *role_flags(role), *ours)
        process.wait_for("room.joined")
        return process

    def start_theirs():
        module, *flags = theirs
        arguments = ("--room", "5", "--name", "Bob", "--server", server)
        process = machine.peer(module, *arguments, *role_flags(opposite(role)), *flags)
        process.wait_for("room.joined")
        return process

    if ours_first:
        our_process, their_process = start_ours(), start_theirs()
    else:
        their_process, our_process = start_theirs(), start_ours()
    our_process.succeed()
    their_process.succeed()
    expect.a_call_that_ended(our_process, reason="duration")
    return our_process, their_process


@pytest.mark.alone
@pytest.mark.parametrize("codec", ["VP8", "VP9", "H264"])
@pytest.mark.parametrize("role", ROLES)
def test_callrunner_and_chromium_call_each_other(machine, tmp_path, role, codec):
    recording = tmp_path / "browser.mkv"
    theirs = ["browser_peer", "--codec", codec]
    ours, browser = hold_call(machine, server_for_browsers(machine), ["--record", recording], theirs, role)
    tracks = probe.tracks(recording)
    assert (tracks["video"].codec, tracks["audio"].codec) == (codec.lower(), "opus")
    assert tracks["video"].packets >= FEWEST_FRAMES[codec]
    expect.an_intact_recording(recording, **FOREIGN)
    video = browser.events[-1]["received"]["video"]["in"]
    assert video["frames"] >= FEWEST_FRAMES[codec] and (video["width"], video["height"]) == (1280, 720), video
    audio = browser.events[-1]["received"]["audio"]["in"]
    assert audio["packets"] >= 45 * SECONDS and audio["energy"] > 0, audio
    if codec == "H264":
        assert video["codec"] == "H264" and video["lost"] == 0
        assert ours.wait_for("source")["passthrough"] == {"video": True, "audio": True}


# The H.264 formats to which Chromium is limited. Packetization mode 0 permits no fragments, so it needs transcoding.
H264_FORMATS = [
    ("callee", "42e01f", 0),
    ("callee", "4d001f", 1),
    pytest.param("callee", "42001f", 0, marks=pytest.mark.long),
    pytest.param("callee", "42001f", 1, marks=pytest.mark.long),
    pytest.param("callee", "42e01f", 1, marks=pytest.mark.long),
    pytest.param("caller", "42e01f", 1, marks=pytest.mark.long),
]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("role", "profile", "mode"), H264_FORMATS)
def test_chromium_receives_h264_in_every_format(machine, role, profile, mode):
    form = f"packetization-mode={mode};profile-level-id={profile}"
    ours, browser = hold_call(
        machine, server_for_browsers(machine), [], ["browser_peer", "--codec", "H264", "--parameters", form], role)
    out = ours.all("stats")[-1]["video"]["out"]
    assert out["codec"] == "H264" and out["passthrough"] == (mode == 1), out
    video = browser.events[-1]["received"]["video"]
    assert video["in"]["codec"] == "H264" and video["in"]["frames"] >= FEWEST_FRAMES["VP8"], video
    assert expect.a_call_that_ended(ours, reason="duration")["received"]["video"] >= FEWEST_FRAMES["VP8"]


def test_chromium_receives_the_h264_format_of_its_answer_and_sends_another(machine, tmp_path):
    # Chromium, limited to mode 0, rejects the first offered format and receives one that it accepts. It still sends
    # the first offered format, although its answer does not contain that format.
    form = "packetization-mode=0;profile-level-id=42e01f"
    recording = tmp_path / "browser.mp4"
    theirs = ["browser_peer", "--codec", "H264", "--parameters", form, "--only-prefers"]
    ours, browser = hold_call(machine, server_for_browsers(machine), ["--record", recording], theirs, "caller")
    assert not ours.all("stats")[-1]["video"]["out"]["passthrough"]
    video = browser.events[-1]["received"]["video"]["in"]
    assert video["codec"] == "H264" and video["frames"] >= FEWEST_FRAMES["VP8"], video
    assert probe.tracks(recording)["video"].packets >= FEWEST_FRAMES["VP8"]


def test_chromium_sends_the_first_offered_codec_although_its_answer_has_another(machine, tmp_path):
    # Chromium answers with VP8 only, as its page prefers, but sends the codec that callrunner offered first.
    recording = tmp_path / "browser.mkv"
    theirs = ["browser_peer", "--codec", "VP8", "--only-prefers"]
    ours, browser = hold_call(machine, server_for_browsers(machine), ["--record", recording], theirs, "caller")
    video = ours.all("stats")[-1]["video"]
    assert (video["in"]["codec"], video["out"]["codec"]) == ("H264", "VP8"), video
    tracks = probe.tracks(recording)
    assert tracks["video"].codec == "h264" and tracks["video"].packets >= FEWEST_FRAMES["VP8"], tracks
    assert probe.decoding_errors(recording) == ""
    assert browser.events[-1]["received"]["video"]["in"]["frames"] >= FEWEST_FRAMES["VP8"]


def test_video_is_shown_and_recorded_when_chromium_changes_its_codec_during_the_call(machine, display, tmp_path):
    recording = tmp_path / "browser.mkv"
    server = server_for_browsers(machine)
    ours = machine.callrunner(
        "--room", "1", "--caller", "--server", server, "--source", "none", "--window", "--record", recording,
        "--duration", "9", environment=display.environment)
    ours.wait_for("room.joined")
    browser = machine.peer(
        "browser_peer", "--server", server, "--name", "Bob", "--codec", "VP8", "--only-prefers", "--codec-after", "3")
    browser.wait_for("codec-changed", within=40)
    time.sleep(2)
    first = display.photograph()
    time.sleep(0.5)
    left, top, width, height = display.geometry(display.window("Bob"))
    moved = first.changed(display.photograph(), left, top + height // 4, left + width, top + height * 3 // 4)
    ours.succeed()
    browser.succeed()
    codecs = [event["video"]["in"]["codec"] for event in ours.all("stats") if event.get("video", {}).get("in")]
    assert codecs[0] == "H264" and codecs[-1] == "VP8", codecs
    saved = [event["path"] for event in ours.all("record.saved")]
    assert [probe.tracks(path)["video"].codec for path in saved] == ["h264", "vp8"], saved
    for path in saved:
        assert probe.decoding_errors(path) == "" and probe.tracks(path)["video"].packets >= 20, path
    assert moved > 0.0005, "the video in the window stands still after the change of codec"


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_a_1080p_file_passes_through_to_chromium(machine, tmp_path, role):
    # The file exceeds level 3.1, which Chromium declares. Chromium allows level asymmetry and decodes higher levels.
    film = tmp_path / "large.mp4"
    make = "ffmpeg -v error -f lavfi -i testsrc2=size=1920x1080:rate=30 -t 4 -c:v libx264 -preset ultrafast -bf 0"
    subprocess.run([*make.split(), "-profile:v", "baseline", "-g", "30", "-b:v", "3M", film], check=True, timeout=120)
    ours, browser = hold_call(
        machine, server_for_browsers(machine), ["--source", film], ["browser_peer", "--codec", "H264"], role)
    assert ours.all("stats")[-1]["video"]["out"]["passthrough"]
    video = browser.events[-1]["received"]["video"]["in"]
    assert (video["width"], video["height"]) == (1920, 1080) and video["frames"] >= FEWEST_FRAMES["VP8"], video


@pytest.mark.sample(1)
@pytest.mark.parametrize(("codec", "container"), [("VP8", "mkv"), ("H264", "mkv"), ("H264", "mp4")])
def test_a_recording_of_video_that_changes_its_resolution_is_playable(machine, tmp_path, codec, container):
    recording = tmp_path / f"browser.{container}"
    server = server_for_browsers(machine)
    browser = machine.peer("browser_peer", "--server", server, "--codec", codec, "--resize-after", "3")
    browser.wait_for("room.joined")
    ours = machine.callrunner(
        "--room", "1", "--caller", "--server", server, "--record", recording, "--duration", "8")
    ours.succeed()
    browser.succeed()
    assert browser.all("resized")
    saved = [event["path"] for event in ours.all("record.saved")]
    assert saved[0] == str(recording)
    frames = 0
    sizes = []
    for path in saved:
        assert probe.decoding_errors(path) == "", path
        frames += probe.tracks(path)["video"].packets
        sizes += probe.sizes(path)
    assert frames >= 8 * 20
    assert len(set(sizes)) >= 2, f"only {sizes} recorded"


@pytest.mark.sample(1)
@pytest.mark.parametrize("also", [[], ["--data"]], ids=["media", "media-and-data"])
def test_audio_that_chromium_adds_during_the_call_flows_in_both_directions(machine, also):
    seconds, later = 8, 3
    theirs = ["browser_peer", "--sound-after", str(later), *also]
    ours, browser = hold_call(machine, server_for_browsers(machine), [], theirs, "callee", seconds=seconds)
    assert not browser.all("channel.open")
    assert len(ours.all("call.started")) == 1 and len(ours.all("sdp.sent")) == 2
    last = ours.all("stats")[-1]
    assert last["audio"]["in"]["packets"] >= 45 and last["audio"]["out"]["packets"] >= 45, last
    received = browser.events[-1]["received"]
    assert received["audio"]["in"]["packets"] >= 45 * 2 and received["audio"]["in"]["energy"] > 0, received
    assert received["video"]["in"]["frames"] >= 20 * (seconds - 1), received


@pytest.mark.sample(1)
@pytest.mark.parametrize("codec", ["VP8", "H264"])
@pytest.mark.parametrize("role", ROLES)
def test_callrunner_and_aiortc_call_each_other(machine, tmp_path, role, codec):
    recording = tmp_path / "aiortc.mkv"
    theirs = ["aiortc_peer", "--codec", codec, "--play", probe.ASSET]
    _, aiortc = hold_call(machine, machine.server(), ["--record", recording], theirs, role)
    assert probe.tracks(recording)["video"].codec == codec.lower()
    expect.an_intact_recording(recording, **FOREIGN)
    received = aiortc.events[-1]["received"]
    assert received["video"] >= FEWEST_FRAMES[codec] and received["audio"] >= 45 * SECONDS, received


@pytest.mark.sample(1)
@pytest.mark.parametrize("ours_first", [True, False], ids=["we-join-first", "we-join-last"])
@pytest.mark.parametrize("role", ROLES)
def test_callrunner_and_aiortc_call_each_other_on_a_server_with_the_original_protocol(machine, role, ours_first):
    theirs = ["aiortc_peer", "--play", probe.ASSET]
    _, aiortc = hold_call(machine, machine.seed_server(), [], theirs, role, ours_first)
    assert aiortc.events[-1]["received"]["video"] >= 20 * SECONDS


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", ROLES)
def test_two_callrunners_call_each_other_on_a_server_with_the_original_protocol(machine, first):
    server = machine.seed_server()

    def start(role, *arguments):
        process = machine.callrunner("--room", "3", "--name", role, "--server", server, *role_flags(role), *arguments)
        process.wait_for("room.joined")
        return process

    earlier = start(first)
    later = start(opposite(first), "--duration", "3")
    later.succeed()
    earlier.succeed()
    expect.a_call_that_ended(later, reason="duration")
    expect.a_call_that_ended(earlier, reason="peer-left")


@pytest.mark.sample(2)
@pytest.mark.parametrize("form", FORMS)
def test_candidates_are_accepted_in_every_form_that_clients_send(machine, form):
    # The peer ignores callrunner's candidates, so the call connects only if callrunner accepts those of the peer.
    theirs = ["aiortc_peer", "--candidates", form, "--ignore-candidates", "--play", probe.ASSET]
    role = ROLES[list(FORMS).index(form) % 2]
    hold_call(machine, machine.seed_server(), ["--retries", "0"], theirs, role, seconds=1)


def test_candidates_that_arrive_before_their_description_are_used(machine):
    theirs = ["aiortc_peer", "--candidates", "documented", "--early", "--ignore-candidates"]
    hold_call(machine, machine.seed_server(), ["--retries", "0"], theirs, "caller", seconds=1)


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ROLES)
def test_invalid_candidates_are_ignored(machine, role):
    theirs = ["aiortc_peer", "--candidates", "documented", "--garbage", "--play", probe.ASSET]
    hold_call(machine, machine.seed_server(), ["--retries", "0"], theirs, role, seconds=2)
