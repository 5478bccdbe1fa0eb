"""`serve` as a service: limits that must not disturb calls, certificates, logging and systemd."""

import json
import re
import shutil
import signal
import socket
import subprocess
import time

import pytest
from peers import usage
from peers.runner import BINARY, PYTHON, REPOSITORY

DISTURBANCES = {"call.ended", "peer.left", "signaling.disconnected", "error"}


def call(machine, server, name, *flags):
    return machine.callrunner("--room", "1", "--name", name, "--server", server, "--headless", *flags)


def begin_call(machine, server, *flags):
    ann, bob = call(machine, server, "Ann", "--caller", *flags), call(machine, server, "Bob", *flags)
    for process in (ann, bob):
        process.wait_for("media.connected")
    return ann, bob


def expect_undisturbed_call(ann, bob) -> None:
    """Expects that the call was not disturbed, hangs up, and expects that the server announces the leave."""
    for process in (ann, bob):
        assert process.process.poll() is None
        assert not [event for event in process.events if event["event"] in DISTURBANCES]
    ann.signal(signal.SIGINT)
    assert ann.finish() == 130
    bob.succeed()


def far(server: str) -> str:
    """Returns the server's URL with an address that is not loopback, because loopback is exempt from the limits."""
    return server.replace("127.0.0.1", "10.99.0.1").replace("0.0.0.0", "10.99.0.1")


def near(server: str) -> str:
    return server.replace("0.0.0.0", "127.0.0.1")


def fetch(machine, url: str, *, check: bool = True) -> str:
    script = f"import urllib.request; print(urllib.request.urlopen({url!r}, timeout=10).read().decode())"
    return subprocess.run(
        [*machine.prefix, PYTHON, "-c", script], check=check, capture_output=True, text=True
    ).stdout


def measure(machine, server: str, name: str) -> float:
    """Returns the value of one line of `/metrics`, given its name and labels."""
    lines = fetch(machine, f"{near(server)}/metrics").splitlines()
    values = [float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(f"{name} ")]
    assert len(values) == 1, lines
    return values[0]


def test_connections_above_the_limit_are_closed_and_calls_continue(machine):
    server = machine.server("--max-connections", "8")
    ann, bob = begin_call(machine, server)
    crowd = machine.peer("crowd", "connections", "9", "--server", server)
    answered = crowd.wait_for("connections")["answered"]
    assert answered == sorted(answered, reverse=True) and 1 <= sum(answered) <= 6, answered
    crowd.process.kill()
    crowd.finish()
    expect_undisturbed_call(ann, bob)
    refused = measure(machine, server, 'callrunner_connections_refused_total{reason="too_many"}')
    assert refused >= 9 - sum(answered)


def test_the_connection_rate_per_address_is_limited_and_calls_continue(machine):
    server = machine.server("--host", "0.0.0.0", "--connections-per-minute", "5")
    ann, bob = begin_call(machine, near(server))
    crowd = machine.peer("crowd", "connections", "20", "--server", far(server))
    answered = crowd.wait_for("connections")["answered"]
    assert all(answered[:5]) and 5 <= sum(answered) < 20, answered
    # Connections from loopback are not limited.
    for _ in range(7):
        fetch(machine, f"{near(server)}/healthz")
    expect_undisturbed_call(ann, bob)


def test_the_message_rate_per_address_is_limited_and_calls_continue(machine):
    server = machine.server("--host", "0.0.0.0", "--messages-per-second", "20")
    ann, bob = begin_call(machine, near(server))
    crowd = machine.peer("crowd", "messages", "5000", "--server", far(server))
    crowd.wait_for("closed")
    expect_undisturbed_call(ann, bob)
    assert measure(machine, server, 'callrunner_rate_limited_total{limit="messages"}') >= 1


def test_a_client_that_sends_a_message_above_1_mb_is_disconnected_and_calls_continue(machine):
    server = machine.server()
    ann, bob = begin_call(machine, server)
    closed = machine.peer("crowd", "message-size", "1000000", "--server", server).wait_for("closed")
    assert closed["code"] == 1009
    posted = machine.peer("crowd", "post-size", "1000001", "--server", server).wait_for("posted")
    assert posted["status"] == 413
    expect_undisturbed_call(ann, bob)


