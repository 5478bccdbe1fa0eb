"""The window of a call and its keyboard commands, checked with screenshots of Xvfb."""

import time

import expect
import pytest
from peers import probe
from peers.display import Display
from peers.frail_display import SEND_EVENT, FrailDisplay
from peers.picture import BLUE_CHIP, CHIPS_HEIGHT, colour_at, near, wrong_chips
from peers.runner import BROWSER_PAGE

LOCAL_VIDEO = (0.75, 0.75, 0.97, 0.95)
WAVES = (0.05, 0.45, 0.6, 0.75)


@pytest.fixture
def call(machine, display):
    """A connected call of a process that has a window and sends the test pattern, with a headless peer."""
    peer = machine.callrunner("--room", "1", "--name", "Ann", "--caller", "--headless")
    peer.wait_for("room.joined")
    ours = machine.callrunner(
        "--room", "1", "--name", "Bob", "--window", "--source", "pattern", environment=display.environment
    )
    ours.wait_for("media.first_frame", kind="video")
    peer.wait_for("media.first_frame", kind="video")
    time.sleep(1.5)
    return ours, peer


def region(geometry, shares) -> tuple[int, int, int, int]:
    left, top, width, height = geometry
    x0, y0, x1, y1 = shares
    return int(left + x0 * width), int(top + y0 * height), int(left + x1 * width), int(top + y1 * height)


@pytest.mark.quick
def test_remote_and_local_video_are_shown_and_move(display, call, artefact):
    geometry = display.geometry(display.window("Ann"))
    _, _, width, height = geometry
    assert abs(width / height - 16 / 9) < 0.02
    time.sleep(3)  # until the controls have faded
    first = display.photograph()
    first.save(artefact("call.png"), *geometry)
    time.sleep(0.4)
    second = display.photograph()

    assert wrong_chips(first, geometry) == {}
    place, blue = BLUE_CHIP
    covered = colour_at(first, geometry, place, CHIPS_HEIGHT)
    assert not near(covered, blue), "the local video does not cover the remote one"
    assert first.changed(second, *region(geometry, WAVES)) > 0.02, "the remote video stands still"
    assert first.changed(second, *region(geometry, LOCAL_VIDEO)) > 0.0005, "the local video stands still"


def test_a_host_without_a_sound_card_causes_no_alsa_messages(call):
    ours, _ = call
    assert not [line for line in ours.stderr.splitlines() if line.startswith(("ALSA", "AL lib"))]


def test_the_q_key_hangs_up(display, call):
    ours, peer = call
    display.press("q", display.window("Ann"))
    ours.succeed(within=5)
    peer.succeed(within=5)
    expect.a_call_that_ended(ours, reason="hung-up")
    expect.a_call_that_ended(peer, reason="peer-left")


def test_the_escape_key_hangs_up_only_when_it_is_pressed_twice(display, call, artefact):
    ours, peer = call
    window = display.window("Ann")
    display.press("Escape", window)
    time.sleep(1)
    display.photograph().save(artefact("escape.png"), *display.geometry(window))
    # A photograph may take longer than the four seconds for which the first Esc counts.
    time.sleep(5)
    display.press("Escape", window)
    time.sleep(1)
    assert not ours.all("call.ended"), "the first Esc hangs up"
    display.press("Escape", window)
    ours.succeed(within=5)
    peer.succeed(within=5)
    expect.a_call_that_ended(ours, reason="hung-up")


