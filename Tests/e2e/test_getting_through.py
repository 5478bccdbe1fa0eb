"""Media connections: STUN, TURN over UDP, TCP and TLS, and limits to ports, interfaces and address families."""

import json
import shutil

import pytest
from conftest import Machine
from expect import expect_refusal
from peers import coturn, routers

long = pytest.mark.long
pytestmark = pytest.mark.skipif(not shutil.which("turnserver"), reason="coturn is not installed")
needs_nft = pytest.mark.skipif(not shutil.which("nft"), reason="nftables is not installed")

ADDRESS = "10.99.0.1"


@pytest.fixture
def turn(machine, tmp_path):
    with coturn.serving(machine.prefix, ADDRESS, tmp_path) as server:
        yield server


def call(machine, server, *flags, caller=False, duration="2"):
    role = ["--caller", "--name", "Ann"] if caller else ["--name", "Bob"]
    return machine.callrunner(
        "--room", "1", "--server", server, "--headless", "--source", "test", "--duration", duration, *role, *flags
    )


def both(machine, server, *flags, **keywords):
    return [call(machine, server, *flags, caller=caller, **keywords) for caller in (True, False)]


def candidates(folder) -> list[list[str]]:
    """Returns the fields of each sent ICE candidate, from the dump."""
    lines = [json.loads(line) for line in (folder / "candidates.jsonl").read_text().splitlines()]
    return [line["candidate"].split() for line in lines if line["event"] == "candidate.sent"]


@pytest.mark.sample(1)
@needs_nft
@pytest.mark.parametrize(
    ("transport", "blocked"),
    [("udp", False), ("tcp", True), ("tls", True), pytest.param("tls", False, marks=long)],
)
def test_two_hosts_behind_routers_connect_only_through_coturn(tmp_path, stack, transport, blocked):
    homes = stack.enter_context(routers.Homes())
    machines = [Machine(home.host, tmp_path, stack) for home in homes.homes]
    if blocked:
        for home in homes.homes:
            home.block_udp()
    turn = stack.enter_context(coturn.serving(homes.server.prefix, routers.SERVER, tmp_path))
    served = Machine(homes.server, tmp_path, stack).callrunner("serve", "--host", "0.0.0.0", "--port", "3000")
    served.wait_for("server.listening")
    flags = ["--turn", turn.url(transport), "--cacert", turn.authority]
    sides = [
        call(machine, f"http://{routers.SERVER}:3000", *flags, caller=caller)
        for machine, caller in zip(machines, (True, False))
    ]
    for side in sides:
        selected = side.wait_for("ice.selected", within=30)
        assert "relay" in (selected["local"], selected["remote"]), selected
        if blocked:
            assert selected["local"] == "relay", selected
    for side in sides:
        side.succeed()
        assert side.wait_for("media.first_frame", kind="video")
    assert turn.sessions() >= 2


@pytest.mark.sample(1)
@pytest.mark.parametrize("transport", ["tls", "udp", pytest.param("tcp", marks=long)])
def test_with_the_relay_only_flag_both_roles_send_only_relay_candidates(machine, turn, tmp_path, transport):
    """Relay candidates do not reveal the address of the side that sends them."""
    flags = ["--turn", turn.url(transport), "--cacert", turn.authority, "--relay-only"]
    server = machine.server()
    folders = [tmp_path / name for name in ("ann", "bob")]
    sides = [
        call(machine, server, *flags, "--dump", folder, caller=caller)
        for folder, caller in zip(folders, (True, False))
    ]
    for side in sides:
        side.succeed()
        selected = side.wait_for("ice.selected")
        assert (selected["local"], selected["remote"]) == ("relay", "relay")
        assert "libnice" not in side.stderr
    turn.released(2)
    for folder in folders:
        told = candidates(folder)
        assert told and all(fields[7] == "relay" for fields in told), told
        assert all(fields[fields.index("raddr") + 1] == "0.0.0.0" for fields in told if "raddr" in fields), told


@pytest.mark.parametrize("transport", ["tcp", pytest.param("udp", marks=long)])
def test_a_call_goes_on_when_its_turn_server_is_restarted(machine, tmp_path, transport):
    server = machine.server()
    with coturn.serving(machine.prefix, ADDRESS, tmp_path) as turn:
        sides = both(machine, server, "--turn", turn.url(transport), "--relay-only", duration="20")
        for side in sides:
            side.wait_for("media.first_frame", kind="video")
    with coturn.serving(machine.prefix, ADDRESS, tmp_path):
        for side in sides:
            side.succeed()
            assert len(side.all("ice.selected")) > 1, side.story


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("transport", "credentials", "words"),
    [
        ("udp", "ann:wrong", ["401", "turn:10.99.0.1:3478", "--turn"]),
        ("tls", "eve:wrong", ["401", "turns:10.99.0.1:5349", "--turn"]),
        pytest.param("tcp", "eve:wrong", ["401", "transport=tcp"], marks=long),
    ],
)
def test_bad_turn_credentials_are_an_error_with_the_relay_only_flag(
    machine, turn, transport, credentials, words
):
    flags = ["--turn", turn.url(transport, credentials), "--relay-only", "--cacert", turn.authority]
    server = machine.server()
    # Only Ann uses relays, because with two failures Bob's might end the call first.
    ann = call(machine, server, *flags, caller=True)
    call(machine, server, caller=False)
    expect_refusal(ann, 3, *words, within=20)
    assert ann.all("error")[0]["code"] == "turn-failed"
    assert "wrong" not in ann.stderr


