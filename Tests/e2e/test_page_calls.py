"""Calls of the web page with callrunner, with another page, and with other peers and servers."""

import json
import re
import time
from pathlib import Path

import expect
import pytest
from peers import chromium, picture, probe
from peers.display import Display, Photograph
from playwright.sync_api import Locator, Page
from playwright.sync_api import expect as see

ROLES = ["caller", "callee"]


def opposite(role: str) -> str:
    return "callee" if role == "caller" else "caller"


def role_flags(role: str) -> list[str]:
    return ["--caller"] if role == "caller" else []


@pytest.fixture
def machine(desk_machine):
    return desk_machine


def join(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Join")).click()


def expect_call(page: Page, with_name: str, within: float = 20) -> None:
    see(page.get_by_role("status")).to_have_text(f"In a call with {with_name}.", timeout=1000 * within)


def wait_for_frames(page: Page, at_least: int = 30, within: float = 20) -> None:
    deadline = time.monotonic() + within
    shown = "document.getElementById('remote').getVideoPlaybackQuality().totalVideoFrames"
    while (frames := min(chromium.statistics(page)["framesIn"], page.evaluate(shown))) < at_least:
        assert time.monotonic() < deadline, f"{frames} frames shown within {within} s"
        page.wait_for_timeout(100)


def signs(page: Page) -> Locator:
    """Returns the element that lists the peer's microphone, camera and recording states."""
    return page.get_by_role("list", name="Status of the other person").get_by_role("listitem")


def expect_form(page: Page, saying: str) -> None:
    see(page.get_by_role("status")).to_have_text(saying, timeout=15_000)
    see(page.get_by_role("heading", name="Join a call")).to_be_visible()
    see(page.locator("#call")).to_be_hidden()


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ROLES)
def test_callrunner_hangs_up_a_call_with_the_page(machine, pages, display, tmp_path, artefact, role):
    server = machine.server()
    page = pages(server).open(room=5, name="Ann", role=role)
    join(page)
    recording = tmp_path / "page.mkv"
    ours = machine.callrunner(
        "--room", "5", "--name", "Bob", "--server", server, "--window", "--record", recording,
        *role_flags(opposite(role)), environment=display.environment,
    )  # fmt: skip
    expect_call(page, "Bob")
    wait_for_frames(page)
    see(page.get_by_role("group", name="Statistics")).to_contain_text("1280×720")
    expect_test_video_on_page(page, artefact(f"page-with-callrunner-as-{opposite(role)}.png"))
    see(signs(page)).to_have_text(["Being recorded"])
    assert ours.wait_for("peer.media", audio=True, video=True)["recording"] is False
    ours.wait_for("media.first_frame", kind="video")
    window = display.window("Ann")
    expect_browser_camera_in_window(display, window, artefact(f"callrunner-as-{opposite(role)}-with-page.png"))
    counted = chromium.statistics(page)
    assert counted["framesOut"] > 0 and counted["soundIn"] > 30 and counted["soundOut"] > 30, counted
    display.press("q", window)
    ours.succeed()
    expect.a_call_that_ended(ours, reason="hung-up")
    expect_form(page, "Bob left.")
    tracks = probe.tracks(recording)
    assert tracks["video"].packets > 30 and tracks["audio"].packets > 50
    assert page.errors == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ROLES)
def test_the_page_sends_and_receives_a_hangup_inside_an_answer(machine, pages, role):
    """A server that relays only `offer`, `answer` and `candidate` also relays a hangup inside an `answer`."""
    server = machine.seed_server()
    ours = machine.callrunner(
        "--room", "5", "--name", "Bob", "--server", server, "--headless", "--stay", "--duration", "5",
        *role_flags(opposite(role)),
    )  # fmt: skip
    ours.wait_for("room.joined")
    page = pages(server).open(room=5, name="Ann", role=role)
    join(page)
    expect_call(page, "Bob")
    ours.wait_for("media.first_frame", kind="video")
    page.get_by_role("button", name="Hang up").click()
    assert ours.wait_for("call.ended")["reason"] == "hung-up"
    join(page)
    expect_call(page, "Bob")
    expect_form(page, "Bob hung up.")
    assert not ours.all("signaling.disconnected") and page.errors == []


def expect_test_video_on_page(page: Page, path: Path, within: float = 20) -> None:
    box = page.locator("#remote").bounding_box()
    # The element shows the whole frame as large as possible.
    width, height = min(box["width"], box["height"] * 16 / 9), min(box["height"], box["width"] * 9 / 16)
    rectangle = (box["x"] + (box["width"] - width) / 2, box["y"] + (box["height"] - height) / 2, width, height)
    deadline = time.monotonic() + within
    while wrong := picture.wrong_chips(Photograph.of_png(page.screenshot(path=path)), rectangle):
        assert time.monotonic() < deadline, wrong


