"""The chat in the app: a conversation with a simulated person, and one with another client through a restart."""

import json
import signal
import sqlite3
import time
from contextlib import closing

import pytest
from peers.served import Served
from test_app import person  # noqa: F401 - a fixture


class ServedChat(Served):
    """A server with a chat, whose database is read."""

    def history(self, own: int, peer: int) -> list[str]:
        """Returns the texts that the server has stored of a conversation, without its greetings."""
        low, high = sorted((own, peer))
        with closing(sqlite3.connect(f"file:{self.data}/callrunner.db?mode=ro", uri=True)) as database:
            rows = database.execute(
                "SELECT text FROM chat_message WHERE low = ? AND high = ? ORDER BY number", (low, high)
            ).fetchall()
        return [text for (text,) in rows][2:]

    def wait_for_texts(self, own: int, peer: int, texts: list[str], within: float = 15) -> None:
        deadline = time.monotonic() + within
        while (found := self.history(own, peer)) != texts:
            assert time.monotonic() < deadline, found
            time.sleep(0.2)


@pytest.fixture
def served(machine, tmp_path):
    return ServedChat(machine, tmp_path / "data", "--reply-delay", "0")


def guest(ann) -> int:
    """Returns the ID of the app's user, who has no account."""
    return json.loads((ann.home / "callrunner/chat/guest.json").read_text())["id"]


def open_iryna(ann) -> None:
    """Opens the conversation with person 1; who else is online, and so stands before her, is drawn by lot."""
    left, top, width, _ = ann.hand.place
    ann.hand.click(left + width // 2, top + 109)
    ann.hand.write("Iryna")
    time.sleep(0.5)
    ann.hand.click(left + width // 2, top + 180)
    ann.is_at("chat")
    ann.hand.wait_for_title("Iryna Hrabar.*")


def write(ann, text: str) -> None:
    ann.hand.write(text)
    ann.hand.press("Return")


def test_a_message_is_written_by_keyboard_and_answered(served, person, artefact):  # noqa: F811
    ann = person("ann")
    ann.open("--server", served.url, first="chats")
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_iryna(ann)
    write(ann, "hello from the app")
    ann.hand.write("two")
    ann.hand.press("shift+Return")
    ann.hand.write("lines")
    ann.hand.press("Return")
    texts = ["hello from the app", "Good to hear from you!", "two\nlines", "Tell me more."]
    served.wait_for_texts(1, guest(ann), texts)
    ann.hand.photograph(artefact("chat.png"))
    ann.hand.press("Escape")
    ann.is_at("chats")
    ann.quit()


def test_a_message_written_while_the_server_is_away_outlives_the_app_and_is_sent_once(served, person):  # noqa: F811
    ann = person("ann")
    ann.open("--server", served.url, first="chats")
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_iryna(ann)
    write(ann, "before")
    served.wait_for_texts(1, guest(ann), ["before", "Good to hear from you!"])
    served.kill()
    time.sleep(1)
    write(ann, "while away")
    time.sleep(1)
    ann.app.signal(signal.SIGKILL)
    ann.app.process.wait(10)
    served.start()
    ann.open("--server", served.url, first="chats")
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_iryna(ann)
    deadline = time.monotonic() + 15
    while served.history(1, guest(ann)).count("while away") != 1:
        assert time.monotonic() < deadline, served.history(1, guest(ann))
        time.sleep(0.2)
    time.sleep(1)
    assert served.history(1, guest(ann)).count("while away") == 1
    ann.quit()


def test_with_nothing_configured_the_app_offers_a_chat_itself(person):  # noqa: F811
    ann = person("ann")
    ann.open(first="chats")
    assert "chat" in ann.app.wait_for("server.listening")["services"]
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_iryna(ann)
    ann.quit()
