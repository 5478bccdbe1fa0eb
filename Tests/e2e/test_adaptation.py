"""Calls over lossy and changing networks: lost packets are retransmitted, and the bit rate follows the link."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from conftest import Machine
from faults import needs_tun
from peers import probe, runner
from peers.internet import Internet

PORT = 3000
pytestmark = needs_tun


class EmulatedCall:
    """Ann, Bob and their server, connected through the emulator."""

    def __init__(self, internet: Internet, machines: dict[str, Machine]):
        self.internet, self._machines = internet, machines
        served = machines["server"].callrunner("serve", "--host", "0.0.0.0", "--port", PORT, "--origin", runner.BROWSER_PAGE)
        served.wait_for("server.listening")
        self._room = ["--room", "1", "--server", f"http://{internet.hosts['server'].addresses[0]}:{PORT}"]

    def callrunner(self, host: str, *arguments) -> runner.Runner:
        return self._machines[host].callrunner(*self._room, "--name", host, "--headless", *arguments)

    def peer(self, host: str, module: str, *arguments) -> runner.Runner:
        return self._machines[host].peer(module, *self._room, "--name", host, *arguments)


@contextmanager
def emulated_call(folder: Path, profile: dict) -> Iterator[EmulatedCall]:
    with ExitStack() as stack:
        internet = stack.enter_context(Internet(folder, 1, "ann", "bob", "server"))
        internet.profile("ann", "bob", profile)
        machines = {name: Machine(host.namespace, folder, stack) for name, host in internet.hosts.items()}
        yield EmulatedCall(internet, machines)


def role_flags(role: str) -> list[str]:
    return ["--caller"] if role == "caller" else []


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_lost_packets_are_retransmitted_in_both_directions(tmp_path, role):
    seconds = 8
    with emulated_call(tmp_path, {"loss": 0.05, "delay": 10}) as network:
        other = network.callrunner("bob", *role_flags("callee" if role == "caller" else "caller"), "--source", "test")
        other.wait_for("room.joined")
        ours = network.callrunner("ann", *role_flags(role), "--source", "test", "--duration", str(seconds))
        ours.succeed(within=60)
        for process in (ours, other):
            video = process.all("stats")[-1]["video"]
            assert video["in"]["lost"] > 0 and video["in"]["retransmitted"] > 0, video
            assert video["out"]["retransmitted"] > 0, video
            assert video["in"]["frames"] >= 15 * (seconds - 2), video


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_lost_packets_are_retransmitted_to_and_from_chromium(tmp_path, role):
    seconds = 8
    with emulated_call(tmp_path, {"loss": 0.05, "delay": 10}) as network:
        browser = network.peer("bob", "browser_peer", *role_flags("callee" if role == "caller" else "caller"))
        browser.wait_for("room.joined", within=60)
        ours = network.callrunner("ann", *role_flags(role), "--source", "test", "--duration", str(seconds))
        ours.succeed(within=60)
        browser.succeed()
        video = ours.all("stats")[-1]["video"]
        assert video["out"]["retransmitted"] > 0 and video["in"]["retransmitted"] > 0, video
        received = browser.events[-1]["received"]["video"]["in"]
        assert received["lost"] > 0 and received["frames"] >= 25 * (seconds - 2), received
        # Chromium's feedback has changed the bandwidth estimate.
        estimates = {event["availableOutgoingBitrate"] for event in ours.all("stats")}
        assert len(estimates) > 1, estimates


@pytest.mark.sample(1)
@pytest.mark.parametrize("container", ["mkv", "mp4"])
def test_a_file_is_transcoded_with_a_warning_if_the_link_is_too_slow(tmp_path, container):
    with emulated_call(tmp_path, {"rate": 600, "delay": 20, "queue": 300}) as network:
        bob = network.callrunner("bob", "--source", "none", "--record", tmp_path / f"bob.{container}")
        bob.wait_for("room.joined")
        ann = network.callrunner("ann", "--caller", "--source", "test", "--duration", "14")
        ann.succeed(within=60)
        assert any("encoded from now on" in event["message"] for event in ann.all("warning"))
        last = ann.all("stats")[-1]["video"]["out"]
        assert last["passthrough"] is False and last["target"] < 600_000, last
        bob.succeed()
        # The recording loses no frames when the peer begins to transcode. An MP4 recording continues in a second file.
        saved = [Path(event["path"]) for event in bob.all("record.saved")]
        assert len(saved) == 1 if container == "mkv" else len(saved) >= 2, saved
        received = bob.all("stats")[-1]["video"]["in"]["frames"]
        kept = sum(probe.tracks(path)["video"].packets for path in saved)
        assert kept >= 0.95 * received, (kept, received, bob.all("warning"))


def test_a_call_with_the_fec_flag_offers_ulpfec_and_receives_video_despite_loss(tmp_path):
    with emulated_call(tmp_path, {"loss": 0.05, "delay": 10}) as network:
        bob = network.callrunner("bob", "--source", "none", "--fec", "--dump", tmp_path / "dump")
        bob.wait_for("room.joined")
        ann = network.callrunner("ann", "--caller", "--source", "test", "--fec", "--duration", "6")
        ann.succeed(within=60)
        bob.succeed()
        offer = next((tmp_path / "dump").glob("*offer-received.sdp")).read_text()
        assert "ulpfec/90000" in offer and "red/90000" in offer
        assert bob.all("stats")[-1]["video"]["in"]["frames"] >= 60


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.parametrize("impairment", ["rate", "loss"])
def test_the_network_benchmark_stays_within_its_limits(tmp_path, impairment):
    bench = [runner.PYTHON, runner.REPOSITORY / "bench/network", impairment, "--picture", tmp_path / "network.svg"]
    told = subprocess.run(bench, capture_output=True, text=True, timeout=600)
    assert told.returncode == 0, told.stdout + told.stderr
    assert json.loads(told.stdout.splitlines()[-1])
