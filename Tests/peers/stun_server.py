"""A STUN server that answers Binding requests over IPv4, and reports each request (RFC 8489)."""

import argparse
import socket
import struct

from peers.report import report

MAGIC = 0x2112A442


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--host", default="127.0.0.1")
    host = arguments.parse_args().host
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind((host, 0))
    report("server.listening", url=f"stun:{host}:{server.getsockname()[1]}")
    while True:
        request, client = server.recvfrom(2048)
        if request[:2] != b"\0\1" or len(request) < 20:
            continue
        report("stun.binding", client=client[0])
        address = struct.unpack("!I", socket.inet_aton(client[0]))[0] ^ MAGIC
        mapped = struct.pack("!HHBBHI", 0x0020, 8, 0, 1, client[1] ^ (MAGIC >> 16), address)
        server.sendto(struct.pack("!HH", 0x0101, len(mapped)) + request[4:20] + mapped, client)


if __name__ == "__main__":
    main()
