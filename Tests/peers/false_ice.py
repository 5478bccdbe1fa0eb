"""A callee whose responses to connectivity checks name false addresses, or none; it never sends media.

It answers the check of one candidate truthfully, so that the caller has a valid pair, and those of another one falsely.
"""

import argparse
import asyncio
import re
from pathlib import Path

from aioice import stun
from aiortc import RTCConfiguration, RTCPeerConnection, RTCSessionDescription

from . import arguments
from .report import report
from .room import Room

UFRAG, PASSWORD = "false", "x" * 22
# The address that a check never came from (RFC 5737).
FOREIGN = ("198.51.100.1", 9)
# The time in seconds after an offer in which its candidates arrive.
TIME_FOR_CANDIDATES = 1
# The addresses that a response names: no address, a foreign one, another foreign one each time, or another one of the
# caller; or the right one, while the address of a candidate is announced twice, with different types, or while a check
# has a user name that fills the response of the caller.
WAYS = ("none", "foreign", "changing", "other", "twice", "long")


class Side(asyncio.DatagramProtocol):
    """One candidate of the callee."""

    def __init__(self, handle):
        self._handle = handle
        self.transport: asyncio.DatagramTransport | None = None

    def connection_made(self, transport):
        self.transport = transport

    def datagram_received(self, data, address):
        if data[0] < 2:
            self._handle(self, stun.parse_message(data), address)

    @property
    def port(self) -> int:
        return self.transport.get_extra_info("sockname")[1]

    def send(self, message: stun.Message, password: str, address) -> None:
        message.add_message_integrity(password.encode())
        self.transport.sendto(bytes(message), address)


class FalseCallee:
    def __init__(self, options: argparse.Namespace):
        self._options = options
        self._room = Room(options.server, options.room, options.name, False, ["websocket"])
        self._theirs = ("", "")
        self._hosts: list[tuple[str, int]] = []
        self._candidates: list[str] = []
        # The checks that are answered when there is a valid pair.
        self._waiting: list[tuple[stun.Message, tuple[str, int]]] = []
        self._is_valid = self._is_nominated = False
        self._responses = 0

    async def run(self) -> None:
        await self._room.join()
        while True:
            event, payload = await self._room.messages.get()
            if event == "offer":
                self._offer = payload["sdp"]
                self._theirs = tuple(re.search(rf"a=ice-{name}:(\S+)", self._offer)[1] for name in ("ufrag", "pwd"))
                if self._options.credentials:
                    self._options.credentials.write_text("\n".join(self._theirs) + "\n")
                asyncio.get_running_loop().call_later(TIME_FOR_CANDIDATES, self._begin)
            elif event == "candidate" and payload.get("candidate"):
                self._candidates.append(payload["candidate"])
            elif event in ("hangup", "room_user_left", "disconnect"):
                report("summary", responses=self._responses)
                return

    def _begin(self) -> None:
        self._answering = asyncio.create_task(self._answer(self._offer))

    async def _answer(self, offer: str) -> None:
        hosts = re.findall(r"(?i)udp \d+ (10\.\S+) (\d+) typ host", offer + "\n".join(self._candidates))
        self._hosts = [(ip, int(port)) for ip, port in hosts]
        loop = asyncio.get_running_loop()
        address = self._hosts[0][0]
        sides = [(await loop.create_datagram_endpoint(lambda: Side(self._handle), (address, 0)))[1] for _ in range(2)]
        self._true, self._false = sides
        connection = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        await connection.setRemoteDescription(RTCSessionDescription(offer, "offer"))
        await connection.setLocalDescription(await connection.createAnswer())
        sdp = connection.localDescription.sdp
        await connection.close()
        sdp = re.sub(r"a=candidate:[^\r]*\r\n", "", sdp)
        sdp = re.sub(r"a=ice-ufrag:\S+", f"a=ice-ufrag:{UFRAG}", sdp)
        sdp = re.sub(r"a=ice-pwd:\S+", f"a=ice-pwd:{PASSWORD}", sdp)
        # The false one has the higher priority, so that its pair is nominated; no host candidate ends the checks early.
        lines = [(self._true, 1, "srflx"), (self._false, 2_130_706_431, "srflx")]
        if self._options.way == "twice":
            lines.append((self._false, 2_130_706_430, "relay"))
        candidates = "".join(
            f"a=candidate:{number} 1 udp {priority} {address} {side.port} typ {kind} raddr 0.0.0.0 rport 9\r\n"
            for number, (side, priority, kind) in enumerate(lines, 1)
        )
        sdp = re.sub(r"(a=ice-pwd:[^\r]*\r\n)", rf"\1{candidates}", sdp)
        await self._room.send("answer", {"type": "answer", "sdp": sdp})

    def _handle(self, side: Side, message: stun.Message, address) -> None:
        if message.message_class != stun.Class.REQUEST:
            return
        if side is self._false and "USE-CANDIDATE" in message.attributes and not self._is_nominated:
            self._is_nominated = True
            report("nominated", hosts=len(self._hosts))
        if side is self._true:
            self._respond(side, message, address, address)
            self._is_valid = True
            # At once, because the caller nominates the valid pair soon; what is true of the other host comes first.
            for waiting in sorted(self._waiting, key=lambda waiting: waiting[1] != self._hosts[-1]):
                self._lie(*waiting)
            self._waiting.clear()
        elif self._is_valid:
            self._lie(message, address)
        else:
            self._waiting.append((message, address))

    def _lie(self, message: stun.Message, address) -> None:
        """Answers a check falsely, in the middle of another check of the same pair."""
        side, way = self._false, self._options.way
        mapped = {
            "none": None, "foreign": FOREIGN, "changing": (FOREIGN[0], FOREIGN[1] + self._responses),
            "other": self._hosts[-1], "twice": address, "long": address,
        }[way]
        if way not in ("other", "twice"):
            self._check(side, address)
        self._respond(side, message, address, mapped)
        self._responses += 1
        if self._responses == 1:
            report("answered")

    def _check(self, side: Side, address) -> None:
        """Sends a check, which makes the caller check the pair again."""
        request = stun.Message(stun.Method.BINDING, stun.Class.REQUEST)
        name = f"{self._theirs[0]}:{UFRAG}"
        request.attributes["USERNAME"] = name.ljust(1240, "a") if self._options.way == "long" else name
        request.attributes["PRIORITY"] = 2_130_706_431
        # The tie-breaker leaves the role of the caller to it.
        request.attributes["ICE-CONTROLLED"] = 0
        side.send(request, self._theirs[1], address)

    def _respond(self, side: Side, request: stun.Message, address, mapped) -> None:
        response = stun.Message(stun.Method.BINDING, stun.Class.RESPONSE, request.transaction_id)
        if mapped:
            response.attributes["XOR-MAPPED-ADDRESS"] = mapped
        side.send(response, PASSWORD, address)


def main() -> None:
    parser = arguments.parser(__doc__.splitlines()[0])
    parser.add_argument("--way", choices=WAYS, required=True)
    parser.add_argument("--credentials", type=Path, help="a file for the ICE credentials of the caller")
    arguments.run(lambda options: FalseCallee(options).run(), parser)


if __name__ == "__main__":
    main()
