"""A client of a live stream that checks its playlists and segments against the rules of RFC 8216.

    python -m peers.hls_validator URL SECONDS

It loads the playlist twice a second and each segment once. It ends after the given time, or after the end of the stream,
prints what it has found as JSON, and fails at the first broken rule.
"""

import json
import ssl
import sys
import time
import urllib.request
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import urljoin

PACKET = 188
# Tests have servers with certificates of their own.
TRUSTS_ALL = ssl.create_default_context()
TRUSTS_ALL.check_hostname = False
TRUSTS_ALL.verify_mode = ssl.CERT_NONE


class Broken(AssertionError):
    """A broken rule, with its section of the RFC."""


def expect(is_true: bool, rule: str) -> None:
    if not is_true:
        raise Broken(rule)


@dataclass
class Segment:
    uri: str
    duration: float
    date: float | None
    is_discontinuous: bool


@dataclass
class Playlist:
    target: int = 0
    first: int = 0
    discontinuities: int = 0
    is_ended: bool = False
    segments: list[Segment] = field(default_factory=list)

    def __init__(self, text: str):
        lines = text.split("\n")
        expect(lines[0] == "#EXTM3U", "4.3.1.1: the first line is EXTM3U")
        expect(lines[-1] == "", "4.1: each line is terminated")
        self.segments = []
        duration, date, is_discontinuous, seen = None, None, False, set()
        for line in lines[1:-1]:
            expect(line == line.strip() and line != "", "4.1: no blank lines or surrounding space")
            name, _, value = line.partition(":")
            if not line.startswith("#"):
                expect(duration is not None, "4.3.2.1: each segment has EXTINF")
                self.segments.append(Segment(line, duration, date, is_discontinuous))
                duration, date, is_discontinuous = None, None, False
                continue
            expect(not self.is_ended or name == "#EXT-X-ENDLIST", "no segments after the end")
            match name:
                case "#EXTINF":
                    duration = float(value.split(",")[0])
                    expect("," in value, "4.3.2.1: a comma follows the duration")
                case "#EXT-X-PROGRAM-DATE-TIME":
                    date = datetime.fromisoformat(value).timestamp()
                case "#EXT-X-DISCONTINUITY":
                    is_discontinuous = True
                case "#EXT-X-ENDLIST":
                    self.is_ended = True
                case "#EXT-X-TARGETDURATION" | "#EXT-X-MEDIA-SEQUENCE" | "#EXT-X-DISCONTINUITY-SEQUENCE" | "#EXT-X-VERSION":
                    expect(name not in seen and not self.segments, f"{name} appears once, before the segments")
                    seen.add(name)
                    number = int(value)
                    if name == "#EXT-X-TARGETDURATION":
                        self.target = number
                    elif name == "#EXT-X-MEDIA-SEQUENCE":
                        self.first = number
                    elif name == "#EXT-X-DISCONTINUITY-SEQUENCE":
                        self.discontinuities = number
                    else:
                        expect(number >= 3, "7: fractions in EXTINF need version 3")
        expect("#EXT-X-TARGETDURATION" in seen, "4.3.3.1: EXT-X-TARGETDURATION is required")
        for segment in self.segments:
            expect(round(segment.duration) <= self.target, "4.3.3.1: no EXTINF exceeds EXT-X-TARGETDURATION")

    def numbered(self) -> dict[int, Segment]:
        return {self.first + index: segment for index, segment in enumerate(self.segments)}


