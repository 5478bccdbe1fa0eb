"""Serves the page from its sources, where the signaling server under test does not serve it."""

import argparse
import functools
import http.server

from .report import report
from .runner import REPOSITORY

PAGE = REPOSITORY / "assets/web"


class Handler(http.server.SimpleHTTPRequestHandler):
    """Nothing inline and nothing foreign may run; only signaling may go elsewhere."""

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", "default-src 'self'; connect-src http: ws:")
        self.send_header("Cache-Control", "no-store")
        super().end_headers()

    def log_message(self, *_) -> None:
        pass


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--host", default="127.0.0.1")
    host = parser.parse_args().host
    handler = functools.partial(Handler, directory=str(PAGE))
    server = http.server.ThreadingHTTPServer((host, 0), handler)
    report("server.listening", url=f"http://{host}:{server.server_port}")
    server.serve_forever()


if __name__ == "__main__":
    main()
