"""Microphones and loudspeakers, with a sound server into whose sinks the tests play and from which they record."""

import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import expect
import pytest
from expect import expect_refusal
from peers import probe, sound
from peers.sound import SoundServer

TONE = 1000
AMPLITUDE = 0.25
# The level of this sine in dBov.
LEVEL = -15.05


@pytest.fixture
def sounds() -> Iterator[Callable[..., SoundServer]]:
    """Starts a sound server with the given sinks."""
    with ExitStack() as stack:

        yield lambda *sinks: stack.enter_context(SoundServer(*sinks))


@pytest.fixture
def tone(tmp_path: Path) -> Path:
    return sound.write_tone(tmp_path / "tone.raw", TONE, AMPLITUDE, 30)


def warnings(process) -> list[str]:
    return [event["message"] for event in process.all("warning")]


def levels(process, direction: str) -> list[float]:
    """Returns the audio levels in the statistics, except those of the first second."""
    return [event["audio"][direction].get("level") for event in process.all("stats")[1:]]


@pytest.mark.alone
def test_the_microphone_replaces_the_audio_of_the_source(machine, sounds, tone, tmp_path):
    server = sounds("room", "ear")
    server.play("room", tone)
    recording = tmp_path / "heard.mkv"
    far = machine.callrunner("--room", "1", "--name", "Ann", "--headless", "--record", recording)
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--caller", "--headless", "--source", "pattern", "--duration", "4"),
        *("--microphone", "room.monitor"),
        environment=server.environment,
    )
    near.succeed()
    far.succeed()
    heard = sound.recorded(recording, start=0.5)
    assert sound.loudest(heard, TONE) == pytest.approx(AMPLITUDE, rel=0.15)
    # The source's own audio, a tick of 440 Hz, must not be sent.
    assert sound.loudest(heard, 440) < 0.01
    assert levels(near, "out")[-1] == pytest.approx(LEVEL, abs=1), levels(near, "out")
    # The headless side plays no audio, so it decodes no audio.
    assert set(levels(far, "in")) == {None}
    assert near.wait_for("sound")["processing"] == []
    assert warnings(near) == []
    # Gaps are permitted only in the first second, in which the clock of a microphone settles.
    assert probe.tracks(recording)["audio"].after(1).longest_gap < 0.1


@pytest.mark.alone
@pytest.mark.parametrize("percent", [100, 50])
def test_the_audio_of_the_peer_is_played_on_the_loudspeaker_at_the_given_volume(machine, sounds, tone, percent):
    server = sounds("room", "ear")
    far = machine.callrunner("--room", "1", "--caller", "--headless", "--source", sound.wrapped(tone))
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--name", "Bob", "--headless", "--source", "none"),
        *("--speaker", "ear", "--volume", percent),
        environment=server.environment,
    )
    near.wait_for("media.first_frame", kind="audio")
    heard = server.hear("ear.monitor", 3)
    assert sound.loudest(heard, TONE) == pytest.approx(AMPLITUDE * percent / 100, rel=0.1)
    # This is the level of the received audio before the volume control.
    near.wait_for("stats", within=5)
    near.signal(2)
    assert near.finish() == 130
    assert levels(near, "in")[-1] == pytest.approx(LEVEL, abs=1), levels(near, "in")
    assert warnings(near) == []


def test_the_devices_command_lists_the_ids_of_loudspeakers(machine, sounds):
    listed = machine.callrunner("devices", environment=sounds("room", "ear").environment)
    listed.succeed()
    assert {"room", "ear"} <= {device["id"] for device in listed.all("device") if device["kind"] == "speaker"}


@pytest.mark.parametrize(("flag", "known"), [("--microphone", "room.monitor"), ("--speaker", "room")])
def test_an_unknown_device_is_refused_with_a_list_of_devices(machine, sounds, flag, known):
    process = machine.callrunner("--room", "1", flag, "no-such", environment=sounds("room").environment)
    expect_refusal(process, 3, "no-such", known, flag)


@pytest.mark.alone
def test_a_call_without_a_sound_card_sends_silence_and_reports_one_warning(machine, tmp_path):
    recording = tmp_path / "heard.mkv"
    far = machine.callrunner("--room", "1", "--name", "Ann", "--headless", "--record", recording)
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--caller", "--headless", "--source", "pattern", "--duration", "2.5"),
        *("--microphone", "default"),
    )
    near.succeed()
    far.succeed()
    assert warnings(near) == ["there is no microphone, so silence is sent"]
    assert near.stderr.count("microphone") == 1, near.stderr
    assert set(levels(near, "out")) == {-127}
    expect.an_intact_recording(recording, seconds=2.5, tolerance=1)
    assert sound.decibels(sound.recorded(recording)) < -80


@pytest.mark.alone
def test_a_call_survives_a_restart_of_the_sound_server(machine, sounds, tone, tmp_path):
    server = sounds("room", "ear")
    far = machine.callrunner("--room", "1", "--name", "Ann", "--headless", "--source", sound.wrapped(tone))
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--caller", "--headless", "--source", "none"),
        *("--microphone", "room.monitor", "--speaker", "ear"),
        environment=server.environment,
    )
    near.wait_for("media.first_frame", kind="audio")
    assert near.wait_for("sound")["processing"] == ["echo", "noise", "gain"]
    server.hear("ear.monitor", 0.5)
    server.kill()
    near.wait_for_words("microphone Monitor of")
    near.wait_for_words("is lost, so silence is sent")
    near.wait_for_words("is lost, so the peer's audio is not played")
    server.start()
    for words in ("microphone Monitor of Null Output is back", "loudspeaker Null Output is back"):
        near.wait_for_words(words, within=30)
    assert sound.loudest(server.hear("ear.monitor", 4), TONE) == pytest.approx(AMPLITUDE, rel=0.15)
    assert len(warnings(near)) == 4, warnings(near)
    assert near.all("call.ended") == []
    near.signal(2)
    assert near.finish() == 130


