"""Rings on the web page: keys, floods, mutes, blocks, and rings beside other calls."""

import re
from datetime import datetime

import pytest
from peers.chat_pages import ROOM, guest, hold, receive, release, ring, sent, talk
from peers.served import Served
from playwright.sync_api import expect as see


@pytest.fixture
def machine(desk_machine):
    return desk_machine


@pytest.fixture
def served(machine, tmp_path):
    return Served(machine, tmp_path / "data", "--reply-delay", "0")


@pytest.fixture
def bob(served, pages):
    return guest(pages(served.url).open(name="Bob", room=7), 102)


@pytest.fixture
def both(served, pages, bob):
    """Two guests, each in the conversation with the other."""
    ann = guest(pages(served.url).open(name="Ann", room=7), 101)
    talk(ann, "Guest 102")
    bob.reload()
    talk(bob, "Guest 101")
    for page in (ann, bob):
        see(page.locator("#chat-call")).to_be_visible()
    return ann, bob


def dialog(page):
    return page.get_by_role("alertdialog")


def join(page) -> None:
    page.get_by_role("link", name="Call").click()
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.locator("#status")).to_have_text(re.compile("^Waiting for"))


def center(page, selector: str) -> tuple[float, float]:
    box = page.locator(selector).bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def stop_time(page) -> None:
    """Lets time pass only as told from now on."""
    page.clock.install(time=datetime(2030, 1, 1))
    page.clock.pause_at(datetime(2030, 1, 1, hour=1))


def test_keys_pressed_while_typing_neither_answer_nor_decline_a_ring(bob):
    talk(bob, "Wren Ashby")
    bob.get_by_role("textbox", name="Message").press_sequentially("I am")
    # A slow machine must not pass for a pause.
    stop_time(bob)
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()
    for key in ("Enter", "Space", "Escape", "Tab", "Enter"):
        bob.keyboard.press(key)
    # Somebody who types on has not seen the ring yet.
    bob.clock.fast_forward(1000)
    bob.keyboard.press("Space")
    bob.clock.fast_forward(1000)
    bob.keyboard.press("Escape")
    see(dialog(bob)).to_be_visible()
    assert sent(bob, "hangup") == []
    bob.clock.fast_forward(1600)
    bob.keyboard.press("Escape")
    see(dialog(bob)).to_be_hidden()
    see(bob.get_by_role("textbox", name="Message")).to_be_focused()
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]


@pytest.mark.sample(1)
@pytest.mark.parametrize(("button", "frame"), [("answer", "answer"), ("decline", "hangup"), ("mute", "hangup")])
def test_a_click_just_after_a_ring_appears_neither_answers_nor_declines_it(bob, button, frame):
    stop_time(bob)
    ring(bob, ROOM + 5, 101)
    place = center(bob, f"#ring-{button}")
    bob.mouse.click(*place)
    # One that begins before the dialog takes clicks, and ends after that.
    bob.mouse.move(*place)
    bob.mouse.down()
    bob.clock.fast_forward(800)
    bob.mouse.up()
    bob.wait_for_timeout(200)
    see(dialog(bob)).to_be_visible()
    assert sent(bob, "answer") == sent(bob, "hangup") == []
    bob.mouse.click(*place)
    see(dialog(bob)).to_be_hidden()
    assert [frame["room"] for frame in sent(bob, frame)] == [ROOM + 5]


def test_a_key_pressed_just_after_a_ring_appears_does_not_decline_it(bob):
    bob.locator("#to-call").focus()
    stop_time(bob)
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()
    for key in ("Escape", "Tab", "Enter", "Escape"):
        bob.keyboard.press(key)
    bob.wait_for_timeout(200)
    see(dialog(bob)).to_be_visible()
    assert sent(bob, "hangup") == []
    bob.clock.fast_forward(800)
    bob.keyboard.press("Escape")
    see(dialog(bob)).to_be_hidden()
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]


def test_a_ring_focuses_its_dialog_and_not_a_button(bob):
    bob.locator("#to-call").focus()
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_focused()


def test_another_call_by_the_ringing_caller_does_not_prolong_the_ring(bob):
    bob.clock.install()
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()
    bob.clock.fast_forward(30_000)
    ring(bob, ROOM + 6, 101)
    bob.clock.fast_forward(16_000)
    see(dialog(bob)).to_be_hidden()
    see(bob.locator("#status")).to_have_text("Missed call: Guest 101")


