"""`--control`, with which JSON Lines from standard input or a Unix socket control a running call."""

import json
import os
import socket
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from expect import expect_refusal
from peers import probe
from peers.runner import REPOSITORY, Runner
from test_recording import small_disk, streams


@pytest.fixture
def short(tmp_path: Path) -> Iterator[Path]:
    """A folder whose path is short enough for a Unix socket."""
    with tempfile.TemporaryDirectory(prefix="control-") as folder:
        yield Path(folder)


@pytest.fixture
def call(machine, tmp_path):
    """Starts a call; returns the controlled side, whose home folder is `tmp_path`, and the other side."""

    def begin(*arguments, control: str = "-", peer_flags: tuple = ()) -> tuple[Runner, Runner]:
        server = machine.server()
        far = machine.callrunner("--server", server, "--room", "7", "--name", "Bob", *peer_flags)
        far.wait_for("room.joined")
        near = machine.callrunner(
            *("--server", server, "--room", "7", "--name", "Ann", "--caller", "--control", control, *arguments),
            environment={"HOME": str(tmp_path)},
            is_steered=control == "-",
        )
        near.wait_for("media.first_frame", kind="video")
        far.wait_for("media.first_frame", kind="video")
        return near, far

    return begin


def next_stats(process: Runner, count: int = 2) -> dict:
    """Waits for `count` further `stats` events; returns the last one."""
    return process.wait_for_more("stats", count)


def test_the_mute_camera_and_hangup_commands_take_effect_during_a_call(call):
    near, far = call()
    assert next_stats(far)["video"]["in"]["fps"] > 10
    loud = next_stats(far)["audio"]["in"]["bitrate"]
    assert near.ask("mute", on=True)["ok"] and near.ask("camera", on=False)["ok"]
    far.wait_for("peer.media", audio=False, video=False)
    # Three events, because the first one may cover time before the command.
    muted = next_stats(far, 3)
    assert muted["audio"]["in"]["bitrate"] < loud / 3, (muted, loud)
    # A muted side sends silence, because a stream without packets would count as a stall.
    assert muted["audio"]["in"]["packets"] > 0 and muted["audio"]["in"]["bitrate"] > 0
    assert muted["video"]["in"]["fps"] == 0
    status = near.ask("status")
    assert (status["state"], status["peer"], status["muted"], status["cameraOff"]) == ("connected", "Bob", True, True)
    assert near.ask("mute", on=False)["ok"] and near.ask("camera", on=True)["ok"]
    back = next_stats(far, 4)
    assert back["video"]["in"]["fps"] > 10 and back["audio"]["in"]["bitrate"] > loud / 2
    assert near.ask("hangup")["ok"]
    near.succeed()
    far.succeed()
    assert [event["reason"] for event in near.all("call.ended")] == ["hung-up"]
    assert near.events[-1]["event"] == "summary"


def test_commands_start_and_stop_recordings_repeatedly(call, tmp_path):
    (tmp_path / "Videos").mkdir()
    near, far = call()
    named = tmp_path / "named.mkv"
    for path in (named, None):
        reply = near.ask("record", **({"path": str(path)} if path else {}))
        assert reply["ok"], reply
        assert near.wait_for("record.started", path=reply["path"])["sides"] == ["remote", "local"]
        before = len(near.all("stats"))
        next_stats(near, 4)
        assert near.ask("status")["recording"] == reply["path"]
        assert far.all("peer.media")[-1]["recording"] is True
        again = near.ask("record")
        assert not again["ok"] and again["error"] == "already-recording"
        assert near.ask("record", on=False)["ok"]
        length = len(near.all("stats")) - before
        saved = near.wait_for("record.saved", path=reply["path"])
        assert saved["tracks"] == ["H264", "OPUS", "H264", "OPUS"]
        # The file is complete although the call continues.
        tracks = streams(Path(reply["path"]))
        assert [track["title"] for track in tracks] == ["remote", "remote", "local", "local"]
        assert all(track["first"] < 2 for track in tracks), tracks
        assert length - 2.5 < probe.length_on_label(Path(reply["path"])) < length + 3
        assert probe.decoding_errors(Path(reply["path"])) == ""
        assert near.ask("status").get("recording") is None
        assert far.all("peer.media")[-1]["recording"] is False
    assert "Ann records this call" in far.stderr and "Ann has stopped recording" in far.stderr
    assert Path(reply["path"]).parent == tmp_path / "Videos"
    assert Path(reply["path"]).name.startswith("7-Bob-20")
    refused = near.ask("record", on=False)
    assert not refused["ok"] and refused["error"] == "not-recording"
    near.ask("hangup")
    near.succeed()


