"""A browser window that opens a film and plays it to its end, and prints its figures.

    python -m peers.film_page URL
"""

import json
import sys

from playwright.sync_api import sync_playwright

from peers.chromium import CHROMIUM

PLAY = """
async () => {
  const video = document.querySelector("video");
  video.currentTime = 0;
  video.playbackRate = 4;
  const ended = new Promise((done, failed) => {
    video.onended = done;
    video.onerror = () => failed(video.error.message);
  });
  await video.play();
  await ended;
  return { ended: video.ended, width: video.videoWidth, time: video.currentTime };
}
"""


def main() -> None:
    flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=False, args=flags)
        page = browser.new_page()
        page.goto(sys.argv[1])
        page.wait_for_selector("video")
        print(json.dumps(page.evaluate(PLAY)))
        browser.close()


if __name__ == "__main__":
    main()
