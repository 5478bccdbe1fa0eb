"""Assertions about calls and recordings that several tests share."""

from pathlib import Path

from peers import probe
from peers.runner import Runner

TRAPS = ("Fatal error", "Stack dump", "Segmentation", "Trace/BPT", "CRITICAL **", "GStreamer-CRITICAL")


def expect_refusal(process, exit_code: int, *words: str, within: float = 15) -> None:
    """Expects this exit code and one error with a hint, which together contain these words."""
    assert process.finish(within) == exit_code, process.stderr
    assert not any(trap in process.stderr for trap in TRAPS), process.stderr
    errors = process.all("error")
    if exit_code == 64:
        assert errors == [] or len(errors) == 1
        told = process.stderr
    else:
        assert len(errors) == 1, process.events
        error = errors[0]
        assert error["exit"] == exit_code and error["code"] and error["message"] and error["hint"], error
        told = error["message"] + " " + error["hint"]
        assert error["message"] in process.stderr
        assert process.events[-1]["event"] == "summary" and process.events[-1]["exit"] == exit_code
    for word in words:
        assert word.lower() in told.lower(), f"{word!r} is not in: {told}"


def an_intact_recording(path: Path, seconds: float, tolerance: float = 0.5, apart: float = 0.1) -> None:
    """Expects one video and one audio track of this length in seconds, with starts at most `apart` seconds apart."""
    tracks = probe.tracks(path)
    assert set(tracks) == {"video", "audio"}, f"{path} has {set(tracks)}"
    for kind, track in tracks.items():
        assert abs(track.span - seconds) <= tolerance, f"{kind} lasts {track.span:.2f} s, not {seconds} s"
        assert track.steps_back == [], f"the {kind} packets' times go back"
    between = abs(tracks["video"].first - tracks["audio"].first)
    assert between <= apart, f"video and audio start {between * 1000:.0f} ms apart"
    assert probe.decoding_errors(path) == ""


def the_unchanged_test_video(path: Path) -> None:
    """Expects that the recording contains consecutive, unchanged slices and Opus packets of the test video."""
    foreign = probe.first_foreign_slice(path)
    assert foreign is None, f"slice {foreign} of {path} is not the next one of the test video"
    audio = probe.opus_bytes(path)
    assert audio in probe.opus_bytes(probe.ASSET) * 3, f"the audio of {path} is not the test video's"


def an_even_pace(path: Path) -> None:
    """Expects frames every 33 ms and audio packets every 20 ms, also where the test video loops."""
    tracks = probe.tracks(path)
    for kind, period in (("video", 1 / 30), ("audio", 0.02)):
        track = tracks[kind]
        assert track.shortest_gap > period / 2, f"two {kind} packets {track.shortest_gap * 1000:.0f} ms apart"
        assert track.longest_gap < period * 1.5, f"two {kind} packets {track.longest_gap * 1000:.0f} ms apart"


def a_call_that_ended(process: Runner, reason: str, exit_code: int = 0) -> dict:
    """Expects one `call.ended` with this reason, and returns the summary, which must have this exit code."""
    ended = process.all("call.ended")
    assert [event["reason"] for event in ended] == [reason], ended
    summary = process.events[-1]
    assert summary["event"] == "summary" and summary["exit"] == exit_code, summary
    return summary


def arrived(sender: Runner, receiver: Runner, kind: str, least: int) -> None:
    """Expects that at least this many video frames or audio packets were sent, and that nearly all of them arrived.

    The rate is not checked, because the host may be busy. Two losses are allowed: media that the side which connects
    first sends before the other side can decrypt it or has a keyframe, and media in flight at the end of the call.
    """
    sent, received = sender.events[-1]["sent"][kind], receiver.events[-1]["received"][kind]
    counts = f"{kind}: {sent} sent, {received} received"
    assert sent >= least, f"{counts}; at least {least} must be sent"
    assert received >= 0.9 * sent - (36 if kind == "video" else 60), counts