def test_bad_turn_credentials_are_a_warning_without_the_relay_only_flag(machine, turn):
    sides = both(machine, machine.server(), "--turn", turn.url(credentials="ann:wrong"))
    for side in sides:
        side.succeed()
        assert side.wait_for("ice.selected")["local"] in ("host", "prflx")
        assert side.stderr.count("401 Unauthorized") == 1, side.stderr


def test_a_turn_server_with_an_untrusted_certificate_is_not_used(machine, turn):
    sides = both(machine, machine.server(), "--turn", turn.url("tls"), "--relay-only", "--retries", "0")
    expect_refusal(sides[0], 3, "TLS", "--cacert", within=20)
    assert turn.sessions() == 0


@long
def test_a_silent_turn_server_is_reported_before_the_attempt_ends(machine):
    flags = ["--turn", "turn:a:b@10.99.0.77:3478", "--relay-only", "--retries", "0"]
    sides = both(machine, machine.server(), *flags)
    expect_refusal(sides[0], 3, "10.99.0.77:3478", "cannot be used", within=20)


@long
def test_if_one_of_two_turn_servers_is_silent_the_other_one_is_used(machine, turn):
    flags = ["--relay-only", "--turn", "turn:a:b@10.99.0.1:9", "--turn", turn.url()]
    for side in both(machine, machine.server(), *flags):
        side.succeed()
        assert side.wait_for("ice.selected")["local"] == "relay"


def test_media_uses_only_the_allowed_ports(machine, tmp_path):
    server, folder = machine.server(), tmp_path / "ann"
    ann = call(machine, server, "--ice-ports", "41000-41009", "--dump", folder, caller=True)
    bob = call(machine, server, "--ice-ports", "42000-42009")
    ann.succeed()
    bob.succeed()
    told = candidates(folder)
    assert told and all(41000 <= int(fields[5]) <= 41009 for fields in told), told


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("flags", "addresses"),
    [
        (["--interface", "other"], {"10.98.0.1", "fd00:98::1"}),
        (["--ipv6"], {"fd00:98::1", "fd00:99::1"}),
        pytest.param(["--interface", "10.98.0.1"], {"10.98.0.1"}, marks=long),
        pytest.param(["--ipv4"], {"10.98.0.1", "10.99.0.1"}, marks=long),
        pytest.param(["--interface", "other", "--ipv4"], {"10.98.0.1"}, marks=long),
    ],
)
def test_media_uses_only_the_allowed_addresses(two_networks, tmp_path, flags, addresses):
    server, folder = two_networks.server(), tmp_path / "ann"
    ann = call(two_networks, server, *flags, "--dump", folder, caller=True)
    bob = call(two_networks, server)
    ann.succeed()
    bob.succeed()
    assert {fields[4] for fields in candidates(folder)} == addresses


def test_candidates_are_unique_and_cover_every_address(two_networks, tmp_path):
    server, folder = two_networks.server(), tmp_path / "ann"
    for side in (call(two_networks, server, "--dump", folder, caller=True), call(two_networks, server)):
        side.succeed()
    told = candidates(folder)
    assert {fields[4] for fields in told} == {"10.98.0.1", "10.99.0.1", "fd00:98::1", "fd00:99::1"}
    assert len({tuple(fields[2:6]) for fields in told}) == len(told), told


@pytest.mark.parametrize("flags", [["--interface", "none0"], ["--ipv6"]])
def test_a_missing_interface_or_address_family_is_an_error(machine, flags):
    ann = call(machine, machine.server(), *flags, caller=True)
    expect_refusal(ann, 3, "this machine has no", "--interface")


@pytest.mark.sample(1)
@pytest.mark.parametrize("transport", ["udp", "tls"])
def test_the_doctor_checks_turn_servers(machine, turn, transport):
    good = machine.callrunner("doctor", "--turn", turn.url(transport), "--cacert", turn.authority)
    found = good.wait_for("check", name=f"TURN server {turn.url(transport).replace(coturn.WRITTEN + '@', '')}")
    assert found["verdict"] == "good" and ADDRESS in found["finding"], found
    bad = machine.callrunner("doctor", "--turn", turn.url(transport, "ann:wrong"), "--insecure")
    found = bad.wait_for("check", name=f"TURN server {turn.url(transport).replace(coturn.WRITTEN + '@', '')}")
    assert found["verdict"] == "limited" and "401" in found["finding"] and found["fix"], found
    assert "wrong" not in json.dumps(bad.events)


@long
def test_turn_works_over_ipv6_only(two_networks, tmp_path, stack):
    turn = stack.enter_context(coturn.serving(two_networks.prefix, "fd00:99::1", tmp_path))
    for transport in ("udp", "tcp", "tls"):
        flags = ["--turn", turn.url(transport), "--cacert", turn.authority, "--relay-only", "--ipv6"]
        for side in both(two_networks, two_networks.server(), *flags):
            side.succeed()
            assert side.wait_for("ice.selected")["local"] == "relay"


def test_clients_use_the_stun_server_announced_by_the_server(machine):
    """The flags of the call name no STUN server."""
    stun = machine.peer("stun_server", "--host", ADDRESS)
    url = stun.wait_for("server.listening")["url"]
    for side in both(machine, machine.server("--stun", url)):
        side.succeed()
    assert stun.all("stun.binding")


@pytest.fixture
def two_networks(machine):
    """The machine with a second network interface, and an IPv6 address on each interface."""
    namespace = machine.namespace
    routers.ip(
        namespace, "link add other type veth peer name beyond", "address add 10.98.0.1/24 dev other noprefixroute",
        "link set other up", "link set beyond up", "address add fd00:98::1/64 dev other nodad",
        "address add fd00:99::1/64 dev near nodad",
    )
    return machine
