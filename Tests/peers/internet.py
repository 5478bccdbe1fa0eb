"""Hosts that are connected only through the network emulator, so that tests can make their network fail."""

import itertools
import json
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path

from . import runner
from .network import Namespace


class Host:
    """A host on the emulated internet: a network namespace with two interfaces, of which one is up at a time."""

    def __init__(self, name: str, namespace: Namespace):
        self.name = name
        self.namespace = namespace
        self.addresses: list[str] = []

    def up(self, interface: int = 0) -> None:
        """Brings the interface up with its address and the default route."""
        name = f"net{interface}"
        self._ip(f"address add {self.addresses[interface]}/32 dev {name}", f"link set {name} up",
                 f"route add default dev {name}")

    def down(self, interface: int = 0) -> None:
        """Removes address, routes and link of the interface, as when a host leaves a wireless network."""
        self._ip(f"address flush dev net{interface}", f"link set net{interface} down")

    def _ip(self, *lines: str) -> None:
        command = ["ip", "-netns", self.namespace.name, "-batch", "-"]
        subprocess.run(command, input="\n".join(lines), check=True, capture_output=True, text=True)


class Internet:
    """Hosts with these names, and the emulator between them."""

    def __init__(self, folder: Path, seed: int, *hosts: str):
        self.hosts = {name: Host(name, Namespace(loopback_only=True)) for name in hosts}
        self._folder = folder
        self._seed = seed
        self._numbers = itertools.count(1)
        self._stack = ExitStack()

    def __enter__(self) -> "Internet":
        with ExitStack() as stack:
            for host in self.hosts.values():
                stack.enter_context(host.namespace)
            control = self._folder / "emulator"
            members = [f"--host={host.name}={host.namespace.name}" for host in self.hosts.values()]
            self.emulator = stack.enter_context(
                runner.peer("emulator", "--seed", self._seed, "--control", control, *members))
            ready = self.emulator.wait_for("network.ready")
            for name, addresses in ready["addresses"].items():
                self.hosts[name].addresses = addresses
                self.hosts[name].up()
            self._control = stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM))
            self._control.connect(str(control))
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    def profile(self, one: str, other: str, profile: str | dict, seconds: float | None = None) -> int:
        """Sets the profile between two hosts, for `seconds` or permanently; returns the number of the command."""
        until = {} if seconds is None else {"for": seconds}
        return self._order({"do": "profile", "between": [one, other], "profile": profile, **until})

    def restored(self, number: int, within: float) -> float:
        """Waits until the temporary profile of this command has ended; returns the time of day of its end."""
        return self.emulator.wait_for("network.restored", within=within, number=number)["at"]

    def nat(self, host: str) -> None:
        """Puts this host behind a NAT of its own."""
        self._order({"do": "nat", "host": host})

    def rebind(self, host: str, *protocols: str) -> float:
        """Makes the NAT of the host drop its mappings for these protocols; returns the time of day."""
        number = self._order({"do": "rebind", "host": host, "protocols": protocols})
        return self.emulator.wait_for("network.changed", number=number)["at"]

    def starved(self) -> float:
        """The longest time in seconds for which the host of the test was too busy to move packets."""
        number = self._order({"do": "tell"})
        return self.emulator.wait_for("network.changed", number=number)["starved"]

    def _order(self, order: dict) -> int:
        number = next(self._numbers)
        self._control.send(json.dumps({**order, "number": number}).encode())
        self.emulator.wait_for("network.changed", number=number)
        return number
