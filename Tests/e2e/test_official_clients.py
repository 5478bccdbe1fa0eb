"""The signaling of calls between unmodified official Socket.IO clients over `callrunner serve` on each transport."""

import asyncio
import itertools
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
from conftest import new_machine
from peers import chromium
from peers.inside import Inside
from peers.member import Member, Refused

# The Python wheel that bundles the official JavaScript client. Nothing else of the wheel is used.
WHEEL = find_spec("nicegui")
SCRIPT = Path(__file__).parents[1] / "peers/official_client.js"
TRANSPORTS = {"defaults": None, "websocket": ["websocket"], "polling": ["polling"]}
FINAL_TRANSPORT = {"defaults": "websocket", "websocket": "websocket", "polling": "polling"}
SDP = {"caller": "v=0\r\ns=Привіт 👋\r\n" + "a=x\r\n" * 1000, "callee": "v=0\r\ns=answer\r\n"}
FILE = {"caller": bytes(range(256)).hex(), "callee": "1e" * 3000}
LIMIT = 120

rooms = itertools.count(1)


@pytest.fixture(scope="module")
def clients(tmp_path_factory, playwright):
    """A server and a browser that the tests of this file share. Each test uses a room of its own."""
    assert WHEEL, "the official JavaScript client is missing: run `make setup`"
    with new_machine(tmp_path_factory.mktemp("official")) as machine:
        server = machine.server()
        with chromium.chromium(playwright, machine.prefix, tmp_path_factory.mktemp("browser"), []) as browser:
            yield OfficialClients(machine, browser, server)


class OfficialClients:
    """Starts JavaScript and Python clients of one server."""

    def __init__(self, machine, browser, server):
        self.machine, self._browser, self.server = machine, browser, server

    def page(self):
        """Opens a page with the official JavaScript client."""
        page = self._browser.new_context(bypass_csp=True).new_page()
        page.goto(f"{self.server}/healthz")
        page.add_script_tag(path=Path(WHEEL.origin).parent / "static/socket.io.min.js")
        return page

    def javascript(self, plan: dict):
        """Starts the client of `plan` in a new page; returns a function that waits for the result."""
        page = self.page()
        page.add_script_tag(path=SCRIPT)
        page.evaluate("(plan) => { window.held = hold(plan); }", plan)

        def result() -> dict:
            page.set_default_timeout(1000 * LIMIT)
            held = page.evaluate("() => window.held")
            page.context.close()
            return held

        return result

    def python(self, plan: dict):
        """Starts the client of `plan` in a new process; returns a function that waits for the result."""
        peer = self.machine.peer("official_client", json.dumps(plan))

        def result() -> dict:
            held = peer.wait_for("held", within=LIMIT)
            peer.succeed()
            return {key: value for key, value in held.items() if key not in ("elapsed", "event")}

        return result


def plan(clients: OfficialClients, room: int, role: str, transport: str, by: str = "query") -> dict:
    return {
        "server": clients.server, "roomId": room, "username": role.title(), "isCaller": role == "caller", "by": by,
        "transports": TRANSPORTS[transport], "sdp": SDP[role], "file": FILE[role],
    }  # fmt: skip


def expect_complete_call(held: dict, room: int, role: str, came_first: bool) -> None:
    other = "callee" if role == "caller" else "caller"
    person = {"username": other.title(), "roomId": room, "isCaller": other == "caller"}
    heard = held["heard"]
    assert heard.pop("room_user_joined") == [[person]]
    assert heard.pop("room_state") == [[{"peers": [] if came_first else [person]}]]
    if role == "callee":
        assert heard.pop("offer") == [[{"type": "offer", "sdp": SDP["caller"]}]]
        assert heard.pop("room_user_left") == [[{"username": "Caller", "isCaller": True}]]
    else:
        assert heard.pop("answer") == [[{"type": "answer", "sdp": SDP["callee"], "offer": "ufrag"}]]
    candidates = [f"candidate:{number} 1 udp 1 10.0.0.1 9 typ host" for number in range(3)]
    assert heard.pop("candidate") == [
        [{"candidate": candidate, "sdpMid": "0", "sdpMLineIndex": 0}] for candidate in candidates
    ]
    assert heard.pop("file") == [[{"bytes": FILE[other]}, {"name": other.title()}]]
    assert heard.pop("hangup") == [[{"offer": "ufrag"}]]
    assert heard == {}
    assert held["acknowledged"] == [{"bytes": bytes.fromhex(FILE[role])[::-1].hex()}, 2]


@pytest.mark.parametrize("caller", ["javascript", "python"])
@pytest.mark.parametrize(("javascript", "python"), [
    ("defaults", "defaults"), ("websocket", "websocket"), ("polling", "polling"),
    ("polling", "websocket"), ("websocket", "polling"),
])
def test_official_clients_complete_a_call(clients, javascript, python, caller):
    room = next(rooms)
    roles = {"javascript": "caller", "python": "callee"}
    if caller == "python":
        roles = {"javascript": "callee", "python": "caller"}
    transports = {"javascript": javascript, "python": python}
    # The caller sends its fields in the query, and the callee in the CONNECT payload.
    plans = {
        client: plan(clients, room, role, transports[client], by="query" if role == "caller" else "auth")
        for client, role in roles.items()
    }
    results = {"python": clients.python(plans["python"]), "javascript": clients.javascript(plans["javascript"])}
    held = {client: result() for client, result in results.items()}
    first = next(client for client in held if held[client]["heard"]["room_state"] == [[{"peers": []}]])
    for client, role in roles.items():
        assert held[client]["transport"] == FINAL_TRANSPORT[transports[client]]
        expect_complete_call(held[client], room, role, came_first=client == first)
    if javascript == "defaults":
        assert held["javascript"]["firstTransport"] == "polling"


