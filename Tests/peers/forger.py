"""A third member of a room, which sends the given events in order and remains in the room."""

import asyncio
import json

from . import arguments
from .report import report
from .room import Room


async def run(options) -> None:
    room = Room(options.server, options.room, options.name, options.caller, ["websocket"])
    await room.join()
    await asyncio.sleep(options.after)
    for event, payload in options.events:
        await room.send_raw(event, payload)
    report("said", count=len(options.events))
    while (await room.messages.get())[0] != "disconnect":
        pass


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("events", type=json.loads, help='the events to send: [["hangup", {"from": "Ann"}], …]')
    parser.add_argument("--after", type=float, default=0, help="seconds after joining")
    arguments.run(run, parser)


if __name__ == "__main__":
    main()
