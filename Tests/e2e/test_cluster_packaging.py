"""The unchanged example in packaging/cluster: Redis, two servers, and clients that connect through nginx."""

import asyncio
import json
import re
import shutil
import signal
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import expect
import pytest
from clusters import Node, inside, until
from conftest import new_machine
from peers import chromium
from peers.inside import Inside
from peers.member import Member
from peers.runner import BINARY, BROWSER_PAGE, REPOSITORY, Runner
from playwright.sync_api import expect as see

EXAMPLE = REPOSITORY / "packaging/cluster"
FRONT = "http://127.0.0.1:3000"
NODES = {port: Node(f"http://127.0.0.1:{port}") for port in ("3001", "3002")}
SECONDS = 6


class Example:
    """The processes of `packaging/cluster/up` in a network namespace of their own."""

    def __init__(self, machine, stack):
        self.machine = machine
        self.inside = stack.enter_context(Inside(machine.namespace.name))
        # nginx runs as another user, who must be able to access the temporary files.
        environment = {"TMPDIR": "/tmp", "CALLRUNNER_ORIGIN": BROWSER_PAGE}
        started = Runner([*machine.prefix, EXAMPLE / "up", BINARY], environment=environment)
        self.up = stack.enter_context(started)
        self.inside.run(until(self._is_ready, "the example is not ready"))

    async def _is_ready(self) -> bool:
        assert self.up.process.poll() is None, self.up.story
        try:
            for node in NODES.values():
                await node.be_shared()
            return (await fetch("/healthz"))[0] == 200
        except aiohttp.ClientError:
            return False

    def pid(self, name: str) -> int:
        """Returns the process id that `up` has printed for this name."""
        (line,) = [line for line in self.up.other_output if line.startswith(f"{name}: process ")]
        return int(line.split()[-1])

    def call(self, room: int, name: str, *flags) -> Runner:
        return self.machine.callrunner(
            "--room", room, "--name", name, "--server", FRONT, "--headless", "--duration", SECONDS, *flags
        )


async def fetch(path: str) -> tuple[int, str]:
    async with aiohttp.ClientSession() as session, session.get(f"{FRONT}{path}") as answer:
        return answer.status, await answer.text()


async def joins() -> dict[str, float]:
    return {port: await node.measure("joins_total") for port, node in NODES.items()}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    return Example(module_stack.enter_context(new_machine(tmp_path_factory.mktemp("packaging"))), module_stack)


@pytest.mark.parametrize("transports", [["polling"], ["websocket"], ["polling", "websocket"]], ids="-".join)
def test_a_session_stays_on_its_server_on_each_transport(cluster, transports):
    first = {"polling": 1, "websocket": 11}[transports[-1]] + 20 * len(transports)
    cluster.inside.run(hold_sessions(transports, range(first, first + 8)))


async def hold_sessions(transports: list[str], rooms: range) -> None:
    before = await joins()
    pairs = [
        [await Member(FRONT, room, name, name == "Ann", transports=transports).join() for name in ("Ann", "Bob")]
        for room in rooms
    ]
    for ann, bob in pairs:
        for number in range(3):
            await ann.emit("candidate", number)
            await bob.emit("candidate", number)
        assert (await ann.ask(b"\x00" * 200_000))[0] == b"\x00" * 200_000
        for member in (ann, bob):
            await member.hear("candidate", 3)
            assert member.all("candidate") == [[0], [1], [2]]
    # The rooms are distributed over both servers, and both members of a room are on the same server.
    new = {port: count - before[port] for port, count in (await joins()).items()}
    assert sum(new.values()) == 2 * len(rooms) and all(count > 0 and count % 2 == 0 for count in new.values()), new
    await asyncio.gather(*(member.leave() for pair in pairs for member in pair))
    assert all(bob.told[0] == "+Ann" for _, bob in pairs)


