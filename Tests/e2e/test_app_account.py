"""Accounts in the application, controlled only by mouse and keyboard, with the application's own server."""

import base64
import json
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from peers.drag import drop
from peers.hand import PRIMARY
from peers.person import Person, new_person
from peers.session_bus import FileChooser, SessionBus


@pytest.fixture
def person(machine, stack, tmp_path) -> Callable[[str], Person]:
    return lambda name: new_person(machine, stack, tmp_path / name)


def sign_in(person: Person, phone: str) -> None:
    person.is_at("phone")
    person.hand.write(phone)
    person.hand.press("Return")
    person.is_at("code")
    person.hand.write("133337")


def register(person: Person, phone: str, name: str, username: str) -> None:
    sign_in(person, phone)
    person.is_at("registration")
    person.hand.write(name)
    person.hand.press("Tab")
    person.hand.write(username)
    person.hand.press("Return")
    person.is_at("profile")


def kept(person: Person) -> dict:
    """What the app keeps of the user."""
    (path,) = Path(person.home / "callrunner/account").glob("*.json")
    return json.loads(path.read_text())


def test_an_account_can_be_registered_and_edited_and_outlives_a_restart_and_a_sign_out(person, artefact):
    ann = person("ann")
    ann.open(first="account")
    register(ann, "+380501234567", "Ann", "ann! lee")
    assert ann.app.all("account.signed_in")
    ann.display.photograph().save(artefact("profile.png"), 0, 0, 1280, 720)
    ann.hand.press("Tab", "space")
    ann.is_at("profile-edit")
    time.sleep(0.5)  # until the page is drawn, and its first field has the focus
    ann.hand.press("Tab")
    ann.hand.write("Kyiv")
    ann.hand.press("Tab")
    ann.hand.write("01.05.1990")
    ann.hand.press("Return")
    ann.is_at("profile")
    deadline = time.monotonic() + 10
    while (known := kept(ann))["unsent"] or known["confirmed"]["profile_data"]["city"] != "Kyiv":
        assert time.monotonic() < deadline, known
        time.sleep(0.1)
    profile = known["confirmed"]["profile_data"]
    assert (profile["name"], profile["username"], profile["birthday"]) == ("Ann", "annlee", "1990-05-01")
    ann.quit()
    # The next time, the profile is there, and no server is asked for it.
    ann.open(first="account")
    ann.is_at("profile")
    time.sleep(1)
    assert not ann.app.all("server.listening")
    # Sign out is the fifth control of the page, and the first one of the sheet confirms it.
    ann.hand.press("Tab", "Tab", "Tab", "Tab", "Tab", "space")
    time.sleep(0.5)
    ann.hand.press("Tab", "space")
    ann.is_at("phone")
    assert ann.app.all("account.signed_out")[-1]["reason"] == "logout"
    assert not list(Path(ann.home / "callrunner/account").glob("*.json"))
    ann.quit()
    # The account is still on the server, which is in the same home folder.
    ann.open(first="account")
    sign_in(ann, "+380501234567")
    ann.is_at("profile")
    assert kept(ann)["confirmed"]["profile_data"]["city"] == "Kyiv"
    ann.quit()


def picture(folder: Path, colour: str) -> Path:
    path = folder / f"a {colour} picture.png"
    subprocess.run(["convert", "-size", "800x500", f"xc:{colour}", path], check=True, timeout=30)
    return path


def wait_for_picture(person: Person, colour: str) -> None:
    """Waits until the app keeps a square picture of this colour that the server has confirmed."""
    deadline = time.monotonic() + 15
    while True:
        known = kept(person)
        if not known["unsent"] and known["confirmed"]["profile_data"]["avatars"]["avatar"] and known["picture"]:
            command = ["convert", "-", "-format", "%m %w %h %[fx:int(255*p{9,9}.r)] %[fx:int(255*p{9,9}.b)]", "info:"]
            jpeg = base64.b64decode(known["picture"])
            kind, width, height, red, blue = subprocess.check_output(command, input=jpeg, timeout=30).decode().split()
            assert (kind, width, height) == ("JPEG", "500", "500")
            if (int(red) > 200, int(blue) > 200) == (colour == "red", colour == "blue"):
                return
        assert time.monotonic() < deadline, known
        time.sleep(0.1)


def save(person: Person) -> None:
    """Presses Return until the picture has been read, before which there is no change to save."""
    deadline = time.monotonic() + 15
    while person.app.all("screen")[-1]["name"] != "profile":
        assert time.monotonic() < deadline, person.app.story
        person.hand.press("Return")
        time.sleep(0.2)


