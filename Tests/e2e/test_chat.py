"""The chat: `callrunner users` and `callrunner chat`, with `callrunner serve` and with a server like the original one."""

import json
import os
import random
import signal
import stat
import subprocess
import time
from pathlib import Path

import pytest
from peers import original_chat
from peers.runner import BINARY, Runner
from peers.served import Served

COMMON = ["v", "time", "elapsed", "event"]


class Chat(Served):
    """A chat server, and the commands of people who use it, on one machine."""

    def __init__(self, machine, folder, *flags):
        self.folder = folder
        super().__init__(machine, folder / "server", "--reply-delay", "0", *flags)

    def begin(self, *arguments, **keywords) -> Runner:
        return self.machine.callrunner("chat", *arguments, "--chat", self.url, **keywords)

    def run(self, *arguments, exit: int = 0) -> Runner:
        process = self.begin(*arguments)
        assert process.finish(within=40) == exit, process.story
        return process

    def history(self, own: int, peer: int) -> list[dict]:
        return self.run("--as", str(own), "--with", str(peer)).wait_for("chat.history")["items"]

    def users(self) -> list[dict]:
        process = self.machine.callrunner("users", "--chat", self.url)
        process.succeed()
        return process.all("chat.person")


@pytest.fixture
def chat(loopback_machine, tmp_path):
    return Chat(loopback_machine, tmp_path)


class OriginalChat(Chat):
    def start(self) -> None:
        self.server = self.machine.peer("original_chat", *self.flags[:2])
        self.url = self.server.wait_for("server.listening")["url"]
        self.flags[1] = self.url.rsplit(":", 1)[1]


@pytest.fixture
def original(loopback_machine, tmp_path):
    return OriginalChat(loopback_machine, tmp_path)


def texts(items: list[dict]) -> list[str]:
    return [item["message"] for item in items]


def people_run(machine, *arguments, text: str | None = None) -> subprocess.CompletedProcess:
    """Runs a command as a person does: without `--json`."""
    environment = {**os.environ, **machine._environment}
    command = [*machine.prefix, str(BINARY), *(str(argument) for argument in arguments)]
    return subprocess.run(
        command, input=text or "", capture_output=True, text=True, env=environment, check=False, timeout=40
    )


# A server of callrunner


