"""A member of a room that stores the events it receives. Any number of members can run in one event loop."""

import asyncio
from collections import Counter
from urllib.parse import urlencode

import socketio

PATIENCE = 30


class Refused(Exception):
    """The error for a refused join. Its first argument is the reason."""


class Member:
    """A python-socketio client that sends its join fields in the query, like clients of the original server.

    `heard` contains each received event with its arguments, in order. The member acknowledges the event `ask` with
    its arguments, followed by the name of the member.
    """

    def __init__(self, server: str, room: int, name: str, is_caller: bool = False, key: str | None = None, **options):
        self.server, self.room, self.name, self.is_caller, self.key = server, room, name, is_caller, key
        self._options = {"transports": ["websocket"], **options}
        self.heard: list[tuple] = []
        self.refusal = None
        self.closed = asyncio.Event()
        self._news = asyncio.Condition()
        self._socket = socketio.AsyncClient(reconnection=False)
        self._socket.on("*", self._hear)
        self._socket.on("connect_error", self._be_refused)
        self._socket.on("disconnect", self._close)

    async def _hear(self, event, *arguments):
        async with self._news:
            self.heard.append((event, *arguments))
            self._news.notify_all()
        return (*arguments, self.name) if event == "ask" else None

    async def _be_refused(self, refusal):
        self.refusal = refusal

    async def _close(self, *_):
        self.closed.set()

    async def join(self) -> "Member":
        """Joins the room and waits for the list of its members."""
        person = {"roomId": self.room, "username": self.name, "isCaller": str(self.is_caller).lower()}
        auth = {"key": self.key} if self.key else None
        try:
            await self._socket.connect(
                f"{self.server}?{urlencode(person)}", auth=auth, wait_timeout=PATIENCE, **self._options
            )
        except socketio.exceptions.ConnectionError as error:
            # The reason given by the server, or that of a failed connection.
            refusal = self.refusal if isinstance(self.refusal, dict) else {}
            raise Refused(refusal.get("message", str(error))) from None
        await self.hear("room_state")
        return self

    @property
    def sid(self) -> str:
        return self._socket.get_sid()

    async def hear(self, event: str, count: int = 1, within: float = PATIENCE) -> tuple:
        """Waits until `count` of these events have arrived; returns the arguments of the last one."""
        try:
            async with asyncio.timeout(within), self._news:
                await self._news.wait_for(lambda: len(self.all(event)) >= count)
        except TimeoutError:
            raise AssertionError(f"{self.name}: no {count} {event} within {within} s, but {self.heard}") from None
        return self.all(event)[count - 1]

    def all(self, event: str) -> list[tuple]:
        return [arguments for heard, *arguments in self.heard if heard == event]

    def names(self, event: str) -> list[str]:
        """Returns the usernames in the received events with this name."""
        return [arguments[0]["username"] for arguments in self.all(event)]

    @property
    def told(self) -> list[str]:
        """The received announcements of joins (`+Ann`) and leaves (`-Ann`), in order."""
        signs = {"room_user_joined": "+", "room_user_left": "-"}
        return [signs[event] + arguments[0]["username"] for event, *arguments in self.heard if event in signs]

    @property
    def present(self) -> Counter:
        """The other members of the room according to the received announcements."""
        count = Counter()
        for word in self.told:
            count[word[1:]] += 1 if word[0] == "+" else -1
        return +count

    @property
    def state(self) -> dict:
        """The `room_state` that the member received after joining."""
        return self.all("room_state")[0][0]

    async def emit(self, event: str, *arguments) -> None:
        await self._socket.emit(event, arguments)

    async def ask(self, *arguments) -> object:
        """Emits `ask` and waits for the acknowledgement."""
        return await self._socket.call("ask", arguments, timeout=PATIENCE)

    async def leave(self) -> None:
        await self._socket.disconnect()

    def break_off(self) -> None:
        """Drops the connection without leaving."""
        self._socket.eio.ws._response.connection.transport.abort()
