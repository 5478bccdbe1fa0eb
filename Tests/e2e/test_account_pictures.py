"""Profile pictures of accounts: the memory that the server uses for them."""

import asyncio
import socket
from urllib.parse import SplitResult, urlsplit

from peers.accounts import PNG, Accounts, request
from peers.inside import Inside
from peers.usage import most_resident_megabytes


async def read_slowly(address: SplitResult, request: bytes) -> bytes:
    """Sends a request, and reads only the first bytes of its answer while the connection stays open."""
    loop = asyncio.get_running_loop()
    reader = socket.socket()
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.setblocking(False)
    await loop.sock_connect(reader, (address.hostname, address.port))
    await loop.sock_sendall(reader, request)
    loop.call_later(5, reader.close)
    return await loop.sock_recv(reader, 12)


def test_slow_downloads_of_a_large_picture_use_little_server_memory(loopback_machine, tmp_path):
    accounts = Accounts(loopback_machine, tmp_path)
    accounts.register()
    picture = tmp_path / "large.png"
    picture.write_bytes(PNG.ljust(5_000_000, b"\0"))
    accounts.run("edit", "--avatar", picture)
    path, token = accounts.profile()["avatars"]["avatar"], accounts.token()
    # The upload takes memory too.
    accounts.kill()
    accounts.start()
    server, address = accounts.server.process.pid, urlsplit(accounts.url)
    asked = f"GET /{path} HTTP/1.1\r\nHost: {address.netloc}\r\nAuthorization: Bearer {token}\r\n\r\n"

    async def read_all() -> list[bytes]:
        return await asyncio.gather(*(read_slowly(address, asked.encode()) for _ in range(30)))

    before = most_resident_megabytes(server)
    with Inside(loopback_machine.namespace.name) as inside:
        answers = inside.run(read_all())
    # A user reads twelve at once; the others are asked to come again.
    assert sorted(answers) == [b"HTTP/1.1 200"] * 12 + [b"HTTP/1.1 503"] * 18
    grown = most_resident_megabytes(server) - before
    assert grown < 150, f"30 readers of 5 MB took {grown:.0f} MB"
    assert request(loopback_machine, "GET", f"{accounts.url}/{path}", token)[1] == picture.read_bytes()
