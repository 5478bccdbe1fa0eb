"""Web pages of other origins in Chromium, which may join rooms and read responses only if their origin is allowed."""

import subprocess
from contextlib import contextmanager

import pytest
from peers import chromium
from peers.runner import PYTHON

# The attempts of a page to join over each transport, in a room of its own, and to read responses.
ATTACK = """async (server) => {
  const address = (transport, room) =>
    `${server}/socket.io/?EIO=4&transport=${transport}&roomId=${room}&username=Eve&isCaller=true`;
  const text = (url, options) => fetch(url, options).then((answer) => answer.text());
  const websocket = () => new Promise((resolve) => {
    const socket = new WebSocket(address("websocket", 1).replace(/^http/, "ws"));
    socket.onmessage = ({ data }) => (data[0] === "0" ? socket.send("40") : data.startsWith("40") && resolve("joined"));
    socket.onerror = () => resolve("refused");
  });
  const polling = async () => {
    const url = address("polling", 2);
    const session = `${url}&sid=${JSON.parse((await text(url)).slice(1)).sid}`;
    await text(session, { method: "POST", body: "40" });
    return (await text(session)).startsWith("40") ? "joined" : "refused";
  };
  // Without CORS: no response can be read, but the server still processes the requests.
  const blindly = () => Promise.all([
    fetch(address("polling", 3), { mode: "no-cors" }),
    fetch(address("polling", 3), { mode: "no-cors", method: "POST", body: "40" }),
  ]);
  const outcome = {};
  for (const [name, attempt] of Object.entries({ websocket, polling, blindly,
    health: () => text(`${server}/healthz`), metrics: () => text(`${server}/metrics`) })) {
    outcome[name] = await attempt().then((told) => String(told), () => "refused");
  }
  return outcome;
}"""


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def foreign(machine, tmp_path) -> str:
    """The origin of a page on another server on the same host."""
    folder = tmp_path / "foreign"
    folder.mkdir()
    (folder / "index.html").write_text("<!doctype html><title>Elsewhere</title>")
    return machine.peer("file_server", folder).wait_for("server.listening")["url"]


def attack(desk, page_address: str, server: str, flags: list[str] = chromium.FAKE_DEVICES) -> dict:
    """Returns the outcome of each attempt of a page at `page_address` to use the server."""
    context = desk.browser(flags).new_context()
    try:
        page = context.new_page()
        page.goto(page_address)
        return page.evaluate(ATTACK, server)
    finally:
        context.close()


def measure(machine, server: str, name: str) -> float:
    (line,) = [line for line in machine.fetch(f"{server}/metrics").splitlines() if line.startswith(f"{name} ")]
    return float(line.rsplit(" ", 1)[1])


def status(machine, url: str, **headers: str) -> int:
    script = (
        "import sys, urllib.request as r, urllib.error as e\n"
        "request = r.Request(sys.argv[1], headers=dict(item.split('=', 1) for item in sys.argv[2:]))\n"
        "try: print(r.urlopen(request, timeout=10).status)\n"
        "except e.HTTPError as refusal: print(refusal.code)\n"
    )
    items = [f"{name}={value}" for name, value in headers.items()]
    told = subprocess.run([*machine.prefix, PYTHON, "-c", script, url, *items], check=True, capture_output=True, text=True)
    return int(told.stdout)


def test_only_a_page_of_the_servers_own_origin_may_join_and_read_responses(machine, desk, foreign):
    server = machine.server()
    callee = machine.callrunner("--room", "1", "--server", server, "--source", "none", "--headless")
    callee.wait_for("room.joined")
    refused = attack(desk, foreign, server)
    assert {name: told for name, told in refused.items() if name != "blindly"} == {
        "websocket": "refused", "polling": "refused", "health": "refused", "metrics": "refused"}  # fmt: skip
    for transport in ("polling", "websocket"):
        # Only the session of the callee was opened.
        own = 1 if transport == "websocket" else 0
        assert measure(machine, server, f'callrunner_sessions_opened_total{{transport="{transport}"}}') == own
    assert measure(machine, server, 'callrunner_connections_refused_total{reason="foreign_origin"}') >= 6
    assert callee.all("peer.joined") == []
    let_in = attack(desk, f"{server}/healthz", server)
    assert (let_in["websocket"], let_in["polling"]) == ("joined", "joined"), let_in
    assert '"status":"ok"' in let_in["health"] and "callrunner_rooms" in let_in["metrics"]
    callee.wait_for("peer.joined", username="Eve")


# The request for the document of a frame has no `Origin` header.
FRAME = """(address) => new Promise((resolve) => {
  const frame = document.createElement("iframe");
  frame.onload = () => resolve();
  frame.src = address;
  document.body.append(frame);
})"""


def test_an_iframe_on_a_page_of_another_origin_opens_no_session(machine, desk, foreign):
    server = machine.server()
    context = desk.browser(chromium.FAKE_DEVICES).new_context()
    try:
        page = context.new_page()
        page.goto(foreign)
        page.evaluate(FRAME, f"{server}/socket.io/?EIO=4&transport=polling")
    finally:
        context.close()
    assert measure(machine, server, 'callrunner_connections_refused_total{reason="foreign_origin"}') >= 1
    assert measure(machine, server, 'callrunner_sessions_opened_total{transport="polling"}') == 0


def test_the_embedded_server_of_a_call_refuses_pages_of_other_origins(machine, desk, foreign):
    """With its default flags, `callrunner --room 1` answers every caller."""
    callee = machine.callrunner("--room", "1", "--source", "none", "--headless")
    server = callee.wait_for("server.listening")["url"]
    callee.wait_for("room.joined")
    refused = attack(desk, foreign, server)
    assert (refused["websocket"], refused["polling"], refused["health"]) == ("refused",) * 3, refused
    assert callee.all("peer.joined") == [] and callee.all("call.started") == []
    # A host name of the attacker that resolves to the server's host (DNS rebinding) is refused too.
    with rebound(desk) as page:
        assert page.goto(f"{server.replace('127.0.0.1', 'evil.example')}/healthz").status == 403
        told = page.evaluate(ATTACK, page.evaluate("location.origin"))
    assert (told["websocket"], told["polling"]) == ("refused", "refused"), told
    assert "--public-host" in told["health"]
    assert callee.all("peer.joined") == []


@contextmanager
def rebound(desk):
    """Opens a page in a browser that resolves the attacker's host name to loopback."""
    context = desk.browser([*chromium.FAKE_DEVICES, "--host-resolver-rules=MAP evil.example 127.0.0.1"]).new_context()
    try:
        yield context.new_page()
    finally:
        context.close()


def test_a_page_of_an_allowed_origin_may_join_but_not_read_the_metrics(machine, desk, foreign):
    server = machine.server("--origin", foreign)
    told = attack(desk, foreign, server)
    assert (told["websocket"], told["polling"], told["metrics"]) == ("joined", "joined", "refused"), told
    assert '"status":"ok"' in told["health"]


def test_metrics_requests_with_another_origin_or_host_header_are_refused(machine):
    call = machine.callrunner("--room", "1", "--metrics-port", "0", "--source", "none", "--headless")
    url = call.wait_for("metrics.listening")["url"]
    assert status(machine, url) == 200
    assert status(machine, url, Host="evil.example") == 403
    assert status(machine, url, Origin="http://evil.example") == 403
