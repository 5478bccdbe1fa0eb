"""The process that plays a stream: when it crashes, hangs or takes too much memory, only the stream fails."""

import os
import signal
import struct
import subprocess
import time
import zlib
from contextlib import suppress
from pathlib import Path

from faults import wait_until
from peers import usage
from peers.runner import BINARY, Runner
from test_app import Person, person  # noqa: F401 - a fixture
from test_live import TEST_VIDEO, ladder, segments, started, wait_for_count  # noqa: F401 - fixtures
from test_live_hostile import box, film_of, offer, url


def player(process: Runner) -> int:
    (number,) = usage.children(process.pid)
    return number


def playing(machine, folder: Path, name: str) -> Runner:
    """Starts a program that plays a stream of the segments in a folder, and waits for its first frame."""
    _, address = started(machine, folder)
    live = machine.callrunner("live", f"{address}/{name}.m3u8")
    live.wait_for("live.playing")
    return live


def is_running(number: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False


def test_a_crash_of_the_player_process_is_reported_and_the_stream_reopened(machine, segments):  # noqa: F811
    live = playing(machine, segments, "fine")
    first = player(live)
    # On a busy machine, it may have stalled before.
    played = len(live.all("live.playing"))
    os.kill(first, signal.SIGKILL)
    offline = live.wait_for("live.offline")
    assert offline["reason"] == "damaged" and "crash" in offline["message"]
    wait_for_count(live, "live.playing", played + 1, within=10)
    assert player(live) != first
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_crash_of_the_player_process_ends_the_playback_of_a_file_and_is_reported(machine):
    live = machine.callrunner("live", TEST_VIDEO, "--loop")
    live.wait_for("live.playing")
    os.kill(player(live), signal.SIGKILL)
    assert live.finish() == 3
    assert "crash or need too much memory" in live.stderr


def test_a_signal_to_the_process_group_is_not_reported_as_a_crash_of_the_player(machine, segments):  # noqa: F811
    live = playing(machine, segments, "fine")
    os.killpg(live.pid, signal.SIGTERM)
    assert live.finish() == 143
    assert not live.all("live.offline") and "crash" not in live.stderr


def test_the_player_process_continues_after_all_processes_were_suspended(machine, segments):  # noqa: F811
    live = playing(machine, segments, "film")
    first = player(live)
    os.killpg(live.pid, signal.SIGSTOP)
    time.sleep(18)  # longer than a player may hang
    os.killpg(live.pid, signal.SIGCONT)
    time.sleep(4)
    assert player(live) == first
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_hanging_player_process_does_not_delay_the_end_of_the_program(machine, segments):  # noqa: F811
    live = playing(machine, segments, "fine")
    hung = player(live)
    os.kill(hung, signal.SIGSTOP)
    live.signal(signal.SIGINT)
    assert live.finish(within=4) == 130
    assert not is_running(hung)


def test_a_hanging_player_process_is_replaced(machine, segments):  # noqa: F811
    live = playing(machine, segments, "film")
    hung = player(live)
    # On a busy machine, it may have stalled before.
    played = len(live.all("live.playing"))
    os.kill(hung, signal.SIGSTOP)
    offline = live.wait_for("live.offline", within=40)
    assert offline["reason"] == "timed-out" and "hung" in offline["message"]
    wait_for_count(live, "live.playing", played + 1, within=10)
    assert not is_running(hung)
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_the_player_process_ends_when_the_program_is_killed(machine, segments):  # noqa: F811
    live = playing(machine, segments, "fine")
    orphan = player(live)
    live.signal(signal.SIGKILL)
    live.finish()
    wait_until("the player has ended", lambda: not is_running(orphan), within=3)


def bomb() -> bytes:
    """Returns a film of a megabyte whose header is compressed, and for which the demuxer wants more than two gigabytes."""
    tree = box(b"free") * 72
    for kind in (b"stbl", b"minf", b"mdia"):
        tree = box(kind, tree) * 72
    header = box(b"moov", tree)
    packed = box(b"cmvd", struct.pack(">I", len(header)), zlib.compress(header))
    film = box(b"moov", box(b"cmov", box(b"dcom", b"zlib"), packed))
    return box(b"ftyp", b"qt  ", bytes(4), b"qt  ") + film + box(b"mdat", bytes(100_000))


def test_a_remote_file_that_exhausts_memory_ends_only_the_player_process(loopback_machine, tmp_path):
    (tmp_path / "film.mov").write_bytes(bomb())
    address = f"{url(offer(loopback_machine, tmp_path))}/film.mov"
    live = loopback_machine.callrunner("live", address, "--headless", "--server-timeout", "60s")
    most: dict[int, float] = {}
    while not live.all("live.offline") and live.process.poll() is None:
        for number in usage.family(live.pid):
            with suppress(OSError, RuntimeError):  # it has just ended
                most[number] = max(most.get(number, 0), usage.most_resident_megabytes(number))
        time.sleep(0.02)
    offline = live.wait_for("live.offline")
    assert offline["reason"] == "damaged" and "too much memory" in offline["message"]
    live.signal(signal.SIGINT)
    assert live.finish(within=4) == 130
    assert most.pop(live.pid) < 150
    # The limit is 1 GB and 64 MB for each processor.
    assert 500 < max(most.values()) < 1100 + 64 * os.cpu_count(), most


def test_a_stream_whose_playlist_repeats_its_segments_can_be_closed(loopback_machine, tmp_path):
    film_of(tmp_path, "seg.ts", "-c:v libx264 -pix_fmt yuv420p -preset ultrafast")
    (tmp_path / "live.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + "#EXTINF:2,\nseg.ts\n" * 5)
    address = f"{url(offer(loopback_machine, tmp_path))}/live.m3u8"
    live = loopback_machine.callrunner("live", address, "--headless")
    live.wait_for("live.playing")
    time.sleep(6)  # until it has asked for the playlist again several times
    live.signal(signal.SIGINT)
    assert live.finish(within=4) == 130


def test_the_app_reopens_its_stream_when_the_player_process_crashes(person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open(first="home")
    ann.app.wait_for("live.playing")
    first = player(ann.app)
    # On a busy machine, it may have stalled before.
    played = len(ann.app.all("live.playing"))
    os.kill(first, signal.SIGKILL)
    ann.app.wait_for("live.offline", reason="damaged")
    wait_for_count(ann.app, "live.playing", played + 1, within=10)
    assert player(ann.app) != first
    ann.hand.open_settings()
    second = player(ann.app)
    ann.quit()
    assert not is_running(second)


def test_the_player_command_refuses_to_be_started_by_a_user():
    command = [BINARY, "player", "--pipelines", "pipelines"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 64
    assert "callrunner itself starts this command" in ended.stderr
