"""The emulated network, whose faults must match its profiles and be reproducible with a seed."""

import itertools
import os
import statistics
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from faults import needs_tun
from peers.impairment import HELD_BACK, PROFILES, Impairment, Profile
from peers.internet import Internet
from peers.nat import NAT, TCP, UDP
from peers.runner import PYTHON

PACKETS = 20_000
SPACING = 0.005
OPEN = {name: profile for name, profile in PROFILES.items() if profile.loss < 1}

ECHO = """
import socket
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind(("0.0.0.0", 7))
print('{"event": "server.listening"}', flush=True)
while True:
    server.sendto(*server.recvfrom(2048))
"""
ROUND_TRIPS = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 7))
client.settimeout(2)
for _ in range(40):
    began = time.monotonic()
    client.send(b"x" * 1200)
    client.recv(2048)
    print(time.monotonic() - began)
"""

# With the replies of the echo server, this is the traffic of two calls at 1.5 Mb/s in both directions.
TWO_CALLS = """
import socket, sys, time
client = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
client.connect((sys.argv[1], 7))
began = time.monotonic()
for packet in range(1700):
    client.send(b"x" * 1100)
    time.sleep(max(0, began + packet / 340 - time.monotonic()))
"""


def fates(profile: Profile, seed: str = "1", packets: int = PACKETS, size: int = 1200) -> list[tuple[float, ...]]:
    """Returns the delays of all copies of each packet, empty for lost packets. Packets are sent at a constant rate."""
    impairment = Impairment(seed, profile)
    sent = [index * SPACING for index in range(packets)]
    return [tuple(leaves - now for leaves in impairment.departures(now, size)) for now in sent]


def bursts(outcomes: list[tuple[float, ...]]) -> list[int]:
    return [len(list(group)) for lost, group in itertools.groupby(outcomes, lambda copies: not copies) if lost]


@pytest.mark.parametrize("name", PROFILES)
def test_a_seed_determines_the_faults_of_every_packet(name):
    assert fates(PROFILES[name], "7") == fates(PROFILES[name], "7")
    if PROFILES[name] not in (PROFILES["clear"], PROFILES["blackout"]):
        assert fates(PROFILES[name], "7") != fates(PROFILES[name], "8")


def test_earlier_profiles_do_not_change_which_packets_are_lost():
    changed, steady = (Impairment("7", PROFILES["moderate"]) for _ in range(2))
    changed.profile = PROFILES["international"]
    for index in range(500):
        changed.departures(index * SPACING, 100)
        steady.departures(index * SPACING, 100)
    changed.profile = PROFILES["moderate"]
    for index in range(500, 2000):
        now = index * SPACING
        assert bool(changed.departures(now, 100)) == bool(steady.departures(now, 100))


@pytest.mark.parametrize("name", OPEN)
def test_loss_and_duplication_rates_match_the_profile(name):
    profile = OPEN[name]
    # The profile is used without its rate limit, because a full queue drops packets too.
    outcomes = fates(Profile(loss=profile.loss, burst=profile.burst, duplicate=profile.duplicate))
    lost = sum(not copies for copies in outcomes)
    arrived = len(outcomes) - lost
    assert lost / PACKETS == pytest.approx(profile.loss, rel=0.2)
    assert sum(len(copies) == 2 for copies in outcomes) / arrived == pytest.approx(profile.duplicate, rel=0.2)


@pytest.mark.parametrize(("name", "length"), [("moderate", 1 / 0.95), ("international", 4), ("bursty", 12)])
def test_the_length_of_loss_bursts_matches_the_profile(name, length):
    assert statistics.mean(bursts(fates(PROFILES[name], size=40))) == pytest.approx(length, rel=0.15)


def test_a_blackout_drops_every_packet():
    assert not any(fates(PROFILES["blackout"]))


def test_packets_above_the_largest_size_are_dropped():
    assert all(fates(Profile(largest=1000), size=1000)) and not any(fates(Profile(largest=1000), size=1001))


@pytest.mark.parametrize("name", ["moderate", "international"])
def test_jitter_is_uniform_around_the_delay_and_keeps_the_order(name):
    profile = PROFILES[name]
    impairment = Impairment("1", Profile(delay=profile.delay, jitter=profile.jitter))
    left = [impairment.departures(index * SPACING, 1200)[0] for index in range(PACKETS)]
    delays = [(leaves - index * SPACING) * 1000 for index, leaves in enumerate(left)]
    assert left == sorted(left)
    assert min(delays) >= profile.delay - profile.jitter and max(delays) <= profile.delay + profile.jitter
    # The mean may exceed the delay, because a packet waits for a slower one before it.
    assert statistics.mean(delays) == pytest.approx(profile.delay, abs=profile.jitter / 4)
    assert statistics.pstdev(delays) == pytest.approx(profile.jitter / 3**0.5, rel=0.2)


def test_only_reordered_packets_are_overtaken():
    impairment = Impairment("1", Profile(delay=50, reorder=0.05))
    left = [impairment.departures(index * SPACING, 1200)[0] for index in range(PACKETS)]
    late = {index for index, leaves in enumerate(left) if leaves - index * SPACING > 0.051}
    assert len(late) / PACKETS == pytest.approx(0.05, rel=0.15)
    for index in late - {PACKETS - 1}:
        assert left[index] - index * SPACING == pytest.approx(0.05 + HELD_BACK)
        assert index + 1 in late or left[index + 1] < left[index]
    punctual = [leaves for index, leaves in enumerate(left) if index not in late]
    assert punctual == sorted(punctual)


def test_the_rate_and_the_queue_of_a_path_are_limited():
    profile = Profile(rate=300, queue=500)
    outcomes = fates(profile, packets=2000)  # 1,920 kb/s for ten seconds
    passed = [copies[0] for copies in outcomes if copies]
    assert len(passed) * 1200 * 8 == pytest.approx(300_000 * (2000 * SPACING + 0.5), rel=0.05)
    assert max(passed) <= 0.5 + 1200 * 8 / 300_000 + 1e-9
    assert all(copies for copies in fates(profile, packets=500, size=150)), "240 kb/s are below the limit"


def packet(protocol: int, source: tuple[str, int], target: tuple[str, int], payload: bytes = b"hello") -> bytes:
    """Returns a packet with correct checksums."""
    addresses = b"".join(bytes(map(int, address.split("."))) for address, _ in (source, target))
    ports = struct.pack("!HH", source[1], target[1])
    if protocol == UDP:
        header = ports + struct.pack("!HH", 8 + len(payload), 0)
        checksum_at = 6
    else:
        header = ports + struct.pack("!IIBBHHH", 1, 2, 5 << 4, 0x18, 1000, 0, 0)
        checksum_at = 16
    segment = bytearray(header + payload)
    pseudo = addresses + struct.pack("!BBH", 0, protocol, len(segment))
    struct.pack_into("!H", segment, checksum_at, checksum(pseudo + segment))
    top = bytearray(struct.pack("!BBHHHBBH", 0x45, 0, 20 + len(segment), 1, 0x4000, 64, protocol, 0) + addresses)
    struct.pack_into("!H", top, 10, checksum(top))
    return bytes(top + segment)


def checksum(data: bytes) -> int:
    total = sum(struct.unpack(f"!{(len(data) + 1) // 2}H", bytes(data) + b"\0" * (len(data) % 2)))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


@pytest.mark.parametrize("protocol", [UDP, TCP])
def test_nat_translates_both_directions_and_its_mappings_can_be_reset(protocol):
    inner, outer, far = ("10.77.1.2", 5000), ("203.0.113.1", 40_000), ("10.77.2.2", 6000)
    nat = NAT(bytes([203, 0, 113, 1]))
    assert nat.out(packet(protocol, inner, far)) == packet(protocol, outer, far)
    assert nat.back(packet(protocol, far, outer)) == packet(protocol, far, inner)
    assert nat.back(packet(protocol, ("10.77.2.2", 6001), outer)) is None, "no packet was sent to this port"
    nat.forget(protocol)
    assert nat.back(packet(protocol, far, outer)) is None
    again = ("203.0.113.1", 40_001)
    assert nat.out(packet(protocol, inner, far)) == packet(protocol, again, far)
    assert nat.back(packet(protocol, far, again)) == packet(protocol, far, inner)


@contextmanager
def echo_server(internet: Internet) -> Iterator[list[str]]:
    """Runs an echo server on Bob's host; yields the command that runs a Python script on Ann's host."""
    ann, bob = internet.hosts["ann"], internet.hosts["bob"]
    command = [*bob.namespace.prefix, PYTHON, "-c", ECHO]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as echo:
        try:
            assert "listening" in echo.stdout.readline()
            yield [*ann.namespace.prefix, PYTHON, "-c"]
        finally:
            echo.kill()


@needs_tun
def test_packets_between_namespaces_take_the_configured_delay(tmp_path):
    with Internet(tmp_path, 1, "ann", "bob") as internet, echo_server(internet) as run:
        for delay in (0, 25):
            internet.profile("ann", "bob", {"delay": delay})
            asking = [*run, ROUND_TRIPS, internet.hosts["bob"].addresses[0]]
            told = subprocess.run(asking, capture_output=True, text=True, check=True, timeout=30)
            trips = [float(line) * 1000 for line in told.stdout.splitlines()]
            # The fastest round trip is checked, because a busy host delays most of them.
            assert min(trips) == pytest.approx(2 * delay, abs=2)


@needs_tun
@pytest.mark.long
@pytest.mark.alone
def test_emulating_two_calls_takes_at_most_8_percent_of_a_processor(tmp_path):
    with Internet(tmp_path, 1, "ann", "bob") as internet, echo_server(internet) as run:
        internet.profile("ann", "bob", "moderate")
        before, began = processor_seconds(internet.emulator.pid), time.monotonic()
        subprocess.run([*run, TWO_CALLS, internet.hosts["bob"].addresses[0]], check=True, timeout=60)
        share = (processor_seconds(internet.emulator.pid) - before) / (time.monotonic() - began)
        print(f"{share:.1%} of a processor")
        assert share < 0.08


def processor_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@needs_tun
def test_a_temporary_profile_ends_by_itself(tmp_path):
    with Internet(tmp_path, 1, "ann", "bob") as internet:
        began = time.time()
        order = internet.profile("ann", "bob", "blackout", seconds=0.5)
        assert internet.restored(order, within=5) - began == pytest.approx(0.5, abs=0.2)
