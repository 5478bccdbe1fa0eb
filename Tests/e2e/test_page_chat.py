"""The chat on the web page: people, conversations, losses of the server, and layout."""

import base64
import json
import re

import pytest
from peers.accounts import Accounts, request
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


def eve(machine, tmp_path) -> tuple[Accounts, str]:
    """Starts a server with Eve's account; returns it with her access token."""
    accounts = Accounts(machine, tmp_path, "--reply-delay", "0")
    accounts.run("login", "--phone", "+79210000009", "--code", "133337", exit=4)
    accounts.run("register", "--name", "Eve", "--username", "eve")
    return accounts, accounts.token()


def sockets(page) -> list[str]:
    urls = []
    page.on("websocket", lambda socket: urls.append(socket.url))
    return urls


def bubbles(page):
    return page.locator("#chat-messages .bubble > p")


def test_a_sent_message_is_answered_and_still_shown_after_a_reload(served, pages):
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


def test_two_browsers_exchange_messages_and_see_read_marks(served, pages):
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


def test_a_message_written_while_the_server_is_stopped_is_sent_once(served, pages):
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


def test_a_room_stays_joined_while_the_chat_is_shown(served, machine, pages):
    page = pages(served.url).open(room=3, name="Ann")
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.get_by_role("button", name="Leave")).to_be_visible()
    page.get_by_role("link", name="Chat").click()
    see(page.locator(".person").first).to_be_visible()
    see(page.locator("#call")).to_be_hidden()
    page.get_by_role("link", name="Call").click()
    see(page.get_by_role("button", name="Leave")).to_be_visible()


def test_a_server_without_a_chat_hides_the_link_to_the_chat(machine, pages):
    page = pages(machine.server("--services", "none")).open(room=3, name="Ann")
    see(page.get_by_role("button", name=re.compile("^Join"))).to_be_enabled()
    see(page.locator("#parts")).to_be_hidden()


@pytest.mark.sample(1)
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


def test_an_account_in_a_link_is_used_for_the_chat_only_after_a_confirmation(machine, pages, tmp_path):
    accounts, token = eve(machine, tmp_path)
    page = pages(accounts.url).open(token=token)
    opened = sockets(page)
    page.get_by_role("link", name="Chat").click()
    see(page.get_by_role("heading", name="You will write as Eve (@eve)")).to_be_visible()
    see(page.locator("#chat-list")).to_be_hidden()
    page.get_by_role("link", name="Call").click()
    page.get_by_role("link", name="Chat").click()
    see(page.locator("#chat-asked")).to_be_visible()
    assert opened == [], "the account is used before anybody has confirmed it"
    page.get_by_role("button", name="Go on").click()
    see(page.locator("#chat-own")).to_have_text("You write as Eve (@eve)")
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    write(page, "hello")
    # The simulated person may have read it already.
    see(page.locator(".bubble.mine small").last).to_contain_text(re.compile("delivered|read"))
    assert all("token=" in url for url in opened), opened


def test_a_visitor_with_a_link_to_somebody_elses_account_can_write_as_a_guest(machine, pages, tmp_path):
    accounts, token = eve(machine, tmp_path)
    page = pages(accounts.url).open(token=token)
    opened = sockets(page)
    page.get_by_role("link", name="Chat").click()
    page.get_by_role("button", name="Write without the account").click()
    see(page.locator("#chat-own")).to_have_text(re.compile(r"^You write as Guest \d+$"))
    see(page.locator(".person").first).to_be_visible()
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    write(page, "my secret")
    see(page.locator(".bubble.mine small").last).to_contain_text(re.compile("delivered|read"))
    assert opened and all("token=" not in url for url in opened), opened
    asked = f"{accounts.url}/api/users?userId=1000&token={token}"
    assert "my secret" not in request(machine, "GET", asked)[1].decode()


def test_an_account_that_the_server_refuses_is_not_used(machine, pages, tmp_path):
    accounts, token = eve(machine, tmp_path)
    head, claims, _ = token.split(".")
    page = pages(accounts.url).open(token=f"{head}.{claims}.AAAA")
    page.get_by_role("link", name="Chat").click()
    see(page.get_by_role("heading", name="The server refuses the account of the link.")).to_be_visible()
    see(page.get_by_role("button", name="Go on")).to_be_hidden()
    page.get_by_role("button", name="Write without the account").click()
    see(page.locator(".person").first).to_be_visible()


def test_a_reply_marks_the_previous_message_as_delivered(served, pages):
    page = chat(pages(served.url))
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    write(page, "hello")
    see(page.locator(".bubble:not(.mine) small").last).to_contain_text("automatic")
    see(page.locator(".bubble.mine small").last).to_contain_text("delivered")


def test_a_character_wider_than_the_screen_causes_no_sideways_scrolling(served, pages):
    page = chat(pages(served.url), context=PHONE)
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    write(page, "\ufdfd" * 39)
    letters = page.locator(".bubble.mine > p").last
    see(letters).to_contain_text("\ufdfd")
    # As wide as the letter is with a font that has it.
    letters.evaluate("letters => letters.style.fontSize = '900px'")
    list_ = page.locator("#chat-messages")
    assert list_.evaluate("list => list.scrollWidth <= list.clientWidth"), "the messages scroll sideways"
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "the page scrolls sideways"