def test_moving_the_pointer_shows_the_controls_and_the_red_button_hangs_up(display, call, artefact):
    ours, peer = call
    left, top, width, height = geometry = display.geometry(display.window("Ann"))
    display.xdotool("mousemove", str(left + width // 2), str(top + 60))
    time.sleep(1)
    photograph = display.photograph()
    photograph.save(artefact("controls.png"), *geometry)
    # The row is above the label of the button.
    row = top + height - 70
    red = [x for x in range(left, left + width) if near(photograph.colour(x, row), (214, 48, 58))]
    assert len(red) > 60, "there is no red button"
    display.click(sum(red) // len(red), row + 20)
    ours.succeed(within=5)
    peer.succeed(within=5)
    expect.a_call_that_ended(ours, reason="hung-up")


@pytest.mark.sample(1)
@pytest.mark.parametrize("moment", ["at-any-time", "during-a-wakeup"])
@pytest.mark.parametrize("renderer", ["software", "opengl"])
def test_losing_the_display_hangs_up_and_saves_the_recording(machine, tmp_path, renderer, moment):
    recording = tmp_path / "kept.mkv"
    peer = machine.callrunner("--room", "1", "--name", "Ann", "--caller", "--headless")
    peer.wait_for("room.joined")
    with Display() as display, FrailDisplay(display) as frail:
        environment = {**display.environment, "DISPLAY": frail.name, "SDL_RENDER_DRIVER": renderer}
        ours = machine.callrunner(
            "--room", "1", "--name", "Bob", "--window", "--record", recording, environment=environment
        )
        ours.wait_for("media.first_frame", kind="video")
        time.sleep(2)
        if moment == "during-a-wakeup":
            frail.break_at(SEND_EVENT, int(display.window("Ann")))
            assert frail.has_broken.wait(5)
            time.sleep(0.5)
        display.kill()
        ours.succeed(within=15)
    expect.a_call_that_ended(ours, reason="hung-up")
    assert "the display and its window were closed" in ours.stderr
    assert ours.all("record.saved")
    assert len(probe.tracks(recording)["video"].times) > 30
    peer.succeed()


def test_the_f_key_toggles_full_screen(display, call):
    window = display.window("Ann")
    before = display.geometry(window)
    display.press("f", window)
    time.sleep(1)
    assert display.geometry(window)[2:] == (display.width, display.height)
    display.press("f", window)
    time.sleep(1)
    assert display.geometry(window)[2:] == before[2:]


def latest_statistics(process, seconds=2.5) -> dict:
    time.sleep(seconds)
    return process.all("stats")[-1]


def test_the_m_key_toggles_mute(machine, display, tmp_path):
    recording = tmp_path / "heard.mkv"
    peer = machine.callrunner("--room", "1", "--name", "Ann", "--caller", "--headless", "--record", recording)
    peer.wait_for("room.joined")
    ours = machine.callrunner("--room", "1", "--name", "Bob", "--window", environment=display.environment)
    peer.wait_for("media.first_frame", kind="video")
    window = display.window("Ann")
    for key in ("m", "m", "q"):
        time.sleep(2)
        display.press(key, window)
    ours.succeed()
    peer.succeed()
    silences = probe.silences(recording, shortest=1)
    assert len(silences) == 1 and 1.5 < silences[0] < 3, silences
    sound = probe.tracks(recording)["audio"]
    assert sound.longest_gap < 0.5, "the audio stream has a gap instead of silence"


def test_the_v_key_stops_and_resumes_the_sent_video_during_the_call(display, call):
    ours, peer = call
    window = display.window("Ann")
    display.press("v", window)
    # Waits longer than five seconds, after which a call without any packet counts as stalled.
    dark = latest_statistics(peer, seconds=7)
    assert dark["video"]["in"]["fps"] == 0 and dark["audio"]["in"]["packets"] > 0
    display.press("v", window)
    assert latest_statistics(peer)["video"]["in"]["fps"] > 5
    assert ours.all("call.ended") == [] and peer.all("call.ended") == []


@pytest.mark.sample(1)
@pytest.mark.parametrize("other", ["aiortc_peer", "browser_peer"])
def test_a_peer_receives_video_again_after_the_camera_was_off_for_nine_seconds(machine, display, other):
    server = machine.server("--origin", BROWSER_PAGE)
    peer = machine.peer(other, "--server", server, "--room", "1", "--name", "Ann")
    peer.wait_for("room.joined", within=60)
    ours = machine.callrunner(
        "--server", server, "--room", "1", "--name", "Bob", "--caller", "--window", environment=display.environment
    )
    window = display.window("Ann", within=30)
    peer.wait_for("stats", within=30)
    display.press("v", window)
    # GStreamer's RTP session would send BYE for a source that was silent for five seconds.
    dark = latest_statistics(peer, seconds=9)["video"]["in"]["frames"]
    display.press("v", window)
    light = latest_statistics(peer, seconds=4)["video"]["in"]["frames"]
    assert light - dark > 20, peer.stderr
    display.press("q", window)
    ours.succeed()


def test_a_call_without_a_display_opens_no_window_and_succeeds(machine):
    peer = machine.callrunner("--room", "1")
    ours = machine.callrunner("--room", "1", "--caller", "--duration", "1")
    ours.succeed()
    peer.succeed()
