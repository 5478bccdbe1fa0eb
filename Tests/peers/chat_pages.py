"""Guests of the web page's chat, whose frames a test reads, holds back and makes up."""

import json
import re

from playwright.sync_api import Page
from playwright.sync_api import expect as see

# Keeps the sockets of the page, what they sent, and while `held` is a list, the frames of the chat that have come.
TAP = """
window.sockets = [];
window.held = null;
window.WebSocket = class extends WebSocket {
  sent = [];
  constructor(...address) {
    super(...address);
    window.sockets.push(this);
    this.addEventListener("message", (event) => {
      if (!window.held || event.isMadeUp || !this.url.includes("/ws/chat")) return;
      event.stopImmediatePropagation();
      window.held.push([this, event.data]);
    });
  }
  send(data) {
    this.sent.push(data);
    super.send(data);
  }
};
window.receive = (socket, data) => {
  socket.dispatchEvent(Object.assign(new MessageEvent("message", { data }), { isMadeUp: true }));
};
window.inbox = () => window.sockets.findLast(({ url }) => url.includes("/ws/chat") && !url.includes("withId"));
window.conversation = () => window.sockets.findLast(({ url }) => url.includes("/ws/chat") && url.includes("withId"));
"""


# The first room of calls from conversations.
ROOM = 2**52


def guest(page: Page, number: int, chat: str = "Chat") -> Page:
    """Opens the chat, whose link has this name, as the guest with this ID."""
    page.add_init_script(TAP)
    page.evaluate("number => localStorage.setItem('callrunner.guest', number)", number)
    page.reload()
    page.get_by_role("link", name=chat).click()
    see(page.locator(".person").first).to_be_visible()
    page.wait_for_function("() => window.inbox()?.readyState === 1")
    return page


def talk(page: Page, name: str) -> None:
    """Opens the conversation with a person."""
    page.get_by_role("button", name=re.compile(name)).click()
    see(page.get_by_role("heading", name=name)).to_be_visible()


def receive(page: Page, **frame) -> None:
    """Makes the page's inbox receive a frame."""
    page.evaluate("frame => receive(inbox(), frame)", json.dumps(frame))


def converse(page: Page, frames: list[dict]) -> None:
    """Makes the open conversation receive these frames before anything else happens on the page."""
    page.evaluate("frames => frames.forEach((frame) => receive(conversation(), frame))", list(map(json.dumps, frames)))


def ring(page: Page, room: int, person: int) -> None:
    """Makes the page receive a call of this person."""
    receive(page, type="call", room=room, fromId=person, withId=person)


def hold(page: Page) -> None:
    """Holds back all frames of the chat until `release`."""
    page.evaluate("window.held = []")


def release(page: Page) -> None:
    page.evaluate("() => { const all = held; held = null; for (const [socket, data] of all) receive(socket, data); }")


def sent(page: Page, kind: str) -> list[dict]:
    """Returns the frames of a type that the inboxes of the page have sent."""
    texts = page.evaluate("sockets.filter(({ url }) => url.includes('/ws/chat')).flatMap(({ sent }) => sent)")
    return [frame for frame in map(json.loads, texts) if frame.get("type") == kind]
