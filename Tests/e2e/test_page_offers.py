"""Offers with which a peer could overload the web page: long, many, quick, with many videos, with data channels."""

import re

import pytest
from peers import probe
from peers.chromium import statistics
from playwright.sync_api import expect as see

# Joins the room as a caller whose offers are made by the test, and keeps the answers.
JOIN = """async () => {
  const { Room } = await import("/signaling.js");
  window.answers = [];
  window.room = await new Promise((resolve) => {
    const room = new Room({ server: location.origin, room: "5", name: "Eve", role: "caller" }, (event) => {
      if (event.type === "told") resolve(room);
      if (event.type === "message" && event.name === "answer") window.answers.push(event.payload);
    });
  });
  window.offer = async (add) => {
    const pc = new RTCPeerConnection();
    add(pc);
    await pc.setLocalDescription();
    pc.onicecandidate = ({ candidate }) => candidate?.candidate && room.emit("candidate", candidate.toJSON());
    return pc;
  };
  window.send = (sdp) => window.room.emit("offer", { type: "offer", sdp });
}"""


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def both(machine, pages):
    """The page of a callee, and a caller in the same room."""
    visitors = pages(machine.server())
    page = visitors.open(room=5, name="Ann", role="callee")
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.locator("#status")).to_have_text(re.compile("^Waiting for"))
    eve = visitors.open()
    eve.evaluate(JOIN)
    see(page.locator("#people")).to_contain_text("Eve")
    return page, eve


def description(sections: int, length: int = 0) -> str:
    head = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:evil\r\n"
    whole = head + "m=audio 9 UDP/TLS/RTP/SAVPF 0\r\n" * sections
    return whole + "a=" + "x" * (length - len(whole) - 4) + "\r\n" if length else whole


@pytest.mark.parametrize(
    ("sdp", "is_read"),
    [
        (description(64), True),
        (description(65), False),
        (description(1, 256 * 1024), True),
        (description(1, 256 * 1024 + 1), False),
        (description(1) + "a=ice-ufrag:a\r\n" * 64, True),
        (description(1) + "a=ice-ufrag:a\r\n" * 65, False),
    ],
    ids=["64 sections", "65 sections", "256 KiB", "256 KiB and a byte", "65 ufrags", "66 ufrags"],
)
def test_session_descriptions_above_the_limits_are_ignored(machine, pages, sdp, is_read):
    page = pages(machine.server()).open()
    read = "async (sdp) => (await import('/sdp.js')).identify(sdp) !== null"
    assert page.evaluate(read, sdp) == is_read


def test_the_newest_of_many_simultaneous_offers_is_answered(both):
    page, eve = both
    newest = eve.evaluate("""async () => {
      const all = [];
      for (let number = 0; number < 30; number += 1) all.push(await offer((pc) => pc.addTransceiver("audio")));
      const sdps = all.map((pc) => pc.localDescription.sdp);
      for (const pc of all.slice(0, -1)) pc.close();
      for (const sdp of sdps) send(sdp);
      return sdps.at(-1).match(/a=ice-ufrag:(\\S+)/)[1];
    }""")
    eve.wait_for_function("newest => answers.at(-1)?.offer === newest", arg=newest)
    assert page.evaluate("window.connections.length") <= 3
    assert page.errors == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("change", ["version", "nothing"])
def test_an_offer_that_is_repeated_quickly_is_answered_only_a_few_times(both, change):
    page, eve = both
    eve.evaluate("""async (change) => {
      const { sdp } = (await offer((pc) => pc.addTransceiver("audio"))).localDescription;
      const versions = [...Array(30).keys()].map((number) => (change === "version" ? 2 + number : 2));
      const all = versions.map((version) => sdp.replace(/^(o=- \\d+) \\d+/m, `$1 ${version}`));
      for (const one of all) send(one);
      window.newest = all.at(-1);
    }""", change)
    eve.wait_for_function("() => answers.length > 0")
    eve.wait_for_timeout(1000)
    assert eve.evaluate("answers.length") <= 3
    # An answer that was lost is sent again, but not for each repetition.
    count = eve.evaluate("() => { for (let times = 0; times < 30; times += 1) send(newest); return answers.length; }")
    eve.wait_for_function("count => answers.length > count", arg=count)
    eve.wait_for_timeout(1000)
    assert eve.evaluate("answers.length") <= count + 3
    assert page.errors == []


@pytest.mark.parametrize("attribute", ["", "bundle-only", "bundle-only:x", "bundle-only x"])
def test_one_audio_and_one_video_section_of_an_offer_are_accepted_and_no_others(both, attribute):
    page, eve = both
    # With “bundle-only”, sections with the port 0 are in use (RFC 8843, 6).
    eve.evaluate("""async (attribute) => {
      window.pc = await offer((pc) => {
        for (const kind of ["video", "audio", "video", "audio", ...Array(20).fill("video")]) pc.addTransceiver(kind);
        pc.createDataChannel("chat");
      });
      const [session, first, ...others] = pc.localDescription.sdp.split(/^(?=m=)/m);
      const bundled = others.map((section) => section.replace(/^(m=\\S+) \\d+(.*\\r\\n)/, `$1 0$2a=${attribute}\\r\\n`));
      send([session, first, ...(attribute ? bundled : others)].join(""));
    }""", attribute)
    eve.wait_for_function("() => answers.length > 0")
    sections = re.findall(r"(?m)^m=(\S+) (\d+)", eve.evaluate("answers[0].sdp"))
    assert [kind for kind, port in sections if port != "0"] == ["video", "audio"]
    assert len(sections) == 25
    accepted = page.evaluate("""() => {
      const pc = window.connections.at(-1);
      return [pc.getTransceivers().filter(({ currentDirection }) => currentDirection !== "stopped").length, pc.sctp];
    }""")
    assert accepted == [2, None]
    eve.evaluate("pc.setRemoteDescription({ type: 'answer', sdp: answers[0].sdp })")
    see(page.locator("#status")).to_have_text("In a call with Eve.", timeout=20_000)
    assert page.errors == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("shape", ["data-channel", "two-videos", "two-audios"])
def test_a_call_connects_even_if_sections_of_its_offer_are_refused(machine, pages, shape):
    server = machine.server()
    page = pages(server).open(room=5, name="Ann", role="callee")
    page.get_by_role("button", name=re.compile("^Join")).click()
    machine.peer("aiortc_peer", "--room", "5", "--name", "Bob", "--server", server, "--caller", "--shape", shape,
                 "--play", probe.ASSET, "--codec", "VP8")
    see(page.locator("#status")).to_have_text("In a call with Bob.", timeout=20_000)
    page.wait_for_function("() => document.getElementById('remote').getVideoPlaybackQuality().totalVideoFrames > 5")
    assert statistics(page)["soundIn"] > 0
    assert page.errors == []


def test_a_call_fails_with_a_reason_if_the_browser_cannot_create_a_connection(both):
    page, eve = both
    page.evaluate("""() => {
      window.RTCPeerConnection = class { constructor() { throw new DOMException("too many", "UnknownError"); } };
    }""")
    eve.evaluate("async () => send((await offer((pc) => pc.addTransceiver('audio'))).localDescription.sdp)")
    see(page.locator("#status")).to_contain_text("failed")
    see(page.get_by_role("heading", name="Join a call")).to_be_visible()
    assert page.errors == []
