"""Faulty servers. In each mode the server is in a different way no signaling server, or refuses clients."""

import argparse
import asyncio
import json

from aiohttp import web

from .report import report

OPEN = '0{"sid":"abcdefghijklmnopqrst","upgrades":[],"pingInterval":25000,"pingTimeout":20000,"maxPayload":1000000}'
CONNECTED = '40{"sid":"uvwxyzabcdefghijklmn"}'


async def hold(_request: web.Request) -> web.StreamResponse:
    """Accepts the request and never responds."""
    await asyncio.Event().wait()


async def plain_page(_request: web.Request) -> web.Response:
    return web.Response(text="<h1>It works!</h1>", content_type="text/html")


def websocket(*packets: str | bytes):
    """Returns a handler that upgrades to WebSocket and sends only these packets."""

    async def handler(request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(max_msg_size=0)
        await socket.prepare(request)
        for packet in packets:
            await (socket.send_bytes(packet) if isinstance(packet, bytes) else socket.send_str(packet))
        async for _ in socket:
            pass
        return socket

    return handler


def event(name: str, payload: object) -> str:
    return "42" + json.dumps([name, payload])


MODES = {
    "no-answer": hold,
    "web-page": plain_page,
    "silent-websocket": websocket(),
    "no-connect-reply": websocket(OPEN),
    "not-engine-io": websocket("hello", "there"),
    "broken-open": websocket('0{"sid":'),
    "room-full": websocket(OPEN, '44{"message":"room_full"}'),
    "role-taken": websocket(OPEN, '44{"message":"role_taken"}'),
    "not-authorized": websocket(OPEN, '44{"message":"not_authorized"}'),
    "big-event": websocket(OPEN, CONNECTED, event("offer", {"type": "offer", "sdp": "v" * 10_000_000})),
}


async def serve(mode: str, port: int) -> None:
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", MODES[mode])
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    report("server.listening", url=f"http://127.0.0.1:{runner.addresses[0][1]}")
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("--port", type=int, default=0)
    arguments = parser.parse_args()
    asyncio.run(serve(arguments.mode, arguments.port))


if __name__ == "__main__":
    main()
