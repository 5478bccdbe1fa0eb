"""The peers and servers with which callrunner is tested, such as aiortc and Chromium, each in a process.

Each runs as `python -m peers.NAME` in `Tests/`. It reports events as JSON Lines with the same names as
callrunner's `--json`, so that `runner.Runner` can read the output of all of them.
"""
