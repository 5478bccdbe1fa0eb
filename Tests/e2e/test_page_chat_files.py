"""Files and voice messages that the chat of the web page sends."""

import re
import subprocess
from pathlib import Path

import pytest
from peers.chat_pages import guest, talk
from peers.chromium import REFUSED_DEVICES
from peers.sound import decibels, recorded
from playwright.sync_api import expect as see
from test_page_chat import PHONE, machine, served  # noqa: F401 - two of them are fixtures

SENT = "SELECT low + high - sender, text, type FROM chat_message JOIN chat_media ON chat_media.id = media ORDER BY number"
OUTBOX_IS_EMPTY = "() => !Object.keys(localStorage).some((key) => key.startsWith('callrunner.outbox'))"
WREN, IRYNA = "Wren Ashby", "Iryna Hrabar"


@pytest.fixture
def page(served, pages):
    page = guest(pages(served.url).open(), 101)
    talk(page, WREN)
    return page


def button(page, name: str):
    return page.get_by_role("button", name=name, exact=True)


def speak(page, until: str) -> None:
    """Begins a voice message, and waits until it lasts this long."""
    button(page, "Record a voice message").click()
    see(page.locator("#voice-time")).to_have_text(until, timeout=15_000)


def stored(served) -> list[Path]:
    return [path for (name,) in served.rows("SELECT id FROM chat_media") for path in Path(served.data).rglob(name)]


def attach(page, *files: tuple[str, bytes]) -> None:
    """Chooses files, each with its name and content."""
    page.locator("#chat-file").set_input_files(
        [{"name": name, "mimeType": "application/octet-stream", "buffer": content} for name, content in files])


def test_a_voice_message_can_be_played_before_and_after_it_is_sent(served, page, artefact):
    speak(page, "0:02")
    page.screenshot(path=artefact("page-voice-recording.png"))
    button(page, "Stop, and listen to it").click()
    page.locator("#voice-sound").evaluate("(sound) => sound.play()")
    page.wait_for_function("() => document.getElementById('voice-sound').currentTime > 0.5")
    button(page, "Send the voice message").click()
    served.wait_for_rows(SENT, [(15, "", "audio/webm")])
    see(page.get_by_role("link", name="Voice message")).to_be_visible()
    see(page.get_by_role("textbox", name="Message")).to_be_focused()
    [path] = stored(served)
    command = ["ffprobe", "-v", "error", "-show_entries", "stream=codec_name", "-of", "csv=p=0", path]
    assert subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout.strip() == "opus"
    # The fake microphone beeps.
    assert decibels(recorded(path)) > -50
    page.locator(".bubble audio").evaluate("(sound) => sound.play()")
    page.wait_for_function("() => document.querySelector('.bubble audio').currentTime > 0.5")


def test_a_voice_message_can_be_deleted_or_sent_while_it_is_recorded(served, page):
    speak(page, "0:01")
    button(page, "Delete").click()
    see(page.locator("#chat-recording")).to_be_hidden()
    speak(page, "0:01")
    button(page, "Send the voice message").click()
    served.wait_for_rows(SENT, [(15, "", "audio/webm")])
    see(page.locator("#chat-recording")).to_be_hidden()


def test_a_recording_remains_in_the_conversation_in_which_it_was_made(served, page):
    speak(page, "0:01")
    talk(page, IRYNA)
    see(page.locator("#chat-recording")).to_be_hidden()
    talk(page, WREN)
    button(page, "Send the voice message").click()
    served.wait_for_rows(SENT, [(15, "", "audio/webm")])


def test_a_denied_microphone_permission_is_reported(served, pages):
    page = guest(pages(served.url, REFUSED_DEVICES).open(), 101)
    talk(page, WREN)
    button(page, "Record a voice message").click()
    see(page.locator("#chat-refusal")).to_contain_text("does not let this page use the microphone")
    see(page.get_by_role("textbox", name="Message")).to_be_visible()


def test_files_are_sent_in_order_with_their_names(served, page):
    attach(page, ("first.pdf", b"%PDF-1.7" + bytes(2_000_000)), ("second.txt", b"words"))
    served.wait_for_rows(
        SENT, [(15, "first.pdf", "application/pdf"), (15, "second.txt", "application/octet-stream")])
    see(page.locator("#chat-uploads li")).to_have_count(0)
    see(page.get_by_role("link", name="first.pdf")).to_be_visible()


def test_pictures_that_are_sent_scroll_into_view_and_the_field_gets_the_focus(page, tmp_path):
    for name in ["first.png", "second.png"]:
        subprocess.run(["convert", "-size", "400x600", "plasma:red-blue", tmp_path / name], check=True, timeout=60)
        page.locator("#chat-file").set_input_files(tmp_path / name)
        see(page.get_by_role("textbox", name="Message")).to_be_focused()
        see(page.get_by_role("img", name=name)).to_be_visible()
    see(page.get_by_role("img", name="second.png")).to_be_in_viewport(ratio=0.9)
    see(page.locator("#chat-new")).to_be_hidden()


