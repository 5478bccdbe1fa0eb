"""Accounts: `callrunner account` with `callrunner serve` and with another implementation of the server."""

import base64
import json
import signal
import sqlite3
import stat
import subprocess
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from faults import wait_until
from peers import account_server
from peers.accounts import PHONE, PNG, Accounts, request
from peers.runner import Runner


@pytest.fixture
def accounts(loopback_machine, tmp_path):
    return Accounts(loopback_machine, tmp_path)


@pytest.mark.quick
def test_a_user_registers_edits_the_profile_and_signs_out(accounts, tmp_path):
    accounts.run("show", exit=4)
    accounts.register()
    picture = tmp_path / "a picture.png"
    picture.write_bytes(PNG)
    accounts.run("edit", "--city", "Kyiv", "--birthday", "1990-05-01", "--about", "Hi", "--avatar", picture)
    accounts.kill()
    accounts.start()
    profile = accounts.profile()
    assert (profile["name"], profile["city"], profile["birthday"]) == ("Ann", "Kyiv", "1990-05-01")
    status, image = request(
        accounts.machine, "GET", f"{accounts.url}/{profile['avatars']['avatar']}", accounts.token()
    )
    assert status == 200 and image == PNG
    accounts.run("edit", "--no-avatar", "--city", "")
    assert accounts.profile()["avatars"] is None and accounts.profile()["city"] is None
    accounts.run("logout").wait_for("account.signed_out", reason="logout")
    accounts.run("show", exit=4)
    # The server forgets the session as well, and the user signs in again.
    accounts.run("login", "--phone", PHONE, "--code", "133337").wait_for("account.signed_in")
    assert len(accounts.run("sessions").all("account.session")) == 1


def test_no_token_or_phone_number_is_printed_and_all_files_are_private(accounts, tmp_path):
    accounts.register()
    refreshed = accounts.run("refresh", "--verbose")
    token = accounts.token()
    refreshed.wait_for("account.refreshed")
    for output in (refreshed.stderr, json.dumps(refreshed.events), accounts.server.stderr, json.dumps(accounts.server.events)):
        assert token not in output and token.split(".")[2] not in output and PHONE not in output
    stored = json.loads((tmp_path / "config/callrunner/secrets.json").read_text())
    assert any("refresh_token" in value for value in stored.values())
    for path in [*(tmp_path / "data").rglob("*"), tmp_path / "config/callrunner/secrets.json"]:
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077, path


def test_processes_that_refresh_at_the_same_time_share_one_session(loopback_machine, tmp_path):
    accounts = Accounts(loopback_machine, tmp_path, "--access-ttl", "3s")
    accounts.register()
    time.sleep(3.1)
    with ThreadPoolExecutor(8) as pool:
        runs = list(pool.map(lambda _: accounts.run("show"), range(16)))
    assert all(run.wait_for("account.profile")["name"] == "Ann" for run in runs)
    assert any(run.all("account.refreshed") for run in runs)
    time.sleep(3.1)
    # A token that has just been refreshed is accepted.
    assert request(loopback_machine, "GET", f"{accounts.url}/api/v1/users/check-jwt/", accounts.token())[0] == 200


@pytest.mark.parametrize("seconds", [4, pytest.param(60, marks=pytest.mark.long)])
def test_access_tokens_that_expire_after_two_seconds_cause_no_error(loopback_machine, tmp_path, seconds):
    accounts = Accounts(loopback_machine, tmp_path, "--access-ttl", "2s")
    accounts.register()
    end = time.monotonic() + seconds

    def work(_) -> int:
        refreshes = 0
        while time.monotonic() < end:
            refreshes += len(accounts.run("show").all("account.refreshed"))
        return refreshes

    with ThreadPoolExecutor(3) as pool:
        refreshes = sum(pool.map(work, range(3)))
    assert seconds / 4 <= refreshes <= seconds


