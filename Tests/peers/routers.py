"""Hosts behind home routers (nftables masquerade) that can reach one common server, but not each other."""

import subprocess
from contextlib import ExitStack

from .network import Namespace

# The address of the server, which every host can reach through its router.
SERVER = "203.0.113.1"


class Home:
    """A host with the address 192.168.1.2, and the router that translates the host's address."""

    def __init__(self, number: int, internet: Namespace):
        self.host = Namespace(loopback_only=True)
        self._router = Namespace(loopback_only=True)
        self._internet = internet
        self._number = number

    def __enter__(self) -> "Home":
        with ExitStack() as stack:
            for namespace in (self.host, self._router):
                stack.enter_context(namespace)
            self._connect()
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()

    def block_udp(self) -> None:
        """Makes the router drop all UDP packets, as the firewalls of some offices do."""
        _nft(self._router, "table ip filter", "chain passing",
             "type filter hook forward priority 0", "meta l4proto udp drop")

    def _connect(self) -> None:
        near, far = f"198.51.100.{4 * self._number + 2}", f"198.51.100.{4 * self._number + 1}"
        wire(self.host, "lan", "192.168.1.2/24", self._router, "lan", "192.168.1.1/24")
        wire(self._router, "wan", f"{near}/30", self._internet, f"home{self._number}", f"{far}/30")
        ip(self.host, "route add default via 192.168.1.1")
        ip(self._router, f"route add default via {far}")
        _run(self._router, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        _nft(self._router, "table ip nat", "chain leaving",
             "type nat hook postrouting priority 100", 'oifname "wan" masquerade')


class Homes:
    """Two homes and a server. No packets are forwarded from one home to the other."""

    def __init__(self):
        self.server = Namespace(loopback_only=True)
        self.homes = [Home(number, self.server) for number in range(2)]

    def __enter__(self) -> "Homes":
        with ExitStack() as stack:
            stack.enter_context(self.server)
            # Packets for unknown addresses are dropped, as on the internet, because coturn gives up on rejections.
            ip(self.server, f"address add {SERVER}/32 dev lo", "link add void type veth peer name beyond",
               "link set void up", "link set beyond up", "route add default dev void")
            for home in self.homes:
                stack.enter_context(home)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_) -> None:
        self._stack.close()


def wire(one: Namespace, name: str, address: str, other: Namespace, other_name: str, other_address: str) -> None:
    """Connects two namespaces by a pair of virtual interfaces with these addresses."""
    ip(one, f"link add {name} type veth peer name {other_name} netns {other.name}")
    for namespace, interface, its in ((one, name, address), (other, other_name, other_address)):
        ip(namespace, f"address add {its} dev {interface}{' nodad' if ':' in its else ''}",
           f"link set {interface} up")


def ip(namespace: Namespace, *lines: str) -> None:
    command = ["ip", "-netns", namespace.name, "-batch", "-"]
    subprocess.run(command, input="\n".join(lines), check=True, capture_output=True, text=True)


def _nft(namespace: Namespace, table: str, chain: str, *rules: str) -> None:
    text = f"{table} {{\n{chain} {{\n" + "".join(f"{rule};\n" for rule in rules) + "}\n}\n"
    subprocess.run([*namespace.prefix, "nft", "-f", "-"], input=text, check=True, capture_output=True, text=True)


def _run(namespace: Namespace, *command: str) -> None:
    subprocess.run([*namespace.prefix, *command], check=True, capture_output=True, text=True)
