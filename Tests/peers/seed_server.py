"""A signaling server on python-socketio that behaves like the original Node.js server (“seed”).

A client that connects with `?roomId=&username=&isCaller=` joins the room. The others receive `room_user_joined` with
the values as strings, as in the query. The new client receives nothing. `offer`, `answer` and `candidate` are relayed
to the others with the first argument only, and are never acknowledged. SIGTERM stops the server like `io.close()` in
Node.js: every client receives the leaves of the others, and is then disconnected.
"""

import argparse
import asyncio
import os
import signal
from collections.abc import Callable
from urllib.parse import parse_qs

import socketio
from aiohttp import web

from .report import report

RELAYED = ("offer", "answer", "candidate")
JOIN_KEYS = ("username", "roomId", "isCaller")


class NodeLikeServer(socketio.AsyncServer):
    """A server without acknowledgements, because a Node.js handler that ignores `ack` sends none either."""

    async def _send_packet(self, eio_sid, packet):
        if packet.packet_type in (socketio.packet.ACK, socketio.packet.BINARY_ACK):
            return
        await super()._send_packet(eio_sid, packet)


def seed_server(
    transports: list[str],
    tell: Callable[..., None] = report,
    lose_offers: int = 0,
    redis: str | None = None,
    max_payload: int = 1_000_000,
) -> socketio.AsyncServer:
    others = socketio.AsyncRedisManager(redis) if redis else None
    server = NodeLikeServer(
        async_mode="aiohttp",
        cors_allowed_origins="*",
        transports=transports,
        client_manager=others,
        max_http_buffer_size=max_payload,
    )
    people: dict[str, dict[str, str]] = {}
    to_lose = lose_offers

    def room(sid: str) -> str:
        return people[sid].get("roomId", "undefined")

    @server.event
    async def connect(sid, environ, auth=None):
        query = parse_qs(environ.get("QUERY_STRING", ""), keep_blank_values=True)
        people[sid] = {key: query[key][-1] for key in JOIN_KEYS if key in query}
        await server.enter_room(sid, room(sid))
        tell("joined", **people[sid])
        await server.emit("room_user_joined", people[sid], room=room(sid), skip_sid=sid)

    @server.event
    async def disconnect(sid, reason=None):
        username = people[sid].get("username")
        tell("left", username=username, reason=reason)
        await tell_leaving(sid)
        del people[sid]

    async def tell_leaving(sid: str) -> None:
        username = people[sid].get("username")
        left = {} if username is None else {"username": username}
        await server.emit("room_user_left", left, room=room(sid), skip_sid=sid)

    async def stop() -> None:
        for sid in people:
            await tell_leaving(sid)
        await asyncio.sleep(0.05)  # until the leaves have been sent
        os._exit(0)

    server.stop = stop

    @server.on("*")
    async def relay(event, sid, *arguments):
        nonlocal to_lose
        if event not in RELAYED:
            return
        if event == "offer" and to_lose > 0:
            to_lose -= 1
            tell("lost", name=event, username=people[sid].get("username"))
            return
        tell("relayed", name=event, username=people[sid].get("username"))
        await server.emit(event, arguments[0] if arguments else None, room=room(sid), skip_sid=sid)

    return server


async def serve(
    host: str,
    port: int,
    transports: list[str],
    page: str | None,
    quiet: bool,
    lose_offers: int,
    redis: str | None,
    max_payload: int,
) -> None:
    application = web.Application()
    tell = (lambda *_, **__: None) if quiet else report
    server = seed_server(transports, tell, lose_offers, redis, max_payload)
    server.attach(application)
    stopping: list[asyncio.Task] = []
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(signal.SIGTERM, lambda: stopping.append(loop.create_task(server.stop())))
    if page:
        application.router.add_get("/", lambda _: web.FileResponse(f"{page}/index.html"))
        application.router.add_static("/", page)
    site_runner = web.AppRunner(application)
    await site_runner.setup()
    await web.TCPSite(site_runner, host, port).start()
    bound_port = site_runner.addresses[0][1]
    report("server.listening", url=f"http://{host}:{bound_port}")
    await asyncio.Event().wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=3000, help="the port; 0 for any free one (default 3000)")
    parser.add_argument("--transports", default="polling,websocket")
    parser.add_argument("--page", metavar="DIR", help="also serve these files, with the origin of the server")
    parser.add_argument("--quiet", action="store_true", help="report only the URL of the server")
    parser.add_argument("--lose-offers", type=int, default=0, metavar="N", help="drop the first N offers")
    parser.add_argument("--redis", metavar="URL", help="share the rooms with others through python-socketio's manager")
    parser.add_argument("--max-payload", type=int, default=1_000_000, metavar="BYTES", help="like maxHttpBufferSize")
    arguments = parser.parse_args()
    transports = arguments.transports.split(",")
    try:
        asyncio.run(
            serve(
                arguments.host,
                arguments.port,
                transports,
                arguments.page,
                arguments.quiet,
                arguments.lose_offers,
                arguments.redis,
                arguments.max_payload,
            )
        )
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
