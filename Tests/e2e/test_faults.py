"""Whatever breaks, both have the other's picture again in time, in one recording that spans it.

Each test prints a line of docs/RELIABILITY.md's table; `pytest -s` shows it.
"""

import signal
import time

import pytest
from faults import FaultyCall, one_recording_that_plays, time_of_day, wait_until

SEED = 4_711
# Above the limit, until a test gives up waiting and tells how it stands.
PATIENCE = 20
# A call has run so long before something happens to it, in seconds.
BEFORE = 2


def measured(request, call: FaultyCall, moment: float, since: float) -> dict[str, float]:
    """The seconds from `moment` to the picture at either side, said in a line of the table."""
    times = {side.name: side.picture_after(moment) for side in call.sides}
    told = " · ".join(f"{side.name}: {side.story_since(since)}" for side in call.sides)
    print(f"\n| {request.node.name} | {told} | {times['ann']:.2f} s | {times['bob']:.2f} s |")
    return times


def recovers(request, call: FaultyCall, since: float, moment: float, limit: float) -> None:
    """Waits for pictures, ends the call, and expects them within the limit after `moment`."""
    call.pictures_again(moment, within=PATIENCE)
    call.hang_up()
    times = measured(request, call, moment, since)
    for side in call.sides:
        shown = time_of_day(side.process.wait_for("media.first_frame", kind="video"))
        one_recording_that_plays(side, moment - shown)
    assert max(times.values()) <= limit, times


@pytest.fixture
def call(tmp_path):
    with FaultyCall(tmp_path, SEED) as call:
        yield call


def test_a_blackout_of_ten_seconds(request, call):
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    order = call.internet.profile("ann", "bob", "blackout", seconds=10)
    recovers(request, call, since, call.internet.restored(order, within=15), limit=5)


@pytest.mark.long
@pytest.mark.parametrize("seconds", [2, 4, 6, 10, 20])
def test_a_blackout_of_the_way_to_the_server_too(request, call, seconds):
    call.begin("--retries", "8")
    time.sleep(BEFORE)
    since = time.time()
    orders = [
        call.internet.profile(*pair, "blackout", seconds=seconds)
        for pair in (("ann", "bob"), ("ann", "server"), ("bob", "server"))
    ]
    moment = max(call.internet.restored(order, within=seconds + 5) for order in orders)
    recovers(request, call, since, moment, limit=5)


def test_the_caller_roams_to_another_network(request, call):
    roam(request, call, "ann")


@pytest.mark.long
@pytest.mark.parametrize("without", [0, 1, 8])
@pytest.mark.parametrize("who", ["ann", "bob"])
def test_either_roams_with_nothing_in_between(request, call, who, without):
    roam(request, call, who, without)


def roam(request, call: FaultyCall, who: str, without: float = 0.3) -> None:
    """One address and interface goes; the other comes after so many seconds without any."""
    call.begin()
    time.sleep(BEFORE)
    host, since = call.internet.hosts[who], time.time()
    host.down(0)
    time.sleep(without)
    host.up(1)
    recovers(request, call, since, time.time(), limit=3)


@pytest.mark.parametrize("outage", [1, pytest.param(20, marks=pytest.mark.long)])
def test_the_server_is_killed_and_comes_back(request, call, outage):
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    call.server.signal(signal.SIGKILL)
    for side in call.sides:
        side.process.wait_for("signaling.disconnected")
    time.sleep(outage)
    back = call.serve()
    for side in call.sides:
        wait_until(f"{side.name} rejoins", lambda: len(side.process.all("room.joined")) == 2, PATIENCE)
    joined = {side.name: time_of_day(side.process.all("room.joined")[1]) - back for side in call.sides}
    time.sleep(1)
    until = time.time()
    call.hang_up()
    freezes = {side.name: side.longest_freeze(since, until - 0.5) for side in call.sides}
    told = " · ".join(f"{side.name}: {side.story_since(since)}" for side in call.sides)
    print(f"\n| {request.node.name} | {told} | rejoined {joined}, longest freeze {freezes} |")
    for side in call.sides:
        assert len(side.process.all("call.started")) == 1
        one_recording_that_plays(side, until - since)
    assert max(joined.values()) <= 6, joined
    assert max(freezes.values()) <= 0.5, freezes


