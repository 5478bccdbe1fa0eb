"""The demo and the first commands of the README on a host without a network, Swift or a display."""

import re
import shutil
import subprocess
from pathlib import Path

import expect
import pytest
from peers.runner import BINARY, REPOSITORY

pytestmark = pytest.mark.quick


def run(machine, *arguments, **keywords) -> subprocess.CompletedProcess:
    command = [*machine.prefix, BINARY, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, **keywords)


def test_the_demo_needs_only_the_loopback_interface(loopback_machine, tmp_path):
    demo = loopback_machine.callrunner("demo", "--out", tmp_path / "demo")
    demo.succeed(within=60)
    recordings = sorted((tmp_path / "demo").glob("*.mkv")) + sorted((tmp_path / "demo").glob("*.mp4"))
    assert len(recordings) == 2, list((tmp_path / "demo").iterdir())
    for recording in recordings:
        expect.the_unchanged_test_video(recording)
    assert demo.events[-1]["event"] == "summary" and demo.events[-1]["exit"] == 0


def test_two_processes_need_only_the_loopback_interface(loopback_machine):
    callee = loopback_machine.callrunner("--room", "1")
    caller = loopback_machine.callrunner("--room", "1", "--caller", "--duration", "1")
    caller.succeed()
    callee.succeed()


def test_two_processes_call_each_other_if_the_only_other_interface_is_that_of_containers(loopback_machine):
    for command in [
        "link add docker0 type veth peer name other", "link set other up", "addr add 172.17.0.1/16 dev docker0",
        "link set docker0 up",
    ]:  # fmt: skip
        subprocess.run([*loopback_machine.prefix, "ip", *command.split()], check=True)
    test_two_processes_need_only_the_loopback_interface(loopback_machine)


def test_the_demo_prints_the_paths_of_its_recordings(machine):
    demo = run(machine, "demo")
    assert demo.returncode == 0, demo.stderr
    assert "DTLS" in demo.stderr and "first frame" in demo.stderr, demo.stderr
    named = [Path(word.strip(".,:;'\"")) for word in re.findall(r"/\S+", demo.stderr)]
    folders = {place if place.is_dir() else place.parent for place in named if place.exists()}
    assert any(list(folder.glob("*.m[kp][v4]")) for folder in folders), demo.stderr


def test_a_demo_with_a_missing_source_names_the_source_and_does_not_recommend_the_doctor(machine):
    demo = run(machine, "demo", "--source", "/missing.mp4")
    assert demo.returncode == 3
    assert demo.stderr.count("there is no file /missing.mp4") == 1 and "doctor" not in demo.stderr
    assert "received" not in demo.stderr


@pytest.mark.parametrize("command", ["call", "app", "serve", "token", "demo", "recover", "doctor", "codecs", "devices", "config"])
def test_the_help_fits_80_columns(machine, command):
    shown = run(machine, "help", command).stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert f"USAGE: callrunner {command}" in shown


def test_the_program_runs_without_swift(machine):
    linked = subprocess.run(["ldd", BINARY], capture_output=True, text=True, check=True).stdout
    assert "libswift" not in linked and "Foundation" not in linked, linked
    compiler = shutil.which("swift")
    toolchain = Path(compiler).resolve().parents[2] if compiler else Path("/")
    hide = "" if toolchain == Path("/") else f"mount -t tmpfs tmpfs {toolchain} && "
    hidden = subprocess.run(
        [*machine.prefix, "unshare", "--mount", "sh", "-c", f"{hide}exec {BINARY} demo"],
        capture_output=True, text=True, timeout=60, env={"PATH": "/usr/bin:/bin", "HOME": "/root"},
    )
    assert hidden.returncode == 0, hidden.stderr


def test_the_version_flag_also_prints_the_version_of_gstreamer(machine):
    version = run(machine, "--version")
    assert version.returncode == 0
    assert re.search(r"callrunner \d", version.stdout) and re.search(r"GStreamer \d+\.\d+", version.stdout)


@pytest.mark.skipif(not (REPOSITORY / ".git").exists(), reason="not a checkout of Git")
def test_the_version_names_the_commit(machine):
    (commit,) = re.findall(r"commit ([0-9a-f]{12})\+?,", run(machine, "--version").stdout)
    subprocess.run(["git", "cat-file", "-e", f"{commit}^{{commit}}"], cwd=REPOSITORY, check=True)


def test_the_help_shows_examples(machine):
    for arguments in (["--help"], ["call", "--help"], ["serve", "--help"], ["demo", "--help"], ["doctor", "--help"]):
        shown = run(machine, *arguments)
        assert shown.returncode == 0 and shown.stdout.strip(), arguments
    assert "callrunner --room 1 --caller" in run(machine, "--help").stdout


def test_the_doctor_passes_on_the_test_host(machine):
    doctor = run(machine, "doctor")
    assert doctor.returncode == 0, doctor.stdout + doctor.stderr
    assert "GStreamer" in doctor.stdout
