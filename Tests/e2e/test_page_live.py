"""The web page on which the live streams and recordings of a server are watched."""

import json
import re
import signal
import time

import pytest
from peers import chromium
from peers.playback_tokens import new_key, sign
from peers.publishing_server import Server
from peers.runner import REPOSITORY
from playwright.sync_api import expect as see

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
FIGURES = """() => {
  const video = document.querySelector("video");
  return { time: video.currentTime, width: video.videoWidth, height: video.videoHeight, ended: video.ended,
           muted: video.muted, frames: video.getVideoPlaybackQuality().totalVideoFrames };
}"""


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def server(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    yield server
    server.stop_encoders()


@pytest.fixture
def watch(desk, server):
    """Opens the page for a playback ID."""
    contexts = []

    def open_page(id, server=server, **options):
        context = desk.browser(chromium.NO_DEVICES).new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.goto(f"{server.url}/live/#{id}")
        return page

    yield open_page
    for context in contexts:
        context.close()


def playback_id(stream):
    return stream["playback_ids"][0]["id"]


def wait_for(page, condition, within=20):
    """Waits until the figures of the video fulfil a condition; returns them."""
    # The page forbids to evaluate text, as `wait_for_function` would.
    deadline = time.monotonic() + within
    while not condition(figures := page.evaluate(FIGURES)):
        assert time.monotonic() < deadline, f"{figures} {page.get_by_role('status').text_content()}"
        page.wait_for_timeout(100)
    return figures


def wait_for_frames(page, count, within=20):
    return wait_for(page, lambda figures: figures["frames"] > count, within)


def see_state(page, name, within=15):
    see(page.locator("html")).to_have_attribute("data-state", name, timeout=within * 1000)


def test_a_stream_is_awaited_played_and_watched_to_its_end(server, watch):
    stream = server.create()
    page = watch(playback_id(stream))
    see(page.get_by_role("status")).to_have_text(re.compile("^Nobody is publishing"))
    encoder = server.encoder(stream["stream_key"], "-s", "320x178", seconds=12)
    figures = wait_for_frames(page, 60)
    assert (figures["width"], figures["height"], figures["muted"]) == (320, 178, True)
    see(page.locator("#state")).to_have_text("")
    page.get_by_role("button", name="Sound on").click()
    assert not page.evaluate(FIGURES)["muted"]
    see(page.get_by_role("button", name="Sound on")).to_be_hidden()
    assert encoder.wait(20) == 0
    see(page.get_by_role("status")).to_have_text("The stream has ended.", timeout=20_000)


@pytest.mark.parametrize("options", [["-vn"], ["-an"]], ids=["audio", "video"])
def test_a_stream_may_have_only_audio_or_only_video(server, watch, options):
    stream = server.create()
    server.encoder(stream["stream_key"], *options)
    server.wait_for_playlist(stream)
    page = watch(playback_id(stream))
    wait_for(page, lambda figures: figures["time"] > 3)
    see_state(page, "playing")


def test_an_encoder_that_returns_with_another_size_is_played_on(server, watch):
    stream = server.create(reconnect_window=30)
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    page = watch(playback_id(stream))
    assert wait_for_frames(page, 30)["width"] == 320
    server.stop_encoders()
    server.encoder(stream["stream_key"], "-profile:v", "main", "-s", "480x270")
    wait_for(page, lambda figures: figures["width"] == 480)
    wait_for_frames(page, page.evaluate(FIGURES)["frames"] + 30)


@pytest.mark.parametrize(("before", "after"), [(["-an"], []), ([], ["-an"])], ids=["gains", "loses"])
def test_an_encoder_that_returns_with_other_tracks_is_played_on(server, watch, before, after):
    stream = server.create(reconnect_window=30)
    server.encoder(stream["stream_key"], *before)
    server.wait_for_playlist(stream)
    page = watch(playback_id(stream))
    wait_for_frames(page, 30)
    server.stop_encoders()
    server.encoder(stream["stream_key"], "-s", "480x270", *after)
    wait_for(page, lambda figures: figures["width"] == 480 and figures["frames"] > 30)
    see_state(page, "playing")


def test_a_lost_server_is_reached_again(machine, server, watch, tmp_path):
    stream = server.create()
    port, rtmp = (re.search(r":(\d+)", url).group(1) for url in (server.url, server.rtmp))
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    page = watch(playback_id(stream))
    wait_for_frames(page, 30)
    server.process.signal(signal.SIGKILL)
    server.process.finish()
    server.stop_encoders()
    see(page.get_by_role("status")).to_have_text(re.compile("^No connection"), timeout=20_000)
    again = Server(machine, "--port", port, "--rtmp-port", rtmp, data=tmp_path / "data")
    again.encoder(stream["stream_key"])
    again.wait_for_playlist(stream)
    wait_for_frames(page, page.evaluate(FIGURES)["frames"] + 60, within=30)
    see_state(page, "playing")
    again.stop_encoders()


def test_a_recording_is_played_with_all_its_files(server, watch):
    stream = server.create(reconnect_window=30, new_asset_settings={"playback_policies": ["public"]})
    for size in ("320x180", "480x270"):
        assert server.encoder(stream["stream_key"], "-s", size, seconds=3).wait(20) == 0
    server.api("PUT", f"/{stream['id']}/complete")
    ready = server.asset(stream)
    page = watch(playback_id(ready))
    wait_for(page, lambda figures: figures["width"] == 320 and figures["frames"] > 60)
    wait_for(page, lambda figures: figures["width"] == 480 and figures["frames"] > 60)
    see(page.get_by_role("status")).to_have_text("The stream has ended.", timeout=20_000)


def test_a_stream_that_does_not_exist_is_named_and_another_one_can_be_entered(server, watch):
    page = watch("nothing")
    see(page.get_by_role("status")).to_have_text("The server has no such stream.")
    stream = server.create()
    server.encoder(stream["stream_key"])
    field = page.get_by_label("Playback ID")
    see(field).to_have_value("nothing")
    field.fill(" ")
    page.get_by_role("button", name="Watch").click()
    see(page.locator("#id-error")).to_have_text("Enter the playback ID of a stream.")
    field.fill(playback_id(stream))
    field.press("Enter")
    wait_for_frames(page, 30)
    assert page.url.endswith(f"#{playback_id(stream)}")


def test_the_test_video_of_the_server_is_played_without_a_playback_id(machine, watch, tmp_path):
    server = Server(machine, "--live-file", REPOSITORY / "assets/webRtcTestVideo.mp4", data=tmp_path / "more")
    page = watch("", server)
    see(page.get_by_label("Playback ID")).to_have_value("demo")
    assert wait_for_frames(page, 60)["width"] == 1280


def test_the_page_for_calls_links_to_live_streams_if_there_are_any(machine, server, desk):
    page = desk.browser(chromium.NO_DEVICES).new_page()
    for url, is_offered in ((server.url, True), (machine.server(), False)):
        page.goto(url)
        see(page.get_by_role("link", name="Call")).to_be_visible()
        see(page.get_by_role("link", name="Live")).to_have_count(int(is_offered))
    page.goto(server.url)
    with page.expect_popup() as opened:
        page.get_by_role("link", name="Live").click()
    see(opened.value.locator("#state")).to_have_text("Enter the playback ID of a stream.")
    opened.value.close()
    page.close()


@pytest.mark.parametrize("id", ["%", "%E0%A4%A", "../healthz", "<img src=x onerror=alert(1)>", "a" * 5000])
def test_a_strange_address_is_no_stream(watch, id):
    page = watch(id)
    problems = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    see(page.get_by_role("status")).not_to_be_empty(timeout=10_000)
    assert page.locator("main img").count() == 0 and not problems


@pytest.mark.parametrize("language", ["en", "uk", "ru"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_a_phone_and_a_desktop(server, watch, artefact, language, scheme):
    stream = server.create()
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    locale = {"en": "en-US", "uk": "uk-UA", "ru": "ru-RU"}[language]
    for name, size in (("phone", PHONE), ("desktop", DESKTOP)):
        page = watch(playback_id(stream), locale=locale, color_scheme=scheme, **size)
        wait_for_frames(page, 10)
        page.screenshot(path=artefact(f"live-{name}-{language}-{scheme}.png"))
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
        assert json.loads(page.evaluate("JSON.stringify(document.documentElement.lang)")) == language


def test_a_signed_stream_is_watched_with_its_token_and_refused_without(server, watch, tmp_path):
    stream = server.create(playback_policies=["signed"])
    server.encoder(stream["stream_key"])
    token = sign(new_key(server, tmp_path), playback_id(stream))
    page = watch(playback_id(stream))
    see(page.locator("#state")).to_have_text("This stream needs a valid token: add ?token=… to the playback ID.")
    page = watch(f"{playback_id(stream)}?token={token}")
    wait_for(page, lambda figures: figures["time"] > 1 and figures["width"] == 320)
    see(page).to_have_title(re.compile(f"^{playback_id(stream)} "))


def test_a_page_without_an_id_asks_for_one_if_the_server_has_no_film(server, watch):
    page = watch("")
    see(page.locator("#state")).to_have_text("Enter the playback ID of a stream.")
    see(page.get_by_label("Playback ID")).to_have_value("")
    see(page.get_by_label("Playback ID")).to_be_focused()