def test_the_message_field_fits_a_phone_while_the_status_of_the_last_call_is_shown(served, pages):
    page = pages(served.url).open(room=1234567, name="Ann", context=PHONE)
    page.get_by_role("button", name=re.compile("^Join")).tap()
    see(page.locator("#where")).to_have_text("Room 1234567")
    where = page.locator("#where").bounding_box()
    assert where["height"] < 30, "the room number is broken into lines"
    page.get_by_role("button", name="Leave").tap()
    see(page.locator("#status")).to_have_text("You left the room.")
    page.locator("#to-chat").tap()
    page.locator(".person").first.tap()
    field = page.locator("#chat-form").bounding_box()
    assert field["y"] + field["height"] <= PHONE["viewport"]["height"], "the field is below the screen"
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight"), "the page scrolls"


def test_a_draft_survives_a_reload_until_it_is_sent(served, pages):
    page = chat(pages(served.url))
    page.get_by_role("button", name=re.compile("Wren Ashby")).click()
    field = page.get_by_role("textbox", name="Message")
    field.fill("not sent yet")
    page.reload()
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    see(field).to_have_value("")
    page.get_by_role("button", name=re.compile("Wren Ashby")).click()
    see(field).to_have_value("not sent yet")
    # Before the server has told what it is, nothing is accepted.
    see(bubbles(page).first).to_be_visible()
    page.keyboard.press("Enter")
    see(field).to_have_value("")
    page.reload()
    page.get_by_role("button", name=re.compile("Wren Ashby")).click()
    see(bubbles(page).last).to_have_text("not sent yet")
    see(field).to_have_value("")


def test_a_second_link_in_the_same_tab_requires_a_confirmation_of_its_account(machine, pages, tmp_path):
    accounts, token = eve(machine, tmp_path)
    page = chat(pages(accounts.url))
    see(page.locator("#chat-own")).to_have_text(re.compile(r"^You write as Guest \d+$"))
    as_guest = page.locator("#chat-own").text_content()
    opened = sockets(page)
    for button in ("Write without the account", "Go on"):
        page.evaluate("token => { location.hash = `token=${token}`; }", token)
        see(page.locator("#join")).to_be_visible()
        page.get_by_role("link", name="Chat").click()
        see(page.get_by_role("heading", name="You will write as Eve (@eve)")).to_be_visible()
        assert not any("token=" in url for url in opened), "the account is used before anybody has confirmed it"
        if button != "Go on":
            page.get_by_role("button", name=button).click()
            see(page.locator("#chat-own")).to_have_text(as_guest)
    page.get_by_role("button", name="Go on").click()
    see(page.locator("#chat-own")).to_have_text("You write as Eve (@eve)")
    page.get_by_role("button", name=re.compile("Iryna Hrabar")).click()
    see(page.locator("#chat-state")).to_have_text("online")
    # The inbox and the conversation of the account.
    assert sum("token=" in url for url in opened) == 2, opened


@pytest.mark.parametrize("answer", ["Write without the account", None, "Go on"])
def test_a_room_receives_an_account_token_only_after_a_confirmation(machine, pages, tmp_path, answer):
    accounts, token = eve(machine, tmp_path)
    page = pages(accounts.url).open(token=token, room=3, name="Ann")
    if answer:
        page.get_by_role("link", name="Chat").click()
        page.get_by_role("button", name=answer).click()
        page.get_by_role("link", name="Call").click()
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda payload: sent.append(str(payload))))
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.locator("#status")).to_have_text(re.compile("^Waiting for"))
    assert sent and (token in "".join(sent)) == (answer == "Go on")


def test_an_account_in_a_link_does_not_replace_the_users_own_room_token(machine, pages, tmp_path):
    key = tmp_path / "room.key"
    key.write_text("0123456789abcdef" * 4)
    key.chmod(0o600)
    own = machine.callrunner("token", "--key", key, "--room", "3").wait_for("token")["token"]
    url = machine.server("--auth", f"jwt:{key}", "--data", tmp_path / "data")
    claims = {"typ": "access", "sub": "1000"}
    foreign = f"x.{base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip('=')}.x"
    visitors = pages(url)
    page = visitors.open(token=own, room=3, name="Ann")
    page.evaluate("token => { location.hash = `token=${token}`; }", foreign)
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.locator("#status")).to_have_text(re.compile("^Waiting for"))
    # Somebody with nothing else learns what to do.
    page = visitors.open(token=foreign, room=3, name="Bob")
    page.get_by_role("button", name=re.compile("^Join")).click()
    see(page.locator("#status")).to_contain_text("Open Chat, choose whether to use the account")


def test_two_quick_retries_of_the_people_list_send_one_request(served, pages):
    page = pages(served.url).open()
    page.route("**/api/users*", lambda route: route.abort())
    page.get_by_role("link", name="Chat").click()
    see(page.get_by_text("The list of people cannot be fetched.")).to_be_visible()
    page.errors.clear()
    page.unroute("**/api/users*")
    waiting = []
    page.route("**/api/users*", lambda route: waiting.append(route))
    page.locator("#chat-retry").evaluate("button => { button.click(); button.click(); }")
    page.wait_for_timeout(300)
    assert len(waiting) == 1
    waiting[0].continue_()
    see(page.locator(".person")).to_have_count(15)
    see(page.locator("#chat-problem")).to_be_hidden()
