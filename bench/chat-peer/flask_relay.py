"""A chat with the frames of the original on Flask and flask-sock, which keeps all messages in memory as that does."""

import json
import sys
from datetime import UTC, datetime
from threading import Lock

from flask import Flask, request
from flask_sock import Sock

app = Flask(__name__)
sock = Sock(app)
lock = Lock()
histories: dict[tuple[int, int], list[dict]] = {}
sockets: dict[tuple[int, int], set] = {}


@sock.route("/ws/chat")
def chat(socket) -> None:
    own, peer = int(request.args["userId"]), int(request.args["withId"])
    pair = (min(own, peer), max(own, peer))
    with lock:
        sockets.setdefault(pair, set()).add(socket)
        socket.send(json.dumps({"type": "history", "items": histories.setdefault(pair, [])}))
    try:
        while True:
            text = socket.receive()
            item = {"from": str(own), "to": str(peer), "message": text, "timestamp": datetime.now(UTC).isoformat()}
            with lock:
                histories[pair].append(item)
                for other in sockets[pair]:
                    other.send(json.dumps({"type": "message", "item": item}))
    finally:
        with lock:
            sockets[pair].discard(socket)


app.run("127.0.0.1", int(sys.argv[1]), threaded=True)
