"""Recovery of calls from faults of networks and processes within time limits, with one recording of the whole call.

Each test prints a line of docs/RELIABILITY.md's table; `pytest -s` shows it.
"""

import signal
import time

import pytest
from faults import TEST_VIDEO, FaultyCall, needs_tun, expect_playable_recording, time_of_day, wait_until
from peers import probe

SEED = 4_711
# The seconds that a test waits before it fails and reports the state. They exceed every limit.
PATIENCE = 15
# The seconds of a call before the fault.
BEFORE = 2
# A source with less than 300 kb/s, because the test video needs 1 Mb/s.
SLIM = ["--source", "pattern", "--bitrate", "60k:120k:150k"]

pytestmark = needs_tun
long = pytest.mark.long


def summary(call: FaultyCall, since: float) -> str:
    busy = call.internet.starved()
    return call.story_since(since).replace("\n", " · ") + (f" · machine busy for {busy:.2f} s" if busy > 0.1 else "")


def recovers(request, call: FaultyCall, since: float, moment: float, limit: float, patience: float = PATIENCE) -> None:
    """Waits for moving video, ends the call, and expects video at both sides at most `limit` seconds after `moment`."""
    call.video_again(moment, patience)
    call.hang_up()
    times = {side.name: side.frame_after(moment) for side in call.sides}
    print(f"\n| {request.node.name} | {summary(call, since)} | {times['ann']:.2f} s | {times['bob']:.2f} s |")
    for side in call.sides:
        expect_playable_recording(side, moment - side.first_frame)
    assert max(times.values()) <= limit, times


def changes_networks(request, call: FaultyCall, who: str, pause: float, to: int, limit: float) -> None:
    """Disconnects the host of `who` during a call, and connects its interface `to` after `pause` seconds."""
    call.begin()
    time.sleep(BEFORE)
    host, since = call.internet.hosts[who], time.time()
    host.down(0)
    time.sleep(pause)
    host.up(to)
    recovers(request, call, since, time.time(), limit)


@pytest.fixture
def call(tmp_path):
    with FaultyCall(tmp_path, SEED) as call:
        yield call


@pytest.mark.parametrize("container", ["mkv", pytest.param("mp4", marks=long)])
def test_a_call_recovers_from_a_blackout_of_ten_seconds(request, call, container):
    for side in call.sides:
        side.record_into(container)
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    order = call.internet.profile("ann", "bob", "blackout", seconds=10)
    recovers(request, call, since, call.internet.restored(order, within=15), limit=5)


@long
@pytest.mark.parametrize("seconds", [2, 4, 7, 8, 12, 14])
def test_a_call_recovers_from_a_blackout_of_2_to_14_seconds(request, call, seconds):
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    order = call.internet.profile("ann", "bob", "blackout", seconds=seconds)
    recovers(request, call, since, call.internet.restored(order, within=seconds + 5), limit=8)


# The last limit is higher, because TCP waits more than five seconds between retransmissions after ten seconds.
@long
@pytest.mark.parametrize(("seconds", "limit"), [(2, 5), (4, 5), (6, 5), (10, 5), (20, 15)])
def test_a_call_recovers_from_a_blackout_that_includes_the_server(request, call, seconds, limit):
    call.begin("--retries", "8")
    time.sleep(BEFORE)
    since = time.time()
    moment = max(call.internet.restored(order, seconds + 5) for order in call.everywhere("blackout", seconds))
    recovers(request, call, since, moment, limit, patience=limit + 5)


@pytest.mark.parametrize(
    ("who", "between"),
    [("ann", 0.3), *(pytest.param(who, pause, marks=long) for who in ("ann", "bob") for pause in (0, 1, 8))],
)
def test_a_call_recovers_when_a_peer_roams_to_another_network(request, call, who, between):
    changes_networks(request, call, who, between, to=1, limit=3)


@long
@pytest.mark.parametrize("who", ["ann", "bob"])
@pytest.mark.parametrize("seconds", [2, 8])
def test_a_call_recovers_when_the_host_shared_by_a_peer_and_the_server_loses_its_network(request, tmp_path, who, seconds):
    with FaultyCall(tmp_path, SEED, serving=who) as call:
        changes_networks(request, call, who, seconds, to=0, limit=5)


@pytest.mark.parametrize("outage", [1, pytest.param(20, marks=long)])
def test_a_call_continues_when_the_server_is_killed_and_restarted(request, call, outage):
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
    print(f"\n| {request.node.name} | {summary(call, since)} | rejoined {joined} | longest freeze {freezes} |")
    for side in call.sides:
        assert len(side.process.all("call.started")) == 1
        expect_playable_recording(side, until - since)
    assert max(joined.values()) <= 6, joined
    # Time in which the host did not run the emulator is added, because video stalls then too.
    assert max(freezes.values()) <= 0.5 + call.internet.starved(), freezes


@long
@pytest.mark.parametrize("who", ["bob", "ann"])
def test_a_call_recovers_when_a_process_is_stopped_for_eight_seconds(request, call, who):
    call.begin()
    time.sleep(BEFORE)
    frozen = next(side for side in call.sides if side.name == who)
    since = time.time()
    frozen.process.signal(signal.SIGSTOP)
    time.sleep(8)
    frozen.process.signal(signal.SIGCONT)
    recovers(request, call, since, time.time(), limit=5)