def test_a_session_without_a_room_in_its_url_stays_on_one_server(cluster):
    """The client sends its room only in the CONNECT payload, so its peer may be on another server."""

    def client(room: int, role: str, by: str) -> Runner:
        plan = {
            "server": FRONT, "roomId": room, "username": role, "isCaller": role == "caller", "by": by,
            "transports": ["polling"], "sdp": f"v=0\r\ns={role}\r\n", "file": "00ff",
        }  # fmt: skip
        return cluster.machine.peer("official_client", json.dumps(plan))

    before = cluster.inside.run(joins())
    pairs = [(client(room, "caller", "query"), client(room, "callee", "payload")) for room in range(100, 104)]
    for pair in pairs:
        for process in pair:
            assert process.wait_for("held", within=30)["transport"] == "polling"
            process.succeed()
    # nginx assigns clients without a room in the URL by their address, and others by room. Some rooms span servers.
    new = {port: count - before[port] for port, count in cluster.inside.run(joins()).items()}
    assert sum(new.values()) == 8 and max(new.values()) >= 5, new


def test_callrunner_and_chromium_call_each_other_through_nginx(cluster):
    ours = cluster.call(200, "Ann", "--caller", "--duration", 3)
    ours.wait_for("room.joined")
    theirs = cluster.machine.peer("browser_peer", "--room", 200, "--name", "Bob", "--server", FRONT)
    ours.succeed()
    theirs.succeed()
    expect.a_call_that_ended(ours, reason="duration")


@inside
async def test_nginx_does_not_expose_metrics_and_readiness(cluster):
    for path, status in (("/", 200), ("/healthz", 200), ("/metrics", 404), ("/metrics/", 404), ("/readyz", 404), ("/readyz/", 404)):
        assert (await fetch(path))[0] == status, path