def test_files_that_are_empty_or_too_large_are_refused_with_the_reason(served, page, tmp_path):
    attach(page, ("empty.txt", b""))
    see(page.locator("#chat-refusal")).to_have_text("The file is empty.")
    large = tmp_path / "large.bin"
    large.write_bytes(bytes(20_000_001))
    page.locator("#chat-file").set_input_files(large)
    see(page.locator("#chat-refusal")).to_have_text("The file is too large: at most 20 MB.")
    assert not served.rows(SENT)


def test_after_a_network_failure_a_file_is_sent_to_the_person_for_whom_it_was_chosen(served, page, artefact):
    page.route("**/api/media*", lambda route: route.abort())
    attach(page, ("notes.txt", b"words"))
    see(page.locator("#chat-uploads li")).to_contain_text("notes.txt")
    page.screenshot(path=artefact("page-upload.png"))
    talk(page, IRYNA)
    see(page.locator("#chat-uploads li")).to_have_count(0)
    page.unroute("**/api/media*")
    served.wait_for_rows(SENT, [(15, "notes.txt", "application/octet-stream")])
    talk(page, WREN)
    see(page.get_by_role("link", name="notes.txt")).to_have_count(1)
    page.wait_for_function(OUTBOX_IS_EMPTY)


def test_a_refused_file_can_be_sent_again_or_deleted(served, page):
    page.route("**/api/media*", lambda route: route.fulfill(status=507))
    attach(page, ("one.txt", b"1"), ("two.txt", b"2"))
    rows = page.locator("#chat-uploads li")
    see(rows).to_contain_text(["The disk of the server is full.", "The disk of the server is full."])
    rows.nth(0).get_by_role("button", name="Delete").click()
    page.unroute("**/api/media*")
    rows.nth(0).get_by_role("button", name="Try again").click()
    served.wait_for_rows(SENT, [(15, "two.txt", "application/octet-stream")])


def test_a_cancelled_upload_is_not_sent(served, page):
    page.route("**/api/media*", lambda route: None)
    attach(page, ("notes.txt", b"words"))
    button(page, "Cancel").click()
    see(page.locator("#chat-uploads li")).to_have_count(0)
    page.unroute("**/api/media*")
    attach(page, ("other.txt", b"words"))
    served.wait_for_rows(SENT, [(15, "other.txt", "application/octet-stream")])


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("language", "chat", "record"),
    [("en", "Chat", "Record a voice message"), ("uk", "Чат", "Записати голосове повідомлення"),
     ("ru", "Чат", "Записать голосовое сообщение")])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_voice_recorder_fits_a_phone_in_each_language(served, pages, language, chat, record, scheme, artefact):
    page = guest(pages(served.url).open(context={**PHONE, "color_scheme": scheme}, lang=language), 101, chat)
    page.get_by_role("button", name=re.compile(WREN)).click()
    button(page, record).click()
    see(page.locator("#voice-time")).to_have_text("0:01", timeout=15_000)
    page.screenshot(path=artefact(f"page-voice-{language}-{scheme}.png"))
    page.locator("#voice-stop").click()
    page.screenshot(path=artefact(f"page-voice-stopped-{language}-{scheme}.png"))
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_an_unreadable_file_does_not_hold_up_other_files(served, page, tmp_path):
    lost = tmp_path / "lost.txt"
    lost.write_text("words")
    page.route("**/api/media*", lambda route: route.abort())
    page.locator("#chat-file").set_input_files(lost)
    lost.unlink()
    attach(page, ("kept.txt", b"words"))
    see(page.locator("#chat-uploads li").first).to_contain_text("The browser cannot read the file.")
    page.unroute("**/api/media*")
    served.wait_for_rows(SENT, [(15, "kept.txt", "application/octet-stream")])


def test_clipboard_text_is_pasted_as_text_even_if_a_picture_accompanies_it(page):
    page.get_by_role("textbox", name="Message").evaluate("""(field) => {
      const both = new DataTransfer();
      both.setData("text/plain", "words");
      both.items.add(new File(["picture"], "picture.png", { type: "image/png" }));
      field.dispatchEvent(new ClipboardEvent("paste", { clipboardData: both, bubbles: true, cancelable: true }));
    }""")
    see(page.locator("#chat-uploads li")).to_have_count(0)


def test_a_recording_stops_when_the_chat_is_hidden(page):
    speak(page, "0:01")
    page.get_by_role("link", name="Call").click()
    page.get_by_role("link", name="Chat").click()
    see(page.locator("#voice-sound")).to_be_visible()
    see(page.locator("#voice-time")).to_be_hidden()


def test_many_small_files_are_all_sent_despite_the_rate_limit_after_a_switch_of_conversation(served, page):
    page.route("**/api/media*", lambda route: route.abort())
    attach(page, *((f"{number}.txt", b"words") for number in range(30)))
    talk(page, IRYNA)
    page.unroute("**/api/media*")
    served.wait_for_rows(
        SENT, [(15, f"{number}.txt", "application/octet-stream") for number in range(30)], within=40)
    page.wait_for_function(OUTBOX_IS_EMPTY)
