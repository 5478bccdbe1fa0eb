"""Offers with unusual media sections, which must be answered as far as possible, and flags that restrict media."""

import re

import expect
import pytest
from peers import probe

SECONDS = 3
# The minimum number of frames or packets that must arrive. It is low, because aiortc encodes slowly on a busy host.
FEW = 10


def start_call(machine, ours, theirs, role="callee"):
    """Starts a call of a few seconds between callrunner in `role` and aiortc; returns both processes."""
    server = machine.server()
    roles = {"caller": ["--caller"], "callee": []}
    flags = ["--room", "5", "--name", "Ann", "--server", server, "--duration", str(SECONDS), "--retries", "0"]
    ours = machine.callrunner(*flags, *roles[role], *ours)
    ours.wait_for("room.joined")
    other = "caller" if role == "callee" else "callee"
    theirs = machine.peer(
        "aiortc_peer", "--room", "5", "--name", "Bob", "--server", server, *roles[other], *theirs)
    return ours, theirs


# For each shape of an offer, the kinds of media sent from aiortc to callrunner, and in the opposite direction.
SHAPES = {
    "audio-only": ("audio", "audio"),
    "video-only": ("video", "video"),
    "video-first": ("audio video", "audio video"),
    "recvonly": ("", "audio video"),
    "sendonly": ("audio video", ""),
    "video-inactive": ("audio", "audio"),
    "data-channel": ("audio video", "audio video"),
    "data-first": ("audio video", "audio video"),
    "data-between": ("audio video", "audio video"),
    "two-videos": ("audio video", "audio video"),
    "two-audios": ("audio video", "audio video"),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("shape", SHAPES)
def test_an_offer_with_unusual_media_sections_is_answered_as_far_as_possible(machine, tmp_path, shape):
    to_us, from_us = (set(kinds.split()) for kinds in SHAPES[shape])
    recording = tmp_path / "theirs.mkv"
    ours, aiortc = start_call(machine, ["--record", recording], ["--shape", shape, "--play", probe.ASSET])
    # A peer that only receives sends nothing to record.
    exit_code = 0 if to_us else 5
    assert ours.finish() == exit_code, ours.stderr
    aiortc.succeed()
    summary = expect.a_call_that_ended(ours, reason="duration", exit_code=exit_code)
    received = aiortc.events[-1]["received"]
    for kind in ("audio", "video"):
        assert (summary["received"][kind] >= FEW) == (kind in to_us), (kind, summary)
        assert (received.get(kind, 0) >= FEW) == (kind in from_us), (kind, received)
        assert (summary["sent"][kind] >= FEW) == (kind in from_us), (kind, summary)
    assert recording.exists() == bool(to_us)
    if to_us:
        assert set(probe.tracks(recording)) == to_us
        assert probe.decoding_errors(recording) == ""


def test_unknown_codecs_end_the_call_and_are_named_in_the_error(machine):
    ours, _ = start_call(machine, [], ["--shape", "unknown-codecs", "--play", probe.ASSET])
    expect.expect_refusal(ours, 3, "no common codec", "X-VP8", "X-H264", "X-opus", "H264, VP8, VP9, OPUS, PCMU, PCMA")


def test_an_offer_with_neither_audio_nor_video_ends_the_call(machine):
    ours, _ = start_call(machine, [], ["--shape", "data-only"])
    expect.expect_refusal(ours, 3, "neither audio nor video")


def test_an_audio_only_offer_ends_a_video_only_call(machine):
    ours, _ = start_call(machine, ["--media", "video"], ["--shape", "audio-only", "--play", probe.ASSET])
    expect.expect_refusal(ours, 3, "only audio", "for video")


def test_without_a_common_codec_the_callee_and_then_the_caller_fail(machine):
    server = machine.server()
    callee = machine.callrunner("--room", "5", "--name", "Ann", "--server", server, "--codec", "VP8", "--media", "video")
    callee.wait_for("room.joined")
    flags = ["--room", "5", "--name", "Bob", "--server", server, "--codec", "VP9", "--media", "video", "--caller"]
    caller = machine.callrunner(*flags)
    expect.expect_refusal(callee, 3, "no common codec", "offers VP9", "accept VP8")
    expect.expect_refusal(caller, 2, "Ann left")


NARROWED = {
    "audio": (["--media", "audio"], {"audio"}, {"audio"}),
    "video": (["--media", "video"], {"video"}, {"video"}),
    "recvonly": (["--recvonly"], {"audio", "video"}, set()),
    "sendonly": (["--sendonly"], set(), {"audio", "video"}),
    "audio-recvonly": (["--media", "audio", "--recvonly"], {"audio"}, set()),
    "video-sendonly": (["--media", "video", "--sendonly"], set(), {"video"}),
}


@pytest.mark.sample(6)
@pytest.mark.parametrize("role", ["caller", "callee"])
@pytest.mark.parametrize("flags", NARROWED)
def test_flags_restrict_the_kinds_and_directions_of_media(machine, flags, role):
    ours, to_us, from_us = NARROWED[flags]
    ours, aiortc = start_call(machine, ours, ["--play", probe.ASSET], role)
    ours.succeed()
    aiortc.succeed()
    summary = expect.a_call_that_ended(ours, reason="duration")
    received = aiortc.events[-1]["received"]
    for kind in ("audio", "video"):
        assert (summary["received"][kind] >= FEW) == (kind in to_us), (kind, summary)
        assert (summary["sent"][kind] >= FEW) == (kind in from_us), (kind, summary)
        assert (received.get(kind, 0) >= FEW) == (kind in from_us), (kind, received)


@pytest.mark.sample(1)
@pytest.mark.parametrize(("codec", "name"), [("PCMU", "pcm_mulaw"), ("PCMA", "pcm_alaw")])
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_g711_audio_is_sent_received_and_recorded(machine, tmp_path, role, codec, name):
    recording = tmp_path / "theirs.mkv"
    flags = ["--codec", codec, "--media", "audio", "--record", recording]
    ours, aiortc = start_call(machine, flags, ["--codec", codec, "--play", probe.ASSET], role)
    ours.succeed()
    aiortc.succeed()
    expect.arrived(ours, aiortc, "audio", least=20 * SECONDS)
    audio = probe.tracks(recording)["audio"]
    assert audio.codec == name and audio.packets >= 20 * SECONDS  # few, because aiortc is slow on a busy host
    assert probe.decoding_errors(recording) == ""


def test_both_peers_declare_in_band_fec_for_opus(machine, tmp_path):
    server, dump = machine.server(), tmp_path / "dump"
    flags = ["--room", "5", "--server", server, "--media", "audio"]
    callee = machine.callrunner(*flags, "--name", "Ann", "--dump", dump)
    callee.wait_for("room.joined")
    machine.callrunner(*flags, "--name", "Bob", "--caller", "--duration", "1").succeed()
    callee.succeed()
    for which in ("offer-received", "answer-sent"):
        description = next(dump.glob(f"*{which}.sdp")).read_text()
        payload_type = re.search(r"a=rtpmap:(\d+) opus/48000/2", description, re.I)[1]
        parameters = re.search(rf"a=fmtp:{payload_type} (.*)", description)[1]
        assert "useinbandfec=1" in parameters and "usedtx" not in parameters, description