def test_a_window_plays_audio_and_the_minus_key_lowers_its_volume(machine, sounds, tone, display):
    server = sounds("ear")
    far = machine.callrunner("--room", "1", "--name", "Ann", "--headless", "--source", sound.wrapped(tone))
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--caller", "--window", "--source", "none"),
        environment={**server.environment, **display.environment},
    )
    near.wait_for("media.first_frame", kind="audio")
    window = display.window("Ann")
    for percent in (90, 80, 70):
        display.press("minus", window)
        near.wait_for_words(f"volume {percent} %")
    display.press("plus", window)
    display.press("minus", window)
    heard = server.hear("ear.monitor", 4)
    # Audio that the sound card had buffered before playback began, up to 1.5 s, keeps its earlier volume.
    settled = heard[2 * sound.RATE :]
    assert sound.loudest(settled, TONE, window=0.1) == pytest.approx(AMPLITUDE * 0.7, rel=0.1)
    near.wait_for("stats", within=5)
    assert levels(near, "in")[-1] == pytest.approx(LEVEL, abs=1), levels(near, "in")


def start_echo_call(machine, server: SoundServer, room: int, talk: Path, recording: Path, processing: str):
    """Starts a call in which Bob's microphone records only the audio of his loudspeaker; returns both processes."""
    far = machine.callrunner(
        *("--room", room, "--name", "Ann", "--headless", "--source", talk, "--record", recording)
    )
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", room, "--caller", "--name", "Bob", "--headless", "--source", "none", "--duration", "14"),
        *("--microphone", "room.monitor", "--speaker", "room", "--audio-processing", processing),
        environment=server.environment,
    )
    return far, near


@pytest.mark.long
@pytest.mark.alone
def test_the_echo_of_the_loudspeaker_is_cancelled(machine, sounds, tmp_path):
    talk = tmp_path / "talk.wav"
    # Noise whose volume rises and falls as in speech.
    syllables = "anoisesrc=color=pink:amplitude=0.5:sample_rate=48000,tremolo=f=4:d=0.9"
    subprocess.run(["ffmpeg", "-v", "error", "-f", "lavfi", "-i", syllables, "-t", "20", str(talk)], check=True)
    server = sounds("room")
    left: dict[str, float] = {}
    for room, processing in enumerate(("none", "echo"), start=1):
        recording = tmp_path / f"{processing}.mkv"
        for process in start_echo_call(machine, server, room, talk, recording, processing):
            process.succeed()
        left[processing] = sound.decibels(sound.recorded(recording, start=6))
    print(f"echo without and with its cancellation: {left} dB")
    assert left["none"] > -40, "the microphone did not hear the loudspeaker"
    assert left["none"] - left["echo"] >= 10, left


def test_microphone_and_loudspeaker_can_be_changed_during_a_call(machine, sounds, tone, tmp_path):
    server = sounds("room", "study", "ear", "nose")
    server.play("study", tone)
    far = machine.callrunner(
        "--room", "1", "--caller", "--headless", "--source", sound.wrapped(tone), "--record", tmp_path / "heard.mkv"
    )
    far.wait_for("room.joined")
    near = machine.callrunner(
        *("--room", "1", "--name", "Bob", "--headless", "--source", "none", "--audio-processing", "none"),
        *("--microphone", "room.monitor", "--speaker", "ear", "--control", "-"),
        environment=server.environment, is_steered=True,
    )
    near.wait_for("media.first_frame", kind="audio")
    listed = near.ask("devices")["devices"]
    assert {"ear", "nose", "room", "study"} <= {device["id"] for device in listed if device["kind"] == "speaker"}
    assert sound.loudest(server.hear("ear.monitor", 4), TONE) == pytest.approx(AMPLITUDE, rel=0.1)
    for kind, name in [("microphone", "nobody"), ("speaker", "nobody"), ("speaker", "none"), ("camera", "/dev/video0")]:
        refused = near.ask("select", **{kind: name})
        assert not refused["ok"] and refused["error"] == "no-device" and refused["message"], refused
    # The selected microphone is silent, and the refused commands had no effect.
    near.wait_for("stats")
    assert levels(near, "out")[-1] < -60
    assert near.ask("select", microphone="study.monitor")["ok"]
    assert near.ask("select", speaker="nose")["ok"]
    assert near.wait_for("device.selected", kind="speaker")["id"] == "nose"
    assert sound.loudest(server.hear("nose.monitor", 4), TONE) == pytest.approx(AMPLITUDE, rel=0.1)
    assert sound.loudest(server.hear("ear.monitor", 1), TONE) < 0.01
    assert near.wait_for_more("stats", 3)["audio"]["out"]["level"] == pytest.approx(LEVEL, abs=1)
    near.ask("hangup")
    near.succeed()
    far.succeed()
    # The peer receives the audio of the new microphone.
    heard = sound.recorded(tmp_path / "heard.mkv", start=0)
    assert sound.loudest(heard, TONE) == pytest.approx(AMPLITUDE, rel=0.15)
    assert warnings(near) == []
