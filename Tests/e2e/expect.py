"""What the tests ask of a call and of its recording, said once."""

from pathlib import Path

from peers import probe
from peers.runner import Runner

TRAPS = ("Fatal error", "Stack dump", "Segmentation", "Trace/BPT", "CRITICAL **", "GStreamer-CRITICAL")


def expect_refusal(process, exit_code: int, *words: str, within: float = 15) -> None:
    """Ends with this code and says why: one error line that holds these words, and a hint."""
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
    """One picture and one sound track of this length, starting at most `apart` seconds from each other."""
    tracks = probe.tracks(path)
    assert set(tracks) == {"video", "audio"}, f"{path} has {set(tracks)}"
    for kind, track in tracks.items():
        assert abs(track.span - seconds) <= tolerance, f"{kind} lasts {track.span:.2f} s, not {seconds} s"
        assert track.steps_back == [], f"the {kind} packets' times go back"
    between = abs(tracks["video"].first - tracks["audio"].first)
    assert between <= apart, f"picture and sound start {between * 1000:.0f} ms apart"
    assert probe.decoding_errors(path) == ""


def our_file_untouched(path: Path) -> None:
    """Every slice and every Opus packet of the recording is the test video's own, none left out."""
    foreign = probe.first_foreign_slice(path)
    assert foreign is None, f"slice {foreign} of {path} is not what follows in the test video"
    sound = probe.opus_bytes(path)
    assert sound in probe.opus_bytes(probe.ASSET) * 3, f"the sound of {path} is not the test video's"


def an_even_pace(path: Path) -> None:
    """Pictures 33 ms and sound packets 20 ms apart, across the loop of the test video too."""
    tracks = probe.tracks(path)
    for kind, period in (("video", 1 / 30), ("audio", 0.02)):
        track = tracks[kind]
        assert track.shortest_gap > period / 2, f"two {kind} packets {track.shortest_gap * 1000:.0f} ms apart"
        assert track.longest_gap < period * 1.5, f"two {kind} packets {track.longest_gap * 1000:.0f} ms apart"


def a_call_that_ended(process: Runner, reason: str, exit_code: int = 0) -> dict:
    """The one `call.ended` has this reason and the summary, the last line, this exit code."""
    ended = process.all("call.ended")
    assert [event["reason"] for event in ended] == [reason], ended
    summary = process.events[-1]
    assert summary["event"] == "summary" and summary["exit"] == exit_code, summary
    return summary


def arrived(sender: Runner, receiver: Runner, kind: str, least: int) -> None:
    """Of one kind, pictures or packets of sound, at least this many were sent, and hardly any did not come.

    How many there are in so many seconds is the machine's affair: it may be busy. Whoever is connected first sends
    before the other can decrypt it, up to the next keyframe; and what is on its way when the call ends is not counted.
    """
    sent, received = sender.events[-1]["sent"][kind], receiver.events[-1]["received"][kind]
    told = f"of {kind} {sent} were sent and {received} received"
    assert sent >= least, f"{told}; {least} is little"
    assert received >= 0.9 * sent - (36 if kind == "video" else 60), told
