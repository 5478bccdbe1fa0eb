"""A network in user space, which connects namespaces by TUN devices and impairs the packets between them.

Every host has two interfaces, `net0` and `net1`, and a test uses one of them at a time. Each ordered pair of
hosts has its own impairment. A datagram with one JSON object to the control socket changes the profile of an
impairment at any time:

    {"do": "profile", "between": ["ann", "bob"], "profile": "moderate", "for": 10}
    {"do": "nat", "host": "ann"}
    {"do": "rebind", "host": "ann", "protocols": ["udp"]}
    {"do": "tell"}

`profile` is a name or an object with the fields of a profile. It applies to both directions, permanently or for the
seconds in `for`. The reply to each command is an event, which also contains the packets sent and lost on each path,
and the longest time for which the host was too busy to move packets. The kernel's netem is not needed.
"""

import argparse
import fcntl
import heapq
import itertools
import json
import os
import random
import select
import socket
import struct
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

from .impairment import PROFILES, Impairment, Profile
from .nat import NAT, TCP, UDP
from .report import report

TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
MTU = 1500
PROTOCOLS = {"udp": UDP, "tcp": TCP}
# Packets that are due within this number of seconds are sent at once, because a timer would expire too late.
GRAIN = 0.0003
# The interval in seconds at which the emulator measures how long it waited for a processor.
TICK = 0.05


class Interface:
    """A TUN device in the namespace of its host. A packet written to it arrives at the host."""

    def __init__(self, host: str, namespace: str, name: str, address: str):
        self.host = host
        self.address = socket.inet_aton(address)
        self.file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
        temporary = f"cr{os.getpid()}-{self.file}"
        fcntl.ioctl(self.file, TUNSETIFF, struct.pack("16sH22x", temporary.encode(), IFF_TUN | IFF_NO_PI))
        _ip("link", "set", temporary, "netns", namespace, "name", name)
        # Prevents the kernel from adding an IPv6 address.
        _ip("-netns", namespace, "link", "set", name, "mtu", str(MTU), "addrgenmode", "none")

    def write(self, packet: bytes) -> None:
        try:
            os.write(self.file, packet)
        except OSError:
            pass  # The packet is lost, because the interface is down, for example after roaming.


class Network:
    """The hosts and the paths between them. `run` moves packets until the process ends."""

    def __init__(self, seed: int, control: Path):
        self._seed = seed
        self._interfaces: list[Interface] = []
        self._paths: dict[tuple[str, str], Impairment] = {}
        self._nats: dict[str, NAT] = {}
        self._by_address: dict[bytes, Interface] = {}
        self._in_flight: list[tuple[float, int, Callable[[], None]]] = []
        self._order = itertools.count()
        self._starved = 0.0
        self._control = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._control.bind(str(control))

    def add(self, host: str, namespace: str, number: int) -> list[str]:
        addresses = [f"10.{77 + interface}.{number}.2" for interface in (0, 1)]
        for index, address in enumerate(addresses):
            interface = Interface(host, namespace, f"net{index}", address)
            self._interfaces.append(interface)
            self._by_address[interface.address] = interface
        return addresses

    def join(self) -> None:
        """Adds a path in each direction between every two hosts."""
        for pair in itertools.permutations(dict.fromkeys(each.host for each in self._interfaces), 2):
            self._paths[pair] = Impairment(f"{self._seed}/{pair[0]}/{pair[1]}")

    def run(self) -> None:
        self._tick(time.monotonic())
        # `select` is used, because the timeouts of epoll are whole milliseconds.
        files = {interface.file: interface for interface in self._interfaces}
        readers = [*files, self._control]
        while True:
            until = max(0.0, self._in_flight[0][0] - time.monotonic())
            for reader in select.select(readers, (), (), until)[0]:
                if reader is self._control:
                    self._obey(json.loads(self._control.recv(65536)))
                else:
                    self._take_all(files[reader])
            now = time.monotonic() + GRAIN
            while self._in_flight[0][0] <= now:
                heapq.heappop(self._in_flight)[2]()

    def counts(self) -> dict[str, dict[str, int]]:
        return {
            f"{source}>{target}": {"packets": path.packets, "lost": path.lost, "overflowed": path.overflowed}
            for (source, target), path in self._paths.items()
        }

    def _take_all(self, interface: Interface) -> None:
        for _ in range(64):
            try:
                packet = os.read(interface.file, 2048)
            except OSError:
                return
            if len(packet) >= 20 and packet[0] >> 4 == 4:
                self._forward(interface.host, packet)

    def _forward(self, source: str, packet: bytes) -> None:
        if source in self._nats and (packet := self._nats[source].out(packet)) is None:
            return
        outer = packet[16:20]
        behind = next((host for host, nat in self._nats.items() if nat.outer == outer), None)
        target = self._by_address.get(outer)
        if behind is None and (target is None or target.host in self._nats):
            return  # The address is unknown, or behind a NAT.
        path = self._paths.get((source, behind or target.host))
        if path is None:
            return
        for leaves in path.departures(time.monotonic(), len(packet)):
            self._at(leaves, lambda: self._deliver(behind, packet))

    def _deliver(self, behind: str | None, packet: bytes) -> None:
        if behind is not None and (packet := self._nats[behind].back(packet)) is None:
            return
        if interface := self._by_address.get(packet[16:20]):
            interface.write(packet)

    def _tick(self, due: float) -> None:
        """Records for how long the host did not run this process, and hence probably no call either.

        Schedules the next tick.
        """
        now = time.monotonic()
        self._starved = max(self._starved, now - due)
        self._at(now + TICK, lambda: self._tick(now + TICK))

    def _at(self, when: float, action: Callable[[], None]) -> None:
        heapq.heappush(self._in_flight, (when, next(self._order), action))

    def _obey(self, order: dict) -> None:
        match order["do"]:
            case "profile":
                self._set_profile(order)
            case "nat":
                self._nats[order["host"]] = NAT(socket.inet_aton(f"203.0.113.{len(self._nats) + 1}"))
            case "rebind":
                self._nats[order["host"]].forget(*(PROTOCOLS[name] for name in order["protocols"]))
        self._tell("network.changed", order)

    def _set_profile(self, order: dict) -> None:
        told = order["profile"]
        chosen = PROFILES[told] if isinstance(told, str) else Profile(**told)
        paths = [self._paths[pair] for pair in itertools.permutations(order["between"])]
        before = [path.profile for path in paths]

        def become(profiles: list[Profile]) -> None:
            for path, profile in zip(paths, profiles):
                path.profile = profile

        def end() -> None:
            become(before)
            self._tell("network.restored", order)

        become([chosen] * 2)
        if "for" in order:
            self._at(time.monotonic() + order["for"], end)

    def _tell(self, event: str, order: dict) -> None:
        report(event, **order, at=time.time(), counts=self.counts(), starved=round(self._starved, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1_000_000))
    parser.add_argument("--control", type=Path, required=True)
    parser.add_argument("--host", action="append", required=True, metavar="NAME=NAMESPACE")
    options = parser.parse_args()
    network = Network(options.seed, options.control)
    addresses = {}
    for number, (host, namespace) in enumerate((each.split("=") for each in options.host), start=1):
        addresses[host] = network.add(host, namespace, number)
    network.join()
    report("network.ready", seed=options.seed, addresses=addresses)
    network.run()


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True)


if __name__ == "__main__":
    main()
