"""The client with servers other than callrunner's: size limits, shutdown, and servers that list no participants."""

import signal
import time

import pytest

CALL = ["--headless"]


def side(machine, server, name, *flags):
    return machine.callrunner("--server", server, "--room", "7", "--name", name, *CALL, *flags)


@pytest.fixture
def in_call(machine):
    """Starts a server with the original protocol and a call over it, and waits for media at both sides."""

    def start(*flags):
        server = machine.peer("seed_server", "--port", "0")
        url = server.wait_for("server.listening")["url"]
        bob = side(machine, url, "Bob")
        bob.wait_for("room.joined")
        ann = side(machine, url, "Ann", "--caller", *flags)
        for process in (ann, bob):
            process.wait_for("media.first_frame", kind="video")
        return server, ann, bob

    return start


def test_a_call_continues_when_the_server_stops_gracefully(in_call):
    server, ann, bob = in_call("--duration", "4")
    server.signal(signal.SIGTERM)
    for process in (ann, bob):
        process.wait_for("peer.left")
        process.wait_for("signaling.disconnected")
    ann.succeed()
    assert ann.wait_for("call.ended")["reason"] == "duration"
    assert len(bob.all("stats")) >= 3
    bob.succeed()
    assert bob.wait_for("call.ended")["reason"] == "peer-left"


def test_a_peer_that_leaves_ends_the_call_within_a_second(in_call):
    _, ann, bob = in_call("--duration", "1")
    ann.succeed()
    left = bob.wait_for("peer.left")["elapsed"]
    assert 0.4 < bob.wait_for("call.ended")["elapsed"] - left < 1.5
    bob.succeed()


@pytest.mark.long
def test_a_callee_gives_up_if_the_process_of_the_caller_is_suspended(in_call):
    _, ann, bob = in_call()
    ann.signal(signal.SIGSTOP)
    try:
        bob.wait_for("call.state", within=15, state="retrying")
        frozen = time.monotonic()
        bob.succeed(within=60)
        assert 25 < time.monotonic() - frozen < 50
        assert bob.wait_for("call.ended")["reason"] == "peer-left"
    finally:
        ann.signal(signal.SIGCONT)


@pytest.mark.sample(1)
@pytest.mark.parametrize("transports", ["websocket", "polling"])
def test_an_offer_that_cannot_be_reduced_to_the_servers_size_limit_is_an_error(machine, transports):
    server = machine.seed_server("--max-payload", "700", "--transports", transports)
    ann = side(machine, server, "Ann", "--caller")
    assert ann.finish(15) == 4
    error = ann.all("error")[0]
    assert error["code"] == "event-too-large" and "700 bytes" in error["message"], error
    assert "maxHttpBufferSize" in error["hint"]


def test_an_offer_above_the_size_limit_is_reduced_to_fewer_codecs(machine):
    server = machine.seed_server("--max-payload", "2000")
    bob = side(machine, server, "Bob")
    bob.wait_for("room.joined")
    ann = side(machine, server, "Ann", "--caller", "--duration", "1")
    ann.succeed()
    bob.succeed()
    (warning,) = ann.all("warning")
    assert "2000" in warning["message"] and "fewer codecs are offered" in warning["message"]
    assert ann.stderr.count("fewer codecs are offered") == 1
    assert ann.wait_for("sdp.sent")["bytes"] > bob.wait_for("sdp.received")["bytes"]


def test_a_caller_on_a_server_without_a_participant_list_shows_the_name_of_the_answering_callee(machine):
    server = machine.seed_server()
    bob = side(machine, server, "Bob")
    bob.wait_for("room.joined")
    ann = side(machine, server, "Ann", "--caller", "--duration", "1")
    ann.succeed()
    assert "peer found" not in ann.stderr
    assert "this server does not report who is present, calling anyway" in ann.stderr
    assert "the peer is Bob" in ann.stderr
    bob.succeed()


def test_two_callrunners_end_a_call_without_leaving_the_room(machine):
    """The server relays no `hangup`, so the processes send the end of the call inside an `answer`."""
    server = machine.seed_server()
    bob = side(machine, server, "Bob", "--stay")
    bob.wait_for("room.joined")
    ann = side(machine, server, "Ann", "--caller", "--stay", "--duration", "1")
    assert ann.wait_for("call.ended")["reason"] == "duration"
    assert bob.wait_for("call.ended")["reason"] == "hung-up"
    time.sleep(2)
    for process in (ann, bob):
        assert not process.all("signaling.disconnected") and len(process.all("call.started")) == 1


def test_ending_a_call_with_aiortc_by_rejoining_is_not_reported_as_a_lost_connection(machine):
    server = machine.seed_server()
    machine.peer("aiortc_peer", "--server", server, "--room", "7", "--name", "Eve").wait_for("room.joined")
    ann = side(machine, server, "Ann", "--caller", "--stay", "--duration", "1")
    ann.wait_for("call.ended")
    ann.wait_for("signaling.disconnected", reason="io client disconnect")
    ann.wait_for_more("room.joined", 1) if len(ann.all("room.joined")) < 2 else None
    assert "lost" not in ann.stderr and ann.stderr.count("in room 7") == 1


def test_a_polling_client_sends_disconnect_despite_a_repeated_signal(machine):
    """`timeout` sends the signal to its child, and again to the child's process group."""
    server = machine.peer("seed_server", "--port", "0", "--transports", "polling")
    bob = side(machine, server.wait_for("server.listening")["url"], "Bob")
    bob.wait_for("room.joined", within=20)
    bob.signal(signal.SIGTERM)
    time.sleep(0.01)
    bob.signal(signal.SIGTERM)
    assert bob.finish(10) == 143
    assert server.wait_for("left")["reason"] == "client disconnect"


def test_the_peer_timeout_begins_when_the_room_is_joined(machine):
    """The server starts after three seconds, although the peer timeout is two seconds."""
    port = "3917"
    url = f"http://127.0.0.1:{port}"
    bob = side(machine, url, "Bob", "--peer-timeout", "2")
    time.sleep(3)
    machine.peer("seed_server", "--port", port)
    bob.wait_for("room.joined")
    assert bob.finish(10) == 2
    assert bob.all("error")[0]["code"] == "no-peer"