def test_a_recording_is_closed_when_its_call_ends(call, tmp_path):
    near, far = call("--stay")
    path = tmp_path / "a.mkv"
    assert near.ask("record", path=str(path), sides="remote")["ok"]
    next_stats(near, 2)
    far.signal(15)
    near.wait_for("call.ended")
    near.wait_for("record.saved", path=str(path))
    assert probe.tracks(path)["video"].packets > 20
    assert near.ask("status")["state"] == "room"
    refused = near.ask("record")
    assert not refused["ok"] and refused["error"] == "no-call"
    assert near.ask("leave")["ok"]
    near.succeed()


@pytest.mark.sample(1)
@pytest.mark.parametrize("ending", ["png", "jpg"])
def test_a_command_saves_a_snapshot_of_the_peer(call, tmp_path, ending):
    near, _ = call("--headless")
    path = tmp_path / f"peer.{ending}"
    assert near.ask("snapshot", path=str(path))["path"] == str(path)
    near.wait_for("snapshot.saved", path=str(path))
    show = ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path]
    assert subprocess.run(show, capture_output=True, text=True, check=True).stdout.strip() == "1280,720"
    taken = near.ask("snapshot")
    # The snapshot is saved in the home folder, because there is no folder for pictures.
    assert taken["ok"] and Path(taken["path"]).parent == tmp_path and taken["path"].endswith(".png")
    refused = near.ask("snapshot", path=str(path))
    assert not refused["ok"] and "exists already" in refused["message"]
    near.ask("hangup")
    near.succeed()


def test_a_full_disk_ends_the_recording_and_not_the_call(call, tmp_path):
    with small_disk(tmp_path / "disk", 0.5) as disk:
        near, _ = call()
        assert near.ask("record", path=str(disk / "a.mkv"))["ok"]
        failed = near.wait_for("record.failed", path=str(disk / "a.mkv"))
        assert "the disk is full" in failed["message"]
        assert all(track["packets"] > 10 for track in streams(disk / "a.mkv"))
        refused = near.ask("record", path=str(disk / "b.mkv"))
        assert not refused["ok"] and refused["error"] == "disk-full", refused
        assert next_stats(near)["video"]["in"]["fps"] > 10
        assert near.ask("record", path=str(tmp_path / "b.mkv"))["ok"]
        next_stats(near, 3)
        near.ask("hangup")
        near.succeed()
        assert probe.length_on_label(tmp_path / "b.mkv") > 1
        assert not (disk / "b.mkv").exists()


def test_an_impossible_command_is_refused_and_the_call_continues(call, tmp_path):
    near, _ = call()
    (tmp_path / "there.mkv").write_bytes(b"mine")
    for arguments, error in [
        ({"command": "record", "path": str(tmp_path / "there.mkv")}, "bad-path"),
        ({"command": "record", "path": "/nowhere/a.mkv"}, "bad-path"),
        ({"command": "record", "path": "/proc/a.mkv"}, "bad-path"),
        ({"command": "record", "path": "a.avi"}, "bad-path"),
        ({"command": "record", "path": str(tmp_path / "a.webm")}, "bad-format"),
        ({"command": "record", "path": str(tmp_path / "a.mp4"), "sides": "both"}, "bad-format"),
        ({"command": "snapshot", "path": str(tmp_path / "a.gif")}, "bad-path"),
        ({"command": "answer"}, "not-ringing"), ({"command": "decline"}, "not-ringing"),
        ({"command": "call"}, "in-call"), ({"command": "mute"}, "bad-argument"), ({"command": "dance"}, "bad-command"),
    ]:
        reply = near.ask(**arguments)
        assert not reply["ok"] and reply["error"] == error and reply["message"], reply
    assert (tmp_path / "there.mkv").read_bytes() == b"mine"
    assert [path.name for path in tmp_path.glob("a.*")] == []
    near.ask("hangup")
    near.succeed()


def test_neither_invalid_lines_nor_the_end_of_input_end_the_call(call):
    near, _ = call()
    for line in ["", "{", "null", "[1]", '{"command":{}}', "\x00\x01", "é" * 100, "x" * 200_000, "[" * 60_000]:
        near.say(line + "\n")
    near.say('{"id":[1],"command":"hangup"}\n{"command":"hang')
    near.process.stdin.close()
    codes = ["bad-json"] * 4 + ["bad-command"] + ["bad-json"] * 2 + ["too-long", "bad-json", "bad-argument", "bad-json"]
    # An empty line gets no reply.
    codes.pop(0)
    near.wait_for("control", error="bad-argument")
    next_stats(near, 2)
    told = [event["error"] for event in near.all("control")]
    assert told == codes, told
    assert near.process.poll() is None
    near.signal(2)
    assert near.finish() == 130


class Client:
    """A client of the control socket."""

    def __init__(self, path: Path):
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(30)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *_) -> None:
        self._lines.close()
        self._socket.close()

    def send(self, text: str) -> None:
        self._socket.sendall(text.encode())

    def send_until_blocked(self, text: str) -> None:
        """Repeats the text until the socket accepts no more."""
        self._socket.settimeout(1)
        try:
            while True:
                self._socket.sendall(text.encode() * 100)
        except TimeoutError:
            self._socket.settimeout(30)

    def ask(self, **command) -> dict:
        self.send(json.dumps(command) + "\n")
        return self.receive()

    def receive(self) -> dict | None:
        """Returns the next reply, or None at the end of the connection."""
        line = self._lines.readline()
        return json.loads(line) if line else None