def test_a_client_that_reads_too_slowly_is_disconnected_and_other_members_receive_all_events(machine):
    server = machine.server("--open-rooms")
    ann, bob = begin_call(machine, server)
    crowd = machine.peer("crowd", "deafness", "60", "--server", server)
    heard = crowd.wait_for("heard", within=60)
    assert heard["count"] == heard["of"]
    expect_undisturbed_call(ann, bob)
    assert measure(machine, server, 'callrunner_slow_consumers_closed_total{reason="queue_full"}') == 1


def test_clients_that_never_read_use_limited_memory_until_they_are_disconnected(machine):
    served = machine.callrunner("serve", "--port", "0", "--open-rooms")
    server = served.wait_for("server.listening")["url"]
    ann, bob = begin_call(machine, server)
    before = usage.resident_megabytes(served.pid)
    crowd = machine.peer("crowd", "stalling", "40", "--server", server)
    crowd.wait_for("said", within=60)
    # 40 queues of 2 MiB would be 80 MiB, but all queues together are limited to 32 MiB.
    grown = usage.resident_megabytes(served.pid) - before
    assert grown < 64, f"{grown:.0f} MiB more"
    deadline = time.monotonic() + 20
    while measure(machine, server, "callrunner_members") > 3:
        assert time.monotonic() < deadline, "the clients that read nothing are still members"
        time.sleep(0.5)
    closed = "callrunner_slow_consumers_closed_total"
    reasons = ("queue_full", "stalled", "over_budget")
    assert sum(measure(machine, server, f'{closed}{{reason="{reason}"}}') for reason in reasons) >= 40
    expect_undisturbed_call(ann, bob)


def test_idle_connections_after_large_requests_use_little_memory(machine):
    """With NIO's defaults, each of them would keep one or even four buffers of 64 KiB."""
    served = machine.callrunner("serve", "--port", "0")
    url = served.wait_for("server.listening")["url"]
    before = usage.resident_megabytes(served.pid)
    machine.peer("idle_clients", "--url", url, "--number", "800").wait_for("idle", within=60)
    grown = usage.resident_megabytes(served.pid) - before
    assert grown < 800 * 0.024, grown


def test_the_byte_rate_per_address_is_limited_and_calls_continue(machine):
    server = machine.server("--host", "0.0.0.0", "--bytes-per-second", "10000")
    ann, bob = begin_call(machine, near(server))
    closed = machine.peer("crowd", "message-size", "300000", "--server", far(server)).wait_for("closed")
    assert closed["code"] == 1000
    expect_undisturbed_call(ann, bob)
    assert measure(machine, server, 'callrunner_rate_limited_total{limit="bytes"}') >= 1


@pytest.mark.quick
def test_pages_of_foreign_origins_are_refused_and_calls_continue(machine):
    server = machine.server("--origin", "https://ours.example")
    ann, bob = begin_call(machine, server)
    for origin, polling, websocket in (("https://ours.example", 200, 101), ("https://theirs.example", 403, 403)):
        told = machine.peer("crowd", "origin", origin, "--server", server).wait_for("statuses")
        assert (told["polling"], told["websocket"]) == (polling, websocket), told
    expect_undisturbed_call(ann, bob)


def test_unauthorized_joins_are_refused_and_calls_continue(machine, tmp_path):
    key = tmp_path / "room.key"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    server = machine.server("--auth", f"jwt:{key}")

    def token(*flags: str) -> dict[str, str]:
        minted = subprocess.run([BINARY, "token", "--key", key, *flags], check=True, capture_output=True, text=True)
        return {"CALLRUNNER_TOKEN": minted.stdout.strip()}

    right = token("--room", "1")["CALLRUNNER_TOKEN"]
    ann, bob = begin_call(machine, server, "--token", right)
    for flags in (["--room", "2"], ["--room", "1", "--name", "Ann"], ["--room", "1", "--role", "caller"]):
        eve = machine.callrunner("--room", "1", "--name", "Eve", "--server", server, environment=token(*flags))
        assert eve.finish() == 4 and eve.all("error")[0]["code"] == "not-authorized"
    eve = machine.callrunner("--room", "1", "--name", "Eve", "--server", server, "--token", right)
    assert eve.finish() == 4 and eve.all("error")[0]["code"] in ("room-full", "role-taken")
    expect_undisturbed_call(ann, bob)
    assert measure(machine, server, 'callrunner_joins_refused_total{reason="unauthorized"}') == 3


def make_certificate(folder, name: str) -> None:
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
         "-keyout", folder / "key.pem", "-out", folder / "cert.pem", "-days", "2", "-subj", f"/CN={name}",
         "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip


