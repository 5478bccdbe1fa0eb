"""The process that loads the media of a URL: when it crashes or hangs, the call goes on."""

import os
import signal
import subprocess
from pathlib import Path

import expect
import pytest
from faults import wait_until
from peers import probe, usage
from peers.runner import BINARY, REPOSITORY, Runner
from test_live_process import is_running

FILM = "webRtcTestVideo.mp4"


def loader(process: Runner) -> int:
    """Returns the process that loads the source, after the previous one has ended."""
    wait_until("there is one loader", lambda: len(usage.children(process.pid)) == 1, within=5)
    return usage.children(process.pid)[0]


@pytest.fixture
def film(machine) -> str:
    """Returns the URL of the test video."""
    return machine.peer("file_server", REPOSITORY / "assets").wait_for("server.listening")["url"] + "/" + FILM


def sending(machine, url: str, *flags: str, record: Path | None = None) -> tuple[Runner, Runner]:
    """Starts a call in which Ann sends the media of a URL, and waits for its first frame."""
    recording = ["--record", record] if record else []
    bob = machine.callrunner("--room", "1", "--name", "Bob", "--source", "none", *recording)
    ann = machine.callrunner("--room", "1", "--caller", "--name", "Ann", "--source", url, *flags)
    bob.wait_for("media.first_frame")
    return ann, bob


def ended(ann: Runner, bob: Runner) -> None:
    ann.signal(signal.SIGINT)
    assert ann.finish() == 130
    bob.succeed()


def opened_again(ann: Runner, url: str, reason: str, within: float = 10) -> None:
    """Expects that the source was lost for this reason and opened again in the same call."""
    ann.wait_for("warning", message=f"{url} is connected again", within=within)
    lost = [warning["message"] for warning in ann.all("warning") if "trying to open it again" in warning["message"]]
    assert len(lost) == 1 and reason in lost[0] and url in lost[0], lost
    assert not ann.all("call.ended")


def test_a_file_from_a_url_is_sent_like_a_local_file(machine, film, tmp_path):
    recording = tmp_path / "seen.mkv"
    ann, bob = sending(machine, film, "--duration", "5", record=recording)
    number = loader(ann)
    limits = Path(f"/proc/{number}/limits").read_text()
    data = next(line for line in limits.splitlines() if line.startswith("Max data size"))
    assert 1 << 30 <= int(data.split()[3]) < (2 << 30) + (os.cpu_count() << 26), data
    ann.succeed()
    bob.succeed()
    assert not is_running(number)
    assert ann.all("source")[0]["passthrough"] == {"video": True, "audio": True}
    expect.the_unchanged_test_video(recording)
    expect.an_even_pace(recording)


@pytest.mark.parametrize("codec", ["libx265 -x265-params log-level=none", "mpeg4"])
def test_a_file_from_a_url_is_transcoded_if_its_codec_requires_it(machine, tmp_path, codec):
    make = f"ffmpeg -v error -f lavfi -i testsrc=s=322x242:r=30:d=3 -c:v {codec} -pix_fmt yuv420p {tmp_path}/film.mkv"
    subprocess.run(make.split(), check=True)
    address = machine.peer("file_server", tmp_path).wait_for("server.listening")["url"]
    recording = tmp_path / "seen.mkv"
    ann, bob = sending(machine, f"{address}/film.mkv", "--duration", "3", record=recording)
    ann.succeed()
    bob.succeed()
    assert ann.all("source")[0]["passthrough"] == {"video": False}
    expect.arrived(ann, bob, "video", least=60)
    assert probe.decoding_errors(recording) == ""


def test_a_call_continues_when_its_source_process_crashes(machine, film, tmp_path):
    recording = tmp_path / "seen.mkv"
    ann, bob = sending(machine, film, record=recording)
    first = loader(ann)
    os.kill(first, signal.SIGSEGV)
    opened_again(ann, film, "crash")
    assert loader(ann) != first
    frames = bob.wait_for("stats")["video"]["in"]["frames"]
    wait_until("video comes again", lambda: bob.all("stats")[-1]["video"]["in"]["frames"] > frames + 60, within=10)
    ended(ann, bob)
    assert probe.decoding_errors(recording) == ""


def test_a_hanging_source_process_is_replaced(machine, film):
    ann, bob = sending(machine, film)
    hung = loader(ann)
    os.kill(hung, signal.SIGSTOP)
    opened_again(ann, film, "no more data arrives", within=20)
    wait_until("the loader that hung has ended", lambda: not is_running(hung), within=5)
    ended(ann, bob)


def test_a_hanging_source_process_does_not_delay_the_end_of_the_call(machine, film):
    ann, bob = sending(machine, film)
    hung = loader(ann)
    os.kill(hung, signal.SIGSTOP)
    ann.signal(signal.SIGINT)
    assert ann.finish(within=5) == 130
    assert not is_running(hung)
    bob.succeed()


def test_the_source_process_ends_when_the_program_is_killed(machine, film):
    ann, _ = sending(machine, film)
    orphan = loader(ann)
    ann.signal(signal.SIGKILL)
    ann.finish()
    wait_until("the loader has ended", lambda: not is_running(orphan), within=3)


def test_a_signal_to_the_process_group_is_not_reported_as_a_lost_source(machine, film):
    ann, bob = sending(machine, film)
    os.killpg(ann.pid, signal.SIGTERM)
    assert ann.finish() == 143
    assert not ann.all("warning"), ann.all("warning")
    bob.succeed()


def test_the_loader_command_refuses_to_be_started_by_a_user():
    command = [BINARY, "loader", "--pipelines", "pipelines"]
    refused = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=20)
    assert refused.returncode == 64
    assert "callrunner itself starts this command" in refused.stderr
