"""Chromium inside a network namespace, controlled by Playwright from outside of the namespace."""

import shlex
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Browser, Page, Playwright

CHROMIUM = "/usr/bin/chromium"
FAKE_DEVICES = [
    "--use-fake-ui-for-media-stream",
    "--use-fake-device-for-media-stream=device-count=1,fps=30",
]
# Flags for a browser without devices, but with all permissions granted.
NO_DEVICES = ["--use-fake-ui-for-media-stream"]
# Flags for a browser with devices, but without permission to use them.
REFUSED_DEVICES = ["--use-fake-device-for-media-stream=device-count=1,fps=30"]

# A script that stores every peer connection of a page, so that tests can request statistics.
RECORDER = """
window.connections = [];
window.RTCPeerConnection = class extends RTCPeerConnection {
  constructor(...configuration) { super(...configuration); window.connections.push(this); }
};
"""


@contextmanager
def chromium(playwright: Playwright, prefix: list[str], folder: Path, flags: list[str]) -> Iterator[Browser]:
    """Runs a browser that uses only the network of the namespace, and that Playwright controls through a pipe."""
    launcher = folder / "chromium"
    launcher.write_text(f"#!/bin/sh\nexec {shlex.join([*prefix, CHROMIUM])} \"$@\"\n")
    launcher.chmod(0o755)
    browser = playwright.chromium.launch(executable_path=launcher, args=["--no-sandbox", *flags])
    try:
        yield browser
    finally:
        browser.close()


class Pages:
    """Opens the server's web page in one browser, with a separate browser context for each visitor."""

    def __init__(self, browser: Browser, origin: str):
        self._browser, self.origin = browser, origin
        self._visitors = []

    def close(self) -> None:
        """Closes the pages of all visitors."""
        for visitor in self._visitors:
            visitor.close()

    def open(self, context: dict | None = None, token: str | None = None, **parameters) -> Page:
        """Opens the page for a new visitor with `parameters` in the query and the token in the fragment.

        The test fails if the page throws an error.
        """
        visitor = self._browser.new_context(**{"locale": "en-GB", **(context or {})})
        self._visitors.append(visitor)
        visitor.add_init_script(RECORDER)
        page = visitor.new_page()
        page.errors = []
        page.on("pageerror", lambda error: page.errors.append(str(error)))
        page.on("console", lambda said: said.type == "error" and page.errors.append(said.text))
        lost = []
        page.on("requestfailed", lambda request: lost.append(f"{request.url}: {request.failure}"))
        page.goto(f"{self.origin}/?{urlencode(parameters)}" + (f"#token={token}" if token else ""))
        assert page.locator("#submit").is_enabled(), f"the page does not run: {page.errors} {lost}"
        return page


def statistics(page: Page) -> dict:
    """Returns the statistics of the newest peer connection of the page."""
    return page.evaluate(
        """async () => {
          const reports = [...(await window.connections.at(-1).getStats()).values()];
          const sum = (type, kind, field) => reports
            .filter((report) => report.type === type && report.kind === kind)
            .reduce((total, report) => total + (report[field] ?? 0), 0);
          return {
            framesIn: sum("inbound-rtp", "video", "framesDecoded"),
            framesOut: sum("outbound-rtp", "video", "framesSent"),
            soundIn: sum("inbound-rtp", "audio", "packetsReceived"),
            soundOut: sum("outbound-rtp", "audio", "packetsSent"),
          };
        }"""
    )