@pytest.mark.parametrize("transport", TRANSPORTS)
@pytest.mark.parametrize("client", ["javascript", "python"])
def test_a_refused_client_receives_the_reason(clients, client, transport):
    room = next(rooms)
    occupant = clients.machine.callrunner("--room", room, "--caller", "--server", clients.server, "--source", "none")
    occupant.wait_for("room.joined")
    refused = getattr(clients, client)
    assert refused(plan(clients, room, "caller", transport))() == {"refusal": {"message": "role_taken"}}
    nameless = refused({**plan(clients, room, "callee", transport), "username": " "})()["refusal"]
    assert nameless["data"] == {"field": "username"} and "username" in nameless["message"]


@pytest.mark.parametrize("transport", ["websocket", "defaults"])
def test_the_server_selects_the_first_offered_subprotocol(clients, transport):
    """A browser closes the connection if the server selects none of the offered subprotocols."""
    room = next(rooms)
    callee = {**plan(clients, room, "callee", transport), "protocols": ["app.v2", "app.v1"]}
    results = [clients.javascript(callee), clients.python(plan(clients, room, "caller", "websocket"))]
    held = [result() for result in results]
    assert (held[0]["transport"], held[0]["protocol"]) == ("websocket", "app.v2"), held[0]
    assert held[1]["heard"]["answer"]

def ports(clients) -> set[str]:
    """Returns the local ports of the clients' connections to the server."""
    listening = clients.server.rsplit(":", 1)[1]
    command = [*clients.machine.prefix, "ss", "-tnH", "state", "established", f"dport = :{listening}"]
    listed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return {line.split()[2].rsplit(":", 1)[1] for line in listed.splitlines()}


@contextmanager
def cut(clients, cut_ports: set[str]) -> Iterator[None]:
    """Drops every packet of the connections with these local ports, so that no end notices the loss at once."""
    assert cut_ports
    listed = ", ".join(sorted(cut_ports))
    rules = f"tcp sport {{ {listed} }} drop; tcp dport {{ {listed} }} drop;"
    table = f"table ip cut {{ chain passing {{ type filter hook input priority 0; {rules} }}; }}"
    subprocess.run([*clients.machine.prefix, "nft", table], check=True)
    try:
        yield
    finally:
        subprocess.run([*clients.machine.prefix, "nft", "delete table ip cut"], check=True)


JOIN = """([server, room]) => new Promise((resolve) => {
  const began = performance.now();
  const query = { roomId: room, username: "Bob", isCaller: "false" };
  const socket = io(server, { forceNew: true, transports: ["websocket"], query });
  const end = (verdict) => resolve([verdict, (performance.now() - began) / 1000]);
  socket.on("connect", () => end("connected"));
  socket.on("connect_error", ({ message }) => end(message));
})"""


@pytest.mark.skipif(not shutil.which("nft"), reason="nftables is not installed")
@pytest.mark.parametrize(("client", "transport"), [
    ("javascript", "websocket"), ("python", "websocket"), ("python", "polling"),
])  # fmt: skip
def test_a_client_rejoins_within_seconds_while_its_old_connection_is_half_open(clients, client, transport):
    room = next(rooms)

    def bob() -> Member:
        return Member(clients.server, room, "Bob", transports=[transport])

    with Inside(clients.machine.namespace.name) as inside:
        ann = inside.run(Member(clients.server, room, "Ann", is_caller=True).join())
        before = ports(clients)
        page = clients.page() if client == "javascript" else None
        first = page.evaluate(JOIN, [clients.server, room]) if page else inside.run(bob().join())
        assert not page or first[0] == "connected"
        assert inside.run(ann.hear("room_user_joined"))[0]["username"] == "Bob"
        with cut(clients, ports(clients) - before):
            began = time.monotonic()
            if page:
                verdict, seconds = page.evaluate(JOIN, [clients.server, room])
                assert verdict == "connected"
            else:
                second = inside.run(bob().join())
                seconds = time.monotonic() - began
            # The server waits one second for the old connection's pong. The rest is a tolerance for a busy host.
            assert 0.9 < seconds < 4, seconds
            inside.run(ann.hear("room_user_joined", count=2))
            # Waits longer than the grace period.
            time.sleep(3)
            assert ann.told == ["+Bob", "+Bob"]
        if page:
            page.context.close()
        else:
            inside.run(second.leave())
            inside.run(ann.hear("room_user_left"))
        inside.run(ann.leave())


def test_a_client_that_answers_pings_keeps_its_role_when_another_client_joins(clients):
    room = next(rooms)

    async def try_to_take_the_role() -> None:
        for transport in (["websocket"], ["polling"]):
            bob = await Member(clients.server, room, "Bob", transports=transport).join()
            with pytest.raises(Refused, match="role_taken"):
                await Member(clients.server, room, "Bob").join()
            await asyncio.sleep(1.5)
            assert not bob.closed.is_set()
            await bob.leave()

    with Inside(clients.machine.namespace.name) as inside:
        inside.run(try_to_take_the_role())
