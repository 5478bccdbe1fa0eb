"""The content of a recording according to ffprobe and ffmpeg."""

import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .runner import REPOSITORY

ASSET = REPOSITORY / "assets/webRtcTestVideo.mp4"


@dataclass(frozen=True)
class Track:
    """A track with its codec and the presentation times of its packets in seconds."""

    codec: str
    times: list[float]

    @property
    def packets(self) -> int:
        return len(self.times)

    @property
    def first(self) -> float:
        return min(self.times)

    @property
    def last(self) -> float:
        return max(self.times)

    @property
    def span(self) -> float:
        """The seconds from the first packet to the end of the last, whose duration is assumed to be the average."""
        between = self.last - self.first
        return between * self.packets / max(1, self.packets - 1)

    def after(self, seconds: float) -> "Track":
        """Returns the track without its first seconds."""
        return Track(self.codec, [time for time in self.times if time - self.first >= seconds])

    @property
    def longest_gap(self) -> float:
        return max(self._gaps, default=0)

    @property
    def shortest_gap(self) -> float:
        return min(self._gaps, default=0)

    @property
    def steps_back(self) -> list[tuple[float, float]]:
        """The pairs of consecutive packets whose times do not increase."""
        return [(earlier, later) for earlier, later in zip(self.times, self.times[1:]) if later <= earlier]

    @property
    def _gaps(self) -> list[float]:
        ordered = sorted(self.times)
        return [later - earlier for earlier, later in zip(ordered, ordered[1:])]


def tracks(path: Path) -> dict[str, Track]:
    """Returns the tracks by kind. Two tracks of one kind are an error."""
    found = _ffprobe(path, "-show_entries", "stream=index,codec_type,codec_name:packet=stream_index,pts_time")
    by_kind: dict[str, Track] = {}
    for stream in found["streams"]:
        kind = stream["codec_type"]
        assert kind not in by_kind, f"two {kind} tracks in {path}"
        times = [
            float(packet["pts_time"])
            for packet in found["packets"]
            if packet["stream_index"] == stream["index"] and "pts_time" in packet
        ]
        by_kind[kind] = Track(stream["codec_name"], times)
    return by_kind


def keyframes(path: Path) -> list[float]:
    """Returns the presentation times of the keyframes in seconds."""
    found = _ffprobe(path, "-select_streams", "v", "-show_entries", "packet=pts_time,flags")
    return [float(packet["pts_time"]) for packet in found["packets"] if "K" in packet["flags"]]


def length_on_label(path: Path) -> float | None:
    """Returns the duration in the file header in seconds; None if missing, as in an unfinalized Matroska file."""
    told = _ffprobe(path, "-show_entries", "format=duration")["format"].get("duration")
    return None if told is None else float(told)


def decoding_errors(path: Path, seconds: float | None = None) -> str:
    """Returns ffmpeg's errors when it decodes the file or its first `seconds`; empty if there are none."""
    until = [] if seconds is None else ["-t", str(seconds)]
    command = ["ffmpeg", "-v", "repeat+error", "-nostdin", "-i", path, *until, "-f", "null", "-"]
    decoded = subprocess.run(command, capture_output=True, text=True, timeout=120)
    # This message concerns the frame rate of ffmpeg's output. `Track.steps_back` checks the times of the recording.
    complaints = [line for line in decoded.stderr.splitlines() if "increasing dts to muxer" not in line]
    if decoded.returncode != 0:
        complaints.append(f"ffmpeg ended with {decoded.returncode}")
    return "\n".join(complaints)


def sizes(path: Path) -> list[tuple[int, int]]:
    """Returns the resolutions of the decoded video in order, with one element for each change."""
    found = _ffprobe(path, "-select_streams", "v", "-show_entries", "frame=width,height")
    changes: list[tuple[int, int]] = []
    for frame in found["frames"]:
        size = (frame["width"], frame["height"])
        if not changes or changes[-1] != size:
            changes.append(size)
    return changes


def silences(path: Path, shortest: float) -> list[float]:
    """Returns the durations in seconds of the silent parts that last at least `shortest` seconds."""
    listen = ["-af", f"silencedetect=noise=-60dB:duration={shortest}", "-vn", "-f", "null", "-"]
    command = ["ffmpeg", "-hide_banner", "-nostats", "-nostdin", "-i", path, *listen]
    heard = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stderr
    return [float(seconds) for seconds in re.findall(r"silence_duration: ([\d.]+)", heard)]


def slices(path: Path) -> list[bytes]:
    """Returns the slice NAL units (types 1 and 5) of the H.264 track, in file order."""
    to_bytes = ["-map", "0:v", "-c", "copy", "-bsf:v", "h264_mp4toannexb", "-f", "h264"]
    units = []
    for piece in _elementary(path, to_bytes).split(b"\0\0\1"):
        unit = piece.rstrip(b"\0")
        if unit and unit[0] & 0x1F in (1, 5):
            units.append(unit)
    return units


def opus_bytes(path: Path) -> bytes:
    """Returns the concatenated packets of the Opus track."""
    return _elementary(path, ["-map", "0:a", "-c", "copy", "-f", "data"])


def first_foreign_slice(path: Path, original: Path = ASSET) -> int | None:
    """Returns the index of the first slice that does not continue the looped original; None if all slices do.

    The recording may begin at any IDR frame of the original.
    """
    recorded, expected = slices(path), slices(original)
    assert recorded, f"no slices in {path}"
    if recorded[0] not in expected:
        return 0
    start = expected.index(recorded[0])
    assert recorded[0][0] & 0x1F == 5, "the recording does not begin with an IDR picture"
    for number, unit in enumerate(recorded):
        if unit != expected[(start + number) % len(expected)]:
            return number
    return None


def _elementary(path: Path, output: list[str]) -> bytes:
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", path, *output, "-"]
    return subprocess.run(command, capture_output=True, check=True, timeout=120).stdout


def _ffprobe(path: Path, *arguments: str) -> dict:
    command = ["ffprobe", "-v", "error", "-of", "json", *arguments, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert answer.returncode == 0, f"ffprobe {path}: {answer.stderr}"
    return json.loads(answer.stdout)
