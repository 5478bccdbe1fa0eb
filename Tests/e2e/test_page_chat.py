"""The chat on the web page: people, conversations, losses of the server, and layout."""

import re

import pytest
from peers.served import Served
from playwright.sync_api import expect as see

PHONE = {"viewport": {"width": 390, "height": 844}, "is_mobile": True, "has_touch": True}


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def served(machine, tmp_path):
    return Served(machine, tmp_path / "data", "--reply-delay", "0")


def chat(visitors, **options):
    page = visitors.open(**options)
    page.get_by_role("link", name="Chat").click()
    return page


def write(page, text: str) -> None:
    page.get_by_role("textbox", name="Message").fill(text)
    page.keyboard.press("Enter")


def bubbles(page):
    return page.locator("#chat-messages .bubble > p")


def test_a_message_is_stored_answered_and_there_after_a_reload(served, pages):
    page = chat(pages(served.url))
    see(page.locator(".person")).to_have_count(15)
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    see(bubbles(page)).to_have_text(["Hi there!", "Hello!"])
    write(page, "<b>first</b>\nsecond line")
    see(bubbles(page)).to_have_count(4)
    see(bubbles(page).nth(2)).to_have_text("<b>first</b>\nsecond line", use_inner_text=True)
    see(page.locator(".bubble small").last).to_contain_text("automatic")
    page.reload()
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    see(bubbles(page)).to_have_count(4)


def test_two_browsers_write_to_each_other_and_see_what_was_read(served, pages):
    ann, bob = (pages(served.url).open() for _ in range(2))
    for page, number in ((ann, 101), (bob, 102)):
        page.evaluate("number => localStorage.setItem('callrunner.guest', number)", number)
        page.get_by_role("link", name="Chat").click()
        see(page.locator(".person").first).to_be_visible()
    names = ["Guest 101", "Guest 102"]
    # A list that was fetched before does not have the other yet.
    ann.reload()
    ann.get_by_role("button", name=re.compile(names[1])).click()
    write(ann, "hello")
    see(ann.locator(".bubble.mine small").last).to_contain_text("sent")
    # The inbox of the other tells it.
    see(bob.locator("#chat-unread")).to_have_text("1")
    bob.reload()
    bob.get_by_role("button", name=re.compile(names[0])).click()
    see(bubbles(bob).last).to_have_text("hello")
    see(ann.locator(".bubble.mine small").last).to_contain_text("read")
    bob.get_by_role("textbox", name="Message").press_sequentially("h")
    see(ann.locator("#chat-state")).to_have_text("is typing…")
    bob.locator(".bubble summary").last.click()
    bob.locator(".bubble").last.get_by_role("button", name="Love").click()
    see(ann.locator(".bubble").last.get_by_role("button", name="Love").first).to_contain_text("1")


def test_a_message_that_was_written_without_a_server_is_sent_once(served, pages):
    page = chat(pages(served.url))
    page.get_by_role("button", name=re.compile("Wren Ashby")).click()
    see(bubbles(page)).to_have_count(2)
    served.kill()
    see(page.locator("#chat-state")).to_contain_text("connecting again")
    write(page, "while away")
    see(page.locator(".bubble small").last).to_contain_text("waiting for the connection")
    served.start()
    # Another load of the page, before the message was sent, has it too.
    page.reload()
    page.get_by_role("button", name=re.compile("Wren Ashby")).click()
    see(page.locator(".bubble.mine[data-progress=stored] > p").last).to_have_text("while away")
    see(bubbles(page)).to_have_count(3)


def test_a_call_goes_on_while_the_chat_is_shown(served, machine, pages):
    page = pages(served.url).open(room=3, name="Ann")
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.get_by_role("button", name="Leave")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    see(page.locator(".person").first).to_be_visible()
    see(page.locator("#call")).to_be_hidden()
    page.get_by_role("link", name="Call").click()
    see(page.get_by_role("button", name="Leave")).to_be_visible()


def test_a_server_without_a_chat_shows_no_way_to_it(machine, pages):
    page = pages(machine.server("--services", "none")).open(room=3, name="Ann")
    see(page.get_by_role("button", name=re.compile("^Join"))).to_be_enabled()
    see(page.locator("#parts")).to_be_hidden()


@pytest.mark.parametrize(("language", "hint"), [("en", "Message"), ("uk", "Повідомлення"), ("ru", "Сообщение")])
def test_the_chat_fits_a_phone_in_each_language(served, pages, language, hint):
    page = pages(served.url).open(lang=language, context=PHONE)
    page.locator("#to-chat").click()
    page.locator(".person").first.click()
    see(page.get_by_role("textbox", name=hint)).to_be_visible()
    see(page.locator("#chat-list")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"
    page.locator("#chat-back").click()
    see(page.locator("#chat-list")).to_be_visible()
