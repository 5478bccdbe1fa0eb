"""Peers with false session descriptions, whose media must be rejected and whose calls must end with an error."""

import expect
import pytest
from peers import probe

# A high limit, because a busy host needs seconds to open the sources.
LIMIT = 60
DURATION = "1"
# Short limits of an attempt and of the wait for another offer.
SOON = ["--connect-timeout", "5", "--peer-timeout", "5"]


def start_call(machine, role, lie, *flags, peer=()):
    """Starts callrunner in `role`, and an aiortc peer with the given lie and flags; returns both processes."""
    server = machine.server()
    roles = {"caller": ["--caller"], "callee": []}
    ours = machine.callrunner(
        "--room", "5", "--name", "Ann", "--server", server, "--retries", "0", *roles[role], *flags)
    ours.wait_for("room.joined")
    other = "caller" if role == "callee" else "callee"
    theirs = machine.peer(
        "aiortc_peer", "--room", "5", "--name", "Bob", "--server", server, "--play", probe.ASSET, "--lie", lie,
        *roles[other], *peer)
    return ours, theirs


def expect_rejected_peer(ours, recording, code, *words):
    """Expects one error with this code, exit code 3, and no media from the peer."""
    expect.expect_refusal(ours, 3, *words, within=LIMIT)
    assert ours.all("error")[0]["code"] == code, ours.all("error")
    for event in ("media.connected", "media.first_frame", "record.saved"):
        assert not ours.all(event), ours.events
    assert not recording.exists()


def both(*lies):
    """Returns each lie combined with each role."""
    return [(lie, role) for lie in lies for role in ("caller", "callee")]


def rarely(*cases):
    return [pytest.param(*case, marks=pytest.mark.long) for case in cases]


ANOTHER_CERTIFICATE = [
    *both("digit"),
    *rarely(*both("another-certificate", "strongest")),
]


@pytest.mark.parametrize(("lie", "role"), ANOTHER_CERTIFICATE)
def test_a_certificate_that_differs_from_the_fingerprint_ends_the_call(machine, tmp_path, role, lie):
    recording = tmp_path / "theirs.mkv"
    ours, theirs = start_call(machine, role, lie, "--record", recording)
    expect_rejected_peer(
        ours, recording, "unverified-peer", "not verified", "its certificate has the fingerprint sha-512", "it may be intercepted")
    assert not theirs.all("media.first_frame")


UNVERIFIABLE = {
    "none": "has no certificate fingerprint",
    "sha-1": "use sha-1, and SHA-256 is the minimum",
    "unknown-function": "use sha3-256, and SHA-256 is the minimum",
    "malformed": "malformed",
}


@pytest.mark.parametrize(
    ("lie", "role"),
    [("none", "callee"), ("sha-1", "caller"), *rarely(("none", "caller"), ("sha-1", "callee"), *both("unknown-function", "malformed"))])
def test_a_description_without_a_usable_fingerprint_is_refused(machine, tmp_path, role, lie):
    recording = tmp_path / "theirs.mkv"
    ours, theirs = start_call(machine, role, lie, "--record", recording)
    expect_rejected_peer(ours, recording, "bad-description", UNVERIFIABLE[lie])
    assert not theirs.all("media.connected")


@pytest.mark.parametrize(
    ("lie", "role"),
    [("subject", "callee"), *rarely(("subject", "caller"))])
def test_a_certificate_whose_subject_would_overflow_a_gstreamer_buffer_is_refused(machine, tmp_path, role, lie):
    recording = tmp_path / "theirs.mkv"
    ours, _ = start_call(machine, role, lie, "--record", recording)
    # Anybody may have sent this certificate, so the attempt would be repeated without `--retries 0`.
    expect_rejected_peer(ours, recording, "dtls-failed", "subject has", "384 are allowed")


@pytest.mark.parametrize(
    ("lie", "role"),
    [
        ("lower-case", "caller"), ("one-of-two", "callee"),
        *rarely(("lower-case", "callee"), ("one-of-two", "caller")),
        *rarely(*both("sha-256-alone", "sha-512-alone", "subject-of-300-bytes")),
    ])
