"""A chat server that behaves as the original one: texts only, in memory, and an echo to the sender's socket alone."""

import argparse
import asyncio
import json
from datetime import datetime, timezone
from itertools import cycle

from aiohttp import WSMsgType, web

from .report import report

PEOPLE = [
    {"id": 1, "name": "Ada Fern", "status": "in the garden", "isOnline": True},
    {"id": 2, "name": "Ben Oak", "status": None, "isOnline": True},
    {"id": 3, "name": "Cleo Reed", "status": "asleep", "isOnline": False},
]
NAMES = {99: "You", **{person["id"]: person["name"] for person in PEOPLE}}
ONLINE = {person["id"] for person in PEOPLE if person["isOnline"]}
REPLIES = ["Sure!", "Tell me more.", "Later, maybe."]


def name(person: int) -> str:
    return NAMES.get(person, str(person))


def item(sender: int, recipient: int, text: str, **more) -> dict:
    stamp = datetime.now(timezone.utc).isoformat()
    return {"from": name(sender), "to": name(recipient), "message": text, "timestamp": stamp, **more}


class Server:
    def __init__(self):
        self.histories: dict[frozenset[int], list[dict]] = {}
        self.replies = cycle(REPLIES)
        self.sockets: set[web.WebSocketResponse] = set()
        self.is_mute = False

    async def people(self, request: web.Request) -> web.Response:
        return web.json_response(PEOPLE)

    async def mute(self, request: web.Request) -> web.Response:
        """From now on, texts are neither stored nor echoed."""
        self.is_mute = True
        return web.Response()

    async def drop(self, request: web.Request) -> web.Response:
        """Breaks all connections."""
        for socket in list(self.sockets):
            socket._req.transport.abort()
        return web.Response()

    async def end(self, request: web.Request) -> web.Response:
        """Closes all connections with code 1000."""
        for socket in list(self.sockets):
            await socket.close()
        return web.Response()

    async def chat(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse()
        await socket.prepare(request)
        me, peer = (int(request.query.get(key, 0)) for key in ("userId", "withId"))
        report("opened", userId=me, withId=peer)
        if me <= 0 or peer <= 0:
            await socket.close()
            return socket
        pair = frozenset((me, peer))
        if pair not in self.histories:
            self.histories[pair] = [item(peer, me, "Hi there!"), item(me, peer, "Hello!")]
        history = self.histories[pair]
        await socket.send_str(json.dumps({"type": "history", "items": history}))
        self.sockets.add(socket)
        async for message in socket:
            if message.type != WSMsgType.TEXT:
                break
            report("received", text=message.data)
            if self.is_mute:
                continue
            await self.add(item(me, peer, message.data), history, socket)
            if peer in ONLINE:
                await self.add(item(peer, me, next(self.replies), auto=True), history, socket)
        self.sockets.discard(socket)
        return socket

    async def add(self, new: dict, history: list[dict], socket: web.WebSocketResponse) -> None:
        history.append(new)
        await socket.send_str(json.dumps({"type": "message", "item": new}))


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    server = Server()
    application = web.Application()
    application.add_routes([
        web.get("/api/users", server.people), web.get("/ws/chat", server.chat), web.get("/-/drop", server.drop),
        web.get("/-/mute", server.mute), web.get("/-/end", server.end),
    ])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", parser.parse_args().port)
    await site.start()
    report("server.listening", url=f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
