"""Chromium inside a network namespace, driven by Playwright from outside it."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Playwright

CHROMIUM = "/usr/bin/chromium"
FAKE_DEVICES = [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream=device-count=1,fps=30",
]
# A machine without any device, whose person says yes to everything.
NO_DEVICES = ["--use-fake-ui-for-media-stream"]
# Devices that the person does not allow.
REFUSED_DEVICES = ["--use-fake-device-for-media-stream=device-count=1,fps=30"]

# Keeps every peer connection of a page where a test can ask it for its statistics.
RECORDER = """
window.connections = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...configuration) { super(...configuration); window.connections.push(this); }
};
"""


@contextmanager
def chromium(playwright: Playwright, prefix: list[str], folder: Path, flags: list[str]) -> Iterator[Browser]:
    """A browser whose whole network is the namespace's; Playwright talks to it through a pipe."""
    launcher = folder / "chromium"
    launcher.write_text(f"#!/bin/sh\nexec {shlex.join([*prefix, CHROMIUM])} \"$@\"\n")
    launcher.chmod(0o755)
    browser = playwright.chromium.launch(executable_path=launcher, args=["--no-sandbox", *flags])
    try:
        yield browser
    finally:
        browser.close()
