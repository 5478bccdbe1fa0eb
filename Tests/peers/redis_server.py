"""Debian's redis-server in the network namespace of a test, and clients of that server."""

import asyncio
import signal
import subprocess
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

PORT, TLS_PORT = 6379, 6380
# Two addresses of the same server, of which one can be cut off.
ADDRESS, OTHER_ADDRESS = "127.0.0.1", "127.0.0.2"


class RedisServer:
    """A Redis process that can be killed, frozen and restarted. Its data is lost unless it is ended with `stop`.

    `users` are lines of an ACL file; if there are any, no other users have access. With `tls`, the server has a TLS
    port with a self-signed certificate, which is in the file `authority`.
    """

    def __init__(
        self, prefix: list[str], folder: Path, users: list[str] = (), tls: bool = False, port: int = PORT
    ):
        self._prefix, self._folder, self.port = prefix, folder, port
        self.authority = folder / "redis-cert.pem"
        self.log = folder / "redis.log"
        self._flags = [
            "--bind", ADDRESS, OTHER_ADDRESS, "--port", port, "--save", "", "--dir", folder, "--protected-mode", "no",
        ]  # fmt: skip
        if users:
            (folder / "users.acl").write_text("".join(f"{line}\n" for line in users))
            self._flags += ["--aclfile", folder / "users.acl"]
        if tls:
            self._make_certificate()
        self._process: subprocess.Popen | None = None

    def _make_certificate(self) -> None:
        key = self._folder / "redis-key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-days", "2", "-subj", "/CN=redis.test", "-addext", f"subjectAltName=DNS:localhost,IP:{ADDRESS}",
             "-keyout", key, "-out", self.authority],
            check=True, capture_output=True,
        )  # fmt: skip
        self._flags += [
            "--tls-port", TLS_PORT, "--tls-cert-file", self.authority, "--tls-key-file", key,
            "--tls-ca-cert-file", self.authority, "--tls-auth-clients", "no",
        ]  # fmt: skip

    def __enter__(self) -> "RedisServer":
        self.start()
        return self

    def __exit__(self, *_) -> None:
        self.kill()

    @property
    def url(self) -> str:
        return f"redis://{ADDRESS}:{self.port}"

    @property
    def other_url(self) -> str:
        """The URL of the server with the address that `Partition` cuts off."""
        return f"redis://{OTHER_ADDRESS}:{self.port}"

    def start(self) -> None:
        command = [*self._prefix, "redis-server", *self._flags]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen([str(part) for part in command], stdout=log, stderr=log)
        deadline = time.monotonic() + 20
        # The socket table of the process's network namespace. 0A is the state of listening sockets.
        table = Path(f"/proc/{self._process.pid}/net/tcp")
        while f":{self.port:04X} 00000000:0000 0A" not in table.read_text():
            assert self._process.poll() is None, self.log.read_text()
            assert time.monotonic() < deadline, "Redis does not listen"
            time.sleep(0.02)

    def kill(self) -> None:
        """Kills the process. Its data is lost."""
        self._process.kill()
        self._process.wait()

    async def stop(self) -> None:
        """Shuts Redis down. Its data is saved to disk."""
        async with self.client() as client:
            await client.shutdown(save=True)
        await asyncio.to_thread(self._process.wait)

    def freeze(self) -> None:
        self._process.send_signal(signal.SIGSTOP)

    def thaw(self) -> None:
        self._process.send_signal(signal.SIGCONT)

    @property
    def pid(self) -> int:
        return self._process.pid

    def client(self, **options):
        """Returns a client for coroutines that run inside the namespace."""
        # Imported here, because benchmarks import this module without the Python packages of the tests.
        import redis.asyncio

        return redis.asyncio.Redis(host=ADDRESS, port=self.port, **options)

    @asynccontextmanager
    async def capture(self) -> AsyncIterator["Capture"]:
        """Captures all messages published during the `with` block. Redis does not count it as a subscribed server."""
        async with self.client() as client, client.pubsub() as pubsub:
            await pubsub.psubscribe("*")
            await pubsub.get_message(timeout=10)
            capture = Capture()
            listening = asyncio.create_task(capture.listen(pubsub))
            try:
                yield capture
            finally:
                listening.cancel()


class Capture:
    """Published messages in order, each with its channel."""

    def __init__(self):
        self.messages: list[tuple[str, bytes]] = []
        self._news = asyncio.Condition()

    async def listen(self, pubsub) -> None:
        async for message in pubsub.listen():
            async with self._news:
                self.messages.append((message["channel"].decode(), message["data"]))
                self._news.notify_all()

    async def take(self, channel: str, within: float = 20) -> bytes:
        """Removes and returns the oldest captured message of this channel; waits for one if there is none."""
        found: list[int] = []

        def find() -> bool:
            found[:] = [index for index, message in enumerate(self.messages) if message[0] == channel][:1]
            return bool(found)

        try:
            async with asyncio.timeout(within), self._news:
                await self._news.wait_for(find)
        except TimeoutError:
            raise AssertionError(f"nothing on {channel} within {within} s, but {self.messages}") from None
        return self.messages.pop(found[0])[1]


class Partition:
    """Drops all packets between Redis and the clients that use its other address."""

    def __init__(self, prefix: list[str]):
        self._prefix = prefix

    def __enter__(self) -> "Partition":
        chains = [
            f"chain {name} {{ type filter hook {name} priority 0; ip {end} {OTHER_ADDRESS} tcp {port} {PORT} drop; }};"
            for name, end, port in (("output", "daddr", "dport"), ("input", "saddr", "sport"))
        ]
        self._nft(f"table ip partition {{ {' '.join(chains)} }}")
        return self

    def __exit__(self, *_) -> None:
        self._nft("delete table ip partition")

    def _nft(self, rules: str) -> None:
        subprocess.run([*self._prefix, "nft", rules], check=True, capture_output=True, text=True)
