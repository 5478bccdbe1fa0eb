"""JSON Lines on standard output, as callrunner's `--json` writes them."""

import json
import sys
import time

_started = time.monotonic()


def report(event: str, **fields) -> None:
    """Writes one event; if the reader has closed standard output, the process exits quietly."""
    line = {"elapsed": round(time.monotonic() - _started, 3), "event": event, **fields}
    try:
        print(json.dumps(line), flush=True)
    except BrokenPipeError:
        sys.exit(0)
