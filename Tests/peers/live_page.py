"""A browser window that plays a live stream by Media Source Extensions, and prints its figures.

    python -m peers.live_page URL SECONDS

The page of bench/browser is answered at the origin of the stream, which is so its own, with modules of the page for live
streams.
"""

import json
import sys
from pathlib import Path
from urllib.parse import urlencode, urlsplit

from playwright.sync_api import Route, sync_playwright

from peers.chromium import CHROMIUM
from peers.usage import cpu_percent_of_all, named, proportional_megabytes

REPOSITORY = Path(__file__).resolve().parents[2]
FOLDERS = [REPOSITORY / "bench/browser", REPOSITORY / "assets/web/live"]
SETTLING = 5


def answer(route: Route) -> None:
    name = Path(urlsplit(route.request.url).path).name
    route.fulfill(path=next(folder / name for folder in FOLDERS if (folder / name).exists()))


def measure(url: str, seconds: float) -> dict[str, float]:
    flags = ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"]
    others = set(named("chromium"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, headless=False, args=flags)
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 720})
            problems = []
            page.on("pageerror", lambda error: problems.append(str(error)))
            page.route("**/browser/*", answer)
            page.goto(f"{url.rsplit('/', 1)[0]}/browser/live.html?{urlencode({'stream': url})}")
            try:
                page.wait_for_function("window.report && window.report().firstPictureMs !== null")
            except Exception:
                raise RuntimeError(f"the page plays nothing: {problems}") from None
            page.wait_for_timeout(1000 * SETTLING)
            pids = [pid for pid in named("chromium") if pid not in others]
            percent = cpu_percent_of_all(pids, seconds)
            memory = sum(map(proportional_megabytes, pids))
            told = page.evaluate("window.report()")
            return {
                "firstPicture": told["firstPictureMs"], "cpu": percent, "memory": memory, "behind": told["behind"],
                "stalls": told["stalls"],
            }
        finally:
            browser.close()


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1], float(sys.argv[2]))))
