"""A member of a room with the protocol of the original server, on a python-socketio client."""

import asyncio
from urllib.parse import urlencode

import socketio

from .report import report

INCOMING = ("room_user_joined", "room_user_left", "room_state", "offer", "answer", "candidate", "hangup")


class Room:
    """A client that sends its join fields in the query. `messages` contains the received (event, payload) pairs."""

    def __init__(self, server: str, room: int, name: str, caller: bool, transports: list[str]):
        self.name, self.caller = name, caller
        query = {"roomId": room, "username": name, "isCaller": "true" if caller else "false"}
        self._url = f"{server}?{urlencode(query)}"
        self._transports = transports
        self._socket = socketio.AsyncClient(reconnection=False)
        self.messages: asyncio.Queue[tuple[str, object]] = asyncio.Queue()
        for event in INCOMING:
            self._socket.on(event, self._receiver(event))
        self._socket.on("disconnect", self._receiver("disconnect"))

    def _receiver(self, event: str):
        async def receive(*arguments):
            self.messages.put_nowait((event, arguments[0] if arguments else None))

        return receive

    async def join(self) -> None:
        await self._socket.connect(self._url, transports=self._transports)
        report("room.joined", username=self.name, role="caller" if self.caller else "callee")

    async def send(self, event: str, payload: object) -> None:
        if event in ("offer", "answer"):
            report("sdp.sent", type=event, bytes=len(payload["sdp"]))
        await self.send_raw(event, payload)

    async def send_raw(self, event: str, payload: object) -> None:
        """Emits any payload, even an invalid one."""
        await self._socket.emit(event, payload)

    async def leave(self) -> None:
        await self._socket.disconnect()

    def is_counterpart(self, someone: object) -> bool:
        """Whether a participant has the opposite role, which the original server sends as a string."""
        if not isinstance(someone, dict):
            return False
        peer_calls = str(someone.get("isCaller")).lower() in ("true", "1")
        return peer_calls != self.caller
