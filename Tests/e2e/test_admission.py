"""Room tokens, TURN credentials, held offers and draining of `callrunner serve`."""

import base64
import json
import re
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from expect import expect_refusal
from peers.inside import Inside
from peers.member import Member
from peers.runner import BINARY

COTURN = shutil.which("turnserver")
OFFER = {"type": "offer", "sdp": "v=0\r\n", "from": "Ann"}


@pytest.fixture
def key(tmp_path):
    """A secret as `openssl rand -hex 32` writes it, which only its owner may read."""
    path = tmp_path / "room.key"
    path.write_text("0123456789abcdef" * 4 + "\n")
    path.chmod(0o600)
    return path


def mint(machine, key, *arguments, room=1):
    """Returns a token of `callrunner token`."""
    minting = machine.callrunner("token", "--key", key, "--room", room, *arguments)
    minting.succeed(10)
    return minting.wait_for("token")["token"]


def call(machine, server, token=None, *arguments):
    environment = {"CALLRUNNER_TOKEN": token} if token else {}
    flags = ["--room", "1", "--server", server, "--source", "none", "--headless", *arguments]
    return machine.callrunner(*flags, environment=environment)


def test_a_token_admits_the_participant_it_names(machine, key):
    server = machine.server("--auth", f"jwt:{key}")
    ann = call(machine, server, mint(machine, key, "--role", "caller", "--name", "Ann"), "--caller", "--name", "Ann")
    bob = call(machine, server, mint(machine, key), "--name", "Bob")
    ann.wait_for("peer.joined", username="Bob")
    bob.wait_for("peer.joined", username="Ann")


@pytest.mark.parametrize(
    ("minting", "words"),
    [
        (None, "requires a room token"),
        (["--name", "Ann"], "another name"),
        (["--role", "caller"], "the other role"),
        # Slow, because the tolerance of thirty seconds for clock skew has to pass.
        pytest.param(["--expires", "1s"], "expired", marks=pytest.mark.long),
    ],
)
def test_a_missing_expired_or_mismatching_token_is_refused_with_the_reason(machine, key, minting, words):
    server = machine.server("--auth", f"jwt:{key}")
    token = mint(machine, key, *minting) if minting else None
    if words == "expired":
        # Repeats the call, because no event announces that a token has expired.
        while call_is_admitted(machine, server, token):
            pass
    process = call(machine, server, token, "--name", "Bob", "--verbose")
    expect_refusal(process, 4, "the server denies access", words, "CALLRUNNER_TOKEN")
    assert process.all("error")[0]["code"] == "not-authorized"
    assert not token or token not in process.stderr + str(process.events)


def call_is_admitted(machine, server, token) -> bool:
    process = call(machine, server, token, "--name", "Eve", "--peer-timeout", "0.1")
    return process.finish(10) == 2


def test_a_token_for_another_room_or_with_a_wrong_signature_is_refused(machine, key, tmp_path):
    server = machine.server("--auth", f"jwt:{key}")
    expect_refusal(call(machine, server, mint(machine, key, room=2)), 4, "another room")
    other = tmp_path / "other.key"
    other.write_text("x" * 32)
    other.chmod(0o600)
    expect_refusal(call(machine, server, mint(machine, other)), 4, "not signed")
    expect_refusal(call(machine, server, "no token at all"), 4, "not a JSON Web Token")


def test_ecdsa_tokens_are_verified_with_the_public_key(machine, tmp_path):
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", private], check=True)
    subprocess.run(
        ["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True
    )
    server = machine.server("--auth", f"jwt:{public}")
    call(machine, server, mint(machine, private)).wait_for("room.joined")
    expect_refusal(machine.callrunner("token", "--key", public, "--room", "1"), 64, "public key")


def test_a_public_key_in_a_format_other_than_pem_is_refused(machine, tmp_path):
    """If a public key were used as the shared secret, everybody who knows it could sign tokens."""
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    subprocess.run(["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-out", private], check=True)
    subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", public, "-outform", "DER"], check=True, capture_output=True
    ).stdout
    point = [base64.urlsafe_b64encode(half).decode().rstrip("=") for half in (der[-64:-32], der[-32:])]
    name, length = b"ecdsa-sha2-nistp256", lambda part: len(part).to_bytes(4, "big") + part
    blob = base64.b64encode(length(name) + length(b"nistp256") + length(der[-65:]))
    forms = {
        "JSON": json.dumps({"kty": "EC", "crv": "P-256", "x": point[0], "y": point[1]}).encode(),
        "DER": der,
        "in DER": base64.encodebytes(der),
        "SSH": name + b" " + blob + b" ann@here\n",
    }
    file = tmp_path / "key"
    for word, contents in forms.items():
        file.write_bytes(contents)
        for arguments in (["serve", "--auth", f"jwt:{file}"], ["token", "--key", file, "--room", "1"]):
            expect_refusal(machine.callrunner(*arguments), 64, word, "PEM", within=5)