def expect_browser_camera_in_window(display: Display, window: str, path: Path, within: float = 20) -> None:
    """Expects that the window shows the green video of Chromium's fake camera and, in a corner, the test video."""
    geometry = display.geometry(window)
    deadline = time.monotonic() + within
    while True:
        photograph = display.photograph()
        photograph.save(path, *geometry)
        remote = picture.colour_at(photograph, geometry, 0.2, 0.8)
        local = picture.colour_at(photograph, geometry, 0.945, 0.78)
        if picture.near(remote, (0, 136, 0)) and not picture.near(local, (0, 136, 0)):
            return
        assert time.monotonic() < deadline, (remote, local)


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ROLES)
def test_the_page_hangs_up_a_call_with_callrunner(machine, pages, role):
    server = machine.server()
    ours = machine.callrunner("--room", "5", "--name", "Bob", "--server", server, *role_flags(opposite(role)))
    ours.wait_for("room.joined")
    page = pages(server).open(room=5, name="Ann", role=role)
    join(page)
    expect_call(page, "Bob")
    wait_for_frames(page, at_least=90)
    page.get_by_role("button", name="Hang up").click()
    expect_form(page, "You hung up.")
    ours.succeed()
    assert ours.all("call.ended")[0]["reason"] in ("hung-up", "peer-left")
    assert ours.events[-1]["received"]["video"] > 10
    assert page.errors == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ROLES)
def test_a_third_participant_does_not_disturb_a_call(machine, pages, role):
    server = machine.server("--open-rooms")
    page = pages(server).open(room=5, name="Ann", role=role)
    join(page)
    machine.callrunner("--room", "5", "--name", "Bob", "--server", server, *role_flags(opposite(role)))
    expect_call(page, "Bob")
    wait_for_frames(page)
    # On a busy machine, the page may have called twice.
    connections = page.evaluate("window.connections.length")
    sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:evil\r\n"
    said = [
        [event, {"type": event, "sdp": sdp, **names}]
        for event in ("offer", "answer", "ringing", "hangup")
        for names in ({"from": "Bob"}, {"from": "Bob", "to": "Ann"}, {"from": "Mal"}, {"from": "Eve"}, {})
    ]
    eve = machine.peer("forger", json.dumps(said), "--server", server, "--room", "5", "--name", "Eve",
                       *role_flags(opposite(role)))  # fmt: skip
    eve.wait_for("said")
    page.wait_for_timeout(500)
    wait_for_frames(page, at_least=chromium.statistics(page)["framesIn"] + 30)
    expect_call(page, "Bob")
    assert page.evaluate("window.connections.length") == connections
    page.get_by_role("button", name="Hang up").click()
    expect_form(page, "You hung up.")
    assert page.errors == []


def test_a_page_ignores_an_offer_for_another_participant(machine, pages):
    server = machine.server("--open-rooms")
    page = pages(server).open(room=5, name="Ann", role="callee")
    join(page)
    sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:evil\r\n"
    said = [["offer", {"type": "offer", "sdp": sdp, "from": "Eve", "to": "Carl"}]]
    eve = machine.peer("forger", json.dumps(said), "--server", server, "--room", "5", "--name", "Eve", "--caller")
    eve.wait_for("said")
    page.wait_for_timeout(500)
    assert page.evaluate("window.connections.length") == 0
    machine.callrunner("--room", "5", "--name", "Bob", "--server", server, "--caller")
    expect_call(page, "Bob")


def test_a_page_makes_a_second_call_after_the_first(machine, pages):
    server = machine.server()
    ours = machine.callrunner("--room", "5", "--name", "Bob", "--server", server, "--caller", "--stay")
    page = pages(server).open(room=5, name="Ann")
    for _ in range(2):
        join(page)
        expect_call(page, "Bob")
        wait_for_frames(page)
        page.get_by_role("button", name="Hang up").click()
        expect_form(page, "You hung up.")
    assert len(ours.all("media.connected")) == 2


def test_the_page_ends_the_call_when_callrunner_hangs_up_but_stays_in_the_room(machine, pages):
    server = machine.server()
    page = pages(server).open(room=5, name="Ann")
    join(page)
    ours = machine.callrunner(
        "--room", "5", "--name", "Bob", "--server", server, "--caller", "--repeat", "1", "--duration", "2", "--stay")
    expect_call(page, "Bob")
    ours.wait_for("call.ended")
    expect_form(page, "Bob hung up.")


def test_two_pages_call_each_other(machine, pages):
    visitors = pages(machine.server())
    ann = visitors.open(room=5, name="Ann", role="caller")
    bob = visitors.open(room=5, name="Bob", role="callee")
    join(ann)
    see(ann.get_by_role("status")).to_have_text("Waiting for a callee to join.")
    join(bob)
    for page, other in ((ann, "Bob"), (bob, "Ann")):
        expect_call(page, other)
        wait_for_frames(page)
        see(page.get_by_role("list", name="Participants").get_by_role("listitem")).to_have_count(2)
    bob.get_by_role("button", name="Hang up").click()
    expect_form(ann, "Bob hung up.")
    assert ann.errors == bob.errors == []