@pytest.mark.parametrize("rounds", [5, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_an_acknowledged_profile_change_survives_a_kill_of_the_server(loopback_machine, tmp_path, rounds):
    accounts = Accounts(loopback_machine, tmp_path, "--access-ttl", "24h")
    accounts.register()
    token = accounts.token()
    url = f"{accounts.url}/api/v1/users/me/"
    for round in range(rounds):
        answered = [0]

        def change() -> None:
            for number in range(1, 10_000):
                if request(accounts.machine, "PUT", url, token, {"city": f"{round}-{number}"})[0] != 200:
                    return
                answered[0] = number

        writer = threading.Thread(target=change)
        writer.start()
        time.sleep(0.05 + (round * 37 % 100) / 300)
        accounts.kill()
        writer.join(20)
        accounts.start()
        status, body = request(accounts.machine, "GET", url, token)
        assert status == 200
        stored = json.loads(body)["profile_data"]["city"]
        # The last change may have been stored without its answer having arrived.
        if answered[0]:
            assert stored in (f"{round}-{answered[0]}", f"{round}-{answered[0] + 1}")


# Offering accounts


def lines(machine, *flags) -> str:
    server = machine.callrunner("serve", "--port", "0", *flags)
    services = server.wait_for("server.listening")["services"]
    server.wait_for_words("listening on")
    server.signal(signal.SIGINT)
    server.finish()
    assert ("accounts" in services) == ("accounts: data in" in server.stderr)
    return server.stderr


def test_serve_reports_why_it_offers_no_accounts_and_fails_if_they_were_requested(machine, tmp_path):
    for flags, reason in [
        (["--host", "0.0.0.0"], "no program that sends codes"),
        (["--public-host", "call.example.org"], "no program that sends codes"),
        (["--trusted-proxy", "127.0.0.1"], "no program that sends codes"),
        (["--origin", "https://call.example.org"], "no program that sends codes"),
        (["--data", "/proc/none"], "cannot be used"),
    ]:
        assert "accounts are off: " in lines(machine, *flags) and reason in lines(machine, *flags)
        named = machine.callrunner("serve", "--port", "0", "--services", "accounts", *flags)
        assert named.finish() == 64 and reason in named.stderr
    assert "accounts" not in lines(machine, "--services", "none")
    assert "everybody's code is 133337" in lines(machine, "--origin", "http://localhost:5173")
    assert "everybody's code is 424242" in lines(machine, "--auth-code", "424242")


def test_invalid_account_flags_are_refused_with_the_reason(machine, tmp_path):
    public = tmp_path / "public.pem"
    subprocess.run(
        f"openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out {public}", shell=True, check=True,
        capture_output=True,
    )
    for flags, words in [
        (["--auth-code", "12345"], "six digits"),
        (["--auth-code", "123456", "--host", "0.0.0.0"], "sign in as anybody"),
        (["--auth-code", "123456", "--sms-command", "/bin/true"], "together"),
        (["--sms-command", tmp_path / "nothing"], "cannot be run"),
        (["--services", "mail"], "is not a service"),
        (["--access-ttl", "0s"], "between one second"),
        (["--jwt-key", public], "public key"),
    ]:
        server = machine.callrunner("serve", "--port", "0", *flags)
        assert server.finish() == 64 and words in server.stderr, server.story


def test_a_server_reports_the_process_that_already_uses_its_data_folder(accounts):
    assert f"process {accounts.server.pid}" in lines(accounts.machine, "--data", accounts.folder / "data")
    accounts.register()


@pytest.mark.parametrize("damage", ["garbage", "newer", "unreadable key"])
def test_an_unusable_database_or_key_is_reported_and_remains_unchanged(accounts, damage):
    accounts.register()
    accounts.kill()
    path = accounts.folder / "data/callrunner.db"
    match damage:
        case "garbage":
            for companion in path.parent.glob("callrunner.db-*"):
                companion.unlink()
            path.write_bytes(b"no database" * 1000)
        case "newer":
            with sqlite3.connect(path) as database:
                database.execute("INSERT INTO grdb_migrations VALUES ('accounts 999')")
        case "unreadable key":
            (path.parent / "access.key").chmod(0o644)
    def content() -> object:
        if damage == "garbage":
            return path.read_bytes()
        with sqlite3.connect(path) as database:
            return database.execute("SELECT phone, username FROM account_user").fetchall()

    before = content()
    words = {"garbage": "is damaged", "newer": "newer version", "unreadable key": "chmod 600"}[damage]
    assert words in lines(accounts.machine, "--data", path.parent)
    assert content() == before != []


def test_the_doctor_checks_the_account_data_and_the_command_that_sends_codes(accounts, tmp_path):
    def finding(name: str, **environment) -> dict:
        doctor = accounts.machine.callrunner("doctor", environment=environment)
        return doctor.wait_for("check", name=name)

    data = str(accounts.folder / "data")
    assert f"process {accounts.server.pid}" in finding("accounts", CALLRUNNER_DATA=data)["finding"]
    accounts.kill()
    assert "in order" in finding("accounts", CALLRUNNER_DATA=data)["finding"]
    assert "does not exist yet" in finding("accounts", CALLRUNNER_DATA=str(tmp_path / "none"))["finding"]
    (accounts.folder / "data/callrunner.db").chmod(0o644)
    assert finding("accounts", CALLRUNNER_DATA=data)["verdict"] == "limited"
    assert "sent by /bin/true" in finding("codes for accounts", CALLRUNNER_SMS_COMMAND="/bin/true")["finding"]
    assert finding("codes for accounts", CALLRUNNER_SMS_COMMAND="/bin")["verdict"] == "limited"


def test_codes_are_sent_by_the_sms_command(machine, tmp_path):
    program = tmp_path / "send"
    program.write_text(f'#!/bin/sh\necho "$@" >{tmp_path}/phone\ncat >{tmp_path}/text\necho leaked >&2\n')
    program.chmod(0o700)
    accounts = Accounts(machine, tmp_path, "--host", "0.0.0.0", "--sms-command", program)
    accounts.url = accounts.url.replace("0.0.0.0", "127.0.0.1")
    accounts.run("login", "--phone", PHONE).wait_for("account.code_sent", phone=PHONE)
    assert (tmp_path / "phone").read_text().strip() == PHONE
    code = (tmp_path / "text").read_text()[:6]
    assert code.isdigit()
    accounts.run("login", "--phone", PHONE, "--code", code, exit=4)
    accounts.run("register", "--name", "Ann", "--username", "ann")
    assert accounts.profile()["phone"] == PHONE
    program.write_text("#!/bin/sh\nexit 1\n")
    assert "cannot be sent" in accounts.run("login", "--phone", "+79210000002", exit=2).stderr
    assert code not in accounts.server.stderr and PHONE not in accounts.server.stderr


def test_a_backup_of_a_running_server_can_be_used(accounts, tmp_path):
    accounts.register()
    copy = tmp_path / "copy"
    copy.mkdir(mode=0o700)
    saved = accounts.machine.callrunner("serve", "--data", accounts.folder / "data", "--backup", copy / "callrunner.db")
    assert saved.finish() == 0 and saved.wait_for("server.backup")
    again = accounts.machine.callrunner("serve", "--data", accounts.folder / "data", "--backup", copy / "callrunner.db")
    assert again.finish() == 4 and "File exists" in again.stderr
    restored = Accounts(accounts.machine, tmp_path / "restored", "--data", copy)
    restored.run("login", "--phone", PHONE, "--code", "133337").wait_for("account.signed_in")
    assert restored.profile()["username"] == "ann"


def test_a_wrong_code_is_reported_as_wrong_and_not_as_too_many_codes(accounts):
    accounts.run("login", "--phone", PHONE)
    stderr = accounts.run("login", "--phone", PHONE, "--code", "000000", exit=4).stderr
    assert "the code is wrong or too old" in stderr and "too many" not in stderr


def test_hints_contain_the_server_given_by_flag(accounts):
    for command in (("register", "--name", "Ann", "--username", "ann"), ("show",)):
        assert f"login --phone NUMBER --api {accounts.url}" in accounts.run(*command, exit=4).stderr


def test_an_account_is_exported_to_a_new_file_and_deleted_only_with_a_fresh_code(accounts, tmp_path):
    accounts.register()
    (tmp_path / "notes.bin").write_bytes(bytes(range(256)) * 1000)
    accounts.machine.callrunner(
        "chat", "--with", "1", "--send", "hello", "--attach", tmp_path / "notes.bin", "--chat", accounts.url
    ).succeed()
    accounts.run("export", tmp_path / "me.json")
    export = json.loads((tmp_path / "me.json").read_text())
    assert export["profile_data"]["username"] == "ann"
    [conversation] = export["chat"]["conversations"]
    assert "hello" in [message["message"] for message in conversation["messages"]]
    [file] = export["chat"]["files"]
    assert base64.b64decode(file["base_64"]) == bytes(range(256)) * 1000
    assert stat.S_IMODE((tmp_path / "me.json").stat().st_mode) == 0o600
    assert "it exists" in accounts.run("export", tmp_path / "me.json", exit=5).stderr
    assert "No such file" in accounts.run("export", tmp_path / "no" / "me.json", exit=5).stderr
    assert [path.name for path in tmp_path.glob("me.json*")] == ["me.json"]
    assert "too old" in accounts.run("delete", "--code", "133337", exit=4).stderr
    early = accounts.run("delete", exit=4).stderr
    assert f"no code was sent to {PHONE}" in early and "try again in" in early


def test_an_interrupted_export_leaves_no_file(accounts, tmp_path):
    accounts.register()
    accounts.server.signal(signal.SIGSTOP)
    try:
        export = accounts.machine.callrunner("account", "export", tmp_path / "me.json", "--api", accounts.url)
        wait_until("the export begins", lambda: list(tmp_path.glob("me.json.*")), 10)
        export.signal(signal.SIGINT)
        assert export.finish() == 130
    finally:
        accounts.server.signal(signal.SIGCONT)
    assert not list(tmp_path.glob("me.json*"))


@pytest.mark.long
def test_deleting_an_account_removes_its_user_from_the_database(accounts):
    accounts.register()
    time.sleep(30)
    request(accounts.machine, "POST", f"{accounts.url}/api/v1/users/send-auth-code/", body={"phone": PHONE})
    accounts.machine.callrunner("chat", "--with", "1", "--send", "hello", "--chat", accounts.url).succeed()
    accounts.run("delete", "--code", "133337").wait_for("account.signed_out")
    with sqlite3.connect(accounts.folder / "data/callrunner.db") as database:
        assert database.execute("SELECT count(*) FROM account_user").fetchone() == (0,)
        query = "SELECT name FROM chat_person WHERE id >= 1000"
        wait_until("the chat forgets the name", lambda: database.execute(query).fetchone() == ("Deleted account",), 5)


def test_wrong_input_is_refused_before_anything_is_sent(accounts, tmp_path):
    large = tmp_path / "large.png"
    large.write_bytes(PNG + bytes(5_000_000))
    for arguments in [
        ("login",), ("login", "--phone", "12"), ("login", "--phone", PHONE, "--code", "x"),
        ("register", "--name", "Ann"), ("register", "--name", " ", "--username", "ann"),
        ("register", "--name", "Ann", "--username", "a b"), ("edit",), ("edit", "--birthday", "1990-02-30"),
        ("edit", "--city", "x" * 65), ("edit", "--avatar", tmp_path / "none.png"), ("edit", "--avatar", large),
        ("edit", "--avatar", large, "--no-avatar"),
    ]:
        accounts.run(*arguments, exit=64)
    missing = accounts.run("edit", "--avatar", tmp_path / "none.png", exit=64)
    assert "check the path of the picture" in missing.stderr, missing.story
    (tmp_path / "notes.txt").write_text("no picture")
    notes = accounts.run("edit", "--avatar", tmp_path / "notes.txt", exit=64)
    assert "is not a picture" in notes.stderr and "JPEG, PNG or WebP" in notes.stderr, notes.story
    accounts.run("login", "--phone", PHONE, exit=2, api="http://127.0.0.1:1")


def test_an_access_token_admits_to_rooms_until_its_session_ends(loopback_machine, tmp_path):
    key = tmp_path / "room.key"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    program = tmp_path / "send"
    program.write_text(f"#!/bin/sh\ncat >{tmp_path}/text\n")
    program.chmod(0o700)
    accounts = Accounts(loopback_machine, tmp_path, "--auth", f"jwt:{key}", "--sms-command", program)

    def call(token: str, *flags) -> Runner:
        return loopback_machine.callrunner(
            "--server", accounts.url, "--room", "1", "--headless", *flags, environment={"CALLRUNNER_TOKEN": token}
        )

    refused = call("x.y.z")
    assert refused.finish() == 4, refused.story
    accounts.run("login", "--phone", PHONE)
    code = (tmp_path / "text").read_text()[:6]
    accounts.run("login", "--phone", PHONE, "--code", code, exit=4)
    accounts.run("register", "--name", "Ann", "--username", "ann")
    token = accounts.token()
    callee, caller = call(token, "--name", "Bob"), call(token, "--name", "Ann", "--caller", "--duration", "1s")
    caller.succeed()
    callee.succeed()
    accounts.run("logout")
    accounts.run("logout", exit=4)
    assert call(token).finish() == 4


def test_an_access_token_admits_to_no_room_if_the_login_code_is_public(loopback_machine, tmp_path):
    key = tmp_path / "room.key"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    accounts = Accounts(loopback_machine, tmp_path, "--auth", f"jwt:{key}")
    accounts.register()
    call = loopback_machine.callrunner(
        "--server", accounts.url, "--room", "1", "--headless", environment={"CALLRUNNER_TOKEN": accounts.token()}
    )
    assert call.finish() == 4


def test_an_untrusted_certificate_is_reported_with_a_hint(loopback_machine, tmp_path):
    accounts = Accounts(loopback_machine, tmp_path, "--tls", "self-signed")
    assert "--insecure" in accounts.run("login", "--phone", PHONE, exit=2).stderr
    accounts.run("login", "--phone", PHONE, "--code", "133337", "--insecure", exit=4)


# A server of another maker


@pytest.fixture
def foreign(loopback_machine):
    server = loopback_machine.peer("account_server")
    return server.wait_for("server.listening")["url"]


def mode(machine, url: str, name: str) -> dict:
    return json.loads(request(machine, "GET", f"{url}/-/{name}")[1])


def test_the_response_formats_of_other_account_servers_are_accepted(accounts, foreign):
    def run(*arguments, exit=0):
        return accounts.run(*arguments, exit=exit, api=foreign)

    for form, words in [
        ("list", "code: the code is a list"), ("text", "the code is a text"), ("object", "the code is an object"),
        ("garbage", "the server answers with status 404"), ("nothing", "the server answers with status 404"),
    ]:
        mode(accounts.machine, foreign, form)
        assert words in run("login", "--phone", account_server.PHONE, "--code", "999999", exit=4).stderr
    mode(accounts.machine, foreign, "plain")
    run("login", "--phone", "+79210000009", "--code", account_server.CODE, exit=4)
    run("register", "--name", "Ann", "--username", "ann")
    for form in ("plain", "text", "object", "list"):
        mode(accounts.machine, foreign, form)
        run("edit", "--city", form)
        assert run("show").wait_for("account.profile")["city"] == form


def test_a_refused_refresh_ends_the_session_and_a_failed_or_slow_refresh_does_not(accounts, foreign):
    def run(*arguments, exit=0):
        return accounts.run(*arguments, exit=exit, api=foreign)

    run("login", "--phone", account_server.PHONE, "--code", account_server.CODE)
    for failure, exit in [("fail", 2), ("drop", 2), ("slow", 0)]:
        mode(accounts.machine, foreign, "expire")
        mode(accounts.machine, foreign, failure)
        before = mode(accounts.machine, foreign, failure)["refreshes"]
        run("show", exit=exit)
        assert mode(accounts.machine, foreign, "plain")["refreshes"] == before + 1
        # The session goes on.
        run("show")
    mode(accounts.machine, foreign, "expire")
    mode(accounts.machine, foreign, "refuse")
    run("show", exit=4).wait_for("account.signed_out")
    mode(accounts.machine, foreign, "plain")
    assert "not signed in" in run("show", exit=4).stderr
