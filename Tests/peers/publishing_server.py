"""A server to which encoders publish live streams."""

import json
import re
import subprocess
import time
from pathlib import Path

TOKEN = "token:secret"
STREAMS = "/video/v1/live-streams"
ASSETS = "/video/v1/assets"


class Server:
    """A server with the API for live streams, and encoders that publish to it."""

    def __init__(self, machine, *flags, data: Path | None = None):
        self.machine = machine
        arguments = ["serve", "--port", "0", "--rtmp-port", "0", "--live-token", TOKEN, *flags]
        self.process = machine.callrunner(*arguments, *(["--data", data] if data else []))
        listening = self.process.wait_for("server.listening")
        self.url, self.rtmp = listening["url"], listening["rtmp"]
        self.database = Path(listening["data"]) / "callrunner.db"
        self.encoders: list[subprocess.Popen] = []

    def api(
        self, method: str, path: str = "", body: dict | None = None, token: str = TOKEN, root: str = STREAMS
    ) -> tuple[int, dict]:
        """Requests a path of the API, as in Mux's documentation; returns the status and the answer."""
        command = ["curl", "-sk", "-u", token, "-X", method, "-w", "\n%{http_code}", f"{self.url}{root}{path}"]
        if body is not None:
            command += ["-H", "Content-Type: application/json", "-d", json.dumps(body)]
        output = subprocess.run([*self.machine.prefix, *command], capture_output=True, text=True, check=True).stdout
        answer, _, status = output.rpartition("\n")
        return int(status), json.loads(answer) if answer else {}

    def create(self, **fields) -> dict:
        status, answer = self.api("POST", body={"playback_policies": ["public"], "latency_mode": "low", **fields})
        assert status == 201, answer
        return answer["data"]

    def status(self, stream: dict) -> str:
        return self.api("GET", f"/{stream['id']}")[1]["data"]["status"]

    def asset(self, stream: dict, state: str = "ready") -> dict:
        """Waits until the newest recording of a stream has a state; returns it."""
        deadline = time.monotonic() + 10
        while True:
            described = self.api("GET", f"/{stream['id']}")[1]["data"]
            ids = [*described.get("recent_asset_ids", []), described.get("active_asset_id")]
            for newest in [id for id in ids if id][-1:]:
                found = self.api("GET", f"/{newest}", root=ASSETS)[1].get("data", {})
                if found.get("status") == state:
                    return found
            assert time.monotonic() < deadline, f"{described} {self.process.story}"
            time.sleep(0.1)

    def playlist_url(self, stream: dict) -> str:
        return f"{self.url}/{stream['playback_ids'][0]['id']}.m3u8"

    def playlist(self, stream: dict) -> tuple[int, str]:
        command = ["curl", "-sk", "-w", "\n%{http_code}", self.playlist_url(stream)]
        output = subprocess.run([*self.machine.prefix, *command], capture_output=True, text=True, check=True).stdout
        text, _, status = output.rpartition("\n")
        return int(status), text

    def wait_for_playlist(self, stream: dict, contains: str = "#EXTM3U", within: float = 15) -> str:
        deadline = time.monotonic() + within
        while True:
            status, text = self.playlist(stream)
            if status == 200 and contains in text:
                return text
            assert time.monotonic() < deadline, f"{status} {text} {self.process.story}"
            time.sleep(0.1)

    def wait_for_segments(self, stream: dict, count: int) -> None:
        """Waits until a stream has had a number of segments since this call."""
        first = int(re.search(r"MEDIA-SEQUENCE:([0-9]+)", self.wait_for_playlist(stream)).group(1))
        self.wait_for_playlist(stream, contains=f"/{first + count - 1}.ts")

    def encoder(self, key: str, *options: str, app: str = "app", seconds: int = 60) -> subprocess.Popen:
        """Starts ffmpeg, which publishes moving pictures with a tone."""
        source = f"-f lavfi -i testsrc2=size=320x180:rate=30 -f lavfi -i sine=sample_rate=48000 -t {seconds}".split()
        coded = "-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g 30 -c:a aac -ac 2".split()
        url = f"{self.rtmp.removesuffix('/app')}/{app}/{key}"
        command = ["ffmpeg", "-v", "error", "-re", *source, *coded, *options, "-f", "flv", url]
        started = subprocess.Popen([*self.machine.prefix, *command], stderr=subprocess.PIPE, text=True)
        self.encoders.append(started)
        return started

    def stop_encoders(self) -> None:
        """Kills the encoders, as a loss of their machine would."""
        while self.encoders:
            encoder = self.encoders.pop()
            encoder.kill()
            encoder.communicate()
