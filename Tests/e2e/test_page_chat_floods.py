"""Floods of frames in a conversation of the web page: memory, rendering, and the scroll position of the reader."""

import pytest
from peers.chat_pages import converse, guest, sent, talk
from peers.served import Served
from playwright.sync_api import expect as see

WREN = 15


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def page(machine, pages, tmp_path):
    """A guest in the conversation with Wren Ashby, whose two messages are shown."""
    served = Served(machine, tmp_path / "data", "--reply-delay", "0")
    page = guest(pages(served.url).open(), 101)
    talk(page, "Wren Ashby")
    see(page.locator(".bubble")).to_have_count(2)
    return page


def message(number: int, text: str = "", person: int = WREN) -> dict:
    """Makes the frame of a message that comes in a minute of its own."""
    item = {
        "id": f"m{number}", "fromId": person, "toId": WREN + 101 - person, "from": str(person), "to": "",
        "message": text or f"message {number}", "timestamp": f"2030-01-01T{number // 60 % 24:02}:{number % 60:02}:00Z",
    }  # fmt: skip
    return {"type": "message", "item": item}


def watch(page) -> None:
    """Begins to count the rows that the page makes."""
    page.evaluate("""() => {
      const make = Document.prototype.createElement;
      window.made = 0;
      Document.prototype.createElement = function (tag, ...rest) {
        if (tag === "li") window.made += 1;
        return make.call(this, tag, ...rest);
      };
    }""")


def test_the_newest_500_messages_are_shown_and_older_ones_are_fetched_on_demand(page):
    converse(page, [message(number) for number in range(700)])
    see(page.locator(".bubble > p").last).to_have_text("message 699")
    see(page.locator(".bubble")).to_have_count(500)
    see(page.locator(".bubble > p").first).to_have_text("message 200")
    page.locator("#chat-messages").evaluate("list => { list.scrollTop = 0; }")
    page.wait_for_function("() => conversation().sent.some((text) => text.includes('history'))")
    assert [frame["before"] for frame in sent(page, "history")] == ["m200"]


def test_messages_are_not_removed_while_the_user_reads_them(page):
    converse(page, [message(number) for number in range(400)])
    see(page.locator(".bubble")).to_have_count(402)
    page.locator("#chat-messages").evaluate("list => { list.scrollTop = 1000; }")
    see(page.locator("#chat-new")).to_be_hidden()
    page.wait_for_timeout(100)
    converse(page, [message(number) for number in range(400, 700)])
    see(page.locator("#chat-new")).to_be_visible()
    see(page.locator(".bubble")).to_have_count(702)
    page.locator("#chat-new").click()
    see(page.locator("#chat-new")).to_be_hidden()
    page.wait_for_timeout(100)
    converse(page, [message(700)])
    see(page.locator(".bubble")).to_have_count(500)


def test_many_changes_of_a_message_that_arrive_together_are_rendered_only_once(page):
    converse(page, [message(number) for number in range(100)])
    see(page.locator(".bubble")).to_have_count(102)
    watch(page)
    edits = [{"type": "edit", "id": "m50", "fromId": WREN, "message": f"edit {number}"} for number in range(200)]
    reactions = [
        {"type": "reaction", "id": "m51", "fromId": WREN, "reaction": "like", "op": op} for op in ["add", "remove"] * 100
    ]
    converse(page, edits + reactions + [{"type": "typing", "fromId": WREN}] * 100)
    see(page.locator(".bubble > p", has_text="edit 199")).to_be_visible()
    assert page.evaluate("made") == 2


def test_a_hidden_page_renders_no_messages_until_it_is_visible(page):
    page.evaluate("() => { window.requestAnimationFrame = (draw) => { window.draw = draw; return 1; }; }")
    watch(page)
    converse(page, [message(number) for number in range(300)])
    assert page.evaluate("made") == 0
    page.evaluate("draw()")
    see(page.locator(".bubble")).to_have_count(302)


def test_new_messages_do_not_scroll_the_list_while_older_ones_are_read(page):
    converse(page, [message(number) for number in range(100)])
    see(page.locator(".bubble")).to_have_count(102)
    page.locator("#chat-messages").evaluate("list => { list.scrollTop = 1000; }")
    page.wait_for_timeout(100)
    read = page.locator("[data-key=m30]")
    place = lambda: read.bounding_box()["y"]  # noqa: E731
    before = place()
    converse(page, [message(100, "new\n" * 20)])
    see(page.locator("#chat-new")).to_be_visible()
    # A list scrolls by whole pixels.
    assert abs(place() - before) < 1
    # So do older ones, which come before all others.
    first = page.locator(".bubble").first.get_attribute("data-key")
    items = [message(number)["item"] | {"id": f"older{number}"} for number in range(50)]
    converse(page, [{"type": "history", "before": first, "items": items, "more": False}])
    see(page.locator(".bubble")).to_have_count(153)
    assert abs(place() - before) < 1


def test_messages_fetched_again_after_a_connection_loss_retain_their_dom_elements(page):
    page.evaluate("() => { for (const row of document.querySelectorAll('.bubble')) row.isKept = true; }")
    page.evaluate("() => { window.lost = conversation(); lost.close(3000); }")
    page.wait_for_function("() => conversation() !== lost")
    see(page.locator("#chat-state")).to_contain_text("offline")
    assert page.evaluate("[...document.querySelectorAll('.bubble')].map((row) => row.isKept)") == [True, True]


def test_own_messages_that_arrive_together_are_marked_as_read_delivered_or_sent(page):
    own = [message(number, person=101) for number in range(3)]
    converse(page, own + [message(3), {"type": "read", "id": "m0", "fromId": WREN}, message(4, person=101)])
    notes = page.locator(".bubble.mine[data-key^=m] small")
    see(notes).to_have_count(4)
    told = notes.all_text_contents()
    assert [text.rpartition(" · ")[2] for text in told] == ["read", "delivered", "delivered", "sent"]