@pytest.mark.quick
def test_a_line_from_standard_input_is_sent_before_the_command_ends(chat):
    done = people_run(chat.machine, "chat", "--as", "101", "--with", "2", "--chat", chat.url, text="hi\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert [line[6:] for line in lines[:3]] == ["  Tobias Lindqvist: Hi there!", "› You: Hello!", "› You: hi"]
    stored = chat.history(101, 2)
    assert texts(stored)[:3] == ["Hi there!", "Hello!", "hi"]
    assert [item["mine"] for item in stored[:3]] == [False, True, True]
    assert stored[3]["auto"] is True and stored[3]["mine"] is False


def test_people_are_listed_with_those_online_first(chat):
    users = chat.users()
    assert len(users) == 15 and {1, 2, 3} <= {user["id"] for user in users if user["isOnline"]}
    online = [user["isOnline"] for user in users]
    assert online == sorted(online, reverse=True)
    assert [name for name in users[0] if name not in COMMON] == ["id", "name", "status", "isOnline"]
    shown = people_run(chat.machine, "users", "--chat", chat.url)
    assert shown.returncode == 0 and len(shown.stdout.splitlines()) == 15
    assert "online   Iryna Hrabar (1)" in shown.stdout


def test_chat_events_have_the_documented_fields(chat):
    process = chat.run("--as", "101", "--with", "2", "--send", "hi")

    def fields(event: str) -> list[str]:
        return [name for name in process.wait_for(event) if name not in COMMON]

    message = ["from", "to", "message", "timestamp", "id", "fromId", "toId", "mine"]
    assert fields("chat.queued") == ["id", "message"]
    assert fields("chat.history") == ["with", "mode", "items"]
    assert list(process.wait_for("chat.history")["items"][0]) == message
    assert fields("chat.sent") == message
    assert process.wait_for("chat.history")["mode"] == "extended"
    assert process.wait_for("chat.queued")["id"] == process.wait_for("chat.sent")["id"]


def test_two_people_exchange_messages_and_see_each_others_presence(chat):
    ann = chat.begin("--as", "101", "--with", "102", "--follow", is_steered=True)
    ann.wait_for("chat.history")
    bob = chat.begin("--as", "102", "--with", "101", "--follow", is_steered=True)
    bob.wait_for("chat.history")
    ann.wait_for("chat.presence", userId=102, isOnline=True)
    ann.say("one\n\n  two  \n")
    assert bob.wait_for("chat.message", message="one")["fromId"] == 101
    bob.wait_for("chat.message", message="two")
    bob.say("three\n")
    ann.wait_for("chat.message", message="three")
    bob.signal(signal.SIGINT)
    assert bob.finish() == 130, bob.story
    ann.wait_for("chat.presence", userId=102, isOnline=False)
    ann.signal(signal.SIGTERM)
    assert ann.finish() == 143, ann.story
    assert texts(chat.history(102, 101))[2:] == ["one", "two", "three"]


def test_many_lines_sent_together_are_each_stored_exactly_once_and_in_order(chat):
    lines = [f"line {number}" for number in range(60)]
    done = people_run(
        chat.machine, "chat", "--as", "101", "--with", "14", "--chat", chat.url, text="\n".join(lines)
    )
    assert done.returncode == 0, done.stderr
    sent = [line.split(": ", 1)[1] for line in done.stdout.splitlines()]
    assert sent[2:] == lines
    assert texts(chat.history(101, 14))[2:] == lines


def test_a_name_or_its_beginning_selects_a_person(chat):
    assert chat.run("--as", "101", "--with", "mei").wait_for("chat.history")["with"] == 3
    assert chat.run("--as", "101", "--with", "Lev Markovich").wait_for("chat.history")["with"] == 10
    nobody = chat.run("--as", "101", "--with", "Zoltan", exit=2)
    error = nobody.wait_for("error")
    assert error["code"] == "chat-nobody" and "Iryna Hrabar (1)" in error["hint"]


def test_an_id_that_nobody_has_is_named(chat):
    error = chat.run("--as", "101", "--with", "777777", "--send", "hello", exit=2).wait_for("error")
    assert error["code"] == "chat-nobody" and "777777" in error["message"]
    assert "callrunner users" in error["hint"]


def test_a_guest_has_the_same_id_in_every_run(chat):
    first = chat.run("--with", "12").wait_for("chat.history")["items"][0]["toId"]
    second = chat.run("--with", "13").wait_for("chat.history")["items"][0]["toId"]
    assert first == second and 100 <= first <= 999


def test_a_guest_who_has_left_stays_in_the_list_of_another_guest(chat):
    own = chat.run("--with", "12").wait_for("chat.history")["items"][0]["toId"]
    other = 998 if own == 999 else 999
    assert other not in [person["id"] for person in chat.users()]
    chat.run("--as", other, "--with", own, "--send", "hello")
    assert [person["isOnline"] for person in chat.users() if person["id"] == other] == [False]


def test_a_signed_in_user_chats_under_the_name_of_the_account(chat):
    def account(*arguments, exit: int = 0) -> None:
        process = chat.machine.callrunner("account", *arguments, "--api", chat.url)
        assert process.finish() == exit, process.story

    account("login", "--phone", "+79219999999", "--code", "133337", exit=4)
    account("register", "--name", "Ann Noor", "--username", "ann")
    sent = chat.run("--with", "2", "--send", "hi").wait_for("chat.sent")
    assert sent["fromId"] >= 1000 and sent["from"] == "Ann Noor"
    assert chat.run("--as", "101", "--with", "Ann", "--send", "hello").wait_for("chat.sent")["toId"] == sent["fromId"]
    assert all(user["id"] != sent["fromId"] for user in chat.users())
    # The ID of an account needs its token.
    account("logout")
    refused = chat.run("--as", str(sent["fromId"]), "--with", "2", exit=4)
    assert refused.wait_for("error")["code"] == "chat-signed-out"


def test_files_of_the_other_person_are_saved_once_and_overwrite_nothing(chat, tmp_path):
    folder = tmp_path / "saved"
    folder.mkdir()
    for number, content in enumerate((b"first", b"second one")):
        file = tmp_path / str(number) / "notes.txt"
        file.parent.mkdir()
        file.write_bytes(content)
        chat.run("--as", "101", "--with", "102", "--attach", file)
    saved = chat.run("--as", "102", "--with", "101", "--save", folder).all("chat.saved")
    assert [Path(event["path"]).name for event in saved] == ["notes.txt", "notes (2).txt"]
    assert [Path(event["path"]).read_bytes() for event in saved] == [b"first", b"second one"]
    assert chat.run("--as", "102", "--with", "101", "--save", folder).all("chat.saved") == []
    assert chat.run("--as", "101", "--with", "102", "--save", folder).all("chat.saved") == []
    following = chat.machine.callrunner("chat", "--chat", chat.url, "--as", "102", "--with", "101", "--save", folder, "--follow")
    following.wait_for("chat.history")
    chat.run("--as", "101", "--with", "102", "--attach", tmp_path / "0" / "notes.txt", "--send", "look")
    (tmp_path / "0" / "more.txt").write_bytes(b"more")
    chat.run("--as", "101", "--with", "102", "--attach", tmp_path / "0" / "more.txt")
    assert Path(following.wait_for("chat.saved")["path"]).name == "more.txt"
    following.signal(signal.SIGINT)
    following.finish()
    missing = chat.run("--as", "102", "--with", "101", "--save", tmp_path / "missing", exit=64)
    assert "is no folder" in missing.stderr
    assert sorted(path.name for path in folder.iterdir()) == ["more.txt", "notes (2).txt", "notes.txt"]


def test_a_sent_file_can_be_read_by_the_recipient_and_not_by_a_third_person(chat, tmp_path):
    file = tmp_path / "notes.bin"
    file.write_bytes(bytes(range(256)) * 100)
    sent = chat.run("--as", "101", "--with", "2", "--attach", file).wait_for("chat.sent")
    assert sent["message"] == "notes.bin" and sent["media"]["bytes"] == 25_600

    def status(person: int) -> str:
        url = f"{chat.url}{sent['media']['url']}?userId={person}"
        command = [*chat.machine.prefix, "curl", "-s", "-o", tmp_path / "copy", "-w", "%{http_code}", url]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert status(103) == "404"
    assert status(2) == "200" and (tmp_path / "copy").read_bytes() == file.read_bytes()


# Nothing is lost


def test_a_queued_message_survives_a_kill_of_the_client_while_the_server_is_stopped(chat):
    chat.run("--as", "101", "--with", "2", "--send", "before")
    chat.kill()
    killed = chat.begin("--as", "101", "--with", "2", "--send", "kept", "--server-timeout", "60s")
    killed.wait_for("chat.queued", message="kept")
    killed.signal(signal.SIGKILL)
    killed.finish()
    chat.start()
    chat.run("--as", "101", "--with", "2").wait_for("chat.sent", message="kept")
    again = chat.run("--as", "101", "--with", "2")
    assert again.all("chat.sent") == []
    assert texts(chat.history(101, 2)).count("kept") == 1
    kept = list((chat.folder / "config/callrunner/chat").rglob("*"))
    assert kept and not any(stat.S_IMODE(path.stat().st_mode) & 0o077 for path in kept)


@pytest.mark.parametrize("rounds", [6, pytest.param(100, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
def test_every_queued_message_is_stored_once_even_if_the_client_is_killed(chat, rounds):
    generator = random.Random(rounds)
    accepted = []
    chat.history(101, 14)
    for number in range(rounds):
        client = chat.begin("--as", "101", "--with", "14", "--send", f"message {number}")
        if number % 2:
            client.wait_for("chat.queued")
        time.sleep(generator.uniform(0, 0.2))
        client.signal(signal.SIGKILL)
        client.finish()
        accepted += [event["message"] for event in client.all("chat.queued")]
    chat.run("--as", "101", "--with", "14")
    stored = texts(chat.history(101, 14))
    for text in accepted:
        assert stored.count(text) == 1, (text, stored)


def test_an_unreachable_server_is_an_error_and_the_message_stays_queued(chat):
    chat.history(101, 2)
    chat.kill()
    process = chat.run("--as", "101", "--with", "2", "--send", "later", "--server-timeout", "1s", exit=4)
    error = process.wait_for("error")
    assert error["code"] == "chat-unreachable" and "1 message is kept" in error["hint"]
    assert process.wait_for("chat.reconnecting")["retryIn"] <= 0.75
    # Towards a server that was never reached, nothing is known, so nothing waits.
    other = chat.run("--as", "101", "--with", "3", "--send", "never", "--server-timeout", "1s", exit=4)
    assert other.all("chat.queued") == []
    chat.start()
    chat.run("--as", "101", "--with", "2").wait_for("chat.sent", message="later")
    chat.run("--as", "101", "--with", "3")
    assert "never" not in texts(chat.history(101, 3))


def test_a_conversation_continues_after_the_server_was_killed_and_restarted(chat):
    ann = chat.begin("--as", "101", "--with", "102", "--follow", is_steered=True)
    ann.wait_for("chat.history")
    chat.kill()
    ann.wait_for("chat.reconnecting")
    ann.say("while it was away\n")
    ann.wait_for("chat.queued")
    chat.start()
    ann.wait_for("chat.sent", message="while it was away")
    chat.run("--as", "102", "--with", "101", "--send", "welcome back")
    ann.wait_for("chat.message", message="welcome back")
    assert len(ann.all("chat.history")) == 1 and len(ann.all("chat.message")) == 1
    ann.signal(signal.SIGINT)
    assert ann.finish() == 130


# A server like the original one


def test_people_on_a_server_with_the_original_protocol_are_listed(original):
    assert [user["name"] for user in original.users()] == ["Ada Fern", "Ben Oak", "Cleo Reed"]


def test_a_text_to_a_server_with_the_original_protocol_is_echoed_and_answered(original):
    process = original.begin("--with", "ben", "--follow", is_steered=True)
    history = process.wait_for("chat.history")
    assert history["mode"] == "plain" and texts(history["items"]) == ["Hi there!", "Hello!"]
    # Without an account one is 99, whom the original server calls “You”.
    assert [item["mine"] for item in history["items"]] == [False, True]
    process.say("tea?\n")
    assert process.wait_for("chat.sent")["message"] == "tea?"
    assert process.wait_for("chat.message")["message"] == original_chat.REPLIES[0]
    assert original.server.wait_for("opened") == {**original.server.wait_for("opened"), "userId": 99, "withId": 2}
    process.signal(signal.SIGINT)
    assert process.finish() == 130
    assert [event["text"] for event in original.server.all("received")] == ["tea?"]


def test_a_text_is_sent_only_once_to_a_server_with_the_original_protocol(original):
    done = people_run(original.machine, "chat", "--as", "345", "--with", "3", "--chat", original.url, text="hi\n")
    assert done.returncode == 0, done.stderr
    assert [line[6:] for line in done.stdout.splitlines()] == [
        "  Cleo Reed: Hi there!", "› You: Hello!", "› You: hi",
    ]
    assert texts(original.history(345, 3)) == ["Hi there!", "Hello!", "hi"]


def test_identical_texts_are_all_sent_in_order_to_a_server_with_the_original_protocol(original):
    process = original.begin("--as", "99", "--with", "3", "--follow", is_steered=True)
    process.wait_for("chat.history")
    process.say("same\nsame\nother\nsame\n")
    process.wait_for_more("chat.sent", 4 - len(process.all("chat.sent")))
    assert texts(original.history(99, 3))[2:] == ["same", "same", "other", "same"]


def test_a_file_is_not_sent_to_a_server_with_the_original_protocol(original, tmp_path):
    file = tmp_path / "a"
    file.write_bytes(b"a")
    process = original.run("--with", "2", "--attach", file, exit=2)
    assert "supports only text messages" in process.wait_for("error")["message"]


def test_an_unconfirmed_text_to_a_server_with_the_original_protocol_is_an_error_and_not_sent_again(original):
    original.machine.fetch(f"{original.url}/-/mute")
    process = original.begin("--as", "99", "--with", "3", "--send", "lost")
    original.server.wait_for("received", text="lost")
    original.machine.fetch(f"{original.url}/-/drop")
    assert process.finish() == 2, process.story
    assert process.wait_for("error")["code"] == "chat-not-sent"
    original.run("--as", "99", "--with", "3")
    assert len(original.server.all("received")) == 1


def test_a_close_with_code_1000_ends_the_command_successfully(original):
    process = original.begin("--as", "99", "--with", "3", "--follow", is_steered=True)
    process.wait_for("chat.history")
    original.machine.fetch(f"{original.url}/-/end")
    process.succeed()
    assert process.all("chat.reconnecting") == [] and len(original.server.all("opened")) == 1


# Errors


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ([], "--with is missing"),
        (["--with", "0"], "at least 1"),
        (["--with", "2", "--as", "0"], "at least 1"),
        (["--with", "2", "--as", "2"], "same person"),
        (["--with", "2", "--send", " "], "empty"),
        (["--with", "2", "--send", "x" * 4001], "too long"),
        (["--with", "2", "--attach", "/nothing"], "not a file"),
        (["--with", "2", "--attach", "/dev/null"], "not a file"),
        (["--with", "2", "--chat", "ftp://example.org"], "is not an address"),
        (["--with", "2", "--chat", "http://example.org/?a=b"], "query"),
    ],
)
def test_invalid_chat_flags_are_usage_errors(loopback_machine, flags, words):
    process = loopback_machine.callrunner("chat", *flags)
    assert process.finish() == 64 and words in process.stderr, process.story


def test_a_server_that_is_unreachable_or_has_no_chat_is_reported(loopback_machine):
    url = loopback_machine.server("--services", "none")
    process = loopback_machine.callrunner("users", "--chat", url)
    assert process.finish() == 4 and "status 404" in process.stderr, process.story
    process = loopback_machine.callrunner("users", "--chat", "http://127.0.0.1:9")
    assert process.finish() == 4 and "connection to the chat server failed" in process.stderr, process.story


def test_closing_standard_output_ends_the_chat_command(chat):
    chat.history(101, 2)
    command = [
        *chat.machine.prefix, str(BINARY), "chat", "--as", "101", "--with", "2", "--follow", "--chat", chat.url,
    ]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, **chat.machine._environment},
    )
    for _ in range(2):
        process.stdout.readline()
    process.stdout.close()
    process.stdin.write("one\n")
    process.stdin.flush()
    assert process.wait(20) == 0
    assert json.dumps(texts(chat.history(101, 2))).count("one") == 1