@pytest.mark.parametrize("who", ["ann", pytest.param("bob", marks=long)])
def test_a_killed_and_restarted_peer_reconnects_to_a_peer_that_stays_in_the_room(request, call, who):
    call.begin("--stay")
    time.sleep(BEFORE)
    killed, other = call.sides if who == "ann" else reversed(call.sides)
    since = time.time()
    killed.process.signal(signal.SIGKILL)
    killed.process.finish()
    killed.recording.unlink()
    again = time.time()
    killed.start()
    call.video_again(again, PATIENCE)
    killed.process.signal(signal.SIGINT)
    assert killed.process.finish() == 130
    wait_until("the second end", lambda: len(other.process.all("call.ended")) == 2, PATIENCE)
    other.process.signal(signal.SIGINT)
    other.process.finish()
    times = {side.name: side.frame_after(again) for side in call.sides}
    print(f"\n| {request.node.name} | {summary(call, since)} | {times['ann']:.2f} s | {times['bob']:.2f} s |")
    assert [event["reason"] for event in other.process.all("call.ended")] == ["peer-left"] * 2
    expect_playable_recording(other, again - other.first_frame)
    assert max(times.values()) <= 5, times


@long
@pytest.mark.parametrize("who", ["ann", "bob"])
def test_a_call_ends_when_a_peer_is_killed_and_its_host_disconnected(request, call, who):
    call.begin()
    time.sleep(BEFORE)
    vanished, other = call.sides if who == "ann" else reversed(call.sides)
    since = time.time()
    call.internet.hosts[who].down()
    vanished.process.signal(signal.SIGKILL)
    code = other.process.finish(within=90)
    print(f"\n| {request.node.name} | {summary(call, since)} | exit {code} after {time.time() - since:.0f} s |")
    assert len(other.process.all("call.ended")) == 1 and other.process.events[-1]["exit"] == code
    expect_playable_recording(other, BEFORE / 2)


@long
@pytest.mark.parametrize("protocols", ["udp", "udp tcp"])
@pytest.mark.parametrize("who", ["ann", "bob"])
def test_a_call_recovers_when_a_router_loses_its_nat_mappings(request, call, who, protocols):
    call.internet.nat(who)
    call.begin()
    time.sleep(BEFORE)
    moment = call.internet.rebind(who, *protocols.split())
    recovers(request, call, moment, moment, limit=10)


@long
def test_a_call_across_two_routers_recovers_when_one_loses_its_nat_mappings(request, call):
    for who in ("ann", "bob"):
        call.internet.nat(who)
    call.begin("--stun", call.stun())
    for side in call.sides:
        assert side.process.wait_for("ice.selected")["remote"] in ("srflx", "prflx")
    time.sleep(BEFORE)
    moment = call.internet.rebind("ann", "udp")
    recovers(request, call, moment, moment, limit=10)


@pytest.mark.parametrize("container", ["mkv", pytest.param("mp4", marks=long)])
def test_a_recording_whose_video_begins_after_its_audio_is_playable(call, container):
    for side in call.sides:
        side.record_into(container)
    # Audio packets are small enough to pass, and the packets of a keyframe are not.
    call.internet.profile("ann", "bob", {"largest": 1200})
    call.start()
    for side in call.sides:
        side.process.wait_for("media.first_frame", kind="audio")
    time.sleep(1.2)
    call.internet.profile("ann", "bob", "clear")
    call.video_again(time.time(), PATIENCE)
    call.hang_up()
    for side in call.sides:
        expect_playable_recording(side, 1)


@pytest.mark.parametrize(
    ("profile", "seed"),
    [
        ("moderate", SEED),
        *(
            pytest.param(profile, seed, marks=long)
            for profile in ("moderate", "international", "spiky", "bursty")
            for seed in range(5)
        ),
    ],
)
def test_a_call_connects_over_a_bad_network(request, tmp_path, profile, seed):
    source = SLIM if profile == "international" else TEST_VIDEO
    seconds = 10 if profile == "spiky" else None
    with FaultyCall(tmp_path, seed, source) as call:
        call.everywhere(profile, seconds)
        began = time.time()
        call.begin(within=60)
        time.sleep(BEFORE)
        call.everywhere("clear")
        call.video_again(time.time(), PATIENCE)
        call.hang_up()
        first = {side.name: side.first_frame - began for side in call.sides}
        attempts = [side.process.events[-1]["attempts"] for side in call.sides]
        print(f"\n| {request.node.name} | attempts {attempts} | {first['ann']:.2f} s | {first['bob']:.2f} s |")
        for side in call.sides:
            for saved in side.process.all("record.saved"):
                assert probe.decoding_errors(saved["path"]) == "", saved


@long
@pytest.mark.parametrize("profile", ["spiky", "bursty", "moderate"])
def test_a_call_recovers_from_ten_seconds_of_packet_loss(request, call, profile):
    call.begin()
    time.sleep(BEFORE)
    since = time.time()
    order = call.internet.profile("ann", "bob", profile, seconds=10)
    recovers(request, call, since, call.internet.restored(order, within=15), limit=3)
    for side in call.sides:
        assert len(side.process.all("call.started")) == 1, "packet loss has ended an attempt"
