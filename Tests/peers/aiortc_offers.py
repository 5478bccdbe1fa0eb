"""Offers with unusual media sections ("shapes"), which callrunner must answer as far as possible.

A shape defines the m-lines of an aiortc connection with their order and directions, and a change to the text of
its session description.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from aiortc import RTCPeerConnection


@dataclass(frozen=True)
class Shape:
    """The m-lines of an offer as `kind direction` or `data`, and changes to its text and to that of the answer."""

    lines: tuple[str, ...]
    change: Callable[[str], str] = lambda sdp: sdp
    restore: Callable[[str], str] = lambda sdp: sdp

    def build(self, pc: RTCPeerConnection, tracks: list) -> None:
        """Adds the transceivers and the data channel. Each sending m-line gets the next track of its kind."""
        left = list(tracks)
        for line in self.lines:
            if line == "data":
                pc.createDataChannel("chat")
                continue
            kind, direction = line.split()
            track = next((track for track in left if track.kind == kind), None)
            if track and direction in ("sendrecv", "sendonly"):
                left.remove(track)
                pc.addTransceiver(track, direction=direction)
            else:
                pc.addTransceiver(kind, direction=direction)


def renamed(sdp: str) -> str:
    """Replaces the names of all codecs by unknown ones."""
    for name in ("VP8", "H264", "opus", "PCMU", "PCMA", "G722"):
        sdp = sdp.replace(f" {name}/", f" X-{name}/")
    return without_static_types(sdp)


def without_static_types(sdp: str) -> str:
    """Replaces the payload types 0, 8 and 9, which denote a codec even without a name."""
    for static, other in (("0", "70"), ("8", "71"), ("9", "74")):
        sdp = sdp.replace(f"a=rtpmap:{static} ", f"a=rtpmap:{other} ")
    lines = []
    for line in sdp.splitlines():
        if line.startswith("m=audio"):
            port = line.split(" ")
            line = " ".join(port[:3] + [{"0": "70", "8": "71", "9": "74"}.get(t, t) for t in port[3:]])
        lines.append(line)
    return "\r\n".join(lines) + "\r\n"


def moved(sdp: str, source: int, target: int) -> str:
    """Moves an m-line with its attributes, and its mid in the bundle; aiortc itself offers data channels last."""
    session, *sections = re.split(r"(?m)^(?=m=)", sdp)
    sections.insert(target, sections.pop(source))
    bundled = re.search(r"(?m)^a=group:BUNDLE (.*?)\r?$", session)[1].split()
    mids = [re.search(r"(?m)^a=mid:(.*?)\r?$", section)[1] for section in sections]
    group = " ".join(mid for mid in mids if mid in bundled)
    return re.sub(r"(?m)^a=group:BUNDLE .*?(\r?)$", rf"a=group:BUNDLE {group}\1", session) + "".join(sections)


SHAPES = {
    "audio-only": Shape(("audio sendrecv",)),
    "video-only": Shape(("video sendrecv",)),
    "video-first": Shape(("video sendrecv", "audio sendrecv")),
    "recvonly": Shape(("audio recvonly", "video recvonly")),
    "sendonly": Shape(("audio sendonly", "video sendonly")),
    "video-inactive": Shape(("audio sendrecv", "video inactive")),
    "data-channel": Shape(("audio sendrecv", "video sendrecv", "data")),
    "data-first": Shape(
        ("audio sendrecv", "video sendrecv", "data"), lambda sdp: moved(sdp, 2, 0), lambda sdp: moved(sdp, 0, 2)),
    "data-between": Shape(
        ("audio sendrecv", "video sendrecv", "data"), lambda sdp: moved(sdp, 2, 1), lambda sdp: moved(sdp, 1, 2)),
    "data-only": Shape(("data",)),
    "two-videos": Shape(("audio sendrecv", "video sendrecv", "video recvonly")),
    "two-audios": Shape(("audio sendrecv", "audio recvonly", "video sendrecv")),
    "unknown-codecs": Shape(("audio sendrecv", "video sendrecv"), renamed),
}
