"""coturn as a TURN server over UDP, TCP and TLS, with a certificate from a private authority."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

USER, SECRET = "ann", "p:w@ rd%"
# The same credentials as the userinfo of a URL (RFC 3986 §3.2.1).
WRITTEN = "ann:p%3Aw%40%20rd%25"
PORT, TLS_PORT = 3478, 5349


class Coturn:
    """A running coturn server. `log` is the path of its log."""

    def __init__(self, address: str, folder: Path):
        self.address = address
        self.authority = folder / "turn-cert.pem"
        self.log = folder / "turn.log"

    def url(self, transport: str = "udp", credentials: str = WRITTEN) -> str:
        host = f"[{self.address}]" if ":" in self.address else self.address
        match transport:
            case "tls":
                return f"turns:{credentials}@{host}:{TLS_PORT}"
            case "tcp":
                return f"turn:{credentials}@{host}:{PORT}?transport=tcp"
            case "udp":
                return f"turn:{credentials}@{host}:{PORT}"
        raise ValueError(transport)

    def released(self, count: int, within: float = 5) -> None:
        """Waits until `count` allocations have been released before their expiry."""
        deadline = time.monotonic() + within
        while self.log.read_text(errors="replace").count("delete: realm=") < count:
            assert time.monotonic() < deadline, self.log.read_text(errors="replace")
            time.sleep(0.05)

    def sessions(self) -> int:
        """Returns the number of allocations since the start."""
        return self.log.read_text(errors="replace").count("ALLOCATE processed, success")


@contextmanager
def serving(prefix: list[str], address: str, folder: Path) -> Iterator[Coturn]:
    """Runs coturn on this address until the end of the `with` block."""
    server = Coturn(address, folder)
    key = folder / "turn-key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
         "-subj", "/CN=turn.test", "-addext", f"subjectAltName=DNS:turn.test,IP:{address}",
         "-keyout", key, "-out", server.authority],
        check=True, capture_output=True,
    )  # fmt: skip
    command = [
        *prefix, "turnserver", "-n", f"--listening-ip={address}", f"--relay-ip={address}", "--lt-cred-mech",
        f"--user={USER}:{SECRET}", "--realm=turn.test", "--no-cli", "--no-dtls", "--verbose",
        "--allocation-default-address-family=keep",
        f"--cert={server.authority}", f"--pkey={key}", f"--pidfile={folder}/turn.pid", f"--userdb={folder}/turn.db",
        "--log-file=stdout", "--simple-log",
    ]  # fmt: skip
    with server.log.open("wb") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        try:
            _wait_for_ports(process)
            yield server
        finally:
            process.kill()


def _wait_for_ports(process: subprocess.Popen) -> None:
    """Waits until coturn listens, according to the kernel's list of sockets in the process's network namespace."""
    wanted = {"udp": PORT, "tcp": PORT, "tls": TLS_PORT}
    deadline = time.monotonic() + 20
    while True:
        tables = {name: "".join(Path(f"/proc/{process.pid}/net/{name}{six}").read_text() for six in ("", "6"))
                  for name in ("udp", "tcp")}
        tables["tls"] = tables["tcp"]
        if all(f":{port:04X} " in tables[name] for name, port in wanted.items()):
            return
        assert process.poll() is None, "coturn has ended"
        assert time.monotonic() < deadline, "coturn does not listen"
        time.sleep(0.05)
