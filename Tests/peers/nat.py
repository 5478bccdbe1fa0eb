"""Network address translation to one outer address, with mappings that can be dropped during a call."""

import struct

TCP, UDP = 6, 17
_CHECKSUM_AT = {TCP: 16, UDP: 6}


class NAT:
    """A home router with endpoint-independent mapping, and with address- and port-dependent filtering (RFC 4787).

    Outgoing packets get the outer address, and one outer port for each inner address and port. An incoming packet is
    forwarded only if a packet was sent to its source address and port before.
    """

    def __init__(self, outer: bytes):
        self.outer = outer
        self._next_port = 40_000
        self._outward: dict[tuple[int, bytes, bytes], bytes] = {}
        self._inward: dict[tuple[int, bytes], tuple[bytes, bytes]] = {}
        self._asked: set[tuple[int, bytes, bytes, bytes]] = set()

    def forget(self, *protocols: int) -> None:
        """Drops the mappings of these protocols, so that the next outgoing packet gets another port."""
        self._outward = {key: port for key, port in self._outward.items() if key[0] not in protocols}
        self._inward = {key: inner for key, inner in self._inward.items() if key[0] not in protocols}
        self._asked = {key for key in self._asked if key[0] not in protocols}

    def out(self, packet: bytes) -> bytes | None:
        """Returns the translated outgoing packet; None if it is neither UDP nor TCP, or a fragment."""
        if (at := _transport(packet)) is None:
            return None
        protocol, inner, port = packet[9], packet[12:16], packet[at : at + 2]
        outer_port = self._outward.get((protocol, inner, port))
        if outer_port is None:
            outer_port = struct.pack("!H", self._next_port)
            self._next_port += 1
            self._outward[protocol, inner, port] = outer_port
            self._inward[protocol, outer_port] = (inner, port)
        self._asked.add((protocol, outer_port, packet[16:20], packet[at + 2 : at + 4]))
        return _rewritten(packet, at, 12, self.outer, at, outer_port)

    def back(self, packet: bytes) -> bytes | None:
        """Returns the translated incoming packet; None if the filter drops it."""
        if (at := _transport(packet)) is None:
            return None
        protocol, outer_port = packet[9], packet[at + 2 : at + 4]
        if (protocol, outer_port, packet[12:16], packet[at : at + 2]) not in self._asked:
            return None
        inner, port = self._inward[protocol, outer_port]
        return _rewritten(packet, at, 16, inner, at + 2, port)


def _transport(packet: bytes) -> int | None:
    """Returns the offset of the UDP or TCP header; None if there is none, or if the packet is a fragment."""
    at = (packet[0] & 0x0F) * 4
    is_fragment = packet[6] & 0x3F or packet[7]
    needed = _CHECKSUM_AT.get(packet[9])
    return None if needed is None or is_fragment or len(packet) < at + needed + 2 else at


def _rewritten(packet: bytes, at: int, address_at: int, address: bytes, port_at: int, port: bytes) -> bytes:
    changed = bytearray(packet)
    changed[address_at : address_at + 4] = address
    changed[port_at : port_at + 2] = port
    checksum_at = at + _CHECKSUM_AT[packet[9]]
    old_address, old_port = packet[address_at : address_at + 4], packet[port_at : port_at + 2]
    _amend(changed, 10, old_address, address)
    # A UDP checksum of zero means no checksum.
    if packet[9] == TCP or changed[checksum_at] or changed[checksum_at + 1]:
        _amend(changed, checksum_at, old_address + old_port, address + port)
    return bytes(changed)


def _amend(packet: bytearray, at: int, old: bytes, new: bytes) -> None:
    """Updates a checksum for the changed words (RFC 1624, equation 3)."""
    total = ~struct.unpack_from("!H", packet, at)[0] & 0xFFFF
    for before, after in zip(struct.unpack(f"!{len(old) // 2}H", old), struct.unpack(f"!{len(new) // 2}H", new)):
        total += (~before & 0xFFFF) + after
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    struct.pack_into("!H", packet, at, ~total & 0xFFFF)
