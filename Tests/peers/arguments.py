"""The flags that all calling peers have. Their names and meanings are those of callrunner's flags."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable


def parser(description: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--server", default="http://127.0.0.1:3000")
    parser.add_argument("--room", type=int, default=1)
    parser.add_argument("--name", default="Peer")
    parser.add_argument("--caller", action="store_true")
    codecs = ("VP8", "VP9", "H264", "opus", "PCMU", "PCMA")
    parser.add_argument("--codec", choices=codecs, help="the codec preferred among those of its kind; default: any")
    parser.add_argument("--duration", type=float, help="hang up so many seconds after media.connected")
    parser.add_argument("--stay", action="store_true", help="wait for the next call after one has ended")
    parser.add_argument("--limit", type=float, default=90, help="give up after so many seconds in total (90)")
    return parser


def run(peer: Callable[[argparse.Namespace], Awaitable[None]], parser: argparse.ArgumentParser) -> None:
    """Runs a peer with the flags of the command line; exits with 2 if it exceeds the time limit in the flags."""
    options = parser.parse_args()
    try:
        asyncio.run(asyncio.wait_for(peer(options), options.limit))
    except TimeoutError:
        raise SystemExit(2) from None
