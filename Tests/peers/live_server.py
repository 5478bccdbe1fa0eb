"""HTTP servers of live streams with faults: each path is a stream that fails in a way of its own.

A stream that works is made of the segments in a folder, which ffmpeg has written; it becomes longer with time.
`/-/FAULT` causes a fault of all streams until `/-/none` is requested: a status such as `503`, `garbage` instead of
playlists, or `cut` segments.
"""

import argparse
import asyncio
import re
import time
from pathlib import Path

from aiohttp import web

from .report import report

STATUSES = {"unknown": 404, "idle": 412, "forbidden": 403, "token": 401, "broken": 503, "gone": 410}
BODIES = {
    "page": "<html>a page</html>",
    "empty": "",
    "garbage": "#EXTM3U\n#EXT-X-TARGETDURATION:x\n",
    "endless": "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + "#EXTINF:1,\nx.ts\n" * 200_000,
    "binary": "\x00\xff" * 1000,
}


class Stream:
    """A live playlist over the segments of a folder, which begins when the server does."""

    def __init__(self, folder: Path):
        text = (folder / "index.m3u8").read_text()
        self.folder = folder
        self.durations = [float(number) for number in re.findall(r"#EXTINF:([0-9.]+)", text)]
        self.started = time.monotonic()
        # Segments that are sent as garbage or cut, by the name of the stream.
        self.faults = {"damaged": 6, "cut": 6}
        self.asked = 0

    def film(self, name: str) -> str:
        """Returns the playlist of a film of three times the segments, which is complete."""
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1"]
        for _ in range(3):
            for number, duration in enumerate(self.durations):
                lines += [f"#EXTINF:{duration},", f"{name}/{number}.ts"]
            lines += ["#EXT-X-DISCONTINUITY"]
        return "\n".join([*lines[:-1], "#EXT-X-ENDLIST"]) + "\n"

    def playlist(self, name: str) -> str:
        if name == "film":
            return self.film(name)
        if name == "ladder":
            return (
                "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=4000000,RESOLUTION=640x360\nladder-high.m3u8\n"
                "#EXT-X-STREAM-INF:BANDWIDTH=400000,RESOLUTION=320x180\nladder-low.m3u8\n"
            )
        self.asked += 1
        if name == "hollow" and self.asked > 2 and self.asked % 2:
            return ""
        end, elapsed = 0, time.monotonic() - self.started + sum(self.durations[:4])
        while end < len(self.durations) and elapsed > 0:
            elapsed -= self.durations[end]
            end += 1
        first = max(0, end - 6)
        lines = ["#EXTM3U", "#EXT-X-VERSION:3", "#EXT-X-TARGETDURATION:1", f"#EXT-X-MEDIA-SEQUENCE:{first}"]
        for number in range(first, end):
            lines += [f"#EXTINF:{self.durations[number]},", f"{name}/{number}.ts"]
        return "\n".join(lines) + "\n"

    def segment(self, name: str, number: int) -> bytes:
        folder = self.folder / "large" if name == "ladder-high" else self.folder
        content = (folder / f"{number}.ts").read_bytes()
        if number != self.faults.get(name):
            return content
        return content[: len(content) // 3] if name == "cut" else bytes(len(content))


async def serve(folder: Path, port: int) -> None:
    stream = Stream(folder) if folder else None
    fault = "none"

    async def answer(request: web.Request) -> web.StreamResponse:
        nonlocal fault
        path = request.match_info["path"]
        name = path.removesuffix(".m3u8").split("/")[0]
        if name == "-":
            fault = path.removeprefix("-/")
            return web.Response(text=fault)
        if fault.isdigit():
            return web.Response(status=int(fault), text="refused\n")
        if fault == "garbage" and path.endswith(".m3u8"):
            return web.Response(body=BODIES["garbage"].encode(), content_type="application/vnd.apple.mpegurl")
        if name in STATUSES:
            return web.Response(status=STATUSES[name], text="refused\n")
        if name in BODIES:
            return web.Response(body=BODIES[name].encode("latin-1"), content_type="application/vnd.apple.mpegurl")
        if name == "circle":
            return web.HTTPFound(f"/circle.m3u8?{time.monotonic()}")
        if name == "silent":
            await asyncio.Event().wait()
        if stream is None:
            return web.Response(status=404)
        if path.endswith(".m3u8"):
            return web.Response(text=stream.playlist(name), content_type="application/vnd.apple.mpegurl")
        content = stream.segment(name, int(Path(path).stem))
        if fault == "cut":
            content = content[: len(content) // 3]
        return web.Response(body=content, content_type="video/mp2t")

    application = web.Application()
    application.router.add_get("/{path:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, reuse_address=True)
    await site.start()
    report("server.listening", url=f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}")
    await asyncio.Event().wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    options = parser.parse_args()
    asyncio.run(serve(options.folder, options.port))
