"""One side of the signaling of a call, with the public API of python-socketio.

`official_client.js` performs the same steps with the official JavaScript client. `hold` returns the received events
and the transport in the same format in both files.
"""

import argparse
import asyncio
import json
from urllib.parse import urlencode

import socketio

from .report import report

CANDIDATES = 3
PATIENCE = 30


class Side:
    """A client in a room. `heard` contains the lists of arguments by event."""

    def __init__(self, plan: dict):
        self._plan = plan
        self._socket = socketio.AsyncClient(reconnection=False)
        self._news = asyncio.Condition()
        self.heard: dict[str, list] = {}
        self.refusal = None
        self._socket.on("*", self._hear)
        self._socket.on("connect_error", self._be_refused)

    async def _hear(self, event, *arguments):
        async with self._news:
            self.heard.setdefault(event, []).append([readable(argument) for argument in arguments])
            self._news.notify_all()
        # The acknowledgement consists of the reversed bytes and the number of arguments.
        return (arguments[0][::-1], len(arguments)) if event == "file" else None

    async def _be_refused(self, refusal):
        self.refusal = refusal

    async def wait_for(self, event: str, count: int = 1) -> None:
        async with asyncio.timeout(PATIENCE), self._news:
            await self._news.wait_for(lambda: len(self.heard.get(event, [])) >= count)

    async def hold(self) -> dict:
        """Joins and acts as caller or callee until both clients have left; returns the result."""
        person = {key: self._plan[key] for key in ("roomId", "username", "isCaller")}
        told = {"auth": person} if self._plan["by"] == "auth" else {}
        query = "" if told else f"?{urlencode({**person, 'isCaller': json.dumps(person['isCaller'])})}"
        chosen = {"transports": self._plan["transports"]} if self._plan["transports"] else {}
        try:
            await self._socket.connect(self._plan["server"] + query, wait_timeout=PATIENCE, **told, **chosen)
        except socketio.exceptions.ConnectionError:
            return {"refusal": self.refusal}
        report("joined")
        await self.wait_for("room_state")
        await self.wait_for("room_user_joined")
        acknowledged = await (self._call() if self._plan["isCaller"] else self._answer())
        return {"heard": self.heard, "acknowledged": acknowledged, "transport": self._transport}

    async def _call(self) -> list:
        await self._socket.emit("offer", {"type": "offer", "sdp": self._plan["sdp"]})
        await self.wait_for("answer")
        acknowledged = await self._exchange()
        await self._socket.emit("hangup", {"offer": "ufrag"})
        await self.wait_for("hangup")
        await self._leave()
        return acknowledged

    async def _answer(self) -> list:
        await self.wait_for("offer")
        await self._socket.emit("answer", {"type": "answer", "sdp": self._plan["sdp"], "offer": "ufrag"})
        acknowledged = await self._exchange()
        await self.wait_for("hangup")
        await self._socket.emit("hangup", {"offer": "ufrag"})
        await self.wait_for("room_user_left")
        await self._leave()
        return acknowledged

    async def _exchange(self) -> list:
        """Exchanges candidates, and bytes that the peer acknowledges with bytes."""
        for number in range(CANDIDATES):
            candidate = {"candidate": f"candidate:{number} 1 udp 1 10.0.0.1 9 typ host", "sdpMid": "0"}
            await self._socket.emit("candidate", {**candidate, "sdpMLineIndex": 0})
        file = bytes.fromhex(self._plan["file"])
        acknowledged = await self._socket.call("file", (file, {"name": self._plan["username"]}), timeout=PATIENCE)
        await self.wait_for("candidate", CANDIDATES)
        await self.wait_for("file")
        return [readable(argument) for argument in acknowledged]

    async def _leave(self) -> None:
        self._transport = self._socket.transport()
        await self._socket.disconnect()


def readable(argument: object) -> object:
    return {"bytes": argument.hex()} if isinstance(argument, bytes) else argument


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=json.loads)
    report("held", **asyncio.run(Side(parser.parse_args().plan).hold()))


if __name__ == "__main__":
    main()