def test_a_page_that_is_closed_leaves_the_room_at_once(machine, pages):
    visitors = pages(machine.server())
    ann, bob = visitors.open(room=5, name="Ann", role="caller"), visitors.open(room=5, name="Bob")
    join(ann)
    join(bob)
    expect_call(ann, "Bob")
    bob.goto("about:blank")
    see(ann.get_by_role("status")).to_have_text("Bob left.", timeout=1500)


def test_the_page_can_mute_its_microphone_and_switch_its_camera_off(machine, pages):
    visitors = pages(machine.server())
    ann, bob = visitors.open(room=5, name="Ann", role="caller"), visitors.open(room=5, name="Bob")
    join(ann)
    join(bob)
    expect_call(ann, "Bob")
    enabled = "(kind) => window.connections.at(-1).getSenders().find(({track}) => track.kind === kind).track.enabled"
    wait_for_frames(bob, at_least=1)
    card = bob.locator("#nobody")
    see(card).to_be_hidden()
    for off, on, kind, sign in (("Mute", "Unmute", "audio", "Muted"), ("Camera off", "Camera on", "video", "Camera off")):
        ann.get_by_role("button", name=off).click()
        assert ann.evaluate(enabled, kind) is False
        see(ann.get_by_role("button", name=on)).to_have_attribute("aria-pressed", "true")
        see(signs(bob)).to_have_text([sign], timeout=2000)
        if kind == "video":
            see(card).to_contain_text("Ann", timeout=2000)
            see(card).to_be_visible()
            # The browser keeps the size and the rate of the last frame.
            see(bob.locator("#statistics")).not_to_contain_text("fps")
        ann.get_by_role("button", name=on).click()
        assert ann.evaluate(enabled, kind) is True
        see(signs(bob)).to_have_count(0, timeout=2000)
    see(card).to_be_hidden()


def test_a_page_can_call_without_camera_or_microphone(machine, pages):
    visitors = pages(machine.server())
    ann, bob = visitors.open(room=5, name="Ann", role="caller"), visitors.open(room=5, name="Bob")
    ann.get_by_label("Camera").select_option("No camera")
    bob.get_by_label("Camera").select_option("No camera")
    bob.get_by_label("Microphone").select_option("No microphone")
    join(ann)
    join(bob)
    expect_call(bob, "Ann")
    see(bob.get_by_role("button", name="Mute")).to_be_hidden()
    see(ann.get_by_role("button", name="Mute")).to_be_visible()
    see(ann.get_by_role("button", name="Camera off")).to_be_hidden()
    see(bob.get_by_role("group", name="Statistics")).to_contain_text("Opus")
    counted = chromium.statistics(bob)
    assert counted["soundIn"] > 0 and counted["soundOut"] == counted["framesOut"] == 0, counted
    # The callrunner side must not report a stall, although the page sends no media.
    bob.wait_for_timeout(7000)
    expect_call(bob, "Ann")
    expect_call(ann, "Bob")


@pytest.mark.sample(1)
@pytest.mark.parametrize("first", ["page", "aiortc"])
@pytest.mark.parametrize("role", ROLES)
def test_a_page_makes_a_call_on_a_server_that_lists_no_participants(machine, pages, role, first):
    server = machine.seed_server()
    page = pages(server).open(room=5, name="Ann", role=role)
    theirs = ["--room", "5", "--name", "Bob", "--server", server, "--play", probe.ASSET, "--codec", "VP8"]
    if first == "page":
        join(page)
        # Waits until the caller has sent an offer without knowing whether a callee is present.
        page.wait_for_timeout(1000)
    peer = machine.peer("aiortc_peer", *theirs, "--duration", "4", *role_flags(opposite(role)))
    peer.wait_for("room.joined")
    if first != "page":
        join(page)
    see(page.get_by_role("status")).to_have_text(re.compile("In a call with"), timeout=20_000)
    wait_for_frames(page, at_least=5)
    peer.succeed()
    see(page.get_by_role("status")).to_have_text(re.compile("(left|hung up)[.]"), timeout=10_000)


@pytest.mark.sample(3)
@pytest.mark.parametrize("flags", [["--candidates", "mid-wins"], ["--candidates", "index-string", "--garbage"],
                                   ["--candidates", "null-mid"], ["--candidates", "a-prefix"],
                                   ["--candidates", "documented", "--early"]], ids=" ".join)
@pytest.mark.parametrize("role", ROLES)
def test_the_page_accepts_candidates_in_every_form_and_order(machine, pages, role, flags):
    server = machine.server()
    page = pages(server).open(room=5, name="Ann", role=role)
    join(page)
    # The peer ignores the page's candidates, so the call connects only if the page accepts those of the peer.
    machine.peer("aiortc_peer", "--room", "5", "--name", "Bob", "--server", server, "--ignore-candidates", *flags,
                 *role_flags(opposite(role)))
    expect_call(page, "Bob")
