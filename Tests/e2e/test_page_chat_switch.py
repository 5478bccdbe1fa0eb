"""Switching accounts on the web page: calls, rings and requests of the previous account."""

import pytest
from peers.accounts import Accounts
from peers.chat_pages import ROOM, guest, hold, receive, ring, sent, talk
from playwright.sync_api import expect as see


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def accounts(machine, tmp_path):
    """A server with the account of Ann, whom a link signs in."""
    accounts = Accounts(machine, tmp_path, "--reply-delay", "0")
    accounts.register()
    return accounts


@pytest.fixture
def bob(accounts, pages):
    return guest(pages(accounts.url).open(), 102)


@pytest.fixture
def eve(accounts, pages, bob):
    """A guest with whom Bob has opened the conversation."""
    eve = guest(pages(accounts.url).open(), 103)
    bob.reload()
    talk(bob, "Guest 103")
    see(bob.locator("#chat-call")).to_be_visible()
    return eve


def switch(page, accounts) -> None:
    """Uses the account of a link that is opened in the same tab."""
    page.evaluate("token => { location.hash = `token=${token}`; }", accounts.token())
    page.get_by_role("link", name="Chat").click()
    page.get_by_role("button", name="Go on").click()
    see(page.locator("#chat-own")).to_have_text("You write as Ann (@ann)")
    page.wait_for_function("() => inbox().url.includes('token=') && inbox().readyState === 1")


def hangups(page) -> list[str]:
    """Returns the addresses of the inboxes that have sent a hangup."""
    return page.evaluate("""sockets
      .filter(({ url, sent }) => url.includes("/ws/chat") && sent.some((text) => text.includes("hangup")))
      .map(({ url }) => url)""")


def test_switching_accounts_cancels_an_unanswered_call(accounts, bob, eve):
    bob.locator("#chat-call").click()
    see(eve.get_by_role("alertdialog", name="Guest 102")).to_be_visible()
    switch(bob, accounts)
    see(eve.get_by_role("alertdialog")).to_be_hidden()
    see(bob.locator("#status")).to_have_text("The call with Guest 103 was cancelled.")
    see(bob.locator("#chat-talk")).to_be_hidden()
    [address] = hangups(bob)
    assert "token=" not in address
    # The new account can call.
    talk(bob, "Guest 103")
    bob.locator("#chat-call").click()
    see(eve.get_by_role("alertdialog", name="Ann")).to_be_visible()


def test_a_connected_call_survives_an_account_switch_and_its_end_opens_no_conversation(accounts, bob, eve):
    bob.locator("#chat-call").click()
    eve.get_by_role("button", name="Answer").click()
    see(bob.locator("#status")).to_have_text("In a call with Guest 103.", timeout=20_000)
    switch(bob, accounts)
    see(bob.locator("#status")).to_have_text("In a call with Guest 103.")
    bob.get_by_role("link", name="Call").click()
    bob.get_by_role("button", name="Hang up").click()
    see(bob.locator("#status")).to_have_text("You hung up.")
    see(bob.locator(".person").first).to_be_visible()
    see(bob.locator("#chat-talk")).to_be_hidden()
    assert hangups(bob) == []


def test_a_declined_caller_rings_again_after_an_account_switch(accounts, bob):
    ring(bob, ROOM + 5, 101)
    bob.get_by_role("button", name="Decline").click()
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]
    switch(bob, accounts)
    ring(bob, ROOM + 6, 101)
    see(bob.get_by_role("alertdialog", name="Guest 101")).to_be_visible()


def test_a_pending_request_to_block_a_person_is_forgotten_when_the_account_is_switched(accounts, bob, eve):
    hold(bob)
    bob.get_by_role("button", name="Mute or block").click()
    bob.locator("#person-block").click()
    bob.locator("#person-confirm").click()
    bob.locator("#person-close").click()
    bob.evaluate("held = null")
    switch(bob, accounts)
    receive(bob, type="error", code="busy", message="the server is busy")
    bob.wait_for_timeout(200)
    see(bob.locator("#person")).to_be_hidden()
