"""Errors and hints when another program, or another callrunner, uses the default port."""

import subprocess
import time

import pytest
from peers.accounts import Accounts
from peers.runner import PYTHON
from peers.served import Served

URL = "http://127.0.0.1:3000"


@pytest.fixture
def foreign(loopback_machine, stack, tmp_path):
    """A machine on which a web server that is no signaling server listens on port 3000."""
    return listen(loopback_machine, stack, tmp_path)


def listen(machine, stack, folder):
    command = [*machine.prefix, PYTHON, "-m", "http.server", "3000", "--bind", "127.0.0.1", "--directory", folder]
    process = stack.enter_context(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))
    stack.callback(process.kill)
    deadline = time.monotonic() + 10
    while subprocess.run([*machine.prefix, "curl", "-s", "-o", "/dev/null", URL], check=False).returncode:
        assert time.monotonic() < deadline, "the web server does not start"
        time.sleep(0.05)
    return machine


def test_the_doctor_warns_if_another_program_uses_the_default_port(foreign):
    check = foreign.callrunner("doctor").wait_for("check", name="signaling server")
    assert check["verdict"] == "limited" and "is not a signaling server" in check["finding"], check
    assert "callrunner serve --port" in check["fix"], check


def test_the_doctor_accepts_a_signaling_server_on_the_default_port(loopback_machine):
    served = loopback_machine.callrunner("serve", "--services", "none")
    served.wait_for("server.listening")
    check = loopback_machine.callrunner("doctor").wait_for("check", name="signaling server")
    assert check["verdict"] == "good" and "a signaling server runs at" in check["finding"], check


@pytest.mark.parametrize(
    ("arguments", "flag"),
    [
        (["--room", "1", "--headless"], "--server"),
        (["users"], "--chat"),
        (["chat", "--with", "1"], "--chat"),
        (["account", "login", "--phone", "+79210000001"], "--api"),
        (["account", "login", "--phone", "+79210000001", "--code", "133337"], "--api"),
    ],
)
def test_clients_report_another_program_on_the_default_port_and_how_to_use_another_port(foreign, arguments, flag):
    process = foreign.callrunner(*arguments)
    assert process.finish() == 4, process.story
    assert "another program listens at http://127.0.0.1:3000" in process.stderr, process.story
    assert f"callrunner serve --port 3001`, and {flag} http://127.0.0.1:3001" in process.stderr, process.story


@pytest.mark.sample(1)
@pytest.mark.parametrize(("command", "flag"), [(["account", "show"], "--api"), (["users"], "--chat")])
def test_a_signed_in_user_is_told_that_another_program_uses_the_default_port(loopback_machine, stack, tmp_path, command, flag):
    accounts = Accounts(loopback_machine, tmp_path, "--access-ttl", "1s", "--port", "3000")
    accounts.register()
    accounts.kill()
    time.sleep(1)
    machine = listen(loopback_machine, stack, tmp_path)
    process = machine.callrunner(*command)
    assert process.finish() == 4, process.story
    assert "another program listens" in process.stderr and flag in process.stderr, process.story
    assert "another code" not in process.stderr and "cannot be reached" not in process.stderr, process.story


def test_login_reports_a_server_without_accounts_whether_or_not_a_code_is_given(loopback_machine):
    url = loopback_machine.server("--services", "none")
    for more in ([], ["--code", "133337"]):
        process = loopback_machine.callrunner("account", "login", "--api", url, "--phone", "+79210000001", *more)
        assert process.finish() == 4, process.story
        assert "the server has no accounts" in process.stderr and "callrunner serve" in process.stderr, process.story


def test_a_second_server_reports_that_callrunner_already_uses_the_port(loopback_machine, tmp_path):
    first = Served(loopback_machine, tmp_path / "data")
    second = loopback_machine.callrunner("serve", "--port", first.flags[1], "--data", tmp_path / "other")
    assert second.finish() == 4, second.story
    assert "by another callrunner process" in second.stderr, second.story


def test_another_program_on_the_port_is_not_reported_as_callrunner(foreign, tmp_path):
    server = foreign.callrunner("serve", "--data", tmp_path / "data")
    assert server.finish() == 4 and "127.0.0.1:3000 is in use" in server.stderr, server.story
    assert "another callrunner" not in server.stderr, server.story


def test_the_embedded_server_of_a_call_tells_a_browser_how_to_start_the_web_page(loopback_machine):
    call = loopback_machine.callrunner("--room", "1", "--headless")
    call.wait_for("room.joined")
    assert "callrunner serve --port 3001" in loopback_machine.fetch(URL)


def test_the_first_failed_connection_attempt_is_reported_at_once_without_a_line_about_the_source(loopback_machine):
    call = loopback_machine.callrunner("--server", "http://127.0.0.1:43007", "--room", "1", "--headless")
    call.wait_for_words("http://127.0.0.1:43007 cannot be reached", within=5)
    call.wait_for_words("trying again for up to 10 s", within=1)
    assert call.process.poll() is None
    assert call.finish() == 4
    assert call.stderr.count("cannot be reached") == 1 and "sending" not in call.stderr, call.story


def test_the_users_command_without_a_server_explains_how_to_start_one(loopback_machine):
    process = loopback_machine.callrunner("users")
    assert process.finish() == 4 and "`callrunner serve` starts one" in process.stderr, process.story


def test_the_token_command_without_a_key_explains_how_to_create_one(loopback_machine):
    process = loopback_machine.callrunner("token", "--room", "1")
    assert process.finish() == 64 and "openssl rand -hex 32 > FILE" in process.stderr, process.story