def test_a_caller_who_twice_hangs_up_at_once_cannot_ring_again_for_30_seconds(bob):
    bob.clock.install()
    # The first time may be a mistake.
    for room in (ROOM + 4, ROOM + 5):
        ring(bob, room, 101)
        see(dialog(bob)).to_be_visible()
        receive(bob, type="hangup", room=room, fromId=101, withId=101)
        see(dialog(bob)).to_be_hidden()
        see(bob.locator("#status")).to_have_text("Missed call: Guest 101")
    ring(bob, ROOM + 6, 101)
    # Others ring, and those again who have rung for longer.
    for room in (ROOM + 7, ROOM + 8):
        ring(bob, room, 103)
        see(bob.get_by_role("alertdialog", name="Guest 103")).to_be_visible()
        bob.clock.fast_forward(4_000)
        receive(bob, type="hangup", room=room, fromId=103, withId=103)
        see(dialog(bob)).to_be_hidden()
    bob.clock.fast_forward(23_000)
    ring(bob, ROOM + 9, 101)
    see(bob.get_by_role("alertdialog", name="Guest 101")).to_be_visible()
    assert sent(bob, "hangup") == []


def test_a_declined_caller_cannot_ring_again_for_30_seconds(bob):
    bob.clock.install()
    ring(bob, ROOM + 5, 101)
    bob.get_by_role("button", name="Decline").click()
    ring(bob, ROOM + 6, 101)
    bob.clock.fast_forward(15_000)
    ring(bob, ROOM + 7, 101)
    ring(bob, ROOM + 8, 103)
    see(bob.get_by_role("alertdialog", name="Guest 103")).to_be_visible()
    receive(bob, type="hangup", room=ROOM + 8, fromId=103, withId=103)
    bob.clock.fast_forward(16_000)
    ring(bob, ROOM + 9, 101)
    see(bob.get_by_role("alertdialog", name="Guest 101")).to_be_visible()
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]


def test_repeated_calls_by_one_person_during_a_call_are_declined_only_once(both):
    ann, bob = both
    bob.clock.install()
    bob.locator("#chat-call").click()
    for room in range(ROOM + 5, ROOM + 8):
        ring(bob, room, 103)
    ring(bob, ROOM + 8, 104)
    see(bob.locator("#told")).to_have_text("Missed call: Guest 104")
    # The state of the call stays.
    see(bob.locator("#status")).to_have_text("Calling Guest 101…")
    assert [(frame["room"], frame["withId"]) for frame in sent(bob, "hangup")] == [(ROOM + 5, 103), (ROOM + 8, 104)]


def test_a_muted_person_does_not_ring_and_stays_muted_after_a_reload(both):
    ann, bob = both
    ring(bob, ROOM + 5, 101)
    dialog(bob).get_by_role("button", name="Mute").click()
    see(dialog(bob)).to_be_hidden()
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]
    see(bob.locator("#chat-state")).to_have_text("online · muted")
    bob.reload()
    see(bob.get_by_role("button", name=re.compile("Guest 101.*muted"))).to_be_visible()
    ring(bob, ROOM + 6, 101)
    ring(bob, ROOM + 7, 103)
    see(bob.get_by_role("alertdialog", name="Guest 103")).to_be_visible()
    dialog(bob).get_by_role("button", name="Decline").click()
    # The number beside “Chat” does not count the messages of muted people.
    ann.get_by_role("textbox", name="Message").fill("hello")
    ann.keyboard.press("Enter")
    see(bob.locator(".person .badge")).to_have_text("1")
    see(bob.locator("#chat-unread")).to_be_empty()
    talk(bob, "Guest 101")
    bob.get_by_role("button", name="Mute or block").click()
    bob.get_by_role("button", name="Unmute").click()
    see(bob.locator("#chat-state")).to_have_text("online")
    ring(bob, ROOM + 8, 101)
    see(bob.get_by_role("alertdialog", name="Guest 101")).to_be_visible()


