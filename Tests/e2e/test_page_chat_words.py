"""Names of people and files in the chat of the web page."""

import re

import pytest
from peers.accounts import PNG, Accounts
from peers.chat_pages import ROOM, guest, ring, talk
from peers.served import Served
from playwright.sync_api import expect as see


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def served(machine, tmp_path):
    return Served(machine, tmp_path / "data", "--reply-delay", "0")


def send_file(page, name: str, head: bytes, size: int) -> None:
    """Sends a file from Guest 101 to Wren Ashby as the app does, with its name as the text of the message."""
    page.evaluate("""async ([name, head, size]) => {
      const body = new Uint8Array(size);
      body.set(head);
      const { id } = await (await fetch("/api/media?userId=101", { method: "POST", body })).json();
      inbox().send(JSON.stringify({ type: "message", id: id.slice(-40), message: name, media: { id }, withId: 15 }));
    }""", [name, list(head), size])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("language", "chat", "word"), [("en", "Chat", "Guest"), ("uk", "Чат", "Гість"), ("ru", "Чат", "Гость")]
)
def test_guest_names_are_in_the_language_of_the_user(served, pages, language, chat, word):
    visitors = pages(served.url)
    guest(visitors.open(), 101)
    bob = guest(visitors.open(lang=language), 102, chat)
    see(bob.locator("#chat-own")).to_contain_text(f" {word} 102")
    talk(bob, f"{word} 101")
    # Also those who are not in the list.
    ring(bob, ROOM + 5, 555)
    see(bob.get_by_role("alertdialog", name=f"{word} 555")).to_be_visible()


def test_usernames_distinguish_accounts_with_similar_names(machine, pages, tmp_path):
    accounts = Accounts(machine, tmp_path, "--reply-delay", "0")
    # The last name has a Cyrillic letter.
    people = [("Alice", "alice"), ("Alice", "mallory"), ("\u0410lice", "trudy")]
    for phone, (name, username) in zip(("+79210000001", "+79210000002", "+79210000003"), people, strict=True):
        accounts.run("login", "--phone", phone, "--code", "133337", exit=4)
        accounts.run("register", "--name", name, "--username", username)
        accounts.run("logout")
    page = guest(pages(accounts.url).open(), 101)
    handles = page.locator(".words .username")
    see(handles).to_have_text(["@alice", "@mallory", "@trudy"])
    colors = {place.evaluate("(place) => getComputedStyle(place).color") for place in
              (handles.first, page.locator(".words small").first, page.locator(".words strong").first)}
    assert len(colors) == 3
    see(page.locator(".person", has_text="Wren Ashby")).not_to_contain_text("@")
    page.get_by_role("button", name=re.compile("Alice.*@mallory")).click()
    see(page.locator("#chat-head .username")).to_have_text("@mallory")
    ring(page, ROOM + 5, 1001)
    see(page.get_by_role("alertdialog", name="Alice @mallory is calling you", exact=True)).to_be_visible()
    page.get_by_role("button", name="Decline").click()
    talk(page, "Wren Ashby")
    see(page.locator("#chat-head .username")).to_be_hidden()
    ring(page, ROOM + 6, 103)
    see(page.get_by_role("alertdialog", name="Guest 103 is calling you", exact=True)).to_be_visible()


def test_a_picture_is_shown_without_its_file_name(served, pages):
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    send_file(page, "holiday.png", PNG, len(PNG))
    bubble = page.locator(".bubble", has=page.locator("img"))
    see(bubble.locator("img")).to_have_attribute("alt", "holiday.png")
    see(bubble).not_to_contain_text("holiday.png")
    see(page.locator(".person", has_text="Wren Ashby")).to_contain_text("Picture")


def test_a_picture_is_shown_with_a_text_that_is_not_its_file_name(served, pages):
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    send_file(page, "on the beach", PNG, len(PNG))
    see(page.locator(".bubble", has=page.locator("img")).locator("> p")).to_have_text("on the beach")


def test_direction_control_characters_are_removed_from_displayed_file_names(served, pages):
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    # U+202E would show this name as “invoiceexe.pdf”.
    send_file(page, "invoice\u202efdp.exe", b"", 10)
    link = page.locator(".bubble .file").get_by_role("link")
    see(link).to_be_visible()
    assert link.text_content() == link.get_attribute("download") == "invoicefdp.exe"
    # Letters beside the name change nothing in it.
    see(link.locator("bdi")).to_have_text("invoicefdp.exe")
    preview = page.locator(".person", has_text="Wren Ashby").locator(".words small")
    see(preview).to_contain_text("invoice")
    assert preview.text_content() == "invoicefdp.exe"


def png(width: int, height: int) -> bytes:
    """Returns the beginning of a picture of this size."""
    return PNG[:16] + width.to_bytes(4) + height.to_bytes(4) + PNG[24:]


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("name", "head"),
    [
        ("wide.png", png(4097, 1)),
        ("high.png", png(1, 4097)),
        ("huge.png", png(23_000, 23_000)),
        ("still.gif", b"GIF89a" + bytes([0x01, 0x00, 0x01, 0x00, 0, 0, 0])),
    ],
    ids=["wide", "high", "huge", "of unknown size"],
)
def test_a_picture_of_a_large_or_unknown_size_is_shown_as_a_file_and_not_decoded(served, pages, name, head):
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    send_file(page, name, head, len(head))
    bubble = page.locator(".bubble", has=page.locator(".file"))
    see(bubble.get_by_role("link")).to_have_text(name)
    see(bubble.locator(".file small")).to_contain_text("Picture")
    send_file(page, "largest.png", png(4096, 4096), len(PNG))
    # Nothing but pictures that are shown are elements of their kind.
    see(page.locator("#chat-messages img")).to_have_count(1)
    see(page.locator("#chat-messages img")).to_have_attribute("alt", "largest.png")


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    ("name", "head", "size", "note"),
    [
        ("notes.txt", b"ab", 2, "Text · 2 bytes"),
        ("paper.pdf", b"%PDF-1.4", 2000, "PDF · 2 kB"),
        ("backup.tar.gz", b"", 1_250_000, "Archive · 1.3 MB"),
        ("something", b"", 10, "File · 10 bytes"),
        ("song.mp3", b"ID3", 1000, "Audio · 1 kB"),
    ],
)
def test_a_file_is_shown_as_a_link_with_its_name_kind_and_size(served, pages, name, head, size, note):
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    send_file(page, name, head, size)
    bubble = page.locator(".bubble", has=page.locator(".file"))
    see(bubble.get_by_role("link")).to_have_text(name)
    see(bubble.get_by_role("link")).to_have_attribute("download", name)
    see(bubble.locator(".file small")).to_have_text(re.compile(f"^{re.escape(note)}$"))
    see(bubble.locator("> p")).to_have_count(0)