@pytest.mark.parametrize("who", ["bob", pytest.param("ann", marks=pytest.mark.long)])
def test_a_peer_freezes_for_eight_seconds(request, call, who):
    call.begin()
    time.sleep(BEFORE)
    frozen = next(side for side in call.sides if side.name == who)
    since = time.time()
    frozen.process.signal(signal.SIGSTOP)
    time.sleep(8)
    frozen.process.signal(signal.SIGCONT)
    recovers(request, call, since, time.time(), limit=5)


@pytest.mark.parametrize("who", ["ann", pytest.param("bob", marks=pytest.mark.long)])
def test_a_peer_is_killed_and_comes_back_to_one_that_stays(request, call, who):
    call.begin("--stay")
    time.sleep(BEFORE)
    killed, other = call.sides if who == "ann" else reversed(call.sides)
    since = time.time()
    killed.process.signal(signal.SIGKILL)
    killed.process.finish()
    killed.recording.unlink()
    again = time.time()
    killed.start()
    call.pictures_again(again, within=PATIENCE)
    killed.process.signal(signal.SIGINT)
    assert killed.process.finish() == 130
    other.process.wait_for("call.ended", reason="peer-left")
    wait_until("a second end", lambda: len(other.process.all("call.ended")) == 2, 5)
    other.process.signal(signal.SIGINT)
    other.process.finish()
    times = measured(request, call, again, since)
    shown = time_of_day(other.process.wait_for("media.first_frame", kind="video"))
    one_recording_that_plays(other, again - shown)
    assert max(times.values()) <= 6, times


@pytest.mark.long
@pytest.mark.parametrize("protocols", [("udp",), ("udp", "tcp")], ids=" and ".join)
@pytest.mark.parametrize("who", ["ann", "bob"])
def test_a_router_forgets_its_mappings(request, call, who, protocols):
    call.internet.nat(who)
    call.begin()
    time.sleep(BEFORE)
    moment = call.internet.rebind(who, *protocols)
    recovers(request, call, moment, moment, limit=10)


# What 300 kb/s have room for; the test video needs a megabit.
SLIM = ["--source", "pattern", "--bitrate", "60k:120k:150k"]


@pytest.mark.parametrize(
    ("profile", "source"),
    [("moderate", []), pytest.param("international", SLIM, marks=pytest.mark.long)],
    ids=["moderate", "international"],
)
def test_a_call_is_set_up_over_a_bad_network(request, tmp_path, profile, source):
    set_up(request, tmp_path, profile, source, SEED)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("profile", "source"),
    [("moderate", []), ("international", SLIM), ("spiky", []), ("bursty", [])],
    ids=["moderate", "international", "spiky", "bursty"],
)
def test_a_call_is_set_up_over_a_bad_network_whatever_is_lost(request, tmp_path, profile, source, seed):
    set_up(request, tmp_path, profile, source, seed)


def set_up(request, tmp_path, profile: str, source: list[str], seed: int) -> None:
    with FaultyCall(tmp_path, seed, source) as call:
        call.everywhere(profile)
        since = time.time()
        call.begin(within=60)
        time.sleep(BEFORE)
        call.everywhere("clear")
        call.hang_up()
        first = {
            side.name: time_of_day(side.process.wait_for("media.first_frame", kind="video")) - since
            for side in call.sides
        }
        attempts = [side.process.events[-1]["attempts"] for side in call.sides]
        print(f"\n| {request.node.name} | seed {seed}, attempts {attempts} | {first['ann']:.2f} s | {first['bob']:.2f} s |")
        for side in call.sides:
            one_recording_that_plays(side, BEFORE / 2)


@pytest.mark.long
@pytest.mark.parametrize("profile", ["spiky", "bursty", "moderate"])
def test_ten_seconds_of_loss_in_a_call(request, call, profile):
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    order = call.internet.profile("ann", "bob", profile, seconds=10)
    recovers(request, call, since, call.internet.restored(order, within=15), limit=3)
    for side in call.sides:
        assert len(side.process.all("call.started")) == 1, "loss ends no attempt"
