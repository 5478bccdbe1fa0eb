"""The notifications of the desktop about the chat, with a fake desktop on a session bus of its own."""

import time

from peers.session_bus import Notifications, SessionBus
from test_app import person  # noqa: F401 - a fixture
from test_app_chat import ServedChat, guest, open_iryna, write


def test_a_message_shows_a_notification_while_the_window_is_minimized_and_a_click_opens_the_conversation(
    machine, person, tmp_path, artefact  # noqa: F811
):
    served = ServedChat(machine, tmp_path / "data", "--reply-delay", "4s")
    with SessionBus() as bus, Notifications(bus) as desktop:
        ann = person("ann")
        ann.open("--server", served.url, first="chats", environment=bus.environment)
        ann.hand.wait_for_title("Chats.*")
        time.sleep(1)
        open_iryna(ann)
        write(ann, "hello")
        served.wait_for_texts(guest(ann), 1, ["hello"])
        ann.display.xdotool("windowminimize", ann.hand.window)
        told = desktop.next()
        assert (told["title"], told["text"]) == ("Iryna Hrabar", "New message")
        read = "SELECT count(*) FROM chat_member WHERE peer = 1 AND read = last"
        assert served.rows(read) == [(0,)], "it was marked as read while nobody saw it"
        desktop.click(told["id"])
        assert desktop.next() == {"closed": told["id"]}
        served.wait_for_rows(read, [(1,)])
        assert ann.display.xdotool("getactivewindow").strip() == ann.hand.window
        ann.is_at("chat")
        ann.hand.photograph(artefact("notification-clicked.png"))
        ann.quit()
