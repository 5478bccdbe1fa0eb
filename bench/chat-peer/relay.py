"""A chat with the frames of the original on aiohttp, which stores each message in SQLite before its echo."""

import json
import sqlite3
import sys
from datetime import UTC, datetime

from aiohttp import web

database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode = WAL")
database.execute("PRAGMA synchronous = FULL")
database.execute("CREATE TABLE message (low INTEGER, high INTEGER, sender INTEGER, text TEXT, time TEXT)")
sockets: dict[tuple[int, int], set[web.WebSocketResponse]] = {}


async def chat(request: web.Request) -> web.WebSocketResponse:
    own, peer = int(request.query["userId"]), int(request.query["withId"])
    pair = (min(own, peer), max(own, peer))
    socket = web.WebSocketResponse()
    await socket.prepare(request)
    sockets.setdefault(pair, set()).add(socket)
    await socket.send_str(json.dumps({"type": "history", "items": []}))
    async for message in socket:
        now = datetime.now(UTC).isoformat()
        database.execute("INSERT INTO message VALUES (?, ?, ?, ?, ?)", (*pair, own, message.data, now))
        item = {"from": str(own), "to": str(peer), "message": message.data, "timestamp": now}
        frame = json.dumps({"type": "message", "item": item})
        for other in sockets[pair]:
            await other.send_str(frame)
    sockets[pair].discard(socket)
    return socket


app = web.Application()
app.router.add_get("/ws/chat", chat)
web.run_app(app, host="127.0.0.1", port=int(sys.argv[2]), print=None)
