"""The process that plays a stream: when it crashes, hangs or takes too much memory, only the stream has failed."""

import os
import signal
import struct
import subprocess
import time
import zlib
from contextlib import suppress
from pathlib import Path

from peers import usage
from peers.runner import BINARY, Runner
from test_app import Person, person  # noqa: F401 - a fixture
from test_live import TEST_VIDEO, ladder, segments, started, wait_for_count  # noqa: F401 - fixtures
from test_live_hostile import box, film_of, offer, url


def player(process: Runner) -> int:
    (number,) = usage.children(process.pid)
    return number


def is_running(number: int) -> bool:
    try:
        return ") Z" not in Path(f"/proc/{number}/stat").read_text()
    except FileNotFoundError:
        return False


def wait_until(condition, within: float) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_player_that_crashes_is_a_lost_stream_that_plays_again(machine, segments):  # noqa: F811
    _, address = started(machine, segments)
    live = machine.callrunner("live", f"{address}/fine.m3u8")
    live.wait_for("live.playing")
    first = player(live)
    os.kill(first, signal.SIGKILL)
    offline = live.wait_for("live.offline")
    assert offline["reason"] == "damaged" and "crash" in offline["message"]
    wait_for_count(live, "live.playing", 2, within=10)
    assert player(live) != first
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_player_of_a_file_that_crashes_ends_with_the_reason(machine):
    live = machine.callrunner("live", TEST_VIDEO, "--loop")
    live.wait_for("live.playing")
    os.kill(player(live), signal.SIGKILL)
    assert live.finish() == 3
    assert "crash or need too much memory" in live.stderr


def test_a_player_that_hangs_does_not_delay_the_end(machine, segments):  # noqa: F811
    _, address = started(machine, segments)
    live = machine.callrunner("live", f"{address}/fine.m3u8")
    live.wait_for("live.playing")
    hung = player(live)
    os.kill(hung, signal.SIGSTOP)
    live.signal(signal.SIGINT)
    assert live.finish(within=4) == 130
    assert not is_running(hung)


def test_a_player_that_hangs_is_replaced(machine, segments):  # noqa: F811
    _, address = started(machine, segments)
    live = machine.callrunner("live", f"{address}/film.m3u8")
    live.wait_for("live.playing")
    hung = player(live)
    os.kill(hung, signal.SIGSTOP)
    offline = live.wait_for("live.offline", within=40)
    assert offline["reason"] == "timed-out" and "hung" in offline["message"]
    wait_for_count(live, "live.playing", 2, within=10)
    assert not is_running(hung)
    live.signal(signal.SIGINT)
    assert live.finish() == 130


def test_a_player_ends_with_the_program_that_is_killed(machine, segments):  # noqa: F811
    _, address = started(machine, segments)
    live = machine.callrunner("live", f"{address}/fine.m3u8")
    live.wait_for("live.playing")
    orphan = player(live)
    live.signal(signal.SIGKILL)
    live.finish()
    wait_until(lambda: not is_running(orphan), within=3)


def matroska(kind: int, *content: bytes) -> bytes:
    """Returns an element of Matroska, whose size takes eight bytes."""
    body = b"".join(content)
    name = kind.to_bytes((kind.bit_length() + 7) // 8, "big")
    return name + struct.pack(">Q", 1 << 56 | len(body)) + body


def bomb(tracks: int) -> bytes:
    """Returns a film of a few kilobytes whose tracks have large settings, compressed."""
    settings = zlib.compress(bytes(64 << 20), 9)
    encoding = matroska(0x6D80, matroska(0x6240, matroska(0x5032, b"\x02"), matroska(0x5034, matroska(0x4254, b"\x00"))))
    entries = [
        matroska(
            0xAE,
            matroska(0xD7, bytes([number])),
            matroska(0x73C5, bytes([number])),
            matroska(0x83, b"\x01"),
            matroska(0x86, b"V_MPEG4/ISO/AVC"),
            matroska(0x63A2, settings),
            encoding,
            matroska(0xE0, matroska(0xB0, b"\x40"), matroska(0xBA, b"\x40")),
        )
        for number in range(1, tracks + 1)
    ]
    head = matroska(0x1A45DFA3, matroska(0x4282, b"matroska"))
    return head + matroska(0x18538067, matroska(0x1549A966, matroska(0x2AD7B1, b"\x0f\x42\x40")), matroska(0x1654AE6B, *entries))


def test_a_film_of_a_server_that_takes_all_memory_ends_only_its_player(loopback_machine, tmp_path):
    (tmp_path / "film.mkv").write_bytes(bomb(40))
    address = f"{url(offer(loopback_machine, tmp_path))}/film.mkv"
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
    # The film wants 2.5 GB; the limit is 1 GB and 64 MB for each processor.
    assert 500 < max(most.values()) < 1100 + 64 * os.cpu_count(), most


def test_a_playlist_that_repeats_its_segments_can_be_closed(loopback_machine, tmp_path):
    film_of(tmp_path, "seg.ts", "-c:v libx264 -pix_fmt yuv420p -preset ultrafast")
    (tmp_path / "live.m3u8").write_text("#EXTM3U\n#EXT-X-TARGETDURATION:2\n" + "#EXTINF:2,\nseg.ts\n" * 5)
    address = f"{url(offer(loopback_machine, tmp_path))}/live.m3u8"
    live = loopback_machine.callrunner("live", address, "--headless")
    live.wait_for("live.playing")
    time.sleep(6)  # until it has asked for the playlist again several times
    live.signal(signal.SIGINT)
    assert live.finish(within=4) == 130


def test_the_app_goes_on_when_the_player_of_its_stream_crashes(person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open(first="home")
    ann.app.wait_for("live.playing")
    first = player(ann.app)
    os.kill(first, signal.SIGKILL)
    ann.app.wait_for("live.offline", reason="damaged")
    wait_for_count(ann.app, "live.playing", 2, within=10)
    assert player(ann.app) != first
    ann.hand.open_settings()
    ann.quit()
    assert not is_running(first)


def test_the_command_of_the_process_is_only_for_the_program_itself():
    command = [BINARY, "player", "--pipelines", "pipelines"]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert ended.returncode == 64
    assert "callrunner itself starts this command" in ended.stderr
