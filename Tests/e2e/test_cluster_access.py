"""Redis with access control: TLS, users with limited rights, and the errors if access is refused."""

from urllib.parse import quote

import pytest
from clusters import inside, new_cluster
from conftest import new_machine
from expect import expect_refusal
from peers.member import Refused
from peers.redis_server import ADDRESS, TLS_PORT
from peers.runner import REPOSITORY

PASSWORD = "päss/w:rd@%20"
ADMINISTRATOR = {"username": "administrator", "password": "admin"}


def rights() -> str:
    """Returns the rights of the servers' user in packaging/cluster."""
    lines = (REPOSITORY / "packaging/cluster/users.acl").read_text().splitlines()
    (line,) = [line for line in lines if line.startswith("user callrunner ")]
    return line.split(" ", 4)[4]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    folder = tmp_path_factory.mktemp("access")
    users = [
        "user default off",
        f"user {ADMINISTRATOR['username']} on >{ADMINISTRATOR['password']} ~* &* +@all",
        f"user callrunner on >{PASSWORD} {rights()}",
    ]
    machine = module_stack.enter_context(new_machine(folder))
    return new_cluster(machine, folder, module_stack, users=users, tls=True)


def secure(user: str = "callrunner", password: str = PASSWORD) -> str:
    return f"rediss://{user}:{quote(password, safe='')}@{ADDRESS}:{TLS_PORT}"


@pytest.mark.parametrize(
    ("flags", "word"),
    [
        (["--redis", "http://:hidden@localhost"], "rediss://"),
        (["--redis", "redis://:hidden@localhost:99999"], "port"),
        (["--redis", "redis://:hidden@localhost/rooms"], "database"),
        (["--redis", "redis://:hidden@localhost", "--heartbeat", "10ms"], "heartbeat"),
        (["--redis-cacert", "/etc/hostname"], "--redis"),
        (["--heartbeat", "3s"], "--redis"),
    ],
    ids=lambda value: " ".join(value)[:40] if isinstance(value, list) else None,
)
def test_a_usage_error_does_not_show_the_redis_password(cluster, flags, word):
    process = cluster.machine.callrunner("serve", "--port", "0", *flags)
    expect_refusal(process, 64, word, within=5)
    assert "hidden" not in process.stderr


@inside
async def test_nodes_share_rooms_over_tls_with_the_documented_redis_rights(cluster):
    trust = ("--redis-cacert", cluster.redis.authority)
    first, second = [await cluster.start(*trust, redis=secure()).be_shared() for _ in range(2)]
    ann, bob = await cluster.pair(first, second, key="k")
    await ann.emit("file", b"\x00\xff")
    assert await bob.hear("file") == [b"\x00\xff"]
    assert await bob.ask(1) == 1
    with pytest.raises(Refused, match="room_full"):
        await second.member(ann.room, "Eve", True).join()
    again = await second.member(ann.room, "Ann", True, "k").join()
    again.break_off()
    await again.closed.wait()
    await (await first.member(ann.room, "Ann", True, "k").join()).leave()
    await bob.hear("room_user_left")
    assert bob.told == ["+Ann", "-Ann"]
    async with cluster.redis.client(**ADMINISTRATOR) as redis:
        refused = [entry["object"] for entry in await redis.acl_log()]
    assert refused == []


@inside
async def test_nodes_share_open_rooms_with_the_documented_redis_rights(cluster):
    trust = ("--redis-cacert", cluster.redis.authority, "--open-rooms")
    first, second = [await cluster.start(*trust, redis=secure()).be_shared() for _ in range(2)]
    room = cluster.room()
    people = [await node.member(room, name).join() for name in "ABC" for node in (first, second)]
    await people[0].hear("room_user_joined", 5)
    await people[-1].leave()
    await people[0].hear("room_user_left")
    async with cluster.redis.client(**ADMINISTRATOR) as redis:
        assert await redis.acl_log() == []


@inside
async def test_a_node_retries_a_refused_password_without_showing_it(cluster):
    node = cluster.start("--redis-cacert", cluster.redis.authority, redis=secure("latecomer", "not yet"))
    await node.be_ready("degraded")
    node.process.wait_for_words("WRONGPASS")
    assert "not yet" not in node.process.stderr
    async with cluster.redis.client(**ADMINISTRATOR) as redis:
        await redis.execute_command("ACL", "SETUSER", "latecomer", "on", ">not yet", *rights().split(" "))
    await node.be_shared()
    # Repeated failures for the same reason are logged once.
    assert node.process.stderr.count("WRONGPASS") == 1


@inside
async def test_an_untrusted_redis_certificate_is_refused(cluster):
    node = cluster.start(redis=secure())
    await node.be_ready("degraded")
    node.process.wait_for_words("its certificate is not trusted")
    ann = await node.member(cluster.room(), "Ann").join()
    assert ann.state == {"peers": [], "degraded": True}
    # The callrunner client warns that members on other nodes are unknown.
    where = ("--server", node.url, "--room", str(cluster.room()), "--caller")
    client = cluster.machine.callrunner(*where, "--headless", "--peer-timeout", "1s")
    client.wait_for_words("cannot reach the other nodes of its cluster")
    assert client.finish() == 2, client.story()


@inside
async def test_a_missing_redis_right_to_subscribe_is_reported(cluster):
    async with cluster.redis.client(**ADMINISTRATOR) as redis:
        await redis.execute_command("ACL", "SETUSER", "deaf", "on", ">deaf", *rights().split(" "), "resetchannels")
    node = cluster.start("--redis-cacert", cluster.redis.authority, redis=secure("deaf", "deaf"))
    await node.be_ready("degraded")
    node.process.wait_for_words("NOPERM")
