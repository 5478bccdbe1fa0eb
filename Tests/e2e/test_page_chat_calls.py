"""Calls from a conversation of the web page."""

import re

import pytest
from peers.chat_pages import guest, talk
from peers.chromium import statistics
from peers.served import Served
from playwright.sync_api import expect as see


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def served(machine, tmp_path):
    return Served(machine, tmp_path / "data", "--reply-delay", "0")


@pytest.fixture
def both(served, pages):
    """Two guests, of whom the first has opened the conversation with the second."""
    bob, ann = (guest(pages(served.url).open(), number) for number in (102, 101))
    talk(ann, "Guest 102")
    see(ann.get_by_role("button", name="Call", exact=True)).to_be_visible()
    return ann, bob


def test_an_answered_call_ends_with_both_people_back_in_the_conversation(both):
    ann, bob = both
    # The call rings wherever the page is.
    bob.get_by_role("link", name="Call").click()
    ann.get_by_role("button", name="Call", exact=True).click()
    see(ann.locator("#status")).to_have_text("Calling Guest 102…")
    ring = bob.get_by_role("alertdialog", name="Guest 101 is calling you")
    see(ring).to_be_visible()
    see(bob).to_have_title("Guest 101 is calling you · callrunner")
    ring.get_by_role("button", name="Answer").click()
    see(ann.locator("#status")).to_have_text("In a call with Guest 102.", timeout=20_000)
    see(bob.locator("#status")).to_have_text("In a call with Guest 101.", timeout=20_000)
    bob.wait_for_timeout(1000)
    assert statistics(bob)["soundIn"] > 0
    bob.get_by_role("button", name="Hang up").click()
    for page, name in ((ann, "Guest 102"), (bob, "Guest 101")):
        see(page.get_by_role("heading", name=name)).to_be_visible()
        see(page.get_by_role("button", name="Call", exact=True)).to_be_visible()
        assert page.errors == []


def test_a_call_that_is_cancelled_or_declined_ends_on_both_sides(both):
    ann, bob = both
    ann.get_by_role("button", name="Call", exact=True).click()
    see(bob.get_by_role("alertdialog")).to_be_visible()
    # The same person can be called again after three seconds, and a call that ends before silences the next one.
    ann.wait_for_timeout(3500)
    ann.locator("#hang-up").click()
    see(bob.get_by_role("alertdialog")).to_be_hidden()
    see(bob.locator("#status")).to_have_text("Missed call: Guest 101")
    see(ann.locator("#status")).to_have_text("The call with Guest 102 was cancelled.")
    see(ann.get_by_role("heading", name="Guest 102")).to_be_visible()
    ann.get_by_role("button", name="Call", exact=True).click()
    bob.get_by_role("button", name="Decline").click()
    see(ann.locator("#status")).to_have_text("Guest 102 declined the call, or is in another one.")
    see(ann.get_by_role("heading", name="Guest 102")).to_be_visible()


def test_an_unanswered_call_ends_after_45_seconds_on_both_sides(served, pages, both):
    ann, bob = both
    for page in both:
        page.clock.install()
    ann.get_by_role("button", name="Call", exact=True).click()
    see(bob.get_by_role("alertdialog")).to_be_visible()
    # Before the caller is in the room, the page would give the server up.
    see(ann.locator("#status")).to_have_text("Calling Guest 102…")
    # The clocks go on meanwhile, so this leaves time for a slow machine.
    for page in both:
        page.clock.fast_forward(25_000)
    see(bob.get_by_role("alertdialog")).to_be_visible()
    bob.clock.fast_forward(21_000)
    see(bob.locator("#status")).to_have_text("Missed call: Guest 101")
    ann.clock.fast_forward(21_000)
    see(ann.locator("#status")).to_have_text("Guest 102 did not answer.")


def test_a_second_call_during_a_call_is_declined(served, pages, both):
    ann, bob = both
    ann.get_by_role("button", name="Call", exact=True).click()
    bob.get_by_role("button", name="Answer").click()
    see(bob.locator("#status")).to_have_text("In a call with Guest 101.", timeout=20_000)
    eve = pages(served.url).open()
    eve.evaluate("localStorage.setItem('callrunner.guest', 103)")
    eve.get_by_role("link", name="Chat").click()
    eve.get_by_role("button", name=re.compile("Guest 102")).click()
    eve.get_by_role("button", name="Call", exact=True).click()
    see(eve.locator("#status")).to_have_text("Guest 102 declined the call, or is in another one.")
    see(bob.get_by_role("alertdialog")).to_be_hidden()


def test_a_simulated_person_cannot_be_called(served, pages):
    page = pages(served.url).open()
    page.get_by_role("link", name="Chat").click()
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    see(page.locator("#chat-state")).to_have_text("online")
    see(page.locator("#chat-messages .bubble")).to_have_count(2)
    see(page.get_by_role("button", name="Call", exact=True)).to_be_hidden()