def test_a_person_is_blocked_after_a_confirmation_until_unblocked(both):
    ann, bob = both
    bob.get_by_role("button", name="Mute or block").click()
    person = bob.get_by_role("dialog", name="Guest 101")
    person.get_by_role("button", name="Block").click()
    see(person).to_contain_text("Guest 101 will see you offline")
    person.get_by_role("button", name="Block").click()
    see(person).to_be_hidden()
    see(bob.locator("#chat-state")).to_have_text("blocked")
    see(bob.locator("#chat-blocked")).to_contain_text("You have blocked Guest 101.")
    see(bob.locator("#chat-form")).to_be_hidden()
    see(bob.locator("#chat-call")).to_be_hidden()
    see(ann.locator("#chat-call")).to_be_hidden()
    bob.reload()
    see(bob.get_by_role("button", name=re.compile("Guest 101.*blocked"))).to_be_visible()
    talk(bob, "Guest 101")
    bob.get_by_role("button", name="Unblock").click()
    see(bob.locator("#chat-form")).to_be_visible()
    see(ann.locator("#chat-call")).to_be_visible()


def test_a_block_without_a_connection_is_reported_as_failed(bob):
    talk(bob, "Wren Ashby")
    bob.get_by_role("button", name="Mute or block").click()
    bob.locator("#person-block").click()
    bob.evaluate("() => { inbox().close(); document.getElementById('person-confirm').click(); }")
    see(bob.locator("#person-problem")).to_have_text("There is no connection to the chat.")


def block(page) -> None:
    page.get_by_role("button", name="Mute or block").click()
    page.locator("#person-block").click()
    page.locator("#person-confirm").click()


def block_and_look_at_another_person(page) -> None:
    """Blocks the person of the conversation, without the server's answer, and opens the dialog of another one."""
    hold(page)
    block(page)
    page.locator("#person-close").click()
    talk(page, "Wren Ashby")
    page.get_by_role("button", name="Mute or block").click()


def test_a_refused_call_ends_even_while_a_block_is_pending(both):
    ann, bob = both
    bob.locator("#chat-call").click()
    [call] = sent(bob, "call")
    bob.get_by_role("link", name="Chat").click()
    hold(bob)
    block(bob)
    receive(bob, type="error", code="busy", message="", ref=str(call["room"]))
    see(bob.locator("#status")).to_have_text(re.compile("^Guest 101 was not called"))
    see(bob.locator("#person-problem")).to_be_empty()
    see(bob.locator("#person-confirm")).to_be_disabled()


def test_a_confirmed_block_leaves_the_dialog_of_another_person_open(both):
    ann, bob = both
    block_and_look_at_another_person(bob)
    see(bob.get_by_role("dialog", name="Wren Ashby")).to_be_visible()
    release(bob)
    see(bob.locator(".person", has_text="Guest 101")).to_contain_text("blocked")
    see(bob.get_by_role("dialog", name="Wren Ashby")).to_be_visible()


def test_a_failed_block_is_reported_with_the_persons_name_in_the_dialog_of_another_person(both):
    ann, bob = both
    block_and_look_at_another_person(bob)
    receive(bob, type="error", code="busy", message="the server is busy")
    see(bob.locator("#person-name")).to_have_text("Wren Ashby")
    see(bob.locator("#person-problem")).to_have_text("Guest 101: the server is busy")


def call_each_other(both, late: int) -> None:
    """Lets both call, one of whom gets the other's call only after the own one."""
    ann, bob = both
    hold(both[late])
    both[1 - late].locator("#chat-call").click()
    both[1 - late].wait_for_timeout(300)
    both[late].locator("#chat-call").click()
    see(both[late].locator("#status")).to_have_text(re.compile("^(Calling|In a call)"))
    both[late].wait_for_timeout(300)
    release(both[late])
    see(ann.locator("#status")).to_have_text("In a call with Guest 102.", timeout=20_000)
    see(bob.locator("#status")).to_have_text("In a call with Guest 101.", timeout=20_000)


@pytest.mark.sample(1)
@pytest.mark.parametrize("late", [0, 1], ids=["lower ID is late", "higher ID is late"])
def test_two_people_who_call_each_other_meet_in_the_room_of_the_person_with_the_lower_id(both, late):
    ann, bob = both
    call_each_other(both, late)
    [call] = sent(ann, "call")
    see(bob.locator("#where")).to_have_attribute("data-room", str(call["room"]))
    see(bob.locator("#where")).to_have_text("Guest 101")
    assert sent(ann, "hangup") == sent(bob, "hangup") == []
    # Other devices of both stop ringing.
    for page, other, number in ((ann, bob, 102), (bob, ann, 101)):
        [answer], [call] = sent(page, "answer"), sent(other, "call")
        assert (answer["room"], answer["withId"]) == (call["room"], number)
    assert ann.errors == bob.errors == []


