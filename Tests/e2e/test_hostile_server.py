"""A hostile signaling server that sends without a pause, which must neither fill memory nor hold up the program."""

import contextlib
import signal
import subprocess
import time

import pytest
from peers import usage
from peers.flooding_server import KINDS


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", KINDS)
def test_a_server_that_sends_continuously_takes_little_memory_and_does_not_delay_the_end(loopback_machine, kind):
    server = loopback_machine.peer("flooding_server", kind)
    url = server.wait_for("listening")["url"]
    ours = loopback_machine.callrunner("--room", "1", "--name", "Ann", "--server", url, "--headless", "--source", "none")
    server.wait_for("flooding")
    for _ in range(200):
        with contextlib.suppress(RuntimeError, OSError):  # it has ended
            assert usage.resident_megabytes(ours.pid) < 200
        time.sleep(0.02)
    ours.signal(signal.SIGINT)
    ours.finish(within=10)


def test_an_http_challenge_for_an_address_without_a_host_is_reported_as_a_refusal(loopback_machine):
    server = loopback_machine.peer("odd_http", "challenge")
    url = server.wait_for("listening")["url"]
    ours = loopback_machine.callrunner("users", "--chat", url)
    server.wait_for("answered")
    code = ours.finish(within=20)
    assert code == 4, f"{code}\n{ours.story}"


def test_session_tickets_of_a_server_do_not_accumulate_in_memory(loopback_machine, tmp_path):
    """With 20,000 of them, glib-networking would keep 20,000 sessions with the server's certificate."""
    files = ["-keyout", str(tmp_path / "key.pem"), "-out", str(tmp_path / "chain.pem")]
    command = ["openssl", "req", "-x509", "-newkey", "rsa:4096", "-nodes", "-subj", "/CN=localhost", "-days", "2", *files]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    certificate = tmp_path / "both.pem"
    certificate.write_text((tmp_path / "chain.pem").read_text() + (tmp_path / "key.pem").read_text())
    figures = {}
    for number in (0, 20_000):
        arguments = ["tickets", "--certificate", str(certificate), "--number", str(number)]
        server = loopback_machine.peer("odd_http", *arguments)
        url = server.wait_for("listening")["url"]
        ours = loopback_machine.callrunner("chat", "--chat", url, "--insecure", "--as", "101", "--with", "102", "--follow")
        server.wait_for("answered", within=30)
        time.sleep(3)
        figures[number] = usage.resident_megabytes(ours.pid)
        ours.signal(signal.SIGKILL)
        ours.finish(within=10)
    assert figures[20_000] < figures[0] + 20, figures


def call_with_turn(machine, *ways, flags=()):
    """Starts a hostile TURN server, a caller that uses it, and a callee; returns all three."""
    server = machine.server()
    turn = machine.peer("turn_server", "--host", "10.99.0.1", *ways)
    common = ["--room", "1", "--server", server, "--headless", "--source", "test"]
    url = turn.wait_for("listening")["url"]
    ours = machine.callrunner(*common, "--turn", url, "--name", "Ann", "--caller", *flags)
    return turn, ours, machine.callrunner(*common, "--name", "Bob")


def test_permissions_for_thousands_of_senders_named_by_a_turn_server_are_limited(machine):
    """With 20,000 senders, libnice would keep 20,000 requests of 64 KB."""
    turn, ours, _ = call_with_turn(machine, "--number", "20000", flags=["--relay-only"])
    flood = turn.wait_for("flooded", within=60)
    assert flood["permissions"] <= 1024, flood
    assert usage.most_resident_megabytes(ours.pid) < 200


def test_a_turn_server_that_refuses_each_permission_is_not_asked_without_end(machine):
    """libnice would repeat each request for ever, and store all media meanwhile."""
    # With other candidates, a call may be connected before it asks for a permission.
    turn, _, _ = call_with_turn(machine, "--refuse", flags=["--relay-only"])
    permissions = turn.wait_for("refused", within=40)["permissions"]
    assert permissions < 200, permissions


@pytest.mark.parametrize(
    ("way", "event"),
    [
        # libnice would free the relayed candidate and use it further.
        (["--lifetime", "0"], "flooded"),
        # libnice would write a message behind its buffer.
        (["--overflow"], "overflowed"),
        # libnice would use a socket that it could not make.
        (["--redirect"], "redirected"),
    ],
    ids=["an-allocation-without-a-lifetime", "a-message-above-the-buffer", "another-server"],
)
def test_a_hostile_turn_server_does_not_end_the_process(machine, way, event):
    turn, ours, bob = call_with_turn(machine, *way, flags=["--duration", "6"])
    turn.wait_for(event)
    ours.succeed()
    bob.succeed()


def test_an_empty_message_of_a_channel_does_not_end_the_connection_to_a_turn_server(machine):
    """libnice would take it for the end, so that a peer could end the connection at any time."""
    turn, _, _ = call_with_turn(machine, "--empty", flags=["--relay-only"])
    turn.wait_for("alive")


def test_a_connectivity_check_of_a_turn_server_over_tcp_does_not_end_the_process(machine, tmp_path):
    """libnice has no candidate for the socket of a check that comes before the answer."""
    server = machine.server()
    credentials = tmp_path / "credentials"
    turn = machine.peer("turn_server", "--host", "10.99.0.1", "--request", credentials)
    ours = machine.callrunner(
        "--room", "1", "--name", "Ann", "--server", server, "--headless", "--caller", "--retries", "0",
        "--connect-timeout", "6", "--turn", turn.wait_for("listening")["url"])
    ours.wait_for("room.joined")
    machine.peer("false_ice", "--name", "Bob", "--server", server, "--way", "none", "--credentials", credentials)
    turn.wait_for("requested")
    # The peer never begins the handshake of DTLS.
    assert ours.finish(within=30) in (2, 3), ours.story
