"""Calls from a conversation of the app, to another app and to the web page."""

import json
import time

import pytest
from peers.served import Served
from playwright.sync_api import expect as see
from test_app import person  # noqa: F401 - a fixture
from test_app_chat import open_person


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def served(machine, tmp_path):
    return Served(machine, tmp_path / "data", "--reply-delay", "0")


def open_chat(one, served, number: int) -> None:
    """Opens the app's chat as a guest of this number."""
    folder = one.home / "callrunner/chat"
    folder.mkdir(parents=True)
    (folder / "guest.json").write_text(json.dumps({"id": number}))
    one.open("--server", served.url, first="chats")
    one.hand.wait_for_title("Chats.*")
    time.sleep(1)


def call(one) -> None:
    """Presses the telephone in the header of the conversation."""
    left, top, width, _ = one.hand.place
    time.sleep(1)
    one.hand.click(left + width - 28, top + 30)


def test_two_apps_call_each_other_from_a_conversation(served, person, artefact):  # noqa: F811
    ann, bob = person("ann"), person("bob")
    open_chat(bob, served, 102)
    open_chat(ann, served, 101)
    open_person(ann, "Guest 102")
    ann.hand.photograph(artefact("chat-call-button.png"))
    call(ann)
    ann.is_at("call")
    bob.hand.wait_for_title("Guest 101 is calling you.*")
    time.sleep(1)
    ann.hand.photograph(artefact("chat-calling.png"))
    bob.hand.photograph(artefact("chat-ring.png"))
    bob.hand.answer()
    for one in (ann, bob):
        one.app.wait_for("media.connected", within=30)
    bob.hand.photograph(artefact("chat-called.png"))
    assert ann.app.wait_for("room.joined")["room"] == bob.app.wait_for("room.joined")["room"] >= 2**52
    ann.hand.press("Escape", "Escape")
    assert bob.app.wait_for("call.ended")["reason"] == "hung-up"
    for one, name in ((ann, "Guest 102"), (bob, "Guest 101")):
        one.is_at("chat")
        one.hand.wait_for_title(f"{name}.*")
    # The other side calls back, and gives up.
    call(bob)
    bob.is_at("call")
    ann.hand.wait_for_title("Guest 102 is calling you.*")
    time.sleep(1)
    bob.hand.press("Escape", "Escape")
    bob.is_at("chat")
    ann.hand.wait_for_title("Guest 102 .*Chats.*")
    time.sleep(1)
    ann.hand.photograph(artefact("chat-missed.png"))
    bob.hand.photograph(artefact("chat-cancelled.png"))
    for one in (ann, bob):
        one.quit()


def test_the_app_and_the_page_call_each_other(served, person, pages):  # noqa: F811
    page = pages(served.url).open()
    page.evaluate("localStorage.setItem('callrunner.guest', 102)")
    page.get_by_role("link", name="Chat").click()
    see(page.locator(".person").first).to_be_visible()
    ann = person("ann")
    open_chat(ann, served, 101)
    open_person(ann, "Guest 102")
    call(ann)
    page.get_by_role("button", name="Answer").click()
    ann.app.wait_for("media.connected", within=30)
    see(page.locator("#status")).to_have_text("In a call with Guest 101.")
    page.get_by_role("button", name="Hang up").click()
    ann.is_at("chat")
    ann.hand.wait_for_title("Guest 102.*")
    # The page calls back while the app shows the list.
    time.sleep(1)
    ann.hand.press("Escape")
    ann.is_at("chats")
    see(page.get_by_role("heading", name="Guest 101")).to_be_visible()
    page.get_by_role("button", name="Call", exact=True).click()
    ann.hand.wait_for_title("Guest 102 is calling you.*")
    # A key of somebody who was typing does not answer.
    time.sleep(2)
    ann.hand.press("Return")
    see(page.locator("#status")).to_have_text("In a call with Guest 101.", timeout=20_000)
    page.get_by_role("button", name="Hang up").click()
    ann.is_at("chat")
    ann.hand.wait_for_title("Guest 102.*")
    see(page.get_by_role("heading", name="Guest 101")).to_be_visible()
    call(ann)
    page.get_by_role("button", name="Decline").click()
    ann.is_at("chat")
    assert page.errors == []
    ann.quit()
