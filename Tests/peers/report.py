"""JSON Lines on standard output, in the format of callrunner's `--json`."""

import json
import sys
import time

_started = time.monotonic()


def report(event: str, **fields) -> None:
    """Writes one event. If standard output is closed, the process exits without an error."""
    line = {"elapsed": round(time.monotonic() - _started, 3), "event": event, **fields}
    try:
        print(json.dumps(line), flush=True)
    except BrokenPipeError:
        sys.exit(0)
