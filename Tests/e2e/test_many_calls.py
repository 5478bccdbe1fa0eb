"""Several calls in one process, with a shared source, and a recording and a summary row for each call."""

import pytest
from peers import probe
from peers.prometheus import parse


def test_each_call_has_its_own_recording_and_summary_row(machine, tmp_path):
    server = machine.server()
    callee = machine.callrunner("--server", server, "--room", "20", "--calls", "3", "--name", "Bob")
    caller = machine.callrunner(
        "--server", server, "--room", "20", "--calls", "3", "--name", "Ann", "--caller", "--duration", "4",
        "--record", tmp_path / "{room}-{call}.mkv",
    )
    caller.succeed()
    callee.succeed()
    assert sorted(path.name for path in tmp_path.glob("*.mkv")) == ["20-1.mkv", "21-2.mkv", "22-3.mkv"]
    for path in tmp_path.glob("*.mkv"):
        assert probe.decoding_errors(path) == ""
        assert probe.tracks(path)["video"].packets > 60
    summary = caller.events[-1]
    assert (summary["calls"], summary["failed"], summary["exit"]) == (3, 0, 0)
    assert [row["call"] for row in summary["rooms"]] == [20, 21, 22]
    for row in summary["rooms"]:
        ended = [event["reason"] for event in caller.all("call.ended") if event["call"] == row["call"]]
        assert ended == ["duration"] and row["received"]["video"] > 60
    for name in ("setupMs", "firstFrameMs", "fps", "lossPercent"):
        spread = summary["percentiles"][name]
        assert spread["min"] <= spread["p50"] <= spread["p90"] <= spread["max"], (name, spread)
    assert "all 3 calls succeeded" in caller.stderr
    rooms = {event["call"] for event in caller.events if event["event"] == "stats"}
    assert rooms == {20, 21, 22}


def test_a_failed_call_does_not_end_the_others(machine):
    server = machine.server()
    callee = machine.callrunner("--server", server, "--room", "31", "--name", "Bob")
    callee.wait_for("room.joined")
    caller = machine.callrunner(
        "--server", server, "--room", "30", "--calls", "2", "--name", "Ann", "--caller", "--duration", "4",
        "--peer-timeout", "8",
    )
    assert caller.finish() == 2, caller.stderr
    callee.succeed()
    rows = {row["call"]: row for row in caller.events[-1]["rooms"]}
    assert (rows[30]["exit"], rows[31]["exit"]) == (2, 0)
    assert rows[31]["received"]["video"] > 60
    assert [event["call"] for event in caller.all("error")] == [30]


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["--record", "a.mkv"], "{room}"),
        (["--record", "{peer}-{time}.mkv"], "{room}"),
        (["--snapshot", "a.jpg"], "{room}"),
        (["--room", "9007199254740991"], "room numbers"),
        (["--dump", "folder"], "--dump"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_options_unsuitable_for_several_calls_are_usage_errors(machine, arguments, word):
    process = machine.callrunner("--room", "1", "--calls", "2", *arguments)
    assert process.finish(15) == 64
    assert word in process.stderr


def test_metrics_are_served_in_the_prometheus_format(machine):
    server = machine.server()
    callee = machine.callrunner("--server", server, "--room", "40", "--calls", "2", "--name", "Bob")
    caller = machine.callrunner(
        "--server", server, "--room", "40", "--calls", "2", "--name", "Ann", "--caller", "--duration", "6",
        "--metrics-port", "0",
    )
    url = caller.wait_for("metrics.listening")["url"]
    assert url.startswith("http://127.0.0.1:")
    while len(caller.all("stats")) < 6:
        caller.wait_for("stats")
        if caller.process.poll() is not None:
            break
        early = machine.fetch(url)
    metrics = parse(early)
    for room in ("40", "41"):
        labels = {"room": room, "role": "caller"}
        assert metrics.value("callrunner_call_connected", **labels) == 1
        for kind in ("video", "audio"):
            for name in ("received_packets_total", "received_bytes_total", "sent_packets_total", "sent_bytes_total"):
                assert metrics.value(f"callrunner_{name}", kind=kind, **labels) > 0
            assert metrics.value("callrunner_received_packets_lost_total", kind=kind, **labels) == 0
        assert metrics.value("callrunner_received_picture_width_pixels", **labels) == 1280
    assert metrics.kinds["callrunner_received_frames_per_second"] == "gauge"
    assert metrics.kinds["callrunner_received_bytes_total"] == "counter"
    caller.succeed()
    callee.succeed()


def test_a_metrics_port_in_use_is_an_error(machine):
    server = machine.server()
    port = server.rsplit(":", 1)[1]
    process = machine.callrunner("--room", "1", "--server", server, "--metrics-port", port)
    assert process.finish(15) == 4
    assert "in use" in process.stderr and "--metrics-port" in process.stderr