@contextmanager
def nginx_with_tls(cluster, host: str):
    """Runs nginx with the HTTPS lines of the example in front of the running servers."""
    # The workers of nginx run as another user, who must be able to access the folder.
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        place = Path(folder)
        place.chmod(0o755)
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-keyout", place / "key.pem", "-out", place / "cert.pem", "-days", "2", "-subj", f"/CN={host}"],
            check=True, capture_output=True,
        )  # fmt: skip
        site = (EXAMPLE / "nginx.conf").read_text().replace("    listen 3000;\n", "")
        site, count = re.subn(r"^    # (listen 443 ssl|ssl_certificate(?:_key)?) *(.*);$", r"    \1 \2;", site, flags=re.MULTILINE)
        assert count == 3, site
        (place / "site.conf").write_text(site.replace("/etc/ssl/callrunner", folder))
        temporary = "".join(
            f"{name}_temp_path {folder};" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        (place / "nginx.conf").write_text(
            f"pid {folder}/pid; events {{}} http {{ access_log off; {temporary} include {folder}/site.conf; }}"
        )
        command = ["nginx", "-e", "stderr", "-p", folder, "-c", place / "nginx.conf", "-g", "daemon off;"]
        with Runner([*cluster.machine.prefix, *command]):
            yield


async def ask(host: str, origin: str | None, path: str = "/socket.io/?EIO=4&transport=polling") -> int:
    """Returns the status of a request through nginx over TLS with these `Host` and `Origin` headers."""
    headers = {"Host": host, **({"Origin": origin} if origin else {})}
    async with aiohttp.ClientSession(headers=headers) as session:
        async with session.get(f"https://127.0.0.1{path}", ssl=False) as answer:
            return answer.status


async def expect_origin_checks(host: str) -> None:
    async def answers() -> bool:
        try:
            return await ask(host, None) == 200
        except aiohttp.ClientError:
            return False

    await until(answers, "nginx does not answer over TLS")
    # The page's origin is an https URL without a port, as is `Host`.
    assert await ask(host, f"https://{host}") == await ask(host, f"wss://{host}") == 200
    assert await ask(host, f"https://{host}", "/") == await ask(host, BROWSER_PAGE) == 200
    for origin in ("https://evil.example", f"https://{host}:8443", f"http://{host}:8080", "null"):
        assert await ask(host, origin) == await ask(host, origin, "/healthz") == 403, origin
    for other in ("evil.example", "10.99.0.1", f"{host}.evil.example"):
        assert await ask(other, None) == await ask(other, f"https://{other}") == 403, other


def test_nginx_with_tls_accepts_the_page_and_refuses_other_origins(cluster, playwright, tmp_path):
    """Two visitors call each other at https://call.example.org, the name in packaging/cluster; nginx terminates TLS."""
    (host,) = re.findall(r"^CALLRUNNER_PUBLIC_HOST=(.+)$", (EXAMPLE / "serve.env").read_text(), re.MULTILINE)
    flags = [*chromium.FAKE_DEVICES, f"--host-resolver-rules=MAP {host} 127.0.0.1"]
    with nginx_with_tls(cluster, host):
        cluster.inside.run(expect_origin_checks(host))
        with chromium.chromium(playwright, cluster.machine.prefix, tmp_path, flags) as browser:
            visitors = chromium.Pages(browser, f"https://{host}")
            ann, bob = (
                visitors.open({"ignore_https_errors": True}, room=250, name=name, role=role)
                for name, role in (("Ann", "caller"), ("Bob", "callee"))
            )
            for page in (ann, bob):
                page.get_by_role("button", name="Join").click()
            see(ann.get_by_role("status")).to_have_text("In a call with Bob.", timeout=20_000)
            see(bob.get_by_role("status")).to_have_text("In a call with Ann.")


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="systemd-analyze is not installed")
def test_systemd_accepts_the_units_of_several_servers(tmp_path):
    unit = (REPOSITORY / "packaging/callrunner.service").read_text()
    (tmp_path / "callrunner@.service").write_text(unit.replace("/usr/local/bin/callrunner", str(BINARY)))
    folder = tmp_path / "callrunner@.service.d"
    folder.mkdir()
    shutil.copy(EXAMPLE / "node.conf", folder)
    environment = {"SYSTEMD_UNIT_PATH": f"{tmp_path}:", "PATH": "/usr/bin:/bin"}
    told = subprocess.run(
        ["systemd-analyze", "verify", "callrunner@3001.service"], env=environment, capture_output=True, text=True
    )
    ours = [line for line in (told.stdout + told.stderr).splitlines() if "callrunner" in line]
    assert told.returncode == 0 and ours == [], ours


def test_a_call_continues_when_its_server_is_killed(cluster):
    """Both sides reconnect through nginx to the other server, and resume with their keys within the grace period."""
    before = cluster.inside.run(joins())
    bob = cluster.call(300, "Bob", "--duration", 4 * SECONDS)
    bob.wait_for("room.joined")
    ann = cluster.call(300, "Ann", "--caller")
    for process in (ann, bob):
        process.wait_for("media.connected")
    (killed,) = [port for port, count in cluster.inside.run(joins()).items() if count > before[port]]
    subprocess.run(["kill", "-9", str(cluster.pid(killed))], check=True)
    for process, reason in ((ann, "duration"), (bob, "peer-left")):
        process.succeed()
        expect.a_call_that_ended(process, reason=reason)
        assert len(process.all("signaling.connected")) == 2, process.story
        assert len(process.all("call.started")) == len(process.all("media.connected")) == 1
    # nginx sends all clients to the remaining server.
    cluster.inside.run(hold_sessions_on_the_remaining_server())


async def hold_sessions_on_the_remaining_server() -> None:
    for room in range(400, 404):
        ann = await Member(FRONT, room, "Ann", True, transports=["polling"]).join()
        bob = await Member(FRONT, room, "Bob", transports=["polling"]).join()
        await ann.emit("offer", 1)
        assert await bob.hear("offer") == [1]
        await asyncio.gather(ann.leave(), bob.leave())


def test_an_interrupt_ends_the_cluster_example_with_exit_code_130(cluster):
    cluster.up.signal(signal.SIGINT)
    assert cluster.up.finish() == 130
