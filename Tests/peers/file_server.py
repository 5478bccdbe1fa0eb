"""An HTTP server for one folder, optionally without range requests, at a limited rate, as a live stream, or that redirects."""

import argparse
import functools
import http.server
import json
import re
import time
from pathlib import Path


class Handler(http.server.SimpleHTTPRequestHandler):
    """Python's request handler, extended by optional range requests (RFC 9110 §14)."""

    protocol_version = "HTTP/1.1"
    knows_ranges = True
    tells_length = True
    pace = 0  # bytes per second; 0 is unlimited
    redirection = ""  # the URL to which all requests are redirected

    def do_GET(self) -> None:
        print(json.dumps({"event": "request", "path": self.path}), flush=True)
        if self.redirection:
            self.send_response(302)
            self.send_header("Location", self.redirection)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        path = Path(self.translate_path(self.path))
        if not path.is_file():
            return self.send_error(404)
        size = path.stat().st_size
        wanted = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")) if self.knows_ranges else None
        first = int(wanted[1]) if wanted else 0
        last = min(size - 1, int(wanted[2])) if wanted and wanted[2] else size - 1
        if first > last:
            return self.send_error(416)
        self.send_response(206 if wanted else 200)
        self.send_header("Content-Type", self.guess_type(str(path)))
        if self.tells_length:
            self.send_header("Content-Length", str(last - first + 1))
        else:
            self.send_header("Connection", "close")
            self.close_connection = True
        if self.knows_ranges:
            self.send_header("Accept-Ranges", "bytes")
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{last}/{size}")
        self.end_headers()
        with path.open("rb") as file:
            file.seek(first)
            left = last - first + 1
            while left > 0 and (data := file.read(min(left, 16384))):
                self.wfile.write(data)
                left -= len(data)
                if self.pace:
                    time.sleep(len(data) / self.pace)

    def log_message(self, *_) -> None:
        pass


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("folder")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--no-ranges", action="store_true")
    parser.add_argument("--pace", type=int, default=0, help="bytes per second")
    parser.add_argument("--live", action="store_true", help="neither ranges nor a length, like a live stream")
    parser.add_argument("--redirect", default="", metavar="URL")
    arguments = parser.parse_args()
    Handler.tells_length = not arguments.live
    Handler.pace = arguments.pace
    Handler.redirection = arguments.redirect
    Handler.knows_ranges = not (arguments.no_ranges or arguments.live)
    server = http.server.ThreadingHTTPServer(
        (arguments.host, arguments.port), functools.partial(Handler, directory=arguments.folder)
    )
    print('{"event":"server.listening","url":"http://%s:%d"}' % server.server_address, flush=True)
    server.serve_forever()
