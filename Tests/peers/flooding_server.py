"""A signaling server that sends without a pause to whoever has joined a room."""

import argparse
import base64
import hashlib
import itertools
import re
import socket
import threading

from .report import report

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
JOINED = [
    b'0{"sid":"a","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}',
    b'40{"sid":"b"}',
    b'42["room_state",{"peers":[]}]',
]


def frame(text: bytes, first: int = 0x81) -> bytes:
    assert len(text) < 126
    return bytes([first, len(text)]) + text


# The first frame of a message without end, and those after it; or complete messages.
KINDS = {
    "empty-fragments": (frame(b"", 0x01), frame(b"", 0x00)),
    "fragments": (frame(b"42", 0x01), frame(125 * b"x", 0x00)),
    "pings": (b"", frame(b"", 0x89)),
    "messages": (b"", frame(b'42["unknown"]')),
}


def serve(connection: socket.socket, kind: str) -> None:
    request = b""
    while b"\r\n\r\n" not in request:
        request += connection.recv(4096)
    key = re.search(rb"(?i)sec-websocket-key: *(\S+)", request)[1]
    accepted = base64.b64encode(hashlib.sha1(key + GUID).digest())
    answer = b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
    connection.sendall(answer + b"Sec-WebSocket-Accept: " + accepted + b"\r\n\r\n" + b"".join(map(frame, JOINED)))
    first, others = KINDS[kind]
    connection.sendall(first)
    flood = others * (100_000 // len(others))
    for number in itertools.count():
        connection.sendall(flood)
        if number == 0:
            report("flooding")


def follow(connection: socket.socket, kind: str) -> None:
    try:
        serve(connection, kind)
    except OSError:
        report("closed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=KINDS)
    options = parser.parse_args()
    listener = socket.create_server(("127.0.0.1", 0))
    report("listening", url=f"http://127.0.0.1:{listener.getsockname()[1]}")
    while True:
        connection, _ = listener.accept()
        threading.Thread(target=follow, args=(connection, options.kind), daemon=True).start()


if __name__ == "__main__":
    main()