def certificate(machine, server: str) -> str:
    """Returns the certificate that the server presents to a new client."""
    host, port = server.removeprefix("https://").split(":")
    script = f"import ssl; print(ssl.get_server_certificate(({host!r}, {port})))"
    told = subprocess.run([*machine.prefix, PYTHON, "-c", script], check=True, capture_output=True, text=True)
    return "".join(told.stdout.split())


def test_sighup_reloads_the_certificate_during_a_call(machine, tmp_path):
    make_certificate(tmp_path, "first")
    (tmp_path / "trusted.pem").write_text((tmp_path / "cert.pem").read_text())
    served = machine.callrunner(
        "serve", "--port", "0", "--tls-cert", tmp_path / "cert.pem", "--tls-key", tmp_path / "key.pem"
    )
    server = served.wait_for("server.listening")["url"]
    assert server.startswith("https://")
    ann, bob = begin_call(machine, server, "--cacert", str(tmp_path / "trusted.pem"))
    # An unreadable certificate does not replace the current one.
    (tmp_path / "cert.pem").write_text("no certificate")
    served.signal(signal.SIGHUP)
    served.wait_for_words("the old one remains in use")
    assert certificate(machine, server) == "".join((tmp_path / "trusted.pem").read_text().split())
    make_certificate(tmp_path, "second")
    served.signal(signal.SIGHUP)
    served.wait_for_words("certificate reloaded: ")
    assert certificate(machine, server) == "".join((tmp_path / "cert.pem").read_text().split())
    expect_undisturbed_call(ann, bob)


def handshake(machine, server: str, *flags: str) -> str:
    """Returns the cipher suite that openssl negotiates with the server, or an empty string."""
    address = server.removeprefix("https://")
    command = [*machine.prefix, "openssl", "s_client", "-connect", address, "-ign_eof", *flags]
    told = subprocess.run(command, input="GET /healthz HTTP/1.0\r\n\r\n", capture_output=True, text=True, timeout=20)
    suite = re.search(r"^New, (TLSv[\d.]+), Cipher is (\S+)$", told.stdout, re.MULTILINE)
    return suite[2] if suite and "HTTP/1.1 200" in told.stdout else ""


def test_tls_has_forward_secrecy_and_authenticated_encryption(machine, tmp_path):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=rsa"],
        check=True, capture_output=True,
    )  # fmt: skip
    rsa = machine.server("--tls-cert", certificate, "--tls-key", key)
    ecdsa = machine.server("--tls", "self-signed")
    for server, kind in ((rsa, "RSA"), (ecdsa, "ECDSA")):
        assert handshake(machine, server, "-tls1_3") in ("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384")
        for suite in ("AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"):
            wanted = f"ECDHE-{kind}-{suite}"
            assert handshake(machine, server, "-tls1_2", "-cipher", wanted) == wanted
        # Refused: CBC mode, RSA key exchange, both, and then TLS versions before 1.2.
        for suite in (f"ECDHE-{kind}-AES128-SHA", f"ECDHE-{kind}-AES256-SHA384", "AES128-GCM-SHA256", "AES128-SHA"):
            assert handshake(machine, server, "-tls1_2", "-cipher", f"{suite}:@SECLEVEL=0") == "", suite
        assert handshake(machine, server, "-tls1_1", "-cipher", "ALL:@SECLEVEL=0") == ""


