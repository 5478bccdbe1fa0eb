"""A peer that joins correctly and then sends invalid messages."""

from . import arguments
from .report import report
from .room import Room

GARBAGE_SDP = "v=0\r\no=- this is no session description\r\nm=video what ever\r\n"
NO_MEDIA_SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\n"

SDP = {
    "garbage": {"sdp": GARBAGE_SDP},
    "empty": {"sdp": ""},
    "no-media": {"sdp": NO_MEDIA_SDP},
    "number": {"sdp": 42},
    "binary": {"sdp": "\x00\x01\x02\x7f" * 100},
}


async def run(options) -> None:
    room = Room(options.server, options.room, options.name, options.caller, ["websocket"])
    await room.join()
    if options.caller:
        await room.send_raw("offer", {"type": "offer", **SDP[options.sdp]})
        report("said", what=options.sdp)
    while True:
        event, _payload = await room.messages.get()
        report("heard", name=event)
        if event == "offer":
            await room.send_raw("answer", {"type": "answer", **SDP[options.sdp]})
            report("said", what=options.sdp)
        if event == "disconnect":
            return


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("sdp", choices=SDP)
    arguments.run(run, parser)


if __name__ == "__main__":
    main()
