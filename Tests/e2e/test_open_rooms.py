"""Rooms with more than two in them, and servers that name nobody: a call is with one peer."""

import json
import signal

from peers import prometheus

PORT = "3210"


def caller(machine, url, *arguments):
    return machine.callrunner("--room", "1", "--caller", "--name", "Ann", "--server", url, *arguments)


def callee(machine, url, name, *arguments):
    return machine.callrunner("--room", "1", "--name", name, "--server", url, *arguments)


def open_server(machine):
    server = machine.callrunner("serve", "--open-rooms", "--port", PORT)
    return server, server.wait_for("server.listening")["url"]


def test_of_two_who_answer_a_blind_offer_one_is_in_the_call_undisturbed(machine):
    url = machine.seed_server()
    # Who is not called gives up after two seconds, and asks the caller for another offer.
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
        assert states, "the other one has not asked for anything"
    callees[connected[0]].succeed()


def test_another_is_not_called_under_the_name_of_a_peer_that_went_unheard(machine):
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
    assert [call["attempt"] for call in calls] == [1, 1], "Carl was called within the call with Bob"
    ann.signal(signal.SIGINT)
    carl.succeed()


def test_a_blind_offer_that_was_lost_is_made_again(machine):
    server = machine.peer("seed_server", "--port", "0", "--lose-offers", "1")
    url = server.wait_for("server.listening")["url"]
    bob = callee(machine, url, "Bob")
    bob.wait_for("room.joined")
    ann = caller(machine, url, "--duration", "1s")
    ann.succeed()
    assert server.all("lost")
    assert len(ann.all("call.started")) == 1
    bob.succeed()


def test_who_speaks_under_the_name_of_another_is_heard_by_nobody(machine):
    _, url = open_server(machine)
    ann, bob = caller(machine, url, "--duration", "4s"), callee(machine, url, "Bob")
    for process in (ann, bob):
        process.wait_for("media.connected")
    sdp = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nt=0 0\r\na=ice-ufrag:evil\r\n"
    said = [
        ["hangup", {"from": "Ann"}], ["hangup", {"from": "Bob"}], ["hangup", {"from": "An\u200bn"}],
        ["offer", {"type": "offer", "sdp": sdp, "from": "Ann", "to": "Bob"}],
        ["answer", {"type": "answer", "sdp": sdp, "from": "Bob", "to": "Ann"}],
        # And under names that are nobody's.
        ["hangup", {"from": "Mal"}], ["hangup", {}], ["offer", {"type": "offer", "sdp": sdp, "from": "Mal"}],
    ]
    eve = machine.peer("forger", json.dumps(said), "--server", url, "--name", "Eve", "--caller")
    eve.wait_for("said")
    ann.succeed()
    assert ann.all("call.ended")[0]["reason"] == "duration"
    assert len(bob.all("call.started")) == 1
    metrics = prometheus.parse(machine.fetch(f"{url}/metrics"))
    assert metrics.value("callrunner_dropped_events_total", reason="forged_sender") == 5