def test_an_image_dropped_on_the_window_or_chosen_in_the_dialog_becomes_the_profile_picture(person, tmp_path, artefact):
    with SessionBus() as bus, FileChooser(bus, picture(tmp_path, "blue").as_uri()):
        ann = person("ann")
        ann.open(first="account", environment=bus.environment)
        register(ann, "+380501234567", "Ann", "ann")
        ann.hand.press("Tab", "space")
        ann.is_at("profile-edit")
        left, top, width, height = ann.hand.place
        where = left + width // 2, top + height // 2
        assert drop(ann.hand.display.name, int(ann.hand.window), picture(tmp_path, "red").as_uri(), *where)
        save(ann)
        wait_for_picture(ann, "red")
        ann.hand.press("Tab", "space")
        ann.is_at("profile-edit")
        time.sleep(0.5)  # until the page is drawn, and its first field has the focus
        # Before it there are the buttons for removing and choosing a picture.
        ann.hand.press("shift+Tab", "shift+Tab", "space", "Tab", "Tab")
        save(ann)
        ann.hand.photograph(artefact("profile-picture.png"))
        wait_for_picture(ann, "blue")
        ann.quit()


def test_a_camera_snapshot_becomes_the_profile_picture(person, artefact):
    ann = person("ann")
    ann.open(first="account")  # the test video stands for the camera
    register(ann, "+380501234567", "Ann", "ann")
    ann.hand.press("Tab", "space")
    ann.is_at("profile-edit")
    time.sleep(0.5)  # until the page is drawn, and its first field has the focus
    # Without a picture, nothing can be removed: before the first field there are choosing one and the camera.
    ann.hand.press("shift+Tab", "shift+Tab", "space")
    # The button has its colour once the camera shows something.
    ann.hand.click_button(PRIMARY)
    ann.hand.photograph(artefact("profile-camera.png"))
    # The buttons for going back, the camera, choosing and removing a picture come before the name.
    ann.hand.press("Tab", "Tab", "Tab", "Tab", "Tab")
    save(ann)
    deadline = time.monotonic() + 15
    while (known := kept(ann))["unsent"] or not known["picture"]:
        assert time.monotonic() < deadline, known
        time.sleep(0.1)
    command = ["convert", "-", "-format", "%m %w %h %k", "info:"]
    told = subprocess.check_output(command, input=base64.b64decode(known["picture"]), timeout=30).decode().split()
    assert told[:3] == ["JPEG", "600", "600"] and int(told[3]) > 1000
    ann.quit()


def test_a_wrong_code_is_refused_and_another_phone_can_be_entered(person):
    ann = person("ann")
    ann.open(first="account")
    ann.is_at("phone")
    ann.hand.write("+380501234567")
    ann.hand.press("Return")
    ann.is_at("code")
    ann.hand.write("111111")
    time.sleep(1)
    assert ann.app.all("screen")[-1]["name"] == "code"
    ann.hand.press("Escape")
    ann.is_at("phone")
    ann.hand.press("BackSpace")
    ann.hand.write("8")
    ann.hand.press("Return")
    ann.is_at("code")
    ann.hand.write("133337")
    ann.is_at("registration")
    ann.quit()


def test_a_signed_in_user_can_join_a_room_that_requires_tokens(machine, person, tmp_path):
    key = tmp_path / "key"
    key.write_text("a secret of at least thirty-two bytes")
    key.chmod(0o600)
    codes = tmp_path / "codes"
    program = tmp_path / "send"
    program.write_text(f"#!/bin/sh\ncat > {codes}\n")
    program.chmod(0o755)
    server = machine.server("--auth", f"jwt:{key}", "--sms-command", program, "--data", tmp_path / "data")
    ann = person("ann")
    ann.open("--server", server, first="account")
    ann.is_at("phone")
    ann.hand.write("+380501234567")
    ann.hand.press("Return")
    ann.is_at("code")
    digits = "".join(character for character in codes.read_text() if character.isdigit())[:6]
    ann.hand.write(digits)
    ann.is_at("registration")
    ann.hand.write("Ann")
    ann.hand.press("Tab")
    ann.hand.write("ann")
    ann.hand.press("Return")
    ann.is_at("profile")
    ann.quit()
    ann.open("--server", server)
    ann.is_at("login")
    time.sleep(0.5)  # until the login is drawn, with the name of the account
    ann.hand.press("Tab")
    ann.hand.write("7")
    ann.hand.press("Return")
    ann.is_at("room")
    assert ann.remembered()["username"] == "Ann"
    ann.connect()
    ann.quit()
