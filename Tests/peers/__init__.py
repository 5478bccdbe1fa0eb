"""The far ends that callrunner is tested against: servers, aiortc and Chromium, each a process.

Every peer runs as `python -m peers.NAME` from `Tests/` and tells what happens as JSON Lines with the
event names of callrunner's own `--json`, so that one reader (`runner.Runner`) serves them all.
"""
