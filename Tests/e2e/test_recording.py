"""Recordings and snapshots: recordings of both sides, segments, file names, full disks, and recovery of files."""

import json
import os
import signal
import subprocess
from contextlib import contextmanager
from pathlib import Path

import pytest
from peers import probe
from peers.runner import BINARY


def start_call(machine, *arguments, name: str = "Bob", duration: float = 4):
    """Starts a call; returns the caller, which has the given arguments, and the callee."""
    server = machine.server()
    callee = machine.callrunner("--server", server, "--room", "7", "--name", name)
    callee.wait_for("room.joined")
    caller = machine.callrunner(
        "--server", server, "--room", "7", "--caller", "--name", "Ann", "--duration", str(duration), *arguments
    )
    return caller, callee


def hold_call(machine, *arguments, **keywords):
    """Runs a call to its end; returns the caller."""
    caller, callee = start_call(machine, *arguments, **keywords)
    caller.succeed()
    callee.succeed()
    return caller


def streams(path: Path) -> list[dict]:
    """Returns the tracks of a file. `first` is the time of the first packet, `key` whether it is a keyframe."""
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_streams", "-show_packets", path]
    told = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    found = []
    for stream in told["streams"]:
        packets = [packet for packet in told["packets"] if packet["stream_index"] == stream["index"]]
        tags = {key.lower(): value for key, value in stream.get("tags", {}).items()}
        found.append({
            "kind": stream["codec_type"], "title": tags.get("title"), "packets": len(packets),
            "first": float(packets[0]["pts_time"]) if packets else None,
            "key": bool(packets) and "K" in packets[0]["flags"],
        })
    return found


def test_both_sides_are_recorded_in_one_file_with_a_common_clock(machine, tmp_path):
    path = tmp_path / "both.mkv"
    caller = hold_call(machine, "--record-both", path)
    tracks = streams(path)
    assert [(track["kind"], track["title"]) for track in tracks] == [
        ("video", "remote"), ("audio", "remote"), ("video", "local"), ("audio", "local"),
    ]
    summary = caller.events[-1]
    counted = [summary["received"]["video"], summary["received"]["audio"], summary["sent"]["video"], summary["sent"]["audio"]]
    for track, count in zip(tracks, counted):
        assert abs(track["packets"] - count) <= 2, (tracks, counted)
        assert track["first"] < 0.5, tracks
    assert probe.decoding_errors(path) == ""
    saved = caller.wait_for("record.saved")
    assert saved["tracks"] == ["H264", "OPUS", "H264", "OPUS"] and saved["start"] == 0


def test_segments_begin_at_keyframes_and_contain_all_packets(machine, tmp_path):
    # The duration ends between keyframes, so that the last segment is not empty.
    caller = hold_call(machine, "--record", tmp_path / "a.mkv", "--segment", "2s", duration=6.5)
    saved = caller.all("record.saved")
    assert [Path(event["path"]).name for event in saved] == [f"a-{number}.mkv" for number in range(1, len(saved) + 1)]
    assert len(saved) >= 3
    received = caller.events[-1]["received"]
    parts = [streams(Path(event["path"])) for event in saved]
    for event, part in zip(saved, parts):
        assert part[0]["key"] and part[0]["first"] < 0.05, part
        assert probe.decoding_errors(event["path"]) == ""
    assert abs(sum(part[0]["packets"] for part in parts) - received["video"]) <= 1
    assert abs(sum(part[1]["packets"] for part in parts) - received["audio"]) <= 1
    # The segments share one timeline. Each segment begins where the previous one ends.
    for before, after in zip(saved, saved[1:]):
        assert abs(before["start"] + before["seconds"] - after["start"]) < 0.05, saved


@pytest.mark.sample(1)
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_a_peers_name_in_a_file_name_cannot_point_outside_the_recording_folder(machine, tmp_path, container):
    folder = tmp_path / "calls"
    folder.mkdir()
    hold_call(machine, "--record", folder / f"{{room}}-{{name}}-{{peer}}.{container}", name="../../evil", duration=2)
    assert [path.name for path in folder.iterdir()] == [f"7-Ann-_._.._evil.{container}"]
    assert not list(tmp_path.glob("*evil*")) and not list(tmp_path.parent.glob("*evil*"))


@pytest.mark.sample(1)
@pytest.mark.parametrize("ending", ["jpg", "png"])
def test_a_snapshot_is_an_image_of_the_peers_video(machine, tmp_path, ending):
    path = tmp_path / f"peer.{ending}"
    caller = hold_call(machine, "--headless", "--snapshot", path, "--snapshot-every", "1s")
    taken = caller.all("snapshot.saved")
    assert len(taken) >= 2 and {event["path"] for event in taken} == {str(path)}
    found = subprocess.run(
        ["ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0", path],
        capture_output=True, text=True, check=True,
    )
    assert found.stdout.strip() == "1280,720"