def test_two_people_who_call_each_other_meet_even_if_one_has_muted_the_other(both):
    ann, bob = both
    bob.evaluate("localStorage.setItem('callrunner.muted.102.101', '1')")
    call_each_other(both, 1)


def test_a_simultaneous_incoming_call_rings_if_the_outgoing_call_is_refused(both):
    ann, bob = both
    ann.locator("#chat-call").click()
    [call] = sent(ann, "call")
    ring(ann, ROOM + 5, 102)
    ann.wait_for_timeout(200)
    see(dialog(ann)).to_be_hidden()
    receive(ann, type="error", code="too_fast", message="", ref=str(call["room"]))
    see(ann.get_by_role("alertdialog", name="Guest 102")).to_be_visible()
    ann.get_by_role("button", name="Answer").click()
    see(ann.locator("#where")).to_have_attribute("data-room", str(ROOM + 5))
    assert sent(ann, "hangup") == []


def test_a_simultaneous_incoming_call_that_has_ended_does_not_ring_if_the_outgoing_call_is_refused(both):
    ann, bob = both
    ann.locator("#chat-call").click()
    [call] = sent(ann, "call")
    ring(ann, ROOM + 5, 102)
    receive(ann, type="hangup", room=ROOM + 5, fromId=102, withId=102)
    receive(ann, type="error", code="too_fast", message="", ref=str(call["room"]))
    see(ann.locator("#status")).to_have_text(re.compile("^Guest 102 was not called"))
    ann.wait_for_timeout(200)
    see(dialog(ann)).to_be_hidden()


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("too_fast", "Guest 102 was not called: too much at once. Try again in a minute."),
        ("busy", "Guest 102 was not called: the server is busy. Try again later."),
        ("offline", "Guest 102 cannot be called now."),
        ("unknown", "Guest 102 cannot be called: it is Sunday"),
    ],
)
def test_a_refused_call_ends_with_the_reason(both, code, sentence):
    ann, bob = both
    ann.locator("#chat-call").click()
    see(ann.locator("#status")).to_have_text("Calling Guest 102…")
    [call] = sent(ann, "call")
    receive(ann, type="error", code=code, message="it is Sunday", ref=str(call["room"]))
    see(ann.locator("#status")).to_have_text(sentence)
    see(ann.get_by_role("heading", name="Guest 102")).to_be_visible()
    assert sent(ann, "hangup") == []


def test_an_error_about_another_request_does_not_end_a_call(both):
    ann, bob = both
    ann.locator("#chat-call").click()
    see(dialog(bob)).to_be_visible()
    receive(ann, type="error", code="too_fast", message="")
    receive(ann, type="error", code="offline", message="", ref="7")
    ann.wait_for_timeout(200)
    see(ann.locator("#status")).to_have_text("Calling Guest 102…")


def test_a_refusal_that_names_no_room_ends_the_call_and_its_ring(both):
    ann, bob = both
    ann.locator("#chat-call").click()
    see(dialog(bob)).to_be_visible()
    receive(ann, type="error", code="offline", message="")
    see(ann.locator("#status")).to_have_text("Guest 102 cannot be called now.")
    see(dialog(bob)).to_be_hidden()


def test_a_call_without_an_inbox_connection_fails_at_once(both):
    ann, bob = both
    ann.evaluate("() => { inbox().close(); document.getElementById('chat-call').click(); }")
    see(ann.locator("#status")).to_have_text("Guest 102 was not called: there is no connection to the chat.")
    see(ann.get_by_role("heading", name="Guest 102")).to_be_visible()


def test_a_hangup_without_a_connection_is_sent_when_the_inbox_reconnects(both):
    ann, bob = both
    ann.locator("#chat-call").click()
    see(dialog(bob)).to_be_visible()
    # The server answers with the same code, and after one other than 1000 the page connects again.
    ann.evaluate("() => { inbox().close(4000); document.getElementById('hang-up').click(); }")
    see(bob.locator("#status")).to_have_text("Missed call: Guest 101")
    assert len(sent(ann, "hangup")) == 1


