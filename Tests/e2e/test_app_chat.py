"""The chat in the app: a conversation with a simulated person, and one with another client through a restart."""

import json
import signal
import struct
import subprocess
import time
import zlib

import pytest
from peers.drag import drop
from peers.picture import near
from peers.served import Served
from test_app import MAGENTA, person  # noqa: F401 - a fixture


class ServedChat(Served):
    """A server with a chat, whose database is read."""

    def history(self, own: int, peer: int) -> list[str]:
        """Returns the texts that the server has stored of a conversation, without its greetings."""
        low, high = sorted((own, peer))
        rows = self.rows("SELECT text FROM chat_message WHERE low = ? AND high = ? ORDER BY number", low, high)
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


def find(ann, text: str) -> None:
    left, top, width, _ = ann.hand.place
    ann.hand.click(left + width // 2, top + 141)
    ann.hand.write(text)


def open_person(ann, name: str) -> None:
    """Opens the conversation with somebody; who is online, and so stands before others, is drawn by lot."""
    find(ann, name)
    deadline = time.monotonic() + 15
    # The list may not have been fetched yet.
    while ann.app.all("screen")[-1]["name"] != "chat":
        assert time.monotonic() < deadline, ann.app.story
        ann.hand.press("Return")
        time.sleep(0.5)
    ann.hand.wait_for_title(f"{name}.*")


def open_iryna(ann) -> None:
    """Opens the conversation with person 1, who always answers."""
    open_person(ann, "Iryna Hrabar")


def open_chats(ann, served) -> None:
    ann.open("--server", served.url, first="chats")
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)


def green_png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = (b"\0" + b"\x10\xC0\x20" * width) * height
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


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


def test_an_unsent_message_survives_a_kill_of_the_app_and_is_sent_once(served, person):  # noqa: F811
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


def test_without_configuration_the_app_starts_its_own_chat_server(person):  # noqa: F811
    ann = person("ann")
    ann.open(first="chats")
    assert "chat" in ann.app.wait_for("server.listening")["services"]
    ann.hand.wait_for_title("Chats.*")
    time.sleep(1)
    open_iryna(ann)
    ann.quit()


def test_dropped_files_are_sent_and_shown_and_a_saved_file_replaces_no_existing_file(
    served, person, tmp_path, artefact  # noqa: F811
):
    ann = person("ann")
    (ann.home / "Downloads").mkdir(parents=True)
    (ann.home / "Downloads/note.txt").write_text("mine")
    open_chats(ann, served)
    open_person(ann, "Wren Ashby")
    left, top, width, height = ann.hand.place
    window, where = int(ann.hand.window), (left + width // 2, top + height // 2)
    picture, note = tmp_path / "green.png", tmp_path / "note.txt"
    picture.write_bytes(green_png(300, 200))
    note.write_text("a note")
    assert drop(ann.hand.display.name, window, picture.as_uri(), *where)
    sent = "SELECT text, type, width FROM chat_message JOIN chat_media ON chat_media.id = media ORDER BY number"
    served.wait_for_rows(sent, [("green.png", "image/png", 300)])
    time.sleep(2)
    photograph = ann.hand.photograph(artefact("chat-picture.png"))
    red, green, blue = photograph.colour(left + width - 180, top + height - 260)
    assert green > 150 and red < 90 and blue < 90, (red, green, blue)
    assert drop(ann.hand.display.name, window, note.as_uri(), *where)
    served.wait_for_rows("SELECT count(*) FROM chat_message WHERE media IS NOT NULL", [(2,)])
    time.sleep(2)
    ann.hand.click(left + width - 120, top + height - 185)
    saved = ann.home / "Downloads/note (2).txt"
    deadline = time.monotonic() + 10
    while not saved.exists():
        assert time.monotonic() < deadline, list((ann.home / "Downloads").iterdir())
        time.sleep(0.2)
    ann.hand.photograph(artefact("chat-saved.png"))
    assert saved.read_text() == "a note" and (ann.home / "Downloads/note.txt").read_text() == "mine"
    assert saved.stat().st_mode & 0o777 == 0o600
    assert list((ann.home / ".cache/callrunner/chat").iterdir()) == []
    ann.quit()


def test_a_video_is_played_in_its_message(served, person, tmp_path, artefact):  # noqa: F811
    ann = person("ann")
    open_chats(ann, served)
    open_person(ann, "Wren Ashby")
    film = tmp_path / "magenta.mp4"
    source = ["-f", "lavfi", "-i", "color=magenta:size=640x360:rate=30", "-t", "20"]
    subprocess.run(
        ["ffmpeg", "-v", "error", *source, "-c:v", "libx264", "-pix_fmt", "yuv420p", film], check=True, timeout=60)
    left, top, width, height = ann.hand.place
    where = (left + width // 2, top + height // 2)
    assert drop(ann.hand.display.name, int(ann.hand.window), film.as_uri(), *where)
    served.wait_for_rows("SELECT type FROM chat_media", [("video/mp4",)])
    time.sleep(2)
    # In the left half of the picture, which is the last message.
    place = (left + width - 340, top + height - 330)
    assert not near(ann.hand.photograph(artefact("chat-video.png")).colour(*place), MAGENTA)
    ann.hand.click(*place)
    deadline = time.monotonic() + 20
    while not near(ann.hand.photograph(artefact("chat-video-playing.png")).colour(*place), MAGENTA):
        assert time.monotonic() < deadline
        time.sleep(0.5)
    ann.hand.press("Escape")
    ann.is_at("chats")
    ann.quit()


def test_a_draft_survives_a_kill_and_messages_can_be_found_and_people_blocked(served, person, artefact):  # noqa: F811
    ann = person("ann")
    open_chats(ann, served)
    open_person(ann, "Wren Ashby")
    write(ann, "the fig tree needs water")
    served.wait_for_texts(15, guest(ann), ["the fig tree needs water"])
    ann.hand.write("a draft")
    time.sleep(2)
    ann.app.signal(signal.SIGKILL)
    ann.app.process.wait(10)
    open_chats(ann, served)
    find(ann, "wat")
    time.sleep(1)
    ann.hand.photograph(artefact("chat-found.png"))
    left, top, width, _ = ann.hand.place
    ann.hand.click(left + width // 2, top + 251)
    ann.is_at("chat")
    ann.hand.wait_for_title("Wren Ashby.*")
    time.sleep(1)
    ann.hand.press("Return")
    served.wait_for_texts(15, guest(ann), ["the fig tree needs water", "a draft"])
    ann.hand.click(left + 200, top + 30)
    time.sleep(1)
    ann.hand.press("Tab", "Tab", "Return")
    time.sleep(1)
    ann.hand.photograph(artefact("chat-block.png"))
    ann.hand.press("Tab", "Return")
    served.wait_for_rows("SELECT person, blocked FROM chat_block", [(guest(ann), 15)])
    ann.quit()
