"""A caller or callee that uses aiortc and python-socketio.

A caller sends an offer when a callee is announced. It also sends an offer half a second after it has joined,
because the original server sends new clients no list of the participants.
"""

import argparse
import asyncio

from . import arguments
from .aiortc_connection import Connection
from .aiortc_flood import KINDS
from .aiortc_lies import LIES, Lie
from .aiortc_offers import SHAPES
from .candidate_forms import END_OF_CANDIDATES, FORMS, GARBAGE, split_candidates
from .report import report
from .room import Room

SILENCE_BEFORE_BLIND_OFFER = 0.5


class Caller:
    """One peer in a room, with a new connection for each offer. It runs until it or the other peer leaves."""

    def __init__(self, options: argparse.Namespace):
        self._options = options
        transports = options.transports.split(",")
        self._room = Room(options.server, options.room, options.name, options.caller, transports)
        self._lie = LIES.get(options.lie, Lie())
        self._connection: Connection | None = None
        self._frames: dict[str, int] = {}
        self._reason = ""
        self._described = ""

    async def run(self) -> int:
        await self._room.join()
        reader = asyncio.create_task(self._read())
        helpers = [asyncio.create_task(self._offer_blindly()), asyncio.create_task(self._count())]
        if self._lie.again:
            helpers.append(asyncio.create_task(self._offer_again()))
        if self._options.sources:
            helpers.append(asyncio.create_task(self._flood()))
        timers = {asyncio.create_task(self._hang_up_in_time()), reader}
        done, _ = await asyncio.wait(timers, return_when=asyncio.FIRST_COMPLETED)
        for task in helpers:
            task.cancel()
        for task in done:
            task.result()
        await self._end(self._reason or "duration")
        await self._room.leave()
        report("summary", received=self._frames, exit=0)
        return 0

    async def _read(self) -> None:
        """Handles the messages of the room until the peer has left."""
        while True:
            event, payload = await self._room.messages.get()
            if event == "room_user_joined" and self._room.is_counterpart(payload):
                report("peer.joined", username=payload.get("username"))
                if self._options.caller:
                    await self._offer()
            elif event == "offer" and not self._options.caller:
                await self._answer(payload)
            elif event == "answer" and self._connection:
                report("sdp.received", type="answer", bytes=len(payload["sdp"]))
                await self._connection.accept(payload["sdp"])
            elif event == "candidate" and self._connection:
                await self._connection.add(payload)
            elif event in ("room_user_left", "hangup", "disconnect") and self._connection:
                if not self._options.stay or event == "disconnect":
                    self._reason = "peer-left" if event == "room_user_left" else event
                    return
                await self._end("peer-left")

    async def _offer_blindly(self) -> None:
        await asyncio.sleep(SILENCE_BEFORE_BLIND_OFFER)
        if self._options.caller and self._connection is None:
            await self._offer()

    async def _count(self) -> None:
        """Reports the number of received frames each second."""
        while True:
            await asyncio.sleep(1)
            if self._connection:
                report("stats", **{kind: {"in": {"frames": n}} for kind, n in self._connection.frames.items()})

    async def _offer_again(self) -> None:
        """Sends the second offer of a lie half a second after the call has connected."""
        while self._connection is None or not self._connection.connected.is_set():
            await asyncio.sleep(0.02)
        await asyncio.sleep(0.5)
        sdp = self._lie.second_offer(self._described)
        await self._room.send("offer", {"type": "offer", "sdp": sdp})

    async def _flood(self) -> None:
        """Sends hostile packets one second after the call has connected."""
        while self._connection is None or not self._connection.connected.is_set():
            await asyncio.sleep(0.02)
        await asyncio.sleep(1)
        await self._connection.flood(self._options.flood, self._options.sources)
        report("flooded", sources=self._options.sources)

    async def _offer(self) -> None:
        await self._begin()
        await self._describe("offer", await self._connection.offer())

    async def _answer(self, offer: dict) -> None:
        report("sdp.received", type="offer", bytes=len(offer["sdp"]))
        await self._begin()
        await self._describe("answer", await self._connection.answer(offer["sdp"]))

    async def _begin(self) -> None:
        if self._connection:
            await self._connection.close()
        report("call.started", role="caller" if self._options.caller else "callee")
        options = self._options
        self._connection = Connection(
            options.play,
            options.record,
            options.codec,
            ignores_candidates=options.ignore_candidates,
            shape=SHAPES.get(options.shape),
            certificate=self._lie.certificate() if self._lie.certificate else None,
        )

    async def _describe(self, kind: str, sdp: str) -> None:
        """Sends a session description with its candidates, or sends each candidate separately in the requested form."""
        sdp = self._described = self._lie.change(sdp)
        if self._options.candidates == "in-sdp":
            await self._room.send(kind, {"type": kind, "sdp": sdp})
            return
        stripped, candidates = split_candidates(sdp)
        shape = FORMS[self._options.candidates]
        messages = [shape(*candidate) for candidate in candidates]
        if self._options.garbage:
            messages = [*GARBAGE, *END_OF_CANDIDATES, *messages]
        messages.extend(END_OF_CANDIDATES)
        description = (kind, {"type": kind, "sdp": stripped})
        trickled = [("candidate", message) for message in messages]
        ordered = [*trickled, description] if self._options.early else [description, *trickled]
        for event, payload in ordered:
            await self._room.send(event, payload)

    async def _hang_up_in_time(self) -> None:
        if self._options.duration is None:
            await asyncio.Event().wait()
        while self._connection is None or not self._connection.connected.is_set():
            await asyncio.sleep(0.02)
        await asyncio.sleep(self._options.duration)

    async def _end(self, reason: str) -> None:
        if self._connection:
            self._frames = self._connection.frames
            await self._connection.close()
            self._connection = None
            report("call.ended", reason=reason, received=self._frames)


def main() -> None:
    parser = arguments.parser(__doc__.splitlines()[0])
    parser.add_argument("--play", metavar="FILE", help="the file to send in a loop; default: none")
    parser.add_argument("--record", metavar="FILE", help="record the received media; default: only count it")
    parser.add_argument("--shape", choices=SHAPES, help="the m-lines of a caller's offer; default: one of each kind")
    parser.add_argument("--lie", choices=LIES, help="the false statement about itself; default: none")
    parser.add_argument("--sources", type=int, metavar="N", help="send N sources, or other hostile items, after a second")
    parser.add_argument("--flood", choices=KINDS, default="ssrcs", help="what is sent; default: senders of RTP")
    parser.add_argument("--transports", default="websocket", help="polling,websocket for both")
    parser.add_argument("--candidates", choices=("in-sdp", *FORMS), default="in-sdp")
    parser.add_argument("--early", action="store_true", help="send candidates before their description")
    parser.add_argument("--garbage", action="store_true", help="add invalid candidates")
    parser.add_argument("--ignore-candidates", action="store_true", help="ignore the peer's candidates")
    options = parser.parse_args()
    try:
        raise SystemExit(asyncio.run(asyncio.wait_for(Caller(options).run(), options.limit)))
    except TimeoutError:
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