def test_the_token_command_prints_only_the_token(machine, key, tmp_path):
    minted = subprocess.run(
        [BINARY, "token", "--key", key, "--room", "1"], check=True, capture_output=True, text=True
    )
    assert re.fullmatch(r"[\w-]+\.[\w-]+\.[\w-]+\n", minted.stdout)
    assert minted.stderr == ""


@pytest.mark.parametrize(("mode", "word"), [(0o644, "may read"), (0o602, "may write")])
def test_a_key_that_other_users_can_read_or_write_is_refused(machine, key, tmp_path, mode, word):
    (tmp_path / "cert.pem").write_text("certificate")
    key.chmod(mode)
    for arguments in (
        ["token", "--key", key, "--room", "1"],
        ["serve", "--port", "0", "--auth", f"jwt:{key}"],
        ["serve", "--port", "0", "--turn", "turn:h", "--turn-secret", key],
        ["serve", "--port", "0", "--tls-cert", tmp_path / "cert.pem", "--tls-key", key],
    ):
        expect_refusal(machine.callrunner(*arguments), 64, word, str(key), "chmod o-", within=5)


def test_other_users_may_read_but_not_write_a_public_key(machine, tmp_path):
    private, public = tmp_path / "private.pem", tmp_path / "public.pem"
    make = ["openssl", "ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", private]
    subprocess.run(make, check=True)
    subprocess.run(["openssl", "ec", "-in", private, "-pubout", "-out", public], check=True, capture_output=True)
    public.chmod(0o644)
    machine.server("--auth", f"jwt:{public}")
    public.chmod(0o666)
    expect_refusal(machine.callrunner("serve", "--port", "0", "--auth", f"jwt:{public}"), 64, "may write", within=5)


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["serve", "--auth", "basic:x"], "jwt:"),
        (["serve", "--auth", "jwt:/no/such/key"], "/no/such/key"),
        (["serve", "--auth", "jwt:/dev/null"], "not a regular file"),
        (["serve", "--auth", "jwt:{short}"], "32"),
        (["serve", "--turn", "turn:h"], "--turn-secret"),
        (["serve", "--turn-secret", "{short}"], "--turn"),
        (["serve", "--turn", "turn:user:hush@h", "--turn-secret", "{short}"], "without user and secret"),
        (["serve", "--messages-per-second", "-1"], "messages-per-second"),
        (["serve", "--bytes-per-second", "much"], "bytes-per-second"),
        (["serve", "--connections-per-address", "many"], "connections-per-address"),
        (["serve", "--trusted-proxy", "10.0.0.1,proxy"], "192.0.2.1"),
        (["serve", "--origin", "https://a/b"], "https://HOST:PORT"),
        (["serve", "--public-host", "https://a"], "HOST:PORT"),
        (["serve", "--drain", "soon"], "drain"),
        (["token", "--room", "1"], "--key"),
        (["token", "--key", "{short}", "--room", "1"], "32"),
        (["token", "--key", "{key}"], "--room"),
        (["token", "--key", "{key}", "--room", "0"], "room"),
        (["token", "--key", "{key}", "--room", "1", "--role", "boss"], "role"),
        (["token", "--key", "{key}", "--room", "1", "--expires", "0"], "expires"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_invalid_flags_are_usage_errors_that_show_no_secret(machine, key, tmp_path, arguments, word):
    short = tmp_path / "short"
    short.write_text("hush\n")
    arguments = [argument.format(key=key, short=short) for argument in arguments]
    process = machine.callrunner(*arguments)
    expect_refusal(process, 64, word, within=5)
    assert "hush" not in process.stderr


def test_an_offer_is_held_for_a_callee_that_joins_later(machine):
    """Clients of the original Node.js server send an offer even if nobody else is in the room yet."""
    server = machine.server("--hold")

    async def hold() -> None:
        ann = await Member(server, 1, "Ann", is_caller=True).join()
        await ann.emit("offer", OFFER)
        bob = await Member(server, 1, "Bob").join()
        assert (await bob.hear("offer"))[0]["sdp"] == OFFER["sdp"]

    with Inside(machine.namespace.name) as inside:
        inside.run(hold())


@pytest.mark.skipif(not COTURN, reason="coturn is not installed")
def test_a_call_uses_coturn_with_credentials_made_by_the_server(machine, tmp_path):
    secret = tmp_path / "turn.secret"
    secret.write_text("north\n")
    secret.chmod(0o600)
    with turn_server(machine, tmp_path):
        server = machine.server("--turn", "turn:10.99.0.1:3478", "--turn-secret", secret, "--turn-ttl", "1m")
        flags = ["--room", "1", "--server", server, "--relay-only", "--headless", "--duration", "2"]
        ann = machine.callrunner(*flags, "--caller", "--name", "Ann")
        bob = machine.callrunner(*flags, "--name", "Bob")
        for process in (ann, bob):
            assert process.wait_for("ice.selected", within=30)["local"] == "relay"
            process.succeed()


def test_clients_use_at_most_eight_turn_urls_and_none_on_loopback_from_a_remote_server(machine, tmp_path):
    secret = tmp_path / "turn.secret"
    secret.write_text("north\n")
    secret.chmod(0o600)
    named = ["127.0.0.1:631", "localhost:22", "[::1]:80", *(f"10.99.0.77:{port}" for port in range(4000, 4010))]
    served = machine.callrunner(
        "serve", "--port", "0", "--host", "0.0.0.0", "--turn-secret", secret,
        *(flag for name in named for flag in ("--turn", f"turn:{name}")),
    )
    port = served.wait_for("server.listening")["url"].rsplit(":", 1)[1]
    for room, (host, count) in enumerate({"10.99.0.1": 4, "127.0.0.1": 1}.items(), start=1):
        flags = ["--room", room, "--server", f"http://{host}:{port}", "--headless", "--repeat", "2"]
        callee = machine.callrunner(*flags, "--name", "Bob")
        callee.wait_for("room.joined")
        caller = machine.callrunner(*flags, "--name", "Ann", "--caller", "--duration", "1")
        for process in (caller, callee):
            process.succeed()
            told = [event["message"] for event in process.all("warning") if "ignored" in event["message"]]
            assert len(told) == count, told
            assert sum("on this machine" in message for message in told) == count - 1, told
            assert any("more than 8" in message for message in told), told


@contextmanager
def turn_server(machine, folder):
    """Runs coturn with the shared secret `north` on the interface that is not loopback."""
    command = [
        *machine.prefix, "turnserver", "-n", "--listening-ip=10.99.0.1", "--relay-ip=10.99.0.1",
        "--use-auth-secret", "--static-auth-secret=north", "--realm=test", "--no-tls", "--no-dtls", "--no-cli",
        f"--pidfile={folder}/turn.pid", f"--userdb={folder}/turn.db", "--log-file=stdout",
    ]  # fmt: skip
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            # Port 3478 in the kernel's list of sockets in the network namespace of the process.
            while ":0D96 " not in Path(f"/proc/{process.pid}/net/udp").read_text():
                assert process.poll() is None, "coturn has ended"
                time.sleep(0.05)
            yield
        finally:
            process.kill()


def test_calls_continue_while_the_server_drains(machine):
    served = machine.callrunner("serve", "--port", "0", "--drain", "30s")
    server = served.wait_for("server.listening")["url"]
    ann = call(machine, server, None, "--caller", "--name", "Ann", "--duration", "4", "--source", "test")
    bob = call(machine, server, None, "--name", "Bob", "--source", "test")
    ann.wait_for("media.connected")
    served.signal(signal.SIGTERM)
    eve = call(machine, server, None, "--name", "Eve", "--server-timeout", "1")
    expect_refusal(eve, 4, "shutting down")
    ann.succeed()
    bob.succeed()
    assert served.finish(10) == 143


def test_draining_ends_after_its_time_limit_or_at_a_second_sigterm(machine):
    for drain, signals in (("1s", 1), ("600s", 2)):
        served = machine.callrunner("serve", "--port", "0", "--drain", drain)
        server = served.wait_for("server.listening")["url"]
        ann = call(machine, server, None, "--name", "Ann")
        ann.wait_for("room.joined")
        served.signal(signal.SIGTERM)
        if signals == 2:
            served.wait_for("server.draining")
            # A signal right after the first one is ignored, because `timeout` signals a process and then its group.
            time.sleep(0.2)
            served.signal(signal.SIGTERM)
        assert served.finish(10) == 143


def test_an_interrupt_ends_the_server_without_waiting_for_calls(machine):
    served = machine.callrunner("serve", "--port", "0", "--drain", "600s")
    call(machine, served.wait_for("server.listening")["url"], None).wait_for("room.joined")
    served.signal(signal.SIGINT)
    assert served.finish(10) == 130