def test_a_call_declined_on_another_device_does_not_count_as_missed(bob):
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()
    receive(bob, type="hangup", room=ROOM + 6, fromId=102, withId=101)
    receive(bob, type="hangup", room=ROOM + 5, fromId=102, withId=103)
    bob.wait_for_timeout(200)
    see(dialog(bob)).to_be_visible()
    receive(bob, type="hangup", room=ROOM + 5, fromId=102, withId=101)
    see(dialog(bob)).to_be_hidden()
    see(bob.locator("#status")).to_be_empty()
    assert sent(bob, "hangup") == []


def test_a_caller_whose_call_was_declined_on_another_device_can_ring_again(bob):
    ring(bob, ROOM + 5, 101)
    receive(bob, type="hangup", room=ROOM + 5, fromId=102, withId=101)
    see(dialog(bob)).to_be_hidden()
    ring(bob, ROOM + 6, 101)
    see(dialog(bob)).to_be_visible()


def test_after_a_call_from_a_conversation_the_interrupted_room_is_joined_again(both):
    ann, bob = both
    join(ann)
    ann.get_by_role("button", name="Mute").click()
    ann.get_by_role("link", name="Chat").click()
    ann.locator("#chat-call").click()
    see(ann.locator("#status")).to_have_text("Calling Guest 102…")
    bob.get_by_role("button", name="Decline").click()
    see(ann.locator("#told")).to_have_text("Guest 102 declined the call, or is in another one.")
    see(ann.get_by_role("heading", name="Guest 102")).to_be_visible()
    see(ann.locator("#where")).to_have_text("Room 7")
    see(ann.locator("#status")).to_have_text(re.compile("^Waiting for"))
    ann.get_by_role("link", name="Call").click()
    see(ann.get_by_role("button", name="Unmute")).to_have_attribute("aria-pressed", "true")


def test_answering_a_ring_does_not_end_a_call_that_began_meanwhile(served, pages, bob):
    join(bob)
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()
    eve = pages(served.url).open(name="Eve", room=7, role="caller")
    eve.get_by_role("button", name=re.compile("^Join")).click()
    see(bob.locator("#status")).to_have_text("In a call with Eve.", timeout=20_000)
    bob.get_by_role("button", name="Answer").click()
    see(bob.locator("#told")).to_have_text("Missed call: Guest 101")
    see(bob.locator("#status")).to_have_text("In a call with Eve.")
    see(bob.locator("#where")).to_have_text("Room 7")
    assert [frame["room"] for frame in sent(bob, "hangup")] == [ROOM + 5]


def test_a_call_that_ends_before_its_callers_name_is_known_does_not_ring(bob):
    bob.route("**/api/users*", lambda route: None)
    ring(bob, ROOM + 5, 555)
    receive(bob, type="hangup", room=ROOM + 5, fromId=555, withId=555)
    see(bob.locator("#status")).to_have_text("Missed call: Guest 555")
    see(dialog(bob)).to_be_hidden()


def test_a_ring_that_ends_restores_the_status_and_the_title_of_the_room(bob):
    join(bob)
    ring(bob, ROOM + 5, 101)
    see(bob).to_have_title("Guest 101 is calling you · callrunner")
    receive(bob, type="hangup", room=ROOM + 5, fromId=101, withId=101)
    see(bob).to_have_title("Room 7 · callrunner")
    see(bob.locator("#told")).to_have_text("Missed call: Guest 101")
    see(bob.locator("#status")).to_have_text(re.compile("^Waiting for"))


@pytest.mark.parametrize("room", [7, ROOM - 1])
def test_a_ring_for_a_room_outside_the_range_for_calls_is_ignored(bob, room):
    ring(bob, room, 101)
    bob.wait_for_timeout(300)
    see(dialog(bob)).to_be_hidden()
    ring(bob, ROOM + 5, 101)
    see(dialog(bob)).to_be_visible()


def test_a_callee_stops_waiting_for_a_caller_that_sends_no_offer(served, pages, bob):
    eve = pages(served.url).open(name="Eve", room=ROOM + 5, role="caller")
    eve.evaluate("() => { RTCPeerConnection.prototype.setLocalDescription = () => new Promise(() => {}); }")
    eve.get_by_role("button", name=re.compile("^Join")).click()
    see(eve.locator("#where")).to_have_text(f"Room {ROOM + 5}")
    bob.clock.install()
    ring(bob, ROOM + 5, 101)
    bob.get_by_role("button", name="Answer").click()
    see(bob.locator("#people")).to_contain_text("Eve")
    bob.clock.fast_forward(46_000)
    see(bob.locator("#status")).to_have_text("The call with Guest 101 failed.")
