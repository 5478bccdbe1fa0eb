"""What the tests ask of a call and of its recording, said once."""

from pathlib import Path

from peers import probe
from peers.runner import Runner


def an_intact_recording(path: Path, seconds: float, tolerance: float = 0.5) -> None:
    """One picture and one sound track of this length, starting together, all of it decodable."""
    tracks = probe.tracks(path)
    assert set(tracks) == {"video", "audio"}, f"{path} has {set(tracks)}"
    for kind, track in tracks.items():
        assert abs(track.span - seconds) <= tolerance, f"{kind} lasts {track.span:.2f} s, not {seconds} s"
    apart = abs(tracks["video"].first - tracks["audio"].first)
    assert apart <= 0.1, f"picture and sound start {apart * 1000:.0f} ms apart"
    assert probe.decoding_errors(path) == ""


def our_file_untouched(path: Path) -> None:
    """Every slice and every Opus packet of the recording is the test video's own, none left out."""
    foreign = probe.first_foreign_slice(path)
    assert foreign is None, f"slice {foreign} of {path} is not what follows in the test video"
    sound = probe.opus_bytes(path)
    assert sound in probe.opus_bytes(probe.ASSET) * 3, f"the sound of {path} is not the test video's"


def a_call_that_ended(process: Runner, reason: str, exit_code: int = 0) -> dict:
    """The one `call.ended` has this reason and the summary, the last line, this exit code."""
    ended = process.all("call.ended")
    assert [event["reason"] for event in ended] == [reason], ended
    summary = process.events[-1]
    assert summary["event"] == "summary" and summary["exit"] == exit_code, summary
    return summary
