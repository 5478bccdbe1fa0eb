"""The contract of `--json`: the order and the fields of the events that scripts rely on."""

import re

import expect
import pytest

pytestmark = pytest.mark.quick

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
SETUP = ["offer", "answer", "firstCandidate", "ice", "dtls", "firstPacket", "firstFrame"]


@pytest.fixture(scope="module")
def call(shared_machine):
    """The processes of both sides after a call of four seconds has ended."""
    machine = shared_machine
    callee = machine.callrunner("--room", "7", "--name", "Bob")
    callee.wait_for("room.joined")
    caller = machine.callrunner("--room", "7", "--name", "Ann", "--caller", "--duration", "4")
    caller.succeed()
    callee.succeed()
    return caller, callee


def test_every_line_is_an_event_with_version_and_time(call):
    for process in call:
        assert process.other_output == []
        elapsed = [event["elapsed"] for event in process.events]
        assert elapsed == sorted(elapsed)
        for event in process.events:
            assert event["v"] == 1 and STAMP.fullmatch(event["time"]), event


def test_the_events_of_a_call_are_reported_in_order(call):
    caller, callee = call
    expected = {
        caller: ["signaling.connected", "room.joined", "peer.joined", "call.started", "sdp.sent", "sdp.received",
                 "media.connected", "media.first_frame", "call.ended", "summary"],
        callee: ["server.listening", "signaling.connected", "room.joined", "peer.joined", "call.started",
                 "sdp.received", "sdp.sent", "media.connected", "media.first_frame", "call.ended", "summary"],
    }
    for process, names in expected.items():
        seen = [event["event"] for event in process.events]
        firsts = [seen.index(name) if name in seen else f"no {name}" for name in names]
        assert all(isinstance(place, int) for place in firsts), firsts
        assert firsts == sorted(firsts), list(zip(names, firsts))
        assert seen[-1] == "summary" and seen.count("summary") == 1


def test_each_call_state_is_reported_once_and_in_order(call):
    caller, callee = call
    states = {process: [event["state"] for event in process.all("call.state")] for process in call}
    wanted = {
        caller: ["calling", "offering", "awaiting-answer", "connecting", "connected", "ended"],
        callee: ["awaiting-offer", "answering", "connecting", "connected", "ended"],
    }
    for process, expected in wanted.items():
        assert [state for state in states[process] if state != "idle"] == expected


def test_join_events_contain_the_names_and_roles_of_participants(call):
    caller, callee = call
    joined = caller.wait_for("room.joined")
    assert (joined["room"], joined["username"], joined["role"]) == (7, "Ann", "caller")
    peer = caller.wait_for("peer.joined")
    assert (peer["username"], peer["role"]) == ("Bob", "callee")
    assert callee.wait_for("peer.joined")["username"] == "Ann"


def test_the_source_event_reports_passthrough(call):
    for process in call:
        source = process.wait_for("source")
        assert source["kind"] == "file" and source["name"] == "webRtcTestVideo.mp4"
        assert source["passthrough"] == {"video": True, "audio": True}
        assert source["reason"]


def test_statistics_match_the_media_of_the_call(call):
    for process in call:
        stats = process.all("stats")
        assert len(stats) >= 2
        video, audio = stats[-1]["video"], stats[-1]["audio"]
        # The tolerance is wide, because a busy host may delay frames. A wrong unit would differ by more.
        assert 15 <= video["in"]["fps"] <= 45 and 15 <= video["out"]["fps"] <= 45
        assert (video["in"]["width"], video["in"]["height"]) == (1280, 720)
        assert video["in"]["codec"] == "H264" and audio["in"]["codec"] == "OPUS"
        assert video["out"]["passthrough"] is True and audio["out"]["passthrough"] is True
        assert video["in"]["lost"] == 0 and audio["in"]["lost"] == 0
        assert 400_000 < video["in"]["bitrate"] < 2_400_000
        assert all(event.get("rttMs", 0) >= 0 for event in stats)
        assert video["in"]["freezes"] >= 0 and video["in"]["jitterMs"] >= 0 and audio["in"]["jitterMs"] >= 0
        for flow in (video["in"], video["out"], audio["in"], audio["out"]):
            assert flow["bytes"] > 0 and flow["packets"] > 0 and flow["bitrate"] > 0
        # The counters start when media is connected.
        for before, after in zip(stats, stats[1:]):
            assert after["video"]["in"]["frames"] >= before["video"]["in"]["frames"]
            assert after["video"]["out"]["bytes"] > before["video"]["out"]["bytes"]
    # The round-trip time is unknown for some seconds, until an RTCP report has been answered.
    assert any("rttMs" in event for process in call for event in process.all("stats"))


def test_each_side_reports_the_media_state_of_its_peer_once(call):
    for process in call:
        [state] = process.all("peer.media")
        fields = {name: state[name] for name in ("audio", "video", "recording", "holding")}
        assert fields == {"audio": True, "video": True, "recording": False, "holding": False}


def test_the_summary_matches_the_media_of_the_call(call):
    for process, other in (call, reversed(call)):
        expect.arrived(process, other, "video", least=60)
        expect.arrived(process, other, "audio", least=100)
        summary = process.events[-1]
        assert summary["calls"] == 1 and summary["attempts"] == 1 and summary["exit"] == 0
        assert summary["received"]["lost"] == 0
        assert summary["received"]["video"] <= 150 and summary["received"]["audio"] <= 240
        setup = summary["setup"]
        assert list(setup) == SETUP
        assert 0 <= setup["ice"] <= setup["dtls"] <= setup["firstPacket"] <= setup["firstFrame"] < 15_000


def test_control_events_have_the_documented_fields(shared_machine, tmp_path_factory):
    machine, folder = shared_machine, tmp_path_factory.mktemp("kept")
    callee = machine.callrunner("--room", "8", "--name", "Bob")
    callee.wait_for("room.joined")
    caller = machine.callrunner("--room", "8", "--name", "Ann", "--caller", "--control", "-", is_steered=True)
    caller.wait_for("media.first_frame", kind="video")
    common = ["v", "time", "elapsed", "event"]

    def fields(event: dict) -> list[str]:
        return [name for name in event if name not in common]

    begun = caller.ask("record", path=str(folder / "a.mkv"), sides="both")
    assert fields(begun) == ["id", "command", "ok", "path"]
    status = caller.ask("status")
    assert fields(status) == [
        "id", "command", "ok", "state", "peer", "muted", "cameraOff", "recording", "peerMedia", "canCall",
        "canAnswer",
    ]
    assert fields(caller.ask("snapshot", path=str(folder / "a.png"))) == ["id", "command", "ok", "path"]
    refused = caller.ask("record")
    assert fields(refused) == ["id", "command", "ok", "error", "message"] and refused["ok"] is False
    assert fields(caller.ask("record", on=False)) == ["id", "command", "ok"]
    assert fields(caller.ask("devices")) == ["id", "command", "ok", "devices"]
    assert caller.ask("select", speaker="default")["error"] == "no-device"
    assert fields(caller.wait_for("record.started")) == ["path", "sides"]
    assert fields(caller.wait_for("snapshot.saved")) == ["path", "bytes"]
    assert fields(caller.wait_for("record.saved")) == ["path", "bytes", "seconds", "start", "tracks"]
    assert caller.ask("hangup")["ok"] is True
    caller.succeed()
    assert caller.events[-1]["event"] == "summary"
