"""One attempt at a call with aiortc: a peer connection, its outgoing tracks and its frame counters."""

import asyncio

from aiortc import (
    MediaStreamTrack,
    RTCCertificate,
    RTCConfiguration,
    RTCPeerConnection,
    RTCRtpSender,
    RTCSessionDescription,
)
from aiortc.contrib.media import MediaBlackhole, MediaPlayer, MediaRecorder
from aiortc.sdp import candidate_from_sdp

from .aiortc_flood import flood
from .aiortc_offers import Shape
from .report import report

AUDIO_CODECS = ("opus", "PCMU", "PCMA")
# A candidate with an unreachable address. It keeps aioice's checks running until the peer's checks arrive.
PLACEHOLDER_CANDIDATE = "candidate:1 1 udp 1 192.0.2.77 9 typ host"


class CountedTrack(MediaStreamTrack):
    """Forwards the frames of a track, counts them, and reports the first one."""

    def __init__(self, source: MediaStreamTrack):
        super().__init__()
        self.kind = source.kind
        self._source = source
        self.frames = 0

    async def recv(self):
        frame = await self._source.recv()
        self.frames += 1
        if self.frames == 1:
            report("media.first_frame", kind=self.kind)
        return frame


class Connection:
    """Sends the tracks of the file `play`, and records received media to `record` or only counts it."""

    def __init__(
        self,
        play: str | None,
        record: str | None,
        codec: str | None,
        ignores_candidates: bool,
        shape: Shape | None = None,
        certificate: RTCCertificate | None = None,
    ):
        self._shape = shape
        self._pc = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        if certificate:
            # aiortc has no public API to set a certificate.
            self._pc._RTCPeerConnection__certificates = [certificate]
        self._player = MediaPlayer(play, loop=True) if play else None
        self._sink = MediaRecorder(record) if record else MediaBlackhole()
        self._codec = codec
        self._ignores_candidates = ignores_candidates
        self._early_candidates: list[dict] = []
        self._received: dict[str, CountedTrack] = {}
        self.connected = asyncio.Event()
        self.failed = asyncio.Event()
        self._pc.on("track", self._on_track)
        self._pc.on("connectionstatechange", self._on_state)

    def _on_track(self, track: MediaStreamTrack) -> None:
        counted = CountedTrack(track)
        # Of two tracks of the same kind only the first is counted. The other one must receive nothing.
        self._received.setdefault(track.kind, counted)
        self._sink.addTrack(counted)

    async def _on_state(self) -> None:
        if self._pc.connectionState == "connected":
            await self._sink.start()
            report("media.connected")
            self.connected.set()
        elif self._pc.connectionState == "failed":
            self.failed.set()

    @property
    def frames(self) -> dict[str, int]:
        return {kind: track.frames for kind, track in self._received.items()}

    async def offer(self) -> str:
        if self._shape:
            self._shape.build(self._pc, self._outgoing())
        else:
            for track in self._outgoing():
                self._pc.addTrack(track)
            if not self._player:
                self._pc.addTransceiver("audio", direction="recvonly")
                self._pc.addTransceiver("video", direction="recvonly")
        self._prefer_codec()
        await self._pc.setLocalDescription(await self._pc.createOffer())
        sdp = self._pc.localDescription.sdp
        return self._shape.change(sdp) if self._shape else sdp

    async def answer(self, offer: str) -> str:
        # Tracks are added before the offer is applied, because aiortc then selects the codecs, and in the order of the
        # offer, because aiortc bundles all media on the transport of the first track. A track without an m-line in the
        # offer breaks aiortc's answer.
        wanted = [track for track in self._outgoing() if f"m={track.kind}" in offer]
        for track in sorted(wanted, key=lambda track: offer.find(f"m={track.kind}")):
            self._pc.addTrack(track)
        self._prefer_codec()
        await self._set_remote(offer, "offer")
        await self._pc.setLocalDescription(await self._pc.createAnswer())
        return self._pc.localDescription.sdp

    async def accept(self, answer: str) -> None:
        if self._pc.signalingState == "have-local-offer":
            answer = self._shape.restore(answer) if self._shape else answer
            await self._set_remote(answer, "answer")

    async def add(self, message: object) -> None:
        """Adds a trickled candidate, or stores it until the remote description is set."""
        if self._ignores_candidates or not isinstance(message, dict) or not message.get("candidate"):
            return
        if self._pc.remoteDescription is None:
            self._early_candidates.append(message)
            return
        line = str(message["candidate"]).removeprefix("a=").removeprefix("candidate:")
        candidate = candidate_from_sdp(line)
        if candidate.protocol.lower() != "udp" or candidate.ip.endswith(".local"):
            return
        candidate.sdpMid = message.get("sdpMid")
        candidate.sdpMLineIndex = message.get("sdpMLineIndex")
        await self._pc.addIceCandidate(candidate)

    async def flood(self, kind: str, count: int) -> None:
        """Sends the given number of hostile items, of a kind in `aiortc_flood`."""
        await flood(self._pc, kind, count)

    async def close(self) -> None:
        await self._sink.stop()
        await self._pc.close()

    def _outgoing(self) -> list[MediaStreamTrack]:
        if not self._player:
            return []
        return [track for track in (self._player.audio, self._player.video) if track]

    def _prefer_codec(self) -> None:
        if not self._codec:
            return
        kind = "audio" if self._codec in AUDIO_CODECS else "video"
        codecs = RTCRtpSender.getCapabilities(kind).codecs
        preferred = [codec for codec in codecs if codec.mimeType == f"{kind}/{self._codec}"]
        for transceiver in self._pc.getTransceivers():
            if transceiver.kind == kind:
                transceiver.setCodecPreferences(preferred)

    async def _set_remote(self, sdp: str, kind: str) -> None:
        if self._ignores_candidates:
            lines = [line for line in sdp.splitlines() if "candidate" not in line]
            sdp = "\r\n".join(lines) + "\r\n"
        await self._pc.setRemoteDescription(RTCSessionDescription(sdp, kind))
        if self._ignores_candidates:
            placeholder = candidate_from_sdp(PLACEHOLDER_CANDIDATE.removeprefix("candidate:"))
            placeholder.sdpMLineIndex = 0
            await self._pc.addIceCandidate(placeholder)
        early, self._early_candidates = self._early_candidates, []
        for message in early:
            await self.add(message)
