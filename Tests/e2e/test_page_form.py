"""The web page outside of calls: joining, refusals, devices, languages, keyboard, accessibility and layout."""

import json
import re
import signal

import pytest
from peers import chromium
from playwright.sync_api import expect as see

CONTROLS = {"button", "textbox", "combobox", "radio", "link"}
PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}


@pytest.fixture
def machine(desk_machine):
    return desk_machine


def join(page) -> None:
    page.get_by_role("button", name=re.compile("^Join")).click()


def accessible(page) -> list[dict]:
    """Returns the role and the name of each node in the accessibility tree, except for ignored nodes."""
    tree = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
    value = lambda node, field: node.get(field, {}).get("value", "")  # noqa: E731
    return [{"role": value(node, "role"), "name": value(node, "name")} for node in tree if not node["ignored"]]


def expect_no_sideways_scrolling(page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def test_the_url_fills_the_form_and_the_name_is_remembered(machine, pages):
    visitors = pages(machine.server())
    page = visitors.open(room=7, name="Ann", role="caller")
    see(page.get_by_label("Your name")).to_have_value("Ann")
    see(page.get_by_label("Room number")).to_have_value("7")
    see(page.get_by_role("radio", name="Caller")).to_be_checked()
    see(page.locator("code#command")).to_contain_text("callrunner --room 7 --server")
    join(page)
    page.get_by_role("button", name="Leave").click()
    see(page.get_by_role("status")).to_have_text("You left the room.")
    page.goto(re.sub("name=Ann&", "", page.url))
    see(page.get_by_label("Your name")).to_have_value("Ann")


@pytest.mark.parametrize("key", ["Enter", " "])
def test_a_key_that_is_held_while_a_link_is_opened_does_not_join(machine, pages, key):
    page = pages(machine.server()).open(room=7, name="Ann")
    address = page.url
    page.goto("about:blank")
    page.keyboard.down(key)
    page.goto(address)
    joining = page.get_by_role("button", name=re.compile("^Join"))
    see(joining).to_be_focused()
    for _ in range(3):
        page.keyboard.down(key)
    page.keyboard.up(key)
    page.wait_for_timeout(500)
    see(joining).to_be_visible()
    page.keyboard.press(key)
    see(page.get_by_role("button", name="Leave")).to_be_visible()


@pytest.mark.parametrize(("field", "value", "said"), [
    ("Your name", "   ", "A name has 1 to 64 characters."),
    ("Room number", "0", "A room is a whole number from 1 to 9007199254740991."),
    ("Room number", "9007199254740992", "A room is a whole number from 1 to 9007199254740991."),
    ("Room number", "1.5", "A room is a whole number from 1 to 9007199254740991."),
])
def test_an_invalid_field_shows_its_error(machine, pages, field, value, said):
    page = pages(machine.server()).open(room=7, name="Ann")
    page.get_by_label(field).fill(value)
    join(page)
    see(page.get_by_label(field)).to_have_accessible_description(said)
    see(page.get_by_label(field)).to_have_attribute("aria-invalid", "true")
    see(page.get_by_label(field)).to_be_focused()
    see(page.locator("#call")).to_be_hidden()


def test_a_taken_role_and_a_full_room_are_reported(machine, pages):
    server = machine.server()
    machine.callrunner("--room", "7", "--server", server, "--caller").wait_for("room.joined")
    visitors = pages(server)
    page = visitors.open(room=7, name="Ann", role="caller")
    join(page)
    see(page.get_by_role("status")).to_have_text(
        "The room already has a caller. Join as callee, or choose another room.")
    machine.callrunner("--room", "7", "--server", server).wait_for("room.joined")
    join(page)
    see(page.get_by_role("status")).to_have_text(
        "The room is full. Choose another room, or wait until somebody leaves.")
    see(page.get_by_role("heading", name="Join a call")).to_be_visible()


def test_one_of_two_participants_with_the_same_role_can_switch_its_role(machine, pages):
    visitors = pages(machine.server("--open-rooms"))
    ann, bob = (visitors.open(room=7, name=name, role="caller") for name in ("Ann", "Bob"))
    join(ann)
    join(bob)
    see(ann.get_by_role("status")).to_have_text("Bob is also a caller: one of you must switch roles.")
    see(bob.get_by_role("status")).to_have_text("Ann is also a caller: one of you must switch roles.")
    bob.get_by_role("button", name="Switch my role").click()
    see(ann.get_by_role("status")).to_have_text("In a call with Bob.", timeout=15_000)
    see(bob.get_by_role("status")).to_have_text("In a call with Ann.")


def test_switching_the_role_ends_the_current_call(machine, pages):
    visitors = pages(machine.server("--open-rooms"))
    others = visitors.open(room=7)
    others.evaluate("""async () => {
      const { Room } = await import("/signaling.js");
      const join = (name, role) => new Promise((resolve) => {
        const told = ({ type }) => type === "told" && resolve(room);
        const room = new Room({ server: location.origin, room: "7", name, role }, told);
      });
      [window.callee, window.rival] = [await join("Cid", "callee"), await join("Ann", "caller")];
    }""")
    bob = visitors.open(room=7, name="Bob", role="caller")
    join(bob)
    # Cid never answers, and Ann sends an offer as well.
    bob.wait_for_function("() => window.connections[0]?.signalingState === 'have-local-offer'")
    others.evaluate("window.rival.emit('offer', { sdp: 'v=0' })")
    bob.get_by_role("button", name="Switch my role").click()
    bob.wait_for_function("() => window.connections[0].signalingState === 'closed'")
    see(bob.get_by_role("status")).to_have_text(re.compile("Waiting|also callee"))
    assert bob.errors == []


def test_an_unreachable_server_is_reported(machine, pages):
    served = machine.callrunner("serve", "--port", "0")
    page = pages(served.wait_for("server.listening")["url"]).open(room=7, name="Ann")
    served.signal(signal.SIGKILL)
    served.process.wait()
    join(page)
    see(page.get_by_role("status")).to_have_text(
        "The server does not answer. Is it running?", timeout=15_000)


def test_the_page_connects_only_to_its_own_server(machine, pages):
    own, foreign = machine.server(), machine.server()
    page = pages(own).open(room=7, name="Ann", server=foreign)
    addresses = []
    page.on("websocket", lambda socket: addresses.append(socket.url))
    join(page)
    see(page.get_by_role("status")).to_have_text("Waiting for a caller to join.")
    assert addresses and all(address.startswith(own.replace("http", "ws")) for address in addresses)
    # The content security policy prevents every script of the page from connecting to other servers.
    refused = page.evaluate("""(server) => new Promise((resolve) => {
      addEventListener("securitypolicyviolation", (event) => resolve(event.effectiveDirective));
      fetch(server).then(() => resolve("fetched"), () => {});
    })""", foreign)
    assert refused == "connect-src"


def test_the_token_is_removed_from_the_page_url_and_sent_in_no_request_url(machine, pages):
    visitors = pages(machine.server())
    page = visitors.open(room=7, name="Ann")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    # If the page is already open, a new fragment replaces the token without a reload.
    page.evaluate("location.hash = 'token=second'")
    page.wait_for_function("() => location.hash === ''")
    page.goto("about:blank")
    page.goto(f"{visitors.origin}/?room=7#token=first.token")
    assert page.url == f"{visitors.origin}/?room=7"
    assert asked and not [url for url in asked if "first.token" in url.split("#")[0]]


def test_token_and_key_are_sent_only_in_the_connect_payload(machine, pages):
    page = pages(machine.server()).open(room=7, name="Ann", token="abc.def")
    sent, addresses = [], []
    page.on("websocket", lambda socket: (
        addresses.append(socket.url), socket.on("framesent", lambda frame: sent.append(frame))))
    join(page)
    see(page.get_by_role("status")).to_have_text("Waiting for a caller to join.")
    payload = json.loads(next(frame for frame in sent if frame.startswith("40"))[2:])
    assert payload["token"] == "abc.def" and len(payload["key"]) >= 16
    assert "abc.def" not in addresses[0] and payload["key"] not in addresses[0]
    assert "roomId=7&username=Ann&isCaller=false" in addresses[0]


def test_a_page_over_http_can_only_receive_media_and_explains_why(machine, pages):
    server = machine.server("--host", "0.0.0.0").replace("0.0.0.0", "10.99.0.1")
    page = pages(server).open(room=7, name="Ann")
    assert page.evaluate("isSecureContext") is False
    see(page.locator("#insecure")).to_contain_text("browsers allow camera and microphone only on HTTPS pages")
    see(page.locator("#secure-link")).to_have_attribute("href", re.compile(r"^https://10\.99\.0\.1:\d+/\?room=7"))
    see(page.get_by_label("Camera")).to_be_hidden()
    page.get_by_role("button", name="Join, receiving only").click()
    machine.callrunner("--room", "7", "--name", "Bob", "--server", server, "--caller")
    see(page.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
    see(page.get_by_role("group", name="Statistics")).to_contain_text("1280×720", timeout=10_000)
    counted = chromium.statistics(page)
    assert counted["framesOut"] == counted["soundOut"] == 0 and counted["soundIn"] > 0, counted


def test_the_link_to_https_does_not_show_the_token(machine, pages):
    """The token is added to the URL only when the link is followed."""
    server = machine.server("--host", "0.0.0.0").replace("0.0.0.0", "10.99.0.1")
    page = pages(server).open(room=7, name="Ann", token="secret.to.ken")
    link = page.locator("#secure-link")
    see(link).to_have_attribute("href", re.compile(r"^https://10\.99\.0\.1:\d+/\?room=7&name=Ann$"))
    shown = page.evaluate("""() => [document.documentElement.outerHTML, document.title, location.href,
      ...[...document.querySelectorAll("input, select")].map((field) => field.value)].join()""")
    assert "secret" not in shown
    page.evaluate("() => { window.opened = []; window.open = (...told) => window.opened.push(told); }")
    link.click()
    link.click(modifiers=["Control"])
    followed = f"{server.replace('http', 'https')}/?room=7&name=Ann#token=secret.to.ken"
    assert page.evaluate("window.opened") == [[followed, "_self"], [followed, "_blank"]]
    assert "secret" not in page.content()


def test_the_page_uses_the_camera_over_https_from_any_address(machine, pages):
    served = machine.server("--host", "0.0.0.0", "--tls", "self-signed").replace("0.0.0.0", "10.99.0.1")
    page = pages(served).open({"ignore_https_errors": True}, room=7, name="Ann")
    assert page.evaluate("isSecureContext") is True
    join(page)
    machine.callrunner("--room", "7", "--name", "Bob", "--server", served, "--caller", "--insecure")
    see(page.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
    see(page.get_by_role("group", name="Statistics")).to_contain_text("1280×720", timeout=10_000)
    assert chromium.statistics(page)["framesOut"] > 0


def test_a_room_token_admits_the_page_and_a_missing_one_is_reported(machine, pages, tmp_path):
    key = tmp_path / "room.key"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    minting = machine.callrunner("token", "--key", key, "--room", "7")
    visitors = pages(machine.server("--auth", f"jwt:{key}"))
    page = visitors.open(room=7, name="Ann")
    join(page)
    see(page.get_by_role("heading", name="Join a call")).to_be_visible()
    see(page.get_by_role("status")).to_contain_text("token")
    page = visitors.open(room=7, name="Ann", token=minting.wait_for("token")["token"])
    join(page)
    see(page.get_by_role("status")).to_have_text("Waiting for a caller to join.")


def test_the_page_uses_the_turn_servers_that_the_server_announces(machine, pages, tmp_path):
    secret = tmp_path / "turn.secret"
    secret.write_text("north")
    secret.chmod(0o600)
    server = machine.server("--turn", "turn:10.99.0.1:3478", "--turn-secret", secret)
    page = pages(server).open(room=7, name="Ann", role="caller")
    join(page)
    machine.callrunner("--room", "7", "--name", "Bob", "--server", server)
    see(page.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
    [told] = page.evaluate("window.connections.at(-1).getConfiguration().iceServers")
    assert told["urls"] == ["turn:10.99.0.1:3478"] and told["credential"]
    assert re.match(r"\d{10}:", told["username"])


@pytest.mark.sample(1)
@pytest.mark.parametrize(("flags", "said"), [
    (chromium.NO_DEVICES, ["No camera was found. Plug one in", "No microphone was found. Plug one in"]),
    (chromium.REFUSED_DEVICES, ["No camera: the browser blocks it on this page. Allow it in the address bar",
                                "No microphone: the browser blocks it on this page."]),
], ids=["missing", "denied"])
def test_the_page_joins_although_camera_and_microphone_are_missing_or_denied(machine, pages, flags, said):
    server = machine.server()
    page = pages(server, flags).open(room=7, name="Ann")
    join(page)
    for sentence in said:
        see(page.get_by_role("alert")).to_contain_text(sentence)
    machine.callrunner("--room", "7", "--name", "Bob", "--server", server, "--caller")
    see(page.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
    see(page.get_by_role("group", name="Statistics")).to_contain_text("1280×720", timeout=10_000)


def test_a_camera_in_use_is_reported_and_the_microphone_is_used(machine, pages):
    page = pages(machine.server()).open(room=7, name="Ann")
    page.evaluate("""() => {
      const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
      navigator.mediaDevices.getUserMedia = (wanted) =>
        wanted.video ? Promise.reject(new DOMException("in use", "NotReadableError")) : open(wanted);
    }""")
    join(page)
    see(page.get_by_role("alert")).to_have_text(
        "The camera is in use by another program. Close that program, then join again.")
    see(page.get_by_role("button", name="Mute")).to_be_visible()
    see(page.get_by_role("button", name="Camera off")).to_be_hidden()


@pytest.mark.parametrize(("locale", "query", "title"), [
    ("uk-UA", {}, "Приєднатися до дзвінка"), ("ru-RU", {}, "Присоединиться к звонку"), ("fr-FR", {}, "Join a call"),
    ("en-GB", {"lang": "uk"}, "Приєднатися до дзвінка"), ("uk-UA", {"lang": "en"}, "Join a call"),
])
def test_the_page_uses_the_language_of_the_browser_or_the_url(machine, pages, locale, query, title):
    page = pages(machine.server()).open({"locale": locale}, room=7, **query)
    see(page.get_by_role("heading", level=2)).to_have_text(title)
    assert page.evaluate("document.documentElement.lang") == (query.get("lang") or
                                                              {"uk-UA": "uk", "ru-RU": "ru"}.get(locale, "en"))


@pytest.mark.parametrize("language", ["uk", "ru"])
def test_every_text_of_the_page_is_translated(machine, pages, language):
    page = pages(machine.server()).open(room=7)
    missing = page.evaluate("""async (language) => {
      const [{ english }, other] = await Promise.all(
        ["en", language].map((code) => import(`/languages/${code}.js`)));
      const [translated] = Object.values(other);
      const fields = (sentence) => (sentence.match(/\\{\\w+\\}/g) ?? []).sort().join();
      return Object.keys(english).filter((key) => fields(english[key]) !== fields(translated[key] ?? "?{}"));
    }""", language)
    assert missing == []


def test_every_control_has_an_accessible_name(machine, pages):
    visitors = pages(machine.server())
    ann, bob = visitors.open(room=7, name="Ann", role="caller"), visitors.open(room=7, name="Bob")
    form = accessible(ann)
    assert {node["name"] for node in form if node["role"] in CONTROLS} >= {
        "Your name", "Room number", "Caller", "Callee", "Camera", "Microphone", "Join"}
    join(ann)
    join(bob)
    see(ann.get_by_role("status")).to_have_text("In a call with Bob.", timeout=15_000)
    see(ann.get_by_role("group", name="Statistics")).to_be_visible()
    call = accessible(ann)
    assert {node["name"] for node in call if node["role"] == "button"} == {"Mute", "Camera off", "Hang up"}
    assert {node["name"] for node in call if node["role"] == "Video"} == {"Video of Bob", "Your own video"}
    assert {"status", "main", "banner", "list", "heading"} <= {node["role"] for node in call}
    assert [node for node in form + call if node["role"] in CONTROLS and not node["name"]] == []


def test_the_keyboard_reaches_every_control_in_reading_order(machine, pages):
    page = pages(machine.server()).open(room=7)
    see(page.get_by_label("Your name")).to_be_focused()

    def focused() -> str:
        return page.evaluate("document.activeElement.id || document.activeElement.value")

    page.keyboard.type("Ann")
    order = []
    for _ in range(5):
        page.keyboard.press("Tab")
        order.append(focused())
    assert order == ["room", "callee", "camera", "microphone", "submit"]
    ring = page.evaluate("getComputedStyle(document.activeElement).boxShadow")
    assert ring != "none", "the focus ring is invisible"
    page.keyboard.press("Enter")
    see(page.get_by_role("button", name="Leave")).to_be_visible()
    see(page.get_by_role("button", name="Mute")).to_be_visible()
    # The focus is now on the status text, which precedes the controls.
    order = [focused()]
    for _ in range(3):
        page.keyboard.press("Tab")
        order.append(focused())
    assert order == ["status", "mute", "camera-off", "hang-up"]
    page.keyboard.press("Enter")
    see(page.get_by_role("heading", name="Join a call")).to_be_visible()


@pytest.mark.sample(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("device", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_the_page_fits_desktop_and_phone_in_both_colour_schemes(machine, pages, artefact, device, scheme):
    server = machine.server()
    page = pages(server).open({**device, "color_scheme": scheme}, room=7, name="Ann", role="caller")
    name = f"page-{scheme}-{'phone' if device is PHONE else 'desktop'}"
    expect_no_sideways_scrolling(page)
    page.screenshot(path=artefact(f"{name}-form.png"), full_page=True)
    machine.callrunner("--room", "7", "--name", "Bob", "--server", server)
    join(page)
    see(page.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
    see(page.get_by_role("group", name="Statistics")).to_contain_text("Mb/s", timeout=15_000)
    page.wait_for_function("() => document.getElementById('remote').currentTime > 2")
    expect_no_sideways_scrolling(page)
    page.screenshot(path=artefact(f"{name}-call.png"))