def test_several_clients_control_a_call_over_a_private_socket(call, short):
    path = short / "control"
    near, _ = call(control=str(path))
    mode = path.stat().st_mode
    assert stat.S_ISSOCK(mode) and stat.S_IMODE(mode) == 0o600
    with Client(path) as one, Client(path) as other:
        assert one.ask(id=1, command="mute", on=True)["ok"]
        status = other.ask(id="b", command="status")
        assert status["id"] == "b" and status["event"] == "control" and status["muted"]
        # The JSON events contain the replies to both clients.
        assert near.wait_for("control", id=1)["ok"] and near.wait_for("control", id="b")["ok"]
        # A client that disconnects in the middle of a line, and one that never reads.
        with Client(path) as rude:
            rude.send('{"command":"hang')
        with Client(path) as deaf:
            deaf.send_until_blocked('{"command":"status"}\n')
            assert one.ask(id=2, command="status")["ok"]
            other.send("x" * 100_000 + "\n")
            assert other.receive()["error"] == "too-long"
            assert other.ask(id=3, command="hangup")["ok"]
            assert one.receive() is None and other.receive() is None
            near.succeed()
    assert list(short.iterdir()) == []


def test_the_number_of_control_connections_is_limited(call, short):
    path = short / "control"
    near, _ = call(control=str(path))
    clients = [Client(path) for _ in range(8)]
    for client in clients:
        assert client.ask(command="status")["ok"]
    with Client(path) as ninth:
        assert ninth.receive()["error"] == "busy" and ninth.receive() is None
    clients.pop().__exit__()
    # Another client may connect once the program has noticed that one has disconnected.
    while True:
        with Client(path) as next_one:
            if (reply := next_one.ask(command="status"))["ok"]:
                break
            assert reply["error"] == "busy"
    assert clients[0].ask(command="hangup")["ok"]
    near.succeed()
    for client in clients:
        client.__exit__()


def test_only_a_stale_control_socket_is_replaced(machine, short):
    path = short / "control"
    first = machine.callrunner("--room", "1", "--name", "Ann", "--control", path)
    first.wait_for("room.joined")
    second = machine.callrunner("--room", "2", "--name", "Bob", "--control", path)
    expect_refusal(second, 64, "another process listens")
    first.signal(9)
    first.finish()
    assert path.exists()
    third = machine.callrunner("--room", "3", "--name", "Eve", "--control", path)
    third.wait_for("room.joined")
    with Client(path) as client:
        status = client.ask(command="status")
        assert status["state"] == "room" and status["canCall"] is False
        assert client.ask(command="hangup")["error"] == "no-call"
        assert client.ask(command="leave")["ok"]
    third.succeed()
    assert not path.exists()
    path.write_text("keep")
    expect_refusal(machine.callrunner("--room", "1", "--control", path), 64, "another file is there")
    assert path.read_text() == "keep"
    expect_refusal(machine.callrunner("--room", "1", "--control", short / "no" / "x"), 64, "No such file")
    expect_refusal(machine.callrunner("--room", "1", "--control", short / ("x" * 120)), 64, "bytes")


def test_the_control_flag_is_refused_for_several_calls_and_the_help_lists_its_commands(machine):
    expect_refusal(machine.callrunner("--room", "1", "--calls", "2", "--control", "-"), 64, "--control", "--calls")
    expect_refusal(machine.callrunner("--room", "1", "--control", ""), 64, "--control")
    shown = subprocess.run(
        [REPOSITORY / ".build/release/callrunner", "call", "--help"], capture_output=True, text=True, timeout=20
    ).stdout
    for word in ("--control", "mute", "snapshot", "hangup"):
        assert word in shown


def test_commands_from_a_file_are_executed_before_a_call_starts(machine, tmp_path):
    commands = tmp_path / "commands.jsonl"
    commands.write_text('{"command":"mute","on":true}\n{"id":9,"command":"status"}')
    with commands.open() as read, tempfile.TemporaryFile("w+") as told:
        process = subprocess.Popen(
            [*machine.prefix, REPOSITORY / ".build/release/callrunner", "--room", "1", "--name", "Ann", "--control", "-",
             "--json", "--quiet", "--peer-timeout", "2"],
            stdin=read, stdout=told, env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "DISPLAY": ""},
        )
        assert process.wait(60) == 2
        told.seek(0)
        replies = [event for event in map(json.loads, told) if event["event"] == "control"]
    assert [reply["ok"] for reply in replies] == [True, True]
    assert replies[1]["id"] == 9 and replies[1]["muted"]
