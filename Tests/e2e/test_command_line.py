"""The command line: origins of settings, output on terminals and pipes, and signals."""

import fcntl
import json
import os
import pty
import re
import signal
import subprocess
import time

import pytest
from peers import probe
from peers.runner import BINARY


def run(machine, *arguments, environment: dict[str, str] | None = None, **keywords):
    command = [*machine.prefix, BINARY, *map(str, arguments)]
    return subprocess.run(
        command, text=True, timeout=60, env={**os.environ, "DISPLAY": "", **(environment or {})}, **keywords
    )


def configure(folder, **settings) -> dict[str, str]:
    """Writes a configuration file; returns the environment that selects it."""
    place = folder / "callrunner" / "config.json"
    place.parent.mkdir(parents=True)
    place.write_text(json.dumps(settings))
    return {"XDG_CONFIG_HOME": str(folder)}


def in_a_terminal(machine, *arguments) -> tuple[int, str]:
    """Runs the program with standard error on a terminal with 80 columns; returns the exit code and the output."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, 0x5414, b"\x18\0\x50\0\0\0\0\0")  # TIOCSWINSZ: 24 rows, 80 columns
    process = subprocess.Popen(
        [*machine.prefix, BINARY, *map(str, arguments)],
        stdout=subprocess.DEVNULL, stderr=theirs, stdin=subprocess.DEVNULL,
        env={**{name: value for name, value in os.environ.items() if name != "NO_COLOR"}, "TERM": "xterm"},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            piece = os.read(ours, 65536)
        except OSError:  # the other end is closed
            break
        shown += piece
    os.close(ours)
    return process.wait(10), shown.decode()


def callee(machine, *arguments):
    started = machine.callrunner("--room", "1", "--name", "Bob", *arguments)
    started.wait_for("room.joined")
    return started


def test_flags_override_the_environment_and_the_environment_overrides_the_file(machine, tmp_path):
    environment = {
        **configure(tmp_path, name="Filed", **{"peer-timeout": "0.5s"}, room=1),
        "CALLRUNNER_ROOM": "7", "CALLRUNNER_NAME": "Environed",
    }
    process = machine.callrunner("--name", "Flagged", environment=environment)
    joined = process.wait_for("room.joined")
    assert (joined["room"], joined["username"]) == (7, "Flagged")
    assert process.finish() == 2, process.stderr


@pytest.mark.parametrize(
    ("settings", "environment", "word"),
    [
        ({"rooom": 1}, {}, "config.json"),
        ({"duration": "soon"}, {}, "config.json"),
        ({}, {"CALLRUNNER_DURATION": "soon"}, "CALLRUNNER_DURATION"),
        ({}, {"CALLRUNNER_CALLER": "perhaps"}, "CALLRUNNER_CALLER"),
    ],
)
def test_an_invalid_setting_is_reported_with_its_file_or_variable(machine, tmp_path, settings, environment, word):
    process = machine.callrunner("--room", "1", environment={**configure(tmp_path, **settings), **environment})
    assert process.finish(5) == 64
    assert word in process.stderr and "hint:" in process.stderr
    assert [event["event"] for event in process.events] == ["error", "summary"]


def test_config_show_reports_whether_the_configuration_file_exists(machine, tmp_path):
    def told() -> str:
        environment = {"XDG_CONFIG_HOME": str(tmp_path)}
        return run(machine, "config", "show", environment=environment, capture_output=True).stderr

    file = tmp_path / "callrunner" / "config.json"
    assert f"there is no configuration file {file}" in told()
    configure(tmp_path)
    assert f"the configuration file is {file}" in told()


@pytest.mark.parametrize(
    "text", ['{"rooom": 1, "name": "Ann"}', '{"name": "Ann",}', '{"name": "Ann", "quiet": "perhaps"}'],
    ids=["unknown setting", "invalid JSON", "invalid value"],
)
def test_config_show_and_doctor_explain_an_invalid_file_and_continue(machine, tmp_path, text):
    environment = configure(tmp_path)
    file = tmp_path / "callrunner" / "config.json"
    file.write_text(text)
    shown = run(machine, "config", "show", environment=environment, capture_output=True)
    assert shown.returncode == 0 and "callrunner: " in shown.stderr and str(file) in shown.stderr
    assert ("name             Ann" in shown.stdout) == (text[-2] != ","), shown.stdout
    assert "server           http://127.0.0.1:3000" in shown.stdout
    told = run(machine, "doctor", "--json", environment=environment, capture_output=True)
    checks = {check["name"]: check for check in map(json.loads, told.stdout.splitlines())}
    assert checks["configuration"]["verdict"] == "failed" and str(file) in checks["configuration"]["finding"]
    assert "GStreamer" in checks and told.returncode == 3
    # Every other command refuses the file.
    assert run(machine, "--room", "1", environment=environment, capture_output=True).returncode == 64


def test_a_configuration_that_other_users_can_access_causes_a_warning(machine, tmp_path):
    environment = configure(tmp_path, name="Ann")
    file = tmp_path / "callrunner" / "config.json"
    for mode, is_warned in ((0o600, False), (0o666, True)):
        file.chmod(mode)
        process = machine.callrunner("--room", "1", "--peer-timeout", "0.1", environment=environment)
        assert process.finish(5) == 2, process.stderr
        assert (f"chmod o-rw {file}" in process.stderr) == is_warned, process.stderr


def test_a_missing_home_folder_causes_no_warnings(machine):
    nowhere = {"HOME": "/proc/nowhere", "XDG_CONFIG_HOME": "", "XDG_CACHE_HOME": "", "XDG_RUNTIME_DIR": ""}
    ended = run(machine, "--room", "1", "--peer-timeout", "0.2", "--quiet", environment=nowhere, capture_output=True)
    assert ended.returncode == 2 and "CRITICAL" not in ended.stderr, ended.stderr
    assert len(ended.stderr.splitlines()) == 2, ended.stderr


@pytest.mark.parametrize("home", ["", "somewhere"])
def test_a_relative_home_folder_causes_no_warnings(machine, home):
    listed = run(machine, "devices", environment={"HOME": home}, capture_output=True)
    assert listed.returncode == 0 and listed.stderr == "", listed.stderr


def test_a_dump_lists_the_flags_and_is_private_to_its_owner(machine, tmp_path):
    dump = tmp_path / "dump"
    process = machine.callrunner(
        "--room", "7", "--name", "Ann", "--peer-timeout=0.1", "--token", "hush", "--dump", dump
    )
    assert process.finish(10) == 2, process.stderr
    told = (dump / "about.txt").read_text()
    for line in ("name             Ann", "room             7", "peer-timeout     0.1", "token            (hidden)"):
        assert f"{line}  (command line)" in told, told
    assert "hush" not in told
    assert [path.stat().st_mode & 0o077 for path in (dump, *dump.iterdir())] == [0] * 4


def test_config_show_prints_where_each_setting_comes_from_and_hides_secrets(machine, tmp_path):
    environment = {**configure(tmp_path, server="https://example.org"), "CALLRUNNER_TOKEN": "hush"}
    shown = run(machine, "config", "show", environment=environment, capture_output=True)
    assert shown.returncode == 0
    assert re.search(r"^server +https://example.org +\(.*config\.json\)$", shown.stdout, re.MULTILINE)
    assert re.search(r"^token +\(hidden\) +\(CALLRUNNER_TOKEN\)$", shown.stdout, re.MULTILINE)
    assert "hush" not in shown.stdout + shown.stderr


def test_the_token_is_never_shown(machine):
    bob = callee(machine)
    ann = machine.callrunner(
        "--room", "1", "--caller", "--duration", "0.5", "--verbose", environment={"CALLRUNNER_TOKEN": "hush"}
    )
    ann.succeed()
    bob.succeed()
    assert "hush" not in ann.stderr + json.dumps(ann.events) + bob.stderr + json.dumps(bob.events)


def test_the_stun_server_given_by_flag_is_queried(machine):
    server = machine.peer("stun_server", "--host", "10.99.0.1")  # the address of the interface that is not loopback
    url = server.wait_for("server.listening")["url"]
    bob = callee(machine)
    ann = machine.callrunner("--room", "1", "--caller", "--duration", "0.5", "--stun", url)
    server.wait_for("stun.binding", within=10)
    ann.succeed()
    bob.succeed()


def test_the_relay_only_flag_requires_a_turn_server(machine):
    callee(machine)
    ann = machine.callrunner("--room", "1", "--caller", "--relay-only", "--retries", "0")
    assert ann.finish(10) == 3, ann.stderr
    assert "TURN" in ann.stderr


def test_encoding_starts_at_the_given_bit_rate(machine):
    rates = []
    for bitrates in ("100k:200k:4M", "100k:3M:4M"):
        bob = callee(machine)
        ann = machine.callrunner(
            "--room", "1", "--caller", "--source", "pattern", "--duration", "4", "--bitrate", bitrates
        )
        ann.succeed()
        bob.succeed()
        rates.append(ann.all("stats")[-1]["video"]["out"]["bitrate"])
    # A slow machine sends fewer bits than are allowed.
    assert rates[0] < 600_000 and rates[0] * 2 < rates[1], rates


def test_a_run_with_unlimited_retries_ends_at_the_peer_timeout(machine):
    process = machine.callrunner("--room", "1", "--retries", "-1", "--peer-timeout", "0.5")
    assert process.finish(10) == 2, process.stderr


def test_a_terminal_shows_one_status_line_and_a_summary(machine):
    bob = callee(machine)
    code, shown = in_a_terminal(machine, "--room", "1", "--name", "Ann", "--caller", "--duration", "3")
    assert code == 0, shown
    bob.succeed()
    lives = re.findall(r"\r\x1b\[K([^\r\n\x1b]*)", shown)
    assert all(len(live) < 80 for live in lives)
    for phase in ("offer sent, waiting for the answer", "connected host→host, first frame after"):
        assert any(live.startswith(phase) for live in lives), lives
    figures = [live for live in lives if "fps" in live]
    received, sent = (figures[-1].split(f"{arrow} ")[1].split(" Mb/s")[0] for arrow in "▼▲")
    # Both send the same file, but when is a matter of the scheduler.
    assert 0.5 < float(received) / float(sent) < 2, (received, sent)
    assert figures and all(re.search(r"▼ [\d.]+ [kM]b/s", live) and "lost 0" in live for live in figures), figures
    assert "\x1b[32m1 call in 1 attempt" in shown
    assert shown.endswith(("\n", "\r\x1b[K")), "the cursor is left on an empty line"


@pytest.mark.quick
def test_output_to_a_pipe_contains_neither_colors_nor_a_status_line(machine):
    bob = callee(machine)
    ann = machine.callrunner("--room", "1", "--name", "Ann", "--caller", "--duration", "1")
    ann.succeed()
    bob.succeed()
    lines = ann.stderr.splitlines()
    assert "\x1b" not in ann.stderr and "\r" not in ann.stderr
    assert len(lines) == len(set(lines)), "no line is printed twice"
    for sentence in ("in room 1 as Ann, caller", "offer sent, waiting for the answer", "connected"):
        assert sentence in lines


def test_control_characters_in_a_peers_name_do_not_reach_the_terminal(machine):
    server = machine.seed_server()
    process = machine.callrunner("--room", "5", "--server", server)
    process.wait_for("room.joined")
    # callrunner's own server and client refuse this name, and the original Node.js server accepts it.
    machine.peer("rude_peer", "empty", "--room", "5", "--name", "Eve\u202e\u2066", "--server", server, "--caller")
    process.wait_for("peer.joined")
    process.signal(signal.SIGTERM)
    process.finish(10)
    assert "Eve" in process.stderr and "\u202e" not in process.stderr


def piped(machine, command: str, reader: str) -> subprocess.CompletedProcess:
    """Runs a command with its standard output piped into `reader`; returns the exit code of the command."""
    script = f"{BINARY} {command} | {reader}; exit ${{PIPESTATUS[0]}}"
    return subprocess.run(
        [*machine.prefix, "bash", "-c", script], capture_output=True, text=True, timeout=30,
        env={**os.environ, "DISPLAY": ""},
    )


def test_standard_output_closed_before_the_call_is_an_error(machine):
    bob = callee(machine)
    read = piped(machine, "--room 1 --caller --json", "head -1")
    assert read.returncode == 141 and len(read.stdout.splitlines()) == 1, read.stderr
    assert "reader of standard output closed it" in read.stderr and "hint:" in read.stderr
    bob.signal(signal.SIGTERM)
    assert bob.finish(5) == 143


def test_closing_standard_output_during_the_call_hangs_up(machine):
    bob = callee(machine)
    read = piped(machine, "--room 1 --caller --json", "grep --max-count=1 media.first_frame")
    assert read.returncode == 0 and "reader of standard output closed it" in read.stderr, read.stderr
    bob.succeed()


def test_the_demo_reports_no_result_if_standard_output_is_closed_early(machine):
    read = piped(machine, "demo --json", "head -1")
    assert read.returncode == 141 and len(read.stdout.splitlines()) == 1, read.stderr
    assert "does not work" not in read.stderr and "no verdict" in read.stderr


def test_standard_output_on_a_full_disk_is_an_error(machine):
    with open("/dev/full", "w") as full:
        full_disk = run(machine, "--room", "1", "--json", stdout=full, stderr=subprocess.PIPE)
    assert full_disk.returncode == 5
    assert "standard output" in full_disk.stderr


@pytest.mark.parametrize("arguments", ["codecs", "codecs --json", "devices", "config show", "config show --json"])
def test_a_command_whose_result_cannot_be_written_fails(machine, arguments):
    with open("/dev/full", "w") as full:
        full_disk = run(machine, *arguments.split(), stdout=full, stderr=subprocess.PIPE)
    assert full_disk.returncode == 5, full_disk.stderr
    assert full_disk.stderr.count("standard output cannot be written: No space left on device") == 1, full_disk.stderr


def test_a_call_with_closed_standard_output_fails_before_it_creates_a_recording(machine, tmp_path):
    recording = tmp_path / "a.mkv"
    command = [*machine.prefix, "sh", "-c", f"exec {BINARY} --room 1 --json --record {recording} >&-"]
    assert subprocess.run(command, capture_output=True, timeout=30).returncode == 141
    assert not recording.exists()


@pytest.mark.parametrize(("number", "exit_code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@pytest.mark.parametrize("phase", ["reaching the server", "waiting for a peer", "call.started", "media.connected"])
def test_a_signal_in_any_phase_of_a_call_ends_it_with_one_summary(machine, tmp_path, phase, number, exit_code):
    flags = ["--room", "1", "--record", tmp_path / "a.mkv"]
    if phase == "reaching the server":
        process = machine.callrunner(*flags, "--server", machine.hostile_server("no-answer"))
        process.wait_for("source")
    elif phase == "waiting for a peer":
        process = machine.callrunner(*flags)
        process.wait_for("room.joined")
    else:
        process = machine.callrunner(*flags)
        machine.callrunner("--room", "1", "--caller")
        process.wait_for(phase)
    process.signal(number)
    asked = time.monotonic()
    assert process.finish(8) == exit_code, process.stderr
    assert time.monotonic() - asked < 5
    assert len(process.all("summary")) == 1 and process.events[-1]["exit"] == exit_code
    assert process.all("error") == []
    if (tmp_path / "a.mkv").exists():
        assert process.all("record.saved")


def test_the_demo_replaces_its_own_recordings_and_prints_json(machine, tmp_path):
    for _ in range(2):
        demo = machine.callrunner("demo", "--duration", "1", "--out", tmp_path / "demo")
        demo.succeed()
        assert demo.events[-1]["event"] == "summary" and demo.events[-1]["faults"] == []
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {"caller.mkv", "callee.mkv"}
    assert {event["side"] for event in demo.all("media.connected")} == {"caller", "callee"}


def test_the_default_folder_of_the_demo_is_private_to_its_owner(machine, tmp_path):
    demo = machine.callrunner("demo", "--duration", "1")
    demo.succeed()
    folder, = tmp_path.glob("callrunner-demo-*")
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}


@pytest.mark.parametrize(
    ("arguments", "exit_code"),
    [(["--out", "/proc/demo"], 5), (["--source", "/no/such/film.mp4"], 3), (["--duration", "soon"], 64),
     (["--duration", "0"], 64), (["--headless"], 64)],
)
def test_a_demo_that_cannot_start_fails_soon_with_the_reason(machine, arguments, exit_code):
    demo = machine.callrunner("demo", *arguments)
    assert demo.finish(10) == exit_code, demo.stderr
    assert demo.events[-1]["event"] == "summary" and demo.events[-1]["exit"] == exit_code
    assert demo.all("error") and "callrunner: " in demo.stderr


@pytest.mark.alone
@pytest.mark.parametrize(
    "encoding",
    [
        pytest.param(["-f", "lavfi", "-i", "testsrc=rate=24:duration=3", "-pix_fmt", "yuv420p"], id="24 fps"),
        pytest.param(["-f", "lavfi", "-i", "sine=duration=3", "-c:a", "libopus"], id="audio only"),
    ],
)
def test_the_demo_finds_no_faults_with_a_24_fps_or_audio_only_source(machine, tmp_path, encoding):
    film = tmp_path / "film.mkv"
    subprocess.run(["ffmpeg", "-v", "error", *encoding, film], check=True)
    demo = machine.callrunner("demo", "--duration", "2", "--source", film, "--out", tmp_path / "demo")
    demo.succeed()
    assert demo.events[-1]["faults"] == [] and sum(demo.events[-1]["sent"].values()) > 0


def test_a_demo_that_would_send_nothing_is_refused(machine):
    demo = machine.callrunner("demo", "--source", "none")
    assert demo.finish(5) == 64 and "nothing to check" in demo.stderr


def test_serve_prints_its_address_and_its_services_when_it_starts(machine):
    served = machine.callrunner("serve", "--port", "0")
    served.wait_for("server.listening")
    time.sleep(0.5)
    first, second, third = served.stderr.splitlines()
    assert re.fullmatch(r"listening on http://127\.0\.0\.1:\d+ \(Ctrl-C to stop\)", first)
    assert re.fullmatch(r"accounts: data in /.*/callrunner/server; everybody's code is 133337", second)
    assert third == "chat: open to programs on this computer"


@pytest.mark.parametrize(("command", "event"), [(["config", "show"], "setting"), (["doctor"], "check")])
@pytest.mark.parametrize("place", ["environment", "file"])
def test_environment_and_file_can_enable_json_output(machine, tmp_path, command, event, place):
    environment = configure(tmp_path, json=place == "file")
    if place == "environment":
        environment["CALLRUNNER_JSON"] = "1"
    shown = run(machine, *command, environment=environment, capture_output=True)
    assert {json.loads(line)["event"] for line in shown.stdout.splitlines()} == {event}


def test_empty_environment_variables_are_ignored(machine):
    environment = {"CALLRUNNER_ASSETS": "", "CALLRUNNER_PIPELINES": ""}
    assert run(machine, "doctor", environment=environment, capture_output=True).returncode == 0


def test_the_hint_names_the_server_flag_if_no_port_can_be_opened(machine):
    forbid = "echo 4000 > /proc/sys/net/ipv4/ip_unprivileged_port_start"
    command = f"{forbid} && exec setpriv --bounding-set -net_bind_service {BINARY} --room 1"
    failed = subprocess.run([*machine.prefix, "sh", "-c", command], capture_output=True, text=True, timeout=20)
    assert failed.returncode == 4, failed.stderr
    assert "--server" in failed.stderr and "--port" not in failed.stderr and "--host" not in failed.stderr


def test_a_blocked_standard_output_does_not_delay_closing_the_recording(machine, tmp_path):
    bob = callee(machine)
    recording = tmp_path / "a.mkv"
    reader, writer = os.pipe()
    fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    ann = subprocess.Popen(
        [*machine.prefix, BINARY, "--room", "1", "--caller", "--json", "--duration", "4", "--record", recording],
        stdout=writer, stderr=subprocess.PIPE, text=True, env={**os.environ, "DISPLAY": ""},
    )
    os.close(writer)
    try:
        bob.succeed(within=20)
        time.sleep(2)
        length = probe.length_on_label(recording)
        assert length is not None and 3 < length < 6, "the recording is not closed"
        assert ann.wait(20) != 0 and "standard output" in ann.stderr.read()
    finally:
        ann.kill()
        os.close(reader)


def test_a_process_that_stays_in_a_room_replaces_an_embedded_server_that_ended(machine):
    host = machine.callrunner("--room", "1", "--name", "Bob")
    host.wait_for("server.listening")
    ann = machine.callrunner("--room", "1", "--name", "Ann", "--caller", "--stay")
    ann.wait_for("media.connected")
    host.signal(signal.SIGTERM)
    host.finish(10)
    ann.wait_for("server.listening", within=10)
    again = callee(machine, "--duration", "1")
    again.succeed()
    assert again.all("server.listening") == []
    ann.signal(signal.SIGTERM)
    assert ann.finish(5) == 143
    assert ann.events[-1]["calls"] == 2


def test_a_client_does_not_replace_a_stopped_server_that_was_given_by_flag(machine):
    served = machine.callrunner("serve")
    url = served.wait_for("server.listening")["url"]
    ann = machine.callrunner("--room", "1", "--caller", "--stay", "--server", url)
    ann.wait_for("room.joined")
    served.signal(signal.SIGTERM)
    ann.wait_for("signaling.disconnected")
    machine.callrunner("serve").wait_for("server.listening")
    assert ann.all("server.listening") == []


@pytest.mark.parametrize(
    ("host", "words"), [("999.1.1.1", "not a known host name"), ("192.0.2.1", "Cannot assign requested address")]
)
def test_serve_explains_a_host_that_it_cannot_listen_on(machine, host, words):
    served = machine.callrunner("serve", "--host", host)
    assert served.finish(20) == 4
    error = served.all("error")[0]
    assert words in error["message"] and "Error" not in error["message"], error


def test_serve_reports_a_port_in_use(machine):
    url = machine.server()
    second = machine.callrunner("serve", "--port", url.rsplit(":", 1)[1])
    assert second.finish(5) == 4
    assert second.all("error")[0]["code"] == "address-in-use" and second.all("error")[0]["hint"]
    assert not second.other_output, "standard output carries JSON Lines only"
