"""Clients that join and immediately leave again, at a high rate and with every way to disconnect.

They run in waves over plain sockets, because a Socket.IO library would be slower than the server. Every two clients
of a wave share a room.
"""

import argparse
import itertools
import os
import random
import socket
import struct
import time
from urllib.parse import urlsplit

from .report import report

WAVE = 50
KEY = b"\x5a\x17\xc3\x8e"
DEADLINE = 15


def frame(opcode: int, payload: bytes) -> bytes:
    masked = bytes(byte ^ KEY[index & 3] for index, byte in enumerate(payload))
    return bytes([0x80 | opcode, 0x80 | len(payload)]) + KEY + masked


CONNECT, DISCONNECT, ENGINE_CLOSE = (frame(1, text) for text in (b"40", b"41", b"1"))
CLOSE = frame(8, b"\x03\xe8")
# The message sent before disconnecting. If it is empty, the connection is closed or reset without a message.
GOODBYES = {"disconnect": DISCONNECT + CLOSE, "engine": ENGINE_CLOSE + CLOSE, "close": CLOSE, "end": b"", "reset": b""}


class Visitor:
    """One client, from its connection to its disconnection."""

    def __init__(self, host: str, port: int, room: int, is_caller: bool):
        self._socket = socket.create_connection((host, port), DEADLINE)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        query = f"EIO=4&transport=websocket&roomId={room}&username=V{room}&isCaller={str(is_caller).lower()}"
        self._socket.sendall(
            f"GET /socket.io/?{query} HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n".encode()
        )

    def open(self) -> None:
        self._hear(b'0{"sid"')
        self._socket.sendall(CONNECT)

    def join(self) -> None:
        self._hear(b'40{"sid"')

    def leave(self, way: str) -> None:
        self._way = way
        if GOODBYES[way]:
            self._socket.sendall(GOODBYES[way])

    def end(self) -> None:
        """Closes the connection. If a message announced the leave, waits first until the server has closed it."""
        if GOODBYES[self._way]:
            try:
                while self._socket.recv(4096):
                    pass
            except ConnectionResetError:
                pass
        if self._way != "end":
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()

    def _hear(self, words: bytes) -> None:
        heard = b""
        while words not in heard:
            news = self._socket.recv(4096)
            if not news or b'44{"' in news:
                raise SystemExit(f"not let in: {heard + news!r}")
            heard += news


def visit(host: str, port: int, rooms: itertools.count, ways: random.Random) -> None:
    """Runs one wave of clients until the last one has left."""
    visitors = [Visitor(host, port, room, role) for room in itertools.islice(rooms, WAVE // 2) for role in (True, False)]
    for visitor in visitors:
        visitor.open()
    for visitor in visitors:
        visitor.join()
    ways.shuffle(visitors)
    for visitor in visitors:
        visitor.leave(ways.choice(list(GOODBYES)))
    for visitor in visitors:
        visitor.end()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--rate", type=int, required=True, help="joins per second")
    parser.add_argument("--seconds", type=int, required=True)
    parser.add_argument("--first-room", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=os.getpid())
    options = parser.parse_args()
    address = urlsplit(options.server)
    report("churning", seed=options.seed)
    ways = random.Random(options.seed)
    rooms = itertools.count(options.first_room)
    began, joins, told = time.monotonic(), 0, 0
    while joins < options.rate * options.seconds:
        visit(address.hostname, address.port, rooms, ways)
        joins += WAVE
        time.sleep(max(0, began + joins / options.rate - time.monotonic()))
        if (second := int(time.monotonic() - began)) > told:
            told = second
            report("churned", second=second, joins=joins)
    report("gone", joins=joins, took=round(time.monotonic() - began, 2))


if __name__ == "__main__":
    main()
