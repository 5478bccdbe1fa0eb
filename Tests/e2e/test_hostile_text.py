"""Texts that take very long to compare, because they have many combining marks in a row."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import aiohttp
import pytest
from conftest import new_machine
from peers.inside import Inside

# The longest time in seconds that a server may take for one such text; it was minutes before.
LIMIT = 3


def marks(count: int) -> str:
    return "a" + "\u0301" * (count // 2) + "\u0316" * (count // 2)


SOCKET_IO = "/socket.io/?EIO=4&transport=websocket"
CHAT = "/ws/chat?userId=398&withId=399&v=2"
FRAMES = {
    "an event's field": (SOCKET_IO, ["40", '42["m",{"%s":1,"x":1}]' % marks(480_000)]),
    "an escaped event": (SOCKET_IO, ["40", f"42[{json.dumps(marks(60_000))},1]"]),
    "a request to join": (SOCKET_IO, ["40", '42["join",{"%s":0,"roomId":1}]' % marks(100_000)]),
    "a token": (SOCKET_IO, ['40{"%s":1}' % marks(30_000)]),
    "a namespace": (SOCKET_IO, [f"40/{marks(30_000)},"]),
    "a chat frame's field": (CHAT, ['{"%s":0,"type":"zz"}' % marks(30_000)]),
    "a chat frame's type": (CHAT, ['{"type":"%s"}' % marks(30_000)]),
    "a reaction": (CHAT, ['{"type":"reaction","id":"m","op":"add","reaction":"%s"}' % marks(30_000)]),
}
FIELDS = ["If-None-Match", "Sec-Fetch-Site", "Upgrade", "Expect", "Origin", "Cookie"]


@asynccontextmanager
async def answering(url: str) -> AsyncIterator[aiohttp.ClientSession]:
    """Yields a session, and checks that the server still answers others after it was used."""
    async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(60)) as session:
        yield session
        start = time.monotonic()
        async with session.get(f"{url}/healthz") as answer:
            assert answer.status == 200
        took = time.monotonic() - start
    assert took < LIMIT, f"the server answered after {took:.1f} s"


async def send_frames(url: str, path: str, frames: list[str]) -> None:
    async with answering(url) as session, session.ws_connect(url + path, max_msg_size=0) as socket:
        await socket.receive()
        for frame in frames:
            await socket.send_str(frame)
        # The server reads the frame before it answers the next request.
        await asyncio.sleep(0.2)


async def send_field(url: str, name: str) -> None:
    start = time.monotonic()
    async with answering(url) as session:
        async with session.get(url, headers={name: marks(6000)}) as answer:
            assert answer.status == 400
    assert time.monotonic() - start < LIMIT


async def send_body(url: str) -> None:
    async with answering(url) as session:
        body = json.dumps({marks(6000): 1, "phone": "+79219999999"}, ensure_ascii=False)
        async with session.post(f"{url}/api/v1/users/register/", data=body.encode()) as answer:
            assert answer.status in (400, 401, 422)


async def send_forged(url: str, between: str) -> None:
    async with answering(url) as session, AsyncExitStack() as stack:
        sockets = []
        for name, is_caller in (("bob", False), ("mallory", True)):
            query = f"&roomId=7&username={name}&isCaller={str(is_caller).lower()}"
            sockets.append(await stack.enter_async_context(session.ws_connect(url + SOCKET_IO + query)))
            await sockets[-1].receive()
            await sockets[-1].send_str("40")
            await sockets[-1].receive()
        rows = ("\u0301" * 30 + between) * 4000 + ("\u0316" * 30 + between) * 4000
        await sockets[1].send_str('42["candidate",{"from":"b%s"}]' % rows)
        await asyncio.sleep(0.2)


@pytest.fixture(scope="module")
def server(module_stack, tmp_path_factory):
    folder = tmp_path_factory.mktemp("server")
    machine = module_stack.enter_context(new_machine(folder, loopback_only=True))
    inside = module_stack.enter_context(Inside(machine.namespace.name))
    return inside, machine.server("--data", folder / "data", "--services", "accounts,chat")


@pytest.mark.parametrize("name", FRAMES)
def test_a_websocket_frame_with_many_combining_marks_does_not_block_the_server(server, name):
    inside, url = server
    inside.run(send_frames(url, *FRAMES[name]))


@pytest.mark.parametrize("name", FIELDS)
def test_a_header_field_with_many_combining_marks_is_refused_quickly(server, name):
    inside, url = server
    inside.run(send_field(url, name))


def test_a_request_body_with_many_combining_marks_does_not_block_the_server(server):
    inside, url = server
    inside.run(send_body(url))


@pytest.mark.parametrize("between", ["", "\u200d", "\u034f"], ids=["marks", "joiners", "grapheme joiners"])
def test_a_sender_name_with_many_combining_marks_does_not_block_the_server(server, between):
    inside, url = server
    inside.run(send_forged(url, between))
