"""A chat on Flask that behaves as the original one: texts only, in memory, and an echo to the sender's socket alone."""

import argparse
import json
from datetime import datetime, timezone
from itertools import cycle
from socket import SHUT_RDWR
from threading import Lock

import simple_websocket
from flask import Flask, jsonify, request
from flask_sock import Sock
from werkzeug.serving import make_server

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
        # Flask runs a thread for each connection.
        self.lock = Lock()
        self.histories: dict[frozenset[int], list[dict]] = {}
        self.replies = cycle(REPLIES)
        self.sockets: set[simple_websocket.Server] = set()
        self.is_mute = False

    def mute(self) -> None:
        """From now on, texts are neither stored nor echoed."""
        self.is_mute = True

    def drop(self) -> None:
        """Breaks all connections."""
        for socket in list(self.sockets):
            socket.sock.shutdown(SHUT_RDWR)

    def end(self) -> None:
        """Closes all connections with code 1000."""
        for socket in list(self.sockets):
            socket.close()

    def chat(self, socket: simple_websocket.Server) -> None:
        me, peer = (int(request.args.get(key, 0)) for key in ("userId", "withId"))
        report("opened", userId=me, withId=peer)
        if me <= 0 or peer <= 0:
            return
        with self.lock:
            greetings = [item(peer, me, "Hi there!"), item(me, peer, "Hello!")]
            history = self.histories.setdefault(frozenset((me, peer)), greetings)
            socket.send(json.dumps({"type": "history", "items": history}))
            self.sockets.add(socket)
        try:
            while True:
                text = socket.receive()
                report("received", text=text)
                with self.lock:
                    if not self.is_mute:
                        self.answer(me, peer, text, history, socket)
        finally:
            self.sockets.discard(socket)

    def answer(self, me: int, peer: int, text: str, history: list[dict], socket: simple_websocket.Server) -> None:
        new = [item(me, peer, text)]
        if peer in ONLINE:
            new.append(item(peer, me, next(self.replies), auto=True))
        for message in new:
            history.append(message)
            socket.send(json.dumps({"type": "message", "item": message}))


def application(server: Server) -> Flask:
    app = Flask(__name__)
    app.add_url_rule("/api/users", view_func=lambda: jsonify(PEOPLE), endpoint="people")
    for action in (server.mute, server.drop, server.end):
        app.add_url_rule(f"/-/{action.__name__}", view_func=lambda act=action: act() or "", endpoint=action.__name__)
    Sock(app).route("/ws/chat")(server.chat)
    return app


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=0)
    served = make_server("127.0.0.1", parser.parse_args().port, application(Server()), threaded=True)
    report("server.listening", url=f"http://127.0.0.1:{served.server_port}")
    served.serve_forever()


if __name__ == "__main__":
    main()
