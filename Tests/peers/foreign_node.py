"""The Redis messages of a Node server with the official classic adapter, and of the redis-emitter.

They are encoded as by `notepack.io` and `JSON.stringify`, with MessagePack in its shortest form and with map keys in
the adapter's order.
"""

import asyncio
import json
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgpack

EVERYBODY = "socket.io#/#"
REQUESTS, RESPONSES = "socket.io-request#/#", "socket.io-response#/#"
NODES = "callrunner#/#"
EMITTER = "emitter"


def room_channel(room: str) -> str:
    return f"{EVERYBODY}{room}#"


def packed(value: object) -> bytes:
    return msgpack.packb(value)


def unpacked(message: bytes) -> object:
    return msgpack.unpackb(message)


def broadcast(node: str, data: list, rooms: list, excepted: list = (), nsp: str = "/") -> tuple[str, bytes]:
    """Returns the channel and the message with which the adapter with the id `node` publishes an event."""
    packet = {"type": 2, "data": data, "nsp": nsp}
    # The adapter and the emitter order the fields differently.
    order = ("rooms", "flags", "except") if node == EMITTER else ("rooms", "except", "flags")
    said = {"rooms": list(rooms), "except": list(excepted), "flags": {}}
    options = {key: said[key] for key in order}
    channel = room_channel(rooms[0]) if len(rooms) == 1 else EVERYBODY
    return channel, packed([node, packet, options])


class ForeignNode:
    """A server that subscribes and replies like the adapter, and stores all other messages.

    `sockets` are its replies to requests for sockets. They are published on the common response channel, or with
    `is_direct` on that of the requesting server, as with the adapter's option `publishOnSpecificResponseChannel`.
    """

    def __init__(self, client, sockets: list[dict] = (), is_direct: bool = False):
        self.uid = secrets.token_hex(3)
        self._client = client
        self.sockets, self.is_direct = list(sockets), is_direct
        self.requests: list[dict] = []
        self.responses: list[dict] = []
        self._news = asyncio.Condition()

    async def publish(self, channel: str, message: bytes) -> None:
        await self._client.publish(channel, message)

    async def broadcast(self, *data, rooms: list = (), excepted: list = (), uid: str | None = None) -> None:
        await self.publish(*broadcast(uid or self.uid, list(data), rooms, excepted))

    async def request(self, kind: int, answers: int, within: float = 20, **fields) -> list[dict]:
        """Sends a request to all servers, and waits for `answers` responses."""
        number = secrets.token_hex(8)
        asked = {"uid": self.uid, "requestId": number, "type": kind, **fields}
        # The adapter encodes requests for acknowledgements in MessagePack, and all others in JSON.
        await self.publish(REQUESTS, packed(asked) if kind == 7 else json.dumps(asked).encode())

        def got() -> list[dict]:
            return [response for response in self.responses if response.get("requestId") == number]

        try:
            async with asyncio.timeout(within), self._news:
                await self._news.wait_for(lambda: len(got()) >= answers)
        except TimeoutError:
            raise AssertionError(f"no {answers} answers within {within} s, but {self.responses}") from None
        return got()

    async def hear_request(self, kind: int, within: float = 20) -> dict:
        try:
            async with asyncio.timeout(within), self._news:
                await self._news.wait_for(lambda: any(request["type"] == kind for request in self.requests))
        except TimeoutError:
            raise AssertionError(f"no request of type {kind} within {within} s, but {self.requests}") from None
        return next(request for request in self.requests if request["type"] == kind)

    async def _listen(self, pubsub) -> None:
        async for message in pubsub.listen():
            channel = message["channel"].decode()
            if message["type"] == "message" and channel in (REQUESTS, RESPONSES):
                heard = message["data"]
                value = json.loads(heard) if heard[:1] == b"{" else msgpack.unpackb(heard)
                if value.get("uid") != self.uid:
                    await self._take(value, self.requests if channel == REQUESTS else self.responses)

    async def _take(self, value: dict, into: list) -> None:
        if into is self.requests and value["type"] == 5:
            answer = {"requestId": value["requestId"], "sockets": self.sockets}
            channel = f"{RESPONSES}{value['uid']}#" if self.is_direct else RESPONSES
            await self.publish(channel, json.dumps(answer, separators=(",", ":")).encode())
        async with self._news:
            into.append(value)
            self._news.notify_all()


@asynccontextmanager
async def foreign_node(client, *options, **keywords) -> AsyncIterator[ForeignNode]:
    """Runs a subscribed node until the end of the `with` block."""
    node = ForeignNode(client, *options, **keywords)
    async with client.pubsub() as pubsub:
        await pubsub.psubscribe(f"{EVERYBODY}*")
        await pubsub.subscribe(REQUESTS, RESPONSES)
        for _ in range(3):
            await pubsub.get_message(timeout=10)
        listening = asyncio.create_task(node._listen(pubsub))
        try:
            yield node
        finally:
            listening.cancel()