def test_snapshots_follow_the_given_interval(machine, tmp_path):
    path = tmp_path / "peer.jpg"
    caller = hold_call(machine, "--headless", "--snapshot", path, "--snapshot-every", "2s", duration=7)
    times = [event["elapsed"] for event in caller.all("snapshot.saved")]
    # Snapshots are taken at keyframes, of which there is one each second, so the interval varies a little.
    assert len(times) >= 3 and abs((times[-1] - times[0]) / (len(times) - 1) - 2) < 0.35, times


@pytest.mark.sample(1)
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_the_modes_of_files_named_by_the_user_follow_the_umask(machine, tmp_path, mask):
    before = os.umask(mask)
    try:
        hold_call(machine, "--record", tmp_path / "a.mkv", "--snapshot", tmp_path / "a.png", duration=2)
    finally:
        os.umask(before)
    assert {path.stat().st_mode & 0o777 for path in tmp_path.glob("a.*")} == {0o666 & ~mask}


def test_a_snapshot_of_a_peer_without_video_is_an_error(machine, tmp_path):
    server = machine.server()
    silent = machine.callrunner("--server", server, "--room", "8", "--source", "none", "--name", "Bob")
    silent.wait_for("room.joined")
    caller = machine.callrunner(
        "--server", server, "--room", "8", "--caller", "--duration", "1", "--snapshot", tmp_path / "b.png"
    )
    assert caller.finish(20) == 5 and caller.all("error")[0]["code"] == "nothing-recorded"
    assert not (tmp_path / "b.png").exists()


def test_snapshots_with_the_time_in_their_name_do_not_replace_each_other(machine, tmp_path):
    hold_call(machine, "--snapshot", tmp_path / "{time}.jpg", "--snapshot-every", "1500ms")
    assert len(list(tmp_path.glob("*Z.jpg"))) >= 2


@contextmanager
def small_disk(folder: Path, megabytes: float):
    """Mounts a file system of this size, so that it is soon full."""
    folder.mkdir()
    size = f"size={int(megabytes * 1024)}k"
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", size, "tmpfs", folder], capture_output=True, text=True)
    if mounted.returncode != 0:
        pytest.skip(f"no file systems can be mounted here: {mounted.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("flag", "name"), [("--record", "a.mkv"), ("--record", "a.mp4"), ("--record-both", "both.mkv")]
)
def test_a_recording_that_ends_because_the_disk_is_full_is_playable(machine, tmp_path, flag, name):
    with small_disk(tmp_path / "disk", 0.75) as disk:
        caller, _ = start_call(machine, flag, disk / name, duration=60)
        assert caller.finish(60) == 5, caller.stderr
        error = caller.all("error")
        assert [event["code"] for event in error] == ["recording-failed"], error
        assert "the disk is full" in error[0]["message"] and error[0]["hint"]
        assert caller.events[-1]["exit"] == 5
        tracks = streams(disk / name)
        assert len(tracks) == (4 if "both" in name else 2)
        assert all(track["packets"] >= 30 for track in tracks), tracks


