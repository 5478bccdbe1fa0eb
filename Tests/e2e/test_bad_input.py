"""Invalid flags, files, servers and peers cause the documented exit code and one error, and leave no files."""

import subprocess
from pathlib import Path

import pytest
from expect import expect_refusal
from peers import probe


def call(machine, *arguments):
    return machine.callrunner("--room", "1", *arguments)


@pytest.mark.quick
@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ([], "--room"),
        (["--room", "0"], "room"),
        (["--room", "-1"], "room"),
        (["--room", "9007199254740992"], "room"),
        (["--room", "one"], "room"),
        (["--room", "1", "--name", "  "], "name"),
        (["--room", "1", "--name", "x" * 65], "name"),
        (["--room", "1", "--name", "a\tb"], "name"),
        (["--room", "1", "--codec", "H267"], "codec"),
        (["--room", "1", "--codec", "VP8", "--record", "x.mp4"], "mp4"),
        (["--room", "1", "--record", "x.avi"], "mkv"),
        (["--room", "1", "--duration", "soon"], "duration"),
        (["--room", "1", "--duration", "-3"], "duration"),
        (["--room", "1", "--connect-timeout", "nan"], "connect-timeout"),
        (["--room", "1", "--retries", "-2"], "retries"),
        (["--room", "1", "--server", "not an address"], "server"),
        (["--room", "1", "--server", "ftp://127.0.0.1"], "server"),
        (["--room", "1", "--server", "http://127.0.0.1:3000/#chat"], "fragment"),
        (["--room", "1", "--window", "--headless"], "headless"),
        (["--room", "1", "--window"], "display"),
        (["--room", "1", "--volume", "151"], "volume"),
        (["--room", "1", "--volume", "-1"], "volume"),
        (["--room", "1", "--max-resolution", "huge"], "max-resolution"),
        (["--room", "1", "--max-resolution", "0x0"], "max-resolution"),
        (["--room", "1", "--audio-processing", "echo,reverb"], "reverb"),
        (["--room", "1", "--microphone", ""], "microphone"),
        (["--room", "1", "--no-such-flag"], "no-such-flag"),
        (["--room", "1", "--media", "audio", "--snapshot", "x.jpg"], "snapshot"),
        (["serve", "--port", "70000"], "port"),
        (["app", "--open", "attic"], "home, library, chats, calls, account, settings"),
        (["serve", "--redis", "redis://127.0.0.1", "--redis-cacert", "/etc/hostname"], "rediss"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_invalid_flags_are_refused_before_anything_starts(machine, tmp_path, arguments, word):
    process = machine.callrunner(*arguments)
    expect_refusal(process, 64, word, within=5)
    assert not Path("x.mp4").exists() and not Path("x.avi").exists()


def test_a_missing_source_is_refused(machine):
    expect_refusal(call(machine, "--source", "/no/such/film.mp4"), 3, "/no/such/film.mp4")


def test_a_source_that_is_not_a_media_file_is_refused(machine, tmp_path):
    text = tmp_path / "text.mp4"
    text.write_text("This is not a media file.\n" * 100)
    expect_refusal(call(machine, "--source", text), 3, "text.mp4")


def test_a_truncated_source_file_is_refused(machine, tmp_path):
    truncated = tmp_path / "truncated.mp4"
    truncated.write_bytes(probe.ASSET.read_bytes()[:1500])
    expect_refusal(call(machine, "--source", truncated), 3, "truncated.mp4")


def test_a_folder_as_source_is_refused(machine, tmp_path):
    expect_refusal(call(machine, "--source", tmp_path), 3, str(tmp_path))


def test_a_missing_camera_is_refused(machine):
    expect_refusal(call(machine, "--source", "camera:/dev/video77"), 3, "/dev/video77", "--source")


@pytest.mark.quick
@pytest.mark.parametrize("flag", ["--record", "--record-local"])
def test_an_existing_recording_is_not_overwritten(machine, tmp_path, flag):
    precious = tmp_path / "precious.mkv"
    precious.write_text("wedding")
    expect_refusal(call(machine, flag, precious), 5, "precious.mkv", "--overwrite")
    assert precious.read_text() == "wedding"


def test_the_overwrite_flag_replaces_an_existing_recording(machine, tmp_path):
    stale = tmp_path / "stale.mkv"
    stale.write_text("old")
    callee = call(machine)
    caller = call(machine, "--caller", "--record", stale, "--overwrite", "--duration", "2")
    caller.succeed()
    callee.succeed()
    assert set(probe.tracks(stale)) == {"video", "audio"}


def test_a_call_whose_recording_would_be_empty_fails(machine, tmp_path):
    recording = tmp_path / "none.mkv"
    ann = call(machine, "--source", "none")
    ann.wait_for("room.joined")
    bob = call(machine, "--caller", "--record", recording, "--duration", "2")
    expect_refusal(bob, 5, "none.mkv", "no media from the peer")
    assert bob.all("error")[0]["code"] == "nothing-recorded" and not recording.exists()
    assert [event["reason"] for event in bob.all("call.ended")] == ["duration"]
    ann.succeed()  # Ann received media, and does not record


def test_if_one_of_two_recordings_is_empty_the_error_names_it(machine, tmp_path):
    there, missing = tmp_path / "there.mkv", tmp_path / "missing.mkv"
    ann = call(machine, "--source", "none", "--record", there, "--record-local", missing)
    ann.wait_for("room.joined")
    bob = call(machine, "--caller", "--duration", "2")
    bob.succeed()
    expect_refusal(ann, 5, "missing.mkv", "this side")
    assert set(probe.tracks(there)) == {"video", "audio"} and not missing.exists()


def test_a_call_that_receives_none_of_the_negotiated_media_fails(machine, tmp_path):
    recording = tmp_path / "none.mkv"
    ann = machine.callrunner("--room", "1", "--media", "video", "--control", "-", is_steered=True)
    ann.wait_for("room.joined")
    assert ann.ask("camera", on=False)["ok"] is True
    bob = call(machine, "--caller", "--record", recording, "--duration", "2")
    # An empty recording is an error too, but missing media is reported first.
    expect_refusal(bob, 3, "agreed to send video")
    assert bob.all("error")[0]["code"] == "nothing-received" and not recording.exists()
    ann.succeed()


def test_a_call_hung_up_before_any_media_arrives_succeeds(machine):
    ann = machine.callrunner("--room", "1", "--media", "video", "--control", "-", is_steered=True)
    ann.wait_for("room.joined")
    assert ann.ask("camera", on=False)["ok"] is True
    bob = machine.callrunner("--room", "1", "--media", "video", "--caller", "--control", "-", is_steered=True)
    bob.wait_for("media.connected")
    assert bob.ask("hangup")["ok"] is True
    for process in (bob, ann):
        process.succeed()
        # One or two frames may have been sent before the camera was switched off.
        assert process.events[-1]["received"]["video"] < 5


@pytest.mark.sample(1)
@pytest.mark.parametrize("flags", [["--source", "none"], ["--sendonly"]], ids=["none", "sendonly"])
def test_a_call_in_which_no_media_can_flow_fails_at_once(machine, flags):
    callee = call(machine, *flags)
    callee.wait_for("room.joined")
    caller = call(machine, "--caller", *flags)
    for process in (caller, callee):
        expect_refusal(process, 3, "no media would flow", within=5)
        assert process.events[-1]["attempts"] == 1 and "MTU" not in process.stderr


@pytest.mark.parametrize("place", ["/no/such/folder/a.mkv", "/proc/a.mkv"])
def test_an_unwritable_recording_path_is_refused(machine, place):
    expect_refusal(call(machine, "--record", place), 5, place)


def test_a_full_disk_ends_the_recording_with_an_error(machine, tmp_path):
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        callee = call(machine)
        caller = call(machine, "--caller", "--record", disk / "a.mkv", "--duration", "20")
        expect_refusal(caller, 5, "a.mkv", within=30)
        callee.succeed()
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


def test_an_unreachable_server_is_an_error(machine):
    process = call(machine, "--server", "http://127.0.0.1:9", "--server-timeout", "2")
    expect_refusal(process, 4, "127.0.0.1:9", within=6)


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("no-answer", []),
        ("web-page", ["Socket.IO"]),
        ("silent-websocket", []),
        ("no-connect-reply", []),
        ("not-engine-io", []),
        ("broken-open", []),
        ("room-full", ["full"]),
        ("role-taken", ["role"]),
        ("not-authorized", ["authorized"]),
    ],
)
def test_a_server_that_is_invalid_or_refuses_the_client_is_an_error(machine, mode, words):
    server = machine.hostile_server(mode)
    process = call(machine, "--server", server, "--server-timeout", "3")
    expect_refusal(process, 4, *words, within=8)


