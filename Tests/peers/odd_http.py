"""HTTP servers that use rare parts of protocols against their clients."""

import argparse
import socket
import ssl
import threading
from pathlib import Path

from .report import report

# An address of a protection space without a host (CVE-2025-4476 in libsoup 3.2.3); it concerns the default port only.
CHALLENGE = b'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="a", nonce="b", domain="http:x"\r\n'
EMPTY = b"Content-Length: 2\r\nContent-Type: application/json\r\n\r\n[]"


def answer(connection: socket.socket, head: bytes) -> None:
    request = b""
    try:
        while b"\r\n\r\n" not in request:
            part = connection.recv(4096)
            if not part:
                return
            request += part
        connection.sendall(head + EMPTY)
        report("answered")
        while connection.recv(4096):
            connection.sendall(head + EMPTY)
    except OSError:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    kinds.add_parser("challenge")
    tickets = kinds.add_parser("tickets", help="sends any number of TLS session tickets after each handshake")
    tickets.add_argument("--certificate", type=Path, required=True)
    tickets.add_argument("--number", type=int, required=True)
    options = parser.parse_args()
    context = None
    if options.kind == "tickets":
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(options.certificate)
        context.num_tickets = options.number
    port = 80 if options.kind == "challenge" else 0
    listener = socket.create_server(("127.0.0.1", port))
    scheme = "https" if context else "http"
    shown = "" if port else f":{listener.getsockname()[1]}"
    report("listening", url=f"{scheme}://127.0.0.1{shown}")
    head = CHALLENGE if options.kind == "challenge" else b"HTTP/1.1 200 OK\r\n"
    while True:
        connection, _ = listener.accept()

        def serve(raw: socket.socket = connection) -> None:
            try:
                answer(context.wrap_socket(raw, server_side=True) if context else raw, head)
            except OSError:
                pass

        threading.Thread(target=serve, daemon=True).start()


if __name__ == "__main__":
    main()