def recover(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([BINARY, "recover", *arguments], capture_output=True, text=True, timeout=60)


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("flags", "name"),
    [(["--record"], "a.mkv"), (["--record"], "a.mp4"), (["--codec", "VP8", "--record"], "a.webm"), (["--record-both"], "b.mkv")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_recover_repairs_the_recording_of_a_killed_process(machine, tmp_path, flags, name):
    cut = tmp_path / name
    caller, _ = start_call(machine, *flags, cut, duration=60)
    caller.wait_for("media.first_frame", kind="video")
    caller.wait_for("stats")
    while len(caller.all("stats")) < 4:
        caller.wait_for("stats")
    caller.signal(signal.SIGKILL)
    caller.finish()
    left = cut.read_bytes()
    packets = [track["packets"] for track in streams(cut)]
    assert all(count > 30 for count in packets), packets
    done = recover(cut)
    assert done.returncode == 0 and "copied the playable part to" in done.stderr, done.stderr
    assert cut.read_bytes() == left
    whole = cut.with_stem(f"{cut.stem}-recovered")
    tracks = streams(whole)
    assert all(track["key"] for track in tracks), tracks
    # The last sample of an MP4 file may be incomplete.
    assert all(abs(track["packets"] - count) <= 1 for track, count in zip(tracks, packets)), (tracks, packets)
    if name == "b.mkv":
        # GStreamer's demuxer reports titles only for audio tracks.
        assert [track["title"] for track in tracks if track["kind"] == "audio"] == ["remote", "local"]
    assert 2.5 < probe.length_on_label(whole) < 10
    again = recover(cut)
    assert again.returncode == 5 and "exists already" in again.stderr
    assert recover(cut, "--overwrite").returncode == 0


def test_recover_does_not_change_existing_files_with_similar_names(tmp_path):
    film = tmp_path / "call.mp4"
    film.write_bytes(probe.ASSET.read_bytes())
    precious = tmp_path / "precious"
    precious.write_text("precious")
    # Files with these names of temporary files may belong to other users.
    (tmp_path / "call-recovered.mp4.part").symlink_to(precious)
    (tmp_path / "other.mp4.part").write_text("foreign")
    umask = os.umask(0o027)
    try:
        started = [
            subprocess.Popen([BINARY, "recover", film, *out], stderr=subprocess.PIPE, text=True)
            for out in ([], [tmp_path / "other.mp4"])
        ]
        told = [process.communicate(timeout=60)[1] for process in started]
    finally:
        os.umask(umask)
    assert [process.returncode for process in started] == [0, 0], told
    assert precious.read_text() == "precious" and (tmp_path / "other.mp4.part").read_text() == "foreign"
    assert (tmp_path / "call-recovered.mp4.part").is_symlink()
    for whole in (tmp_path / "call-recovered.mp4", tmp_path / "other.mp4"):
        assert all(track["key"] for track in streams(whole)) and whole.stat().st_mode & 0o777 == 0o640
    assert len(list(tmp_path.iterdir())) == 6


def test_recover_refuses_an_output_in_another_container_format(tmp_path):
    film = tmp_path / "call.mp4"
    film.write_bytes(probe.ASSET.read_bytes())
    refused = recover(film, tmp_path / "out.mkv")
    assert refused.returncode == 64 and "FILE is a .mp4 recording, and OUT ends in .mkv" in refused.stderr
    assert [file.name for file in tmp_path.iterdir()] == ["call.mp4"]


def test_recover_replaces_a_symbolic_link_and_not_its_target(tmp_path):
    film, precious, out = tmp_path / "call.mp4", tmp_path / "precious", tmp_path / "out.mp4"
    film.write_bytes(probe.ASSET.read_bytes())
    precious.write_text("precious")
    out.symlink_to(precious)
    assert recover(film, out).returncode == 5
    assert recover(film, out, "--overwrite").returncode == 0
    assert precious.read_text() == "precious" and not out.is_symlink()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["call.mp4", "out.mp4", "precious"]


@pytest.mark.parametrize(
    ("content", "word"),
    [(None, "No such file"), (b"", "empty"), (b"hello, I am a text\n" * 99, "neither"),
     (b"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nhttp://127.0.0.1:9/1.ts\n", "neither"),
     (b"\x1a\x45\xdf\xa3" + b"\xff" * 5000, "recovered"), (b"\0\0\0\x20ftypisom" + b"\xff" * 5000, "recovered")],
    ids=["missing", "empty", "text", "playlist", "broken mkv", "broken mp4"],
)
def test_recover_refuses_a_file_that_is_not_a_recording(tmp_path, content, word):
    path = tmp_path / "x.mkv"
    if content is not None:
        path.write_bytes(content)
    refused = recover(path)
    assert refused.returncode == 3, refused.stderr
    assert word in refused.stderr and "hint:" in refused.stderr
    assert sorted(file.name for file in tmp_path.iterdir()) == ([] if content is None else ["x.mkv"])
    assert content is None or path.read_bytes() == content


def test_recover_refuses_to_overwrite_its_input(tmp_path):
    path = tmp_path / "x.mp4"
    path.write_bytes(probe.ASSET.read_bytes())
    refused = recover(path, path, "--overwrite")
    assert refused.returncode == 64 and path.read_bytes() == probe.ASSET.read_bytes()


def test_recording_warns_if_the_peer_cannot_be_notified(machine, tmp_path):
    server = machine.seed_server()
    theirs = machine.callrunner("--server", server, "--room", "3", "--name", "Bob")
    theirs.wait_for("room.joined")
    ours = machine.callrunner(
        "--server", server, "--room", "3", "--name", "Ann", "--caller", "--duration", "5", "--record", tmp_path / "a.mkv"
    )
    ours.succeed()
    theirs.succeed()
    warnings = [event["message"] for event in ours.all("warning") if "recording" in event["message"]]
    assert len(warnings) == 1 and "not notified of the recording" in warnings[0], ours.story
    assert not ours.all("peer.media") and not theirs.all("peer.media")
    assert not [event for event in theirs.all("warning") if "recording" in event["message"]]