class Validator:
    def __init__(self, url: str):
        self.url = url
        self.known: dict[int, Segment] = {}
        self.last: Playlist | None = None
        self.counters: dict[int, int] = {}
        self.ends: dict[int, float] = {}
        self.found = {"segments": 0, "discontinuities": 0, "playlists": 0, "isEnded": False, "longestGap": 0.0}

    def load(self, url: str, kind: str) -> bytes:
        with urllib.request.urlopen(url, timeout=10, context=TRUSTS_ALL) as response:
            expect(response.headers["Content-Type"] == kind, f"4: {kind}, not {response.headers['Content-Type']}")
            return response.read()

    def poll(self) -> bool:
        """Loads the playlist and its new segments; returns whether the stream has ended."""
        playlist = Playlist(self.load(self.url, "application/vnd.apple.mpegurl").decode())
        self.found["playlists"] += 1
        if last := self.last:
            self.compare(last, playlist)
        self.last = playlist
        for number, segment in playlist.numbered().items():
            if number not in self.known:
                self.add(number, segment)
        return playlist.is_ended

    def compare(self, last: Playlist, playlist: Playlist) -> None:
        expect(playlist.first >= last.first, "6.2.2: EXT-X-MEDIA-SEQUENCE never decreases")
        before, now = last.numbered(), playlist.numbered()
        is_new = not set(before) & set(now)
        if not is_new:
            expect(playlist.target == last.target, "6.2.1: EXT-X-TARGETDURATION does not change")
        expect(not before or not now or max(now) >= max(before), "6.2.1: only old segments are removed")
        for number in set(before) & set(now):
            expect(before[number] == now[number], "6.2.1: a listed segment does not change")
        removed = sum(self.known[number].is_discontinuous for number in range(last.first, playlist.first) if number in self.known)
        expect(
            playlist.discontinuities - last.discontinuities >= removed,
            "6.2.2: EXT-X-DISCONTINUITY-SEQUENCE counts removed discontinuities",
        )
        expect(not last.is_ended or is_new or playlist.is_ended, "4.3.3.4: nothing follows the end")

    def add(self, number: int, segment: Segment) -> None:
        self.known[number] = segment
        self.found["segments"] += 1
        self.found["discontinuities"] += segment.is_discontinuous
        before = self.known.get(number - 1)
        if before and before.date and segment.date and not segment.is_discontinuous:
            drift = abs(before.date + before.duration - segment.date)
            expect(drift < 0.6, f"4.3.2.6: dates follow the durations ({drift:.3f} s)")
        start, end = self.check(self.load(urljoin(self.url, segment.uri), "video/mp2t"), segment.is_discontinuous)
        expect(abs(end - start - segment.duration) < 0.15, f"4.3.2.1: EXTINF {segment.duration} is the duration {end - start}")

    def check(self, data: bytes, is_discontinuous: bool) -> tuple[float, float]:
        """Checks the packets of a segment; returns its first and last time in seconds."""
        expect(data and len(data) % PACKET == 0, "3.2: a segment has complete packets")
        if is_discontinuous:
            self.counters, self.ends = {}, {}
        expect(data[0] == 0x47 and self.pid(data, 0) == 0, "3.2: a segment begins with a PAT")
        expect(self.pid(data, PACKET) == 0x1000, "3.2: a PMT follows the PAT")
        times: dict[int, list[float]] = {}
        is_first = {}
        for position in range(0, len(data), PACKET):
            expect(data[position] == 0x47, "a packet begins with its sync byte")
            pid, counter = self.pid(data, position), data[position + 3] & 15
            expect(self.counters.get(pid, counter - 1 & 15) == counter - 1 & 15, "continuity counters have no gap")
            self.counters[pid] = counter
            if pid not in (0x100, 0x101) or not data[position + 1] & 0x40:
                continue
            adaptation = data[position + 3] & 0x20 and 1 + data[position + 4] or 0
            if pid not in is_first:
                is_first[pid] = bool(adaptation > 1 and data[position + 5] & 0x40)
            header = position + 4 + adaptation
            expect(data[header : header + 3] == b"\0\0\1", "a packet with a start has a PES header")
            times.setdefault(pid, []).append(self.time(data, header + (14 if data[header + 7] & 0x40 else 9)))
        expect(is_first.get(0x100, True), "3: a segment begins with a keyframe")
        lead = 0x100 if 0x100 in times else 0x101
        for pid, found in times.items():
            if pid in self.ends:
                self.found["longestGap"] = max(self.found["longestGap"], round(found[0] - self.ends[pid], 3))
            self.found["longestGap"] = max(self.found["longestGap"], *(round(b - a, 3) for a, b in zip(found, found[1:])), 0)
            self.ends[pid] = found[-1]
        step = (times[lead][-1] - times[lead][0]) / max(1, len(times[lead]) - 1)
        return times[lead][0], times[lead][-1] + step

    @staticmethod
    def pid(data: bytes, position: int) -> int:
        return (data[position + 1] & 0x1F) << 8 | data[position + 2]

    @staticmethod
    def time(data: bytes, at: int) -> float:
        a, b, c, d, e = data[at : at + 5]
        return ((a >> 1 & 7) << 30 | b << 22 | (c >> 1) << 15 | d << 7 | e >> 1) / 90_000


def main(url: str, seconds: float) -> None:
    validator = Validator(url)
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and not validator.found["isEnded"]:
        validator.found["isEnded"] = validator.poll()
        time.sleep(0.5)
    print(json.dumps(validator.found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], float(sys.argv[2]))
