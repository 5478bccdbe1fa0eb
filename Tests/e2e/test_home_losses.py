"""Faults of the server while its stream is played at Home: the app reports the fault, and plays again after it."""

import signal
import time

import pytest
from peers.hand import PRIMARY
from test_app import Person, person  # noqa: F401 - a fixture
from test_home import enter, wait_for_width
from test_live import ladder, segments, started  # noqa: F401 - fixtures

LONG = pytest.mark.long


def watching(person, url: str) -> Person:  # noqa: F811
    """Returns a user who watches a stream of the server at Home."""
    ann = person("ann")
    ann.open(first="home")
    ann.app.wait_for("live.playing")
    enter(ann, f"{url}/fine.m3u8")
    wait_for_width(ann, 320)
    return ann


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("fault", "state", "span"),
    [
        ("stopped", {"event": "live.offline", "reason": "unreachable"}, 10),
        pytest.param("frozen", {"event": "live.buffering"}, 10, marks=LONG),
        ("404", {"event": "live.offline", "reason": "not-live"}, 10),
        pytest.param("412", {"event": "live.offline", "reason": "not-live"}, 10, marks=LONG),
        pytest.param("503", {"event": "live.offline", "reason": "server-failed"}, 10, marks=LONG),
        pytest.param("403", {"event": "live.failed", "reason": "forbidden"}, 10, marks=LONG),
        ("garbage", {"event": "live.offline", "reason": "damaged"}, 14),  # until it has been retried three times
    ],
)
def test_the_stream_plays_again_within_three_seconds_after_a_fault(machine, person, segments, artefact, fault, state, span):  # noqa: F811
    server, url = started(machine, segments)
    ann = watching(person, url)
    time.sleep(1)
    match fault:
        case "stopped": server.signal(signal.SIGKILL)
        case "frozen": server.signal(signal.SIGSTOP)
        case _: machine.fetch(f"{url}/-/{fault}")
    begun = time.monotonic()
    ann.app.wait_for(**state, within=20)
    time.sleep(max(0, begun + span - time.monotonic()))
    ann.hand.photograph(artefact(f"home-{fault}.png"))
    count = len(ann.app.all("live.playing"))
    match fault:
        case "stopped": machine.peer("live_server", "--folder", segments, "--port", url.rsplit(":", 1)[1]).wait_for("server.listening")
        case "frozen": server.signal(signal.SIGCONT)
        case _: machine.fetch(f"{url}/-/none")
    recovered = time.monotonic()
    if fault in ("403", "garbage"):  # retried by the user
        ann.hand.click_button(PRIMARY)
    while len(ann.app.all("live.playing")) == count:
        assert time.monotonic() < recovered + 3, ann.app.story
        time.sleep(0.02)
    print(f"{fault}: plays {time.monotonic() - recovered:.2f} s after the fault")
    ann.quit()


def test_after_truncated_segments_another_stream_plays_within_three_seconds(machine, person, segments, ladder, artefact):  # noqa: F811
    _, url = started(machine, segments)
    ann = watching(person, url)
    machine.fetch(f"{url}/-/cut")
    time.sleep(5)
    ann.hand.photograph(artefact("home-cut.png"))
    machine.fetch(f"{url}/-/none")
    enter(ann, f"{url}/ladder-high.m3u8")
    changed = time.monotonic()
    wait_for_width(ann, 640)
    assert time.monotonic() < changed + 3, ann.app.story
    ann.quit()
