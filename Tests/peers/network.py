"""Network namespaces, so that each test has a network of its own in which all ports are free."""

import itertools
import os
import subprocess

_numbers = itertools.count(1)


class Namespace:
    """A network namespace with loopback and, unless `loopback_only`, one interface without a peer.

    The interface is for Chromium and aioice, which gather no candidates on loopback.
    """

    def __init__(self, loopback_only: bool = False):
        self.name = f"callrunner-{os.getpid()}-{next(_numbers)}"
        self._loopback_only = loopback_only

    @property
    def prefix(self) -> list[str]:
        """The prefix that runs a command inside the namespace, with the process id of the started prefix."""
        return ["ip", "netns", "exec", self.name]

    def __enter__(self) -> "Namespace":
        _ip("netns", "add", self.name)
        self._inside("link", "set", "lo", "up")
        if not self._loopback_only:
            self._inside("link", "add", "near", "type", "veth", "peer", "name", "far")
            self._inside("address", "add", "10.99.0.1/24", "dev", "near", "noprefixroute")
            for end in ("near", "far"):
                # Chromium cancels requests if an address appears while a page loads.
                self._inside("link", "set", end, "addrgenmode", "none")
                self._inside("link", "set", end, "up")
            self._inside("route", "add", "default", "dev", "near")
        return self

    def __exit__(self, *_) -> None:
        _ip("netns", "delete", self.name)

    def _inside(self, *arguments: str) -> None:
        _ip("-netns", self.name, *arguments)


def unavailable() -> str | None:
    """Returns the reason why no network namespace can be created on this host, or None."""
    if os.geteuid() != 0:
        return "network namespaces need root"
    try:
        with Namespace():
            return None
    except (OSError, subprocess.CalledProcessError) as error:
        return f"no network namespaces here: {error}"


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True, text=True)
