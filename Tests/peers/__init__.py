"""The peers and servers that callrunner is tested against, such as aiortc and Chromium, each in a process.

Each runs as `python -m peers.NAME` in `Tests/` and reports events as JSON Lines with the names of callrunner's
own `--json`, so that `runner.Runner` reads them all.
"""
