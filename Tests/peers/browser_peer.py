"""A caller or callee in Chromium, with the browser's fake camera and microphone, on a page for tests."""

import argparse
import asyncio
from pathlib import Path

from aiohttp import web
from playwright.async_api import Page, async_playwright

from . import arguments
from .report import report
from .runner import BROWSER_PAGE

PAGE = Path(__file__).parent / "browser_page"
CHROMIUM = "/usr/bin/chromium"
FLAGS = [
    "--no-sandbox",
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream=device-count=1,fps=30",
    "--autoplay-policy=no-user-gesture-required",
]


async def serve_page() -> str:
    """Serves the page on 127.0.0.1, where browsers allow cameras without HTTPS; returns its URL."""
    application = web.Application()
    application.router.add_static("/", PAGE)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", int(BROWSER_PAGE.rsplit(":", 1)[1])).start()
    return f"{BROWSER_PAGE}/index.html"


class BrowserPeer:
    def __init__(self, options: argparse.Namespace, page: Page):
        self._options = options
        self._page = page
        self._connected = asyncio.Event()
        self._ended = asyncio.Event()
        self._totals: dict = {}

    async def run(self) -> int:
        await self._page.expose_function("report", self._receive)
        self._page.on("pageerror", lambda error: report("error", message=str(error)))
        await self._page.goto(await serve_page())
        width, height = self._options.capture.split("x")
        await self._page.evaluate(
            "options => window.peer.start(options)",
            {
                "server": self._options.server,
                "room": self._options.room,
                "name": self._options.name,
                "caller": self._options.caller,
                "codec": self._options.codec,
                "parameters": self._options.parameters,
                "onlyPrefers": self._options.only_prefers,
                "data": self._options.data,
                "soundLater": self._options.sound_after is not None,
                "capture": {"width": int(width), "height": int(height), "fps": 30},
            },
        )
        watchers = [asyncio.create_task(self._watch()), asyncio.create_task(self._ended.wait())]
        done, pending = await asyncio.wait(watchers, return_when=asyncio.FIRST_COMPLETED)
        for task in pending:
            task.cancel()
        for task in done:
            task.result()
        await self._page.evaluate("window.peer.leave()")
        report("summary", received=self._totals, exit=0)
        return 0

    def _receive(self, event: str, fields: dict) -> None:
        report(event, **fields)
        if event == "media.connected":
            self._connected.set()
        elif event == "call.ended":
            self._totals = fields["received"]
            if not self._options.stay or fields["reason"] == "disconnect":
                self._ended.set()

    async def _watch(self) -> None:
        """Reports statistics every second of the call, and changes the resolution and hangs up at the given times."""
        await self._connected.wait()
        seconds = 0
        while self._options.duration is None or seconds < self._options.duration:
            await asyncio.sleep(1)
            seconds += 1
            statistics = await self._page.evaluate("window.peer.statistics()")
            if statistics:
                report("stats", **statistics)
            if seconds == self._options.resize_after:
                await self._page.evaluate("window.peer.scaleDown(2)")
                report("resized", factor=2)
            if seconds == self._options.codec_after:
                await self._page.evaluate("window.peer.sendPreferredCodec()")
                report("codec-changed", codec=self._options.codec)
            if seconds == self._options.sound_after:
                await self._page.evaluate("window.peer.addSound()")
        if self._options.screenshot:
            await self._page.screenshot(path=self._options.screenshot)


async def run(options: argparse.Namespace) -> int:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        try:
            return await asyncio.wait_for(BrowserPeer(options, await browser.new_page()).run(), options.limit)
        finally:
            await browser.close()


def main() -> None:
    parser = arguments.parser(__doc__)
    parser.add_argument("--capture", default="640x480", metavar="WxH", help="the fake camera's size (640x480)")
    parser.add_argument("--parameters", metavar="FMTP", help="use formats of --codec with these parameters, as k=v;k=v")
    parser.add_argument(
        "--only-prefers", action="store_true",
        help="answer with --codec only and send Chromium's choice, the first offered codec")
    parser.add_argument("--data", action="store_true", help="as caller, offer a data channel too")
    parser.add_argument("--codec-after", type=int, metavar="S", help="send --codec from S seconds on")
    parser.add_argument("--resize-after", type=int, metavar="S", help="halve the resolution after S seconds")
    parser.add_argument("--sound-after", type=int, metavar="S", help="begin to send audio after S seconds")
    parser.add_argument("--screenshot", metavar="FILE", help="save a screenshot of the page at the end of --duration")
    try:
        raise SystemExit(asyncio.run(run(parser.parse_args())))
    except TimeoutError:
        raise SystemExit(2) from None
    except KeyboardInterrupt:
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