def test_an_event_above_the_size_limit_is_an_error(machine):
    process = call(machine, "--server", machine.hostile_server("big-event"), "--retries", "0")
    expect_refusal(process, 4)


@pytest.mark.sample(5)
@pytest.mark.parametrize("sdp", ["garbage", "empty", "no-media", "number", "binary"])
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_an_invalid_session_description_is_an_error(machine, tmp_path, role, sdp):
    server = machine.seed_server()
    recording = tmp_path / "nothing.mkv"
    flags = ["--caller"] if role == "caller" else []
    process = call(machine, *flags, "--server", server, "--retries", "0", "--connect-timeout", "5",
                   "--peer-timeout", "8", "--record", recording)
    process.wait_for("room.joined")
    machine.peer("rude_peer", sdp, "--server", server, *([] if role == "caller" else ["--caller"]))
    # A message with fields of wrong types is ignored, so that the process waits for an offer or answer in vain.
    expect_refusal(process, 2 if sdp == "number" else 3, within=20)
    assert not recording.exists() or probe.decoding_errors(recording) == ""


def test_a_caller_without_a_peer_gives_up_after_the_peer_timeout(machine):
    expect_refusal(call(machine, "--caller", "--peer-timeout", "1"), 2, "peer", within=5)


def test_a_callee_without_an_offer_gives_up_after_the_peer_timeout(machine):
    expect_refusal(call(machine, "--peer-timeout", "1"), 2, within=5)


def test_a_third_participant_is_refused_by_a_full_room(machine):
    server = machine.server()
    for name, flags in (("Ann", ["--caller"]), ("Bob", [])):
        call(machine, "--server", server, "--name", name, *flags).wait_for("room.joined")
    expect_refusal(call(machine, "--server", server, "--name", "Eve", "--caller"), 4, "room")