@pytest.mark.parametrize(
    ("flags", "accepted"),
    [
        (["-tls1_3"], True), (["-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"], True),
        (["-tls1_2", "-cipher", "ECDHE-RSA-AES128-SHA:@SECLEVEL=0"], False),
        (["-tls1_2", "-cipher", "AES128-GCM-SHA256:@SECLEVEL=0"], False), (["-tls1_1", "-cipher", "ALL:@SECLEVEL=0"], False),
    ],
    ids=["1.3", "1.2", "CBC", "no forward secrecy", "1.1"],
)
def test_clients_refuse_tls_versions_and_ciphers_that_the_server_would_refuse(machine, tmp_path, flags, accepted):
    key, certificate = tmp_path / "key.pem", tmp_path / "cert.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", key, "-out", certificate,
         "-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
        check=True, capture_output=True,
    )  # fmt: skip
    command = ["openssl", "s_server", "-accept", "4433", "-cert", certificate, "-key", key, "-quiet", "-www", *flags]
    server = subprocess.Popen([*machine.prefix, *map(str, command)], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    try:
        arguments = ["--server", "https://localhost:4433", "--room", "1", "--cacert", certificate, "--server-timeout", "3s"]
        client = machine.callrunner(*arguments)
        assert client.finish(within=20) == 4
        assert ("TLS" in client.stderr) != accepted, client.stderr
    finally:
        server.kill()
        server.wait()


@pytest.mark.parametrize("flags", [[], ["--tls", "self-signed"]], ids=["plain", "self-signed"])
def test_sighup_does_not_end_a_server(machine, flags):
    served = machine.callrunner("serve", "--port", "0", *flags)
    served.wait_for("server.listening")
    served.signal(signal.SIGHUP)
    served.wait_for_words("no certificate files to reload")
    served.signal(signal.SIGINT)
    assert served.finish() == 130


def test_the_connections_per_address_are_limited_and_calls_continue(machine):
    server = machine.server("--host", "0.0.0.0", "--connections-per-address", "5")
    ann, bob = begin_call(machine, near(server))
    crowd = machine.peer("crowd", "connections", "9", "--server", far(server))
    answered = crowd.wait_for("connections")["answered"]
    assert answered == [True] * 5 + [False] * 4
    crowd.process.kill()
    crowd.finish()
    expect_undisturbed_call(ann, bob)
    assert measure(machine, server, 'callrunner_connections_refused_total{reason="too_many_of_address"}') == 4


def test_the_json_log_contains_one_object_per_line(machine):
    served = machine.callrunner("serve", "--port", "0", "--log-format", "json")
    server = served.wait_for("server.listening")["url"]
    call(machine, server, "Ann", "--source", "none").wait_for("room.joined")
    served.signal(signal.SIGINT)
    assert served.finish() == 130
    entries = [json.loads(line) for line in served.stderr.splitlines()]
    assert entries and all({"time", "level", "logger", "message"} <= entry.keys() for entry in entries)
    assert [entry for entry in entries if server in entry["message"]]


def test_the_server_notifies_systemd_of_readiness_and_stopping(machine, tmp_path):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(tmp_path / "notify"))
        manager.settimeout(20)
        served = machine.callrunner("serve", "--port", "0", environment={"NOTIFY_SOCKET": str(tmp_path / "notify")})
        ready = manager.recv(4096).decode().splitlines()
        url = served.wait_for("server.listening")["url"]
        assert ready == ["READY=1", f"STATUS=listening on {url}"]
        fetch(machine, f"{url}/readyz")
        served.signal(signal.SIGTERM)
        assert manager.recv(4096).decode().splitlines()[0] == "STOPPING=1"
        assert served.finish() == 143


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_unit(tmp_path):
    unit = tmp_path / "callrunner.service"
    unit.write_text((REPOSITORY / "packaging/callrunner.service").read_text().replace(
        "/usr/local/bin/callrunner", str(BINARY)))
    verified = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True)
    ours = [line for line in (verified.stdout + verified.stderr).splitlines() if "callrunner" in line]
    assert verified.returncode == 0 and ours == [], ours


def test_the_unit_limits_memory_and_tasks_and_writes_no_core_files():
    lines = (REPOSITORY / "packaging/callrunner.service").read_text().splitlines()
    assert {"MemoryMax=2G", "TasksMax=512", "LimitCORE=0", "PrivateUsers=yes"} <= set(lines)


@pytest.mark.quick
def test_health_readiness_and_metrics_follow_the_state_of_the_server(machine):
    served = machine.callrunner("serve", "--port", "0", "--drain", "30s")
    server = served.wait_for("server.listening")["url"]
    ann, bob = begin_call(machine, server)
    assert fetch(machine, f"{server}/healthz").strip() and fetch(machine, f"{server}/readyz").strip()
    for name, value in (("rooms", 1), ("members", 2), ("calls", 1), ("calls_total", 1), ("joins_total", 2)):
        assert measure(machine, server, f"callrunner_{name}") == value
    assert measure(machine, server, 'callrunner_relayed_events_total{event="offer"}') >= 1
    for line in fetch(machine, f"{server}/metrics").splitlines():
        assert not line or re.fullmatch(r'# (HELP|TYPE) \w+ .+|\w+({\w+="[^"]*"(,\w+="[^"]*")*})? \S+', line), line
    served.signal(signal.SIGTERM)
    served.wait_for("server.draining")
    # The draining server is healthy, but not ready for new clients.
    assert fetch(machine, f"{server}/healthz").strip()
    assert fetch(machine, f"{server}/readyz", check=False) == ""
    expect_undisturbed_call(ann, bob)
    assert served.finish() == 143
