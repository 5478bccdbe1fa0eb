"""Clients that exceed a limit of a signaling server, chosen by a subcommand, and report the result."""

import argparse
import asyncio
from urllib.parse import urlencode

import aiohttp

from .report import report

CANDIDATE = '42["candidate",{"candidate":"candidate:1 1 udp 1 10.0.0.1 9 typ host","sdpMLineIndex":0}]'
GONE = (aiohttp.ClientError, ConnectionError, asyncio.IncompleteReadError)


async def open_connections(server: str, count: int) -> None:
    """Opens connections and keeps them open; reports for each connection whether its request was answered."""
    host, port = server.removeprefix("http://").split(":")
    answered, kept = [], []
    for _ in range(count):
        try:
            reader, writer = await asyncio.open_connection(host, int(port))
            kept.append(writer)
            writer.write(f"GET /healthz HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            answered.append((await reader.readuntil(b"\r\n")).startswith(b"HTTP/1.1 200"))
        except GONE:
            answered.append(False)
    report("connections", answered=answered)
    await asyncio.Event().wait()


async def join(session: aiohttp.ClientSession, server: str, name: str, is_caller: bool):
    """Returns a WebSocket that has joined room 2."""
    person = {"roomId": 2, "username": name, "isCaller": str(is_caller).lower()}
    query = urlencode({"EIO": 4, "transport": "websocket", **person})
    socket = await session.ws_connect(f"{server}/socket.io/?{query}", max_msg_size=0)
    await socket.send_str("40")
    while not (await socket.receive_str()).startswith("40"):
        pass
    return socket


async def send_until_closed(server: str, texts: list[str]) -> None:
    """Joins room 2 and sends all texts without a pause; reports the close code of the server."""
    async with aiohttp.ClientSession() as session:
        socket = await join(session, server, "Eve", True)
        try:
            for text in texts:
                await socket.send_str(text)
        except GONE:
            pass
        async for _ in socket:
            pass
        report("closed", code=socket.close_code)


async def post(server: str, size: int) -> None:
    """Posts `size` bytes over polling; reports the status of the response."""
    async with aiohttp.ClientSession() as session:
        address = f"{server}/socket.io/?EIO=4&transport=polling"
        async with session.get(address) as answer:
            sid = (await answer.text()).split('"sid":"')[1].split('"')[0]
        async with session.post(f"{address}&sid={sid}", data="4" * size) as answer:
            report("posted", status=answer.status)


async def read_nothing(server: str, megabytes: int) -> None:
    """Sends events to a member of open room 2 that reads and to one that does not; reports how many the first reads."""
    text = '42["file","' + "x" * 99_980 + '"]'
    async with aiohttp.ClientSession() as session:
        listening, deaf, speaking = [await join(session, server, name, False) for name in ("Ann", "Bob", "Eve")]
        deaf._conn.transport.pause_reading()
        count = 0
        for _ in range(megabytes * 10):
            await speaking.send_str(text)
            # The member that reads keeps up, so that only the other member is disconnected.
            count += await hear(listening, text, 1)
        report("heard", count=count, of=megabytes * 10)


async def stall(server: str, count: int) -> None:
    """Sends 100 messages to members of open room 2 that never read, half of them over polling; reports the end."""
    text = '42["file","' + "x" * 199_980 + '"]'
    async with aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)) as session:
        speaking, kept = await join(session, server, "Eve", False), []
        for number in range(0, count, 2):
            kept.append(await join(session, server, f"Bob {number}", False))
            kept[-1]._conn.transport.pause_reading()
            await poll_nothing(session, server, f"Carl {number}")
        for _ in range(100):
            await speaking.send_str(text)
        report("said")
        async for _ in speaking:
            pass


async def poll_nothing(session: aiohttp.ClientSession, server: str, name: str) -> None:
    """Joins room 2 over polling and then stops polling."""
    query = urlencode({"EIO": 4, "transport": "polling", "roomId": 2, "username": name, "isCaller": "false"})
    address = f"{server}/socket.io/?{query}"
    async with session.get(address) as answer:
        sid = (await answer.text()).split('"sid":"')[1].split('"')[0]
    async with session.post(f"{address}&sid={sid}", data="40") as answer:
        assert answer.status == 200


async def come_from(server: str, origin: str) -> None:
    """Connects over each transport with the `Origin` header of a page; reports the HTTP statuses."""
    statuses = {}
    async with aiohttp.ClientSession(headers={"Origin": origin}) as session:
        async with session.get(f"{server}/socket.io/?EIO=4&transport=polling") as answer:
            statuses["polling"] = answer.status
        try:
            async with session.ws_connect(f"{server}/socket.io/?EIO=4&transport=websocket"):
                statuses["websocket"] = 101
        except aiohttp.WSServerHandshakeError as refusal:
            statuses["websocket"] = refusal.status
    report("statuses", **statuses)


async def hear(socket: aiohttp.ClientWebSocketResponse, text: str, count: int) -> int:
    heard = 0
    while heard < count:
        message = await socket.receive()
        if message.type != aiohttp.WSMsgType.TEXT:
            break
        heard += message.data == text
    return heard


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    ways = ("connections", "messages", "message-size", "post-size", "deafness", "stalling", "origin")
    parser.add_argument("way", choices=ways)
    parser.add_argument("measure", help="the count, length or megabytes; or the origin")
    parser.add_argument("--server", required=True)
    arguments = parser.parse_args()
    server, measure = arguments.server, arguments.measure
    work = {
        "connections": lambda: open_connections(server, int(measure)),
        "messages": lambda: send_until_closed(server, [CANDIDATE] * int(measure)),
        "message-size": lambda: send_until_closed(server, ['42["x","' + "x" * int(measure) + '"]']),
        "post-size": lambda: post(server, int(measure)),
        "deafness": lambda: read_nothing(server, int(measure)),
        "stalling": lambda: stall(server, int(measure)),
        "origin": lambda: come_from(server, measure),
    }
    asyncio.run(work[arguments.way]())


if __name__ == "__main__":
    main()
