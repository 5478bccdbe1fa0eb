"""Calls between two callrunner processes, without a separate server and without a server URL."""

import signal
import subprocess
import time

import expect
import pytest
from peers import probe
from peers.runner import BINARY


def caller(machine, *arguments):
    return machine.callrunner("--room", "1", "--caller", "--name", "Ann", *arguments)


def callee(machine, *arguments):
    return machine.callrunner("--room", "1", "--name", "Bob", *arguments)


@pytest.mark.sample(1)
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_each_process_records_ten_seconds_of_its_peers_media_unchanged(machine, tmp_path, container):
    by_ann, by_bob = tmp_path / f"ann.{container}", tmp_path / f"bob.{container}"
    bob = callee(machine, "--record", by_bob, "--duration", "10")
    ann = caller(machine, "--record", by_ann, "--duration", "10")
    ann.succeed()
    bob.succeed()
    for process, recording in ((ann, by_ann), (bob, by_bob)):
        expect.an_intact_recording(recording, seconds=10)
        expect.the_unchanged_test_video(recording)
        assert probe.tracks(recording)["video"].packets >= 295
        saved = process.all("record.saved")
        assert [event["path"] for event in saved] == [str(recording)]
        assert saved[0]["tracks"] == ["H264", "OPUS"] and saved[0]["bytes"] == recording.stat().st_size


def test_sent_media_is_recorded_and_loops_without_a_gap(machine, tmp_path):
    sent = tmp_path / "sent.mkv"
    bob = callee(machine)
    ann = caller(machine, "--record-local", sent, "--duration", "12")
    ann.succeed()
    bob.succeed()
    expect.an_intact_recording(sent, seconds=12)
    expect.the_unchanged_test_video(sent)
    expect.an_even_pace(sent)


@pytest.mark.sample(1)
@pytest.mark.parametrize("attempt", range(3))
def test_two_processes_started_simultaneously_connect(machine, attempt):
    ann, bob = caller(machine, "--duration", "1"), callee(machine, "--duration", "1")
    ann.succeed()
    bob.succeed()
    hosts = [process for process in (ann, bob) if process.all("server.listening")]
    assert len(hosts) == 1, "not exactly one process embeds the server"


def test_no_proxy_is_used_for_a_server_on_loopback(machine):
    proxies = {name: "http://127.0.0.1:1" for name in ("http_proxy", "https_proxy")}
    ann = machine.callrunner("--server", machine.server(), "--room", "1", "--name", "Ann", environment=proxies)
    ann.wait_for("room.joined")


@pytest.mark.sample(1)
@pytest.mark.parametrize("container", ["mkv", "mp4"])
@pytest.mark.parametrize("killed", ["host", "guest"])
def test_a_killed_process_leaves_a_playable_recording(machine, tmp_path, container, killed):
    recordings = {"host": tmp_path / f"host.{container}", "guest": tmp_path / f"guest.{container}"}
    host = callee(machine, "--record", recordings["host"])
    host.wait_for("server.listening")
    guest = caller(machine, "--record", recordings["guest"])
    guest.wait_for("media.connected")
    time.sleep(8)
    victim, survivor = (host, guest) if killed == "host" else (guest, host)
    victim.signal(signal.SIGKILL)
    killed_at = time.monotonic()
    survivor.succeed(within=8)
    assert time.monotonic() - killed_at < 8
    expect.a_call_that_ended(survivor, reason="peer-left")

    torn = recordings[killed]
    assert probe.decoding_errors(torn, seconds=7) == ""
    tracks = probe.tracks(torn)
    assert tracks["video"].span >= 7 and tracks["audio"].span >= 7
    assert probe.first_foreign_slice(torn) in (None, len(probe.slices(torn)) - 1), "only the last one may be truncated"
    # No media is missing. The tolerance is for a short stall of the host, which delays packets.
    assert tracks["video"].longest_gap < 0.5 and tracks["audio"].longest_gap < 0.5
    assert probe.decoding_errors(recordings["guest" if killed == "host" else "host"]) == ""


def test_the_peer_is_notified_of_the_leave_before_the_embedded_server_ends(machine):
    host = callee(machine, "--duration", "2")
    host.wait_for("server.listening")
    guest = caller(machine)
    host.succeed()
    left_at = time.monotonic()
    guest.succeed(within=3)
    assert time.monotonic() - left_at < 2
    expect.a_call_that_ended(host, reason="duration")
    expect.a_call_that_ended(guest, reason="peer-left")


@pytest.mark.sample(1)
@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_hangs_up_and_closes_the_recording(machine, tmp_path, number, exit_code):
    recording = tmp_path / "ann.mp4"
    bob = callee(machine)
    ann = caller(machine, "--record", recording)
    ann.wait_for("media.first_frame", kind="video")
    bob.wait_for("media.connected")
    time.sleep(2)
    ann.signal(number)
    assert ann.finish(within=5) == exit_code
    bob.succeed(within=5)
    expect.a_call_that_ended(bob, reason="peer-left")
    expect.a_call_that_ended(ann, reason="hung-up", exit_code=exit_code)
    assert ann.wait_for("record.saved")["path"] == str(recording)
    assert probe.decoding_errors(recording) == ""
    expect.the_unchanged_test_video(recording)


def test_closing_standard_output_hangs_up(machine):
    bob = callee(machine)
    bob.wait_for("room.joined")
    command = [*machine.prefix, BINARY, "--room", "1", "--caller", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as ann:
        while b'"media.connected"' not in ann.stdout.readline():
            pass
        ann.stdout.close()
        assert ann.wait(timeout=10) == 0
    bob.succeed(within=5)


def test_a_dump_contains_the_data_for_a_bug_report_and_no_secret(machine, tmp_path):
    folder = tmp_path / "dump"
    bob = callee(machine, "--duration", "2", "--dump", folder, "--token", "hush", "--turn", "turn:me:hush@127.0.0.1:9")
    caller(machine, "--duration", "2").succeed()
    bob.succeed()
    names = {path.name for path in folder.iterdir()}
    assert {"about.txt", "events.jsonl", "candidates.jsonl", "001-offer-received.sdp", "002-answer-sent.sdp"} <= names
    assert any(name.endswith("-connected.dot") for name in names), "the graph of the pipeline"
    assert '"event":"summary"' in (folder / "events.jsonl").read_text()
    assert "candidate.sent" in (folder / "candidates.jsonl").read_text()
    text = "".join(path.read_text() for path in folder.iterdir())
    assert "hush" not in text and "srtp-key: (removed)" in text
    assert text.count("srtp-key") == text.count("srtp-key: (removed)")
    again = callee(machine, "--dump", folder)
    expect.expect_refusal(again, 64, "it is not an empty folder")
