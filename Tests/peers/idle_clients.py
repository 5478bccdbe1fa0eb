"""Clients that each send two large requests at once, and then keep their connections open."""

import argparse
import socket
import time
from urllib.parse import urlsplit

from peers.report import report

SIZE = 65_000


def main() -> None:
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--url", required=True)
    arguments.add_argument("--number", type=int, required=True)
    chosen = arguments.parse_args()
    place = urlsplit(chosen.url)
    head = f"POST / HTTP/1.1\r\nHost: {place.netloc}\r\nContent-Length: {SIZE}\r\n\r\n".encode()
    clients = []
    for _ in range(chosen.number):
        client = socket.create_connection((place.hostname, place.port), timeout=10)
        for _ in range(2):
            client.sendall(head + b"x" * SIZE)
            answer = client.recv(65_536)
            assert answer.startswith(b"HTTP/1.1 4"), answer
        clients.append(client)
    report("idle")
    time.sleep(60)


if __name__ == "__main__":
    main()
