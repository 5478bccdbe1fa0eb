"""Calls in rooms with a third participant, and on servers that list no participants."""

import json
import signal

import pytest
from peers import prometheus

PORT = "3210"


def caller(machine, url, *arguments):
    return machine.callrunner("--room", "1", "--caller", "--name", "Ann", "--server", url, *arguments)


def callee(machine, url, name, *arguments):
    return machine.callrunner("--room", "1", "--name", name, "--server", url, *arguments)


def open_server(machine):
    server = machine.callrunner("serve", "--open-rooms", "--port", PORT)
    return server, server.wait_for("server.listening")["url"]


def test_only_one_of_two_callees_that_answer_the_same_offer_is_connected(machine):
    url = machine.seed_server()
    # The callee that is not connected gives up after two seconds and requests another offer from the caller.
    callees = {name: callee(machine, url, name, "--connect-timeout", "2s") for name in ("Bob", "Carl")}
    for process in callees.values():
        process.wait_for("room.joined")
    ann = caller(machine, url, "--duration", "6s")
    ann.succeed()
    assert len(ann.all("call.started")) == 1 and len(ann.all("media.connected")) == 1
    connected = [name for name, process in callees.items() if process.all("media.connected")]
    assert len(connected) == 1
    refused = callees.keys() - connected
    for name in refused:
        states = [event for event in callees[name].all("call.state") if event["state"] == "retrying"]
        assert states, "the other callee has not retried"
    callees[connected[0]].succeed()


def test_a_new_callee_gets_a_new_call_after_the_first_callee_has_vanished(machine):
    server, url = open_server(machine)
    bob = callee(machine, url, "Bob")
    ann = caller(machine, url, "--stay")
    for process in (ann, bob):
        process.wait_for("media.connected")
    server.signal(signal.SIGKILL)
    bob.signal(signal.SIGKILL)
    server.finish()
    _, url = open_server(machine)
    carl = callee(machine, url, "Carl")
    ann.wait_for("peer.joined", username="Carl")
    ended = ann.wait_for("call.ended")
    assert ended["reason"] == "peer-left" and "Bob" in ended["message"]
    carl.wait_for("media.connected")
    calls = ann.all("call.started")
    assert [call["attempt"] for call in calls] == [1, 1], "Carl was called during the call with Bob"
    ann.signal(signal.SIGINT)
    carl.succeed()


def test_an_offer_that_the_server_loses_is_repeated(machine):
    server = machine.peer("seed_server", "--port", "0", "--lose-offers", "1")
    url = server.wait_for("server.listening")["url"]
    bob = callee(machine, url, "Bob")
    bob.wait_for("room.joined")
    ann = caller(machine, url, "--duration", "1s")
    ann.succeed()
    assert server.all("lost")
    assert len(ann.all("call.started")) == 1
    bob.succeed()


@pytest.mark.quick
def test_messages_with_a_forged_sender_do_not_disturb_a_call(machine):
    _, url = open_server(machine)
    ann, bob = caller(machine, url, "--duration", "4s"), callee(machine, url, "Bob")
    for process in (ann, bob):
        process.wait_for("media.connected")
    sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:evil\r\n"
    messages = [
        ["hangup", {"from": "Ann"}], ["hangup", {"from": "Bob"}], ["hangup", {"from": "An\u200bn"}],
        ["offer", {"type": "offer", "sdp": sdp, "from": "Ann", "to": "Bob"}],
        ["answer", {"type": "answer", "sdp": sdp, "from": "Bob", "to": "Ann"}],
        # Events with no sender, or with a sender that is not in the room.
        ["hangup", {"from": "Mal"}], ["hangup", {}], ["offer", {"type": "offer", "sdp": sdp, "from": "Mal"}],
    ]
    eve = machine.peer("forger", json.dumps(messages), "--server", url, "--name", "Eve", "--caller")
    eve.wait_for("said")
    ann.succeed()
    assert ann.all("call.ended")[0]["reason"] == "duration"
    assert len(bob.all("call.started")) == 1
    metrics = prometheus.parse(machine.fetch(f"{url}/metrics"))
    assert metrics.value("callrunner_dropped_events_total", reason="forged_sender") == 5