def test_a_correct_fingerprint_in_another_form_is_accepted(machine, role, lie):
    ours, _ = start_call(machine, role, lie, "--duration", DURATION)
    ours.succeed(LIMIT)
    assert {event["kind"] for event in ours.all("media.first_frame")} == {"audio", "video"}


@pytest.mark.long
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_a_wrong_ice_password_ends_the_call_within_a_minute(machine, tmp_path, role):
    recording = tmp_path / "theirs.mkv"
    ours, _ = start_call(machine, role, "password", "--record", recording, *SOON)
    assert ours.finish(LIMIT) in (2, 3), ours.stderr
    assert ours.all("error")[0]["code"] in ("no-media", "ice-failed"), ours.events
    assert not ours.all("media.connected") and not recording.exists()


@pytest.mark.long
def test_equal_dtls_roles_end_the_call_within_a_minute(machine, tmp_path):
    recording = tmp_path / "theirs.mkv"
    ours, _ = start_call(machine, "caller", "dtls-role", "--record", recording, *SOON)
    assert ours.finish(LIMIT) in (2, 3), ours.stderr
    assert ours.all("error")[0]["code"] in ("no-media", "dtls-failed"), ours.events
    assert not ours.all("media.connected") and not recording.exists()


@pytest.mark.long
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_rejecting_all_media_sections_ends_the_call(machine, tmp_path, role):
    recording = tmp_path / "theirs.mkv"
    ours, _ = start_call(machine, role, "ports", "--record", recording)
    expect.expect_refusal(ours, 3, within=LIMIT)
    assert not ours.all("media.connected") and not recording.exists()


@pytest.mark.long
@pytest.mark.parametrize(("role", "has_video"), [("caller", False), ("callee", True)])
def test_video_is_received_if_an_offer_but_not_if_an_answer_changes_the_payload_types(machine, role, has_video):
    ours, _ = start_call(machine, role, "payload-types", "--duration", "3")
    ours.succeed(LIMIT)
    expect.a_call_that_ended(ours, "duration")
    # A peer that offers sends with the payload types of the answer, so its video is valid.
    assert ("video" in {event["kind"] for event in ours.all("media.first_frame")}) == has_video, ours.events
    assert (ours.events[-1]["received"]["video"] > 0) == has_video, ours.events[-1]
    assert not any(trap in ours.stderr for trap in expect.TRAPS), ours.stderr


def test_an_offer_that_changes_the_bundle_of_a_call_is_ignored(machine):
    """webrtcbin 1.22 ends the process when a packet arrives whose section has moved to another transport."""
    ours, theirs = start_call(machine, "callee", "unbundled-later", "--duration", "5", peer=["--sources", "1"])
    theirs.wait_for("flooded", within=LIMIT)
    frames = ours.wait_for("stats")["video"]["in"]["frames"]
    ours.succeed(LIMIT)
    assert ours.all("stats")[-1]["video"]["in"]["frames"] > frames


def test_an_offer_that_repeats_the_direction_of_video_is_accepted(machine):
    """webrtcbin 1.22 would reject such a section, and end the process if a packet arrived for it nevertheless."""
    ours, _ = start_call(machine, "callee", "two-directions", "--duration", DURATION, peer=["--sources", "1"])
    ours.succeed(LIMIT)
    assert {event["kind"] for event in ours.all("media.first_frame")} == {"audio", "video"}


@pytest.mark.parametrize("role", ["caller", "callee"])
def test_repeated_session_level_ice_credentials_are_accepted(machine, role):
    """webrtcbin 1.22 would crash the process."""
    ours, _ = start_call(machine, role, "credentials-twice", "--duration", DURATION)
    ours.succeed(LIMIT)
    assert {event["kind"] for event in ours.all("media.first_frame")} == {"audio", "video"}


@pytest.mark.long
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_a_call_connects_although_most_candidates_are_invalid(machine, role):
    ours, _ = start_call(machine, role, "candidates", "--duration", DURATION)
    ours.succeed(LIMIT)
    assert {event["kind"] for event in ours.all("media.first_frame")} == {"audio", "video"}
