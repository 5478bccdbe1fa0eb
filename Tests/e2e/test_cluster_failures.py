"""Failures of nodes, of Redis and of the connections between them, as the members of the rooms see them."""

import asyncio
import random
import signal
import time

import expect
import pytest
from clusters import HEARTBEAT, inside, new_cluster, settle, take_seat
from conftest import new_machine
from peers.member import Member, Refused
from peers.redis_server import Partition

# The additional seconds that a busy host may need.
SLACK = 2.5
# The seconds after a reconnection to Redis until a node has sent all its announcements.
RECONCILED = 6
PAIRS = 5


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    """Redis and two nodes for all tests of this file. A test that ends a node starts another node for that.

    The second node connects to Redis at a separate address, which `Partition` can cut off.
    """
    folder = tmp_path_factory.mktemp("failures")
    cluster = new_cluster(module_stack.enter_context(new_machine(folder)), folder, module_stack)
    (cluster.first,) = cluster.inside.run(cluster.nodes(1))
    (cluster.second,) = cluster.inside.run(cluster.nodes(1, redis=cluster.redis.other_url))
    return cluster


async def pairs(cluster, first, second, count: int = PAIRS) -> list[tuple[Member, Member]]:
    return await asyncio.gather(*(cluster.pair(first, second, f"key {number}") for number in range(count)))


@inside
async def test_clients_of_a_killed_node_are_announced_as_left_exactly_once_and_their_roles_become_free(cluster):
    (killed,) = await cluster.nodes(1)
    held = await pairs(cluster, killed, cluster.second)
    killed.kill()
    began = time.monotonic()
    await asyncio.gather(*(bob.hear("room_user_left") for _, bob in held))
    assert time.monotonic() - began < HEARTBEAT + SLACK
    eves = await asyncio.gather(*(take_seat(cluster.first, ann.room, "Eve", True) for ann, _ in held))
    await asyncio.gather(*(bob.hear("room_user_joined", 2) for _, bob in held))
    await settle(1)
    for eve, (_, bob) in zip(eves, held):
        assert bob.told == ["+Ann", "-Ann", "+Eve"] and eve.told == ["+Bob"]
        await eve.emit("offer", 1)
        assert await bob.hear("offer") == [1]


@inside
async def test_a_client_of_a_killed_node_resumes_with_its_key_and_its_peer_is_not_notified(cluster):
    (killed,) = await cluster.nodes(1, heartbeat=1)
    held = await pairs(cluster, killed, cluster.second)
    killed.kill()
    back = [await cluster.first.member(ann.room, "Ann", True, ann.key).join() for ann, _ in held]
    for again, (_, bob) in zip(back, held):
        await bob.emit("offer", 1)
        assert await again.hear("offer") == [1]
    await settle(2)
    assert {tuple(bob.told) for _, bob in held} == {("+Ann",)}
    assert {tuple(again.told) for again in back} == {("+Bob",)}


@inside
async def test_clients_of_a_stopped_node_are_announced_as_left_at_once(cluster):
    (leaving,) = await cluster.nodes(1)
    held = await asyncio.gather(*(cluster.pair(leaving, cluster.second) for _ in range(PAIRS)))
    # This node has just connected to Redis, and does not consider silent nodes dead yet.
    (late,) = await cluster.nodes(1)
    leaving.process.signal(signal.SIGINT)
    stopped = time.monotonic()
    await asyncio.gather(*(bob.hear("room_user_left", within=HEARTBEAT) for _, bob in held))
    assert time.monotonic() - stopped < HEARTBEAT / 2
    eve = await late.member(held[0][0].room, "Eve", True).join()
    await settle(2)
    assert eve.told == ["+Bob"] and held[0][1].told == ["+Ann", "-Ann", "+Eve"]
    assert {tuple(bob.told) for _, bob in held[1:]} == {("+Ann", "-Ann")}


@inside
async def test_a_client_of_a_stopped_node_resumes_with_its_key_and_its_peer_is_not_notified(cluster):
    (leaving,) = await cluster.nodes(1)
    (ann, bob), *held = await pairs(cluster, leaving, cluster.second)
    leaving.process.signal(signal.SIGINT)
    stopped = time.monotonic()
    await asyncio.gather(ann.closed.wait(), *(gone.closed.wait() for gone, _ in held))
    back = await asyncio.gather(
        *(cluster.first.member(gone.room, "Ann", True, gone.key).join() for gone, _ in held)
    )
    for again, (_, other) in zip(back, held):
        await other.emit("offer", 1)
        assert await again.hear("offer") == [1]
    # A client that does not resume leaves after the grace period.
    await bob.hear("room_user_left")
    assert time.monotonic() - stopped < HEARTBEAT + SLACK
    await settle(2)
    assert bob.told == ["+Ann", "-Ann"]
    assert {tuple(other.told) for _, other in held} == {("+Ann",)}
    assert {tuple(again.told) for again in back} == {("+Bob",)}


def test_a_call_between_two_nodes_survives_the_restart_of_one_node(cluster):
    flags, heartbeat = ("--port", "3950"), 15
    (leaving,) = cluster.inside.run(cluster.nodes(1, *flags, heartbeat=heartbeat))
    person = ("--room", cluster.room(), "--headless", "--duration")
    bob = cluster.machine.callrunner(*person, 60, "--name", "Bob", "--server", cluster.second.url)
    bob.wait_for("room.joined")
    ann = cluster.machine.callrunner(*person, 8, "--name", "Ann", "--caller", "--server", leaving.url)
    for process in (ann, bob):
        process.wait_for("media.connected")
    leaving.process.signal(signal.SIGINT)
    leaving.process.finish()
    cluster.start(*flags, heartbeat=heartbeat)
    for process, reason in ((ann, "duration"), (bob, "peer-left")):
        process.succeed()
        expect.a_call_that_ended(process, reason=reason)
        assert len(process.all("call.started")) == len(process.all("media.connected")) == 1
    assert len(ann.all("signaling.connected")) == 2, ann.story


@inside
async def test_each_node_serves_its_rooms_without_redis_and_merges_them_once_redis_is_back(cluster):
    """Redis restarts without data, as after kill -9 without persistence."""
    first, second = cluster.first, cluster.second
    staying, leaving, swapping = await pairs(cluster, first, second, 3)
    local_room, late_room = cluster.room(), cluster.room()
    cluster.redis.kill()
    await asyncio.gather(first.be_ready("degraded"), second.be_ready("degraded"))
    assert await first.measure("redis_up") == 0
    ann = await first.member(local_room, "Ann", True).join()
    bob = await first.member(local_room, "Bob").join()
    assert ann.state == {"peers": [], "degraded": True} and bob.state["degraded"] is True
    await ann.emit("offer", 1)
    assert await bob.hear("offer") == [1]
    # These two clients are in one room on different nodes, which cannot exchange their members without Redis.
    apart = [await first.member(late_room, "Ann", True).join(), await second.member(late_room, "Bob").join()]
    await leaving[0].leave()
    await swapping[0].leave()
    eve = await first.member(swapping[0].room, "Eve", True).join()
    cluster.redis.start()
    await asyncio.gather(first.be_shared(), second.be_shared())
    assert await apart[0].hear("room_user_joined") and await apart[1].hear("room_user_joined")
    await leaving[1].hear("room_user_left")
    await swapping[1].hear("room_user_joined", 2)
    for node in (first, second):
        with pytest.raises(Refused, match="room_full"):
            await node.member(staying[0].room, "Mallory", True).join()
    await settle(RECONCILED)
    assert staying[0].told == ["+Bob"] and staying[1].told == ["+Ann"]
    assert apart[0].told == ["+Bob"] and apart[1].told == ["+Ann"]
    assert leaving[1].told == ["+Ann", "-Ann"]
    assert swapping[1].present == {"Eve": 1} and sorted(swapping[1].told) == ["+Ann", "+Eve", "-Ann"]
    assert eve.present == {"Bob": 1}
    assert ann.told == ["+Bob"] and bob.told == ["+Ann"]
    await staying[0].emit("offer", 2)
    assert await staying[1].hear("offer") == [2]


@inside
async def test_joins_do_not_wait_for_a_hanging_redis_and_rooms_stay_intact(cluster):
    first, second = cluster.first, cluster.second
    held = await pairs(cluster, first, second)
    cluster.redis.freeze()
    try:
        frozen = time.monotonic()
        ann = await first.member(cluster.room(), "Ann", True).join()
        assert time.monotonic() - frozen < 2 * HEARTBEAT and ann.state["degraded"] is True
        await asyncio.gather(first.be_ready("degraded"), second.be_ready("degraded"))
    finally:
        cluster.redis.thaw()
    await asyncio.gather(first.be_shared(), second.be_shared())
    await settle(RECONCILED)
    for ann, bob in held:
        assert ann.told == ["+Bob"] and bob.told == ["+Ann"]
        await ann.emit("offer", 1)
        assert await bob.hear("offer") == [1]


@inside
async def test_a_node_cut_off_from_redis_for_ten_seconds_shares_its_rooms_again(cluster):
    first, second = cluster.first, cluster.second
    staying, leaving, losing = await pairs(cluster, first, second, 3)
    with Partition(cluster.machine.prefix):
        cut = time.monotonic()
        # The first node considers the second one dead, reports its members as left, and frees their roles.
        await asyncio.gather(*(ann.hear("room_user_left") for ann, _ in (staying, leaving, losing)))
        assert time.monotonic() - cut < HEARTBEAT + SLACK
        await second.be_ready("degraded")
        eve = await first.member(losing[0].room, "Eve").join()
        await leaving[1].leave()
        await asyncio.sleep(10 - (time.monotonic() - cut))
    await second.be_shared()
    await staying[0].hear("room_user_joined", 2)
    # If two members have the same role, the member that the others know keeps it.
    await asyncio.wait_for(losing[1].closed.wait(), 20)
    await settle(RECONCILED)
    assert staying[0].told == ["+Bob", "-Bob", "+Bob"] and staying[1].told == ["+Ann"]
    assert leaving[0].told == ["+Bob", "-Bob"]
    assert losing[0].present == {"Eve": 1} and eve.present == {"Ann": 1}
    for speaker, listener in (staying, reversed(staying), (eve, losing[0])):
        await speaker.emit("offer", 1)
        assert await listener.hear("offer") == [1]


def test_a_call_across_nodes_survives_a_restart_of_redis(cluster):
    room = cluster.room()

    def call(node, name, *flags):
        return cluster.machine.callrunner(
            "--room", room, "--name", name, "--server", node.url, "--headless", "--duration", 6, *flags
        )

    bob = call(cluster.second, "Bob")
    bob.wait_for("room.joined")
    ann = call(cluster.first, "Ann", "--caller")
    for process in (ann, bob):
        process.wait_for("media.connected")
    cluster.redis.kill()
    cluster.redis.start()
    ann.succeed()
    bob.succeed()
    for process in (ann, bob):
        assert len(process.all("call.started")) == len(process.all("media.connected")) == 1
        assert not process.all("signaling.disconnected")
    cluster.inside.run(asyncio.wait_for(both_shared(cluster), 20))


async def both_shared(cluster):
    await asyncio.gather(cluster.first.be_shared(), cluster.second.be_shared())


ROOMS, ROUNDS = 8, 12


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("seed", range(3))
def test_all_members_agree_on_presence_after_random_failures(cluster, seed):
    cluster.inside.run(churn(cluster, random.Random(seed)), within=380)


async def churn(cluster, generator: random.Random) -> None:
    """Joins and disconnects clients at random while Redis restarts, hangs and is cut off, and nodes are killed."""
    (mortal,) = await cluster.nodes(1)
    nodes, rooms = [cluster.first, cluster.second, mortal], [cluster.room() for _ in range(ROOMS)]
    here: list[Member] = []
    for step in range(ROUNDS):
        fault = generator.choice(("none", "redis", "freeze", "cut", "node"))
        fault_task = asyncio.create_task(inject(cluster, nodes, fault, generator.uniform(0.5, 8)))
        while not fault_task.done():
            await one_step(generator, nodes, rooms, here, f"{step}")
            await asyncio.sleep(generator.uniform(0, 0.2))
        await fault_task
    await asyncio.gather(*(node.be_shared() for node in nodes))
    await settle(2 * RECONCILED)
    present = [member for member in here if not member.closed.is_set()]
    assert present
    for member in present:
        others = {other.name: 1 for other in present if other.room == member.room and other is not member}
        assert member.present == others, (member.name, member.heard)
    await asyncio.gather(*(member.leave() for member in present))
    nodes[-1].kill()


async def one_step(generator, nodes, rooms, here: list[Member], label: str) -> None:
    alive = [member for member in here if not member.closed.is_set()]
    if len(alive) > ROOMS and generator.random() < 0.5:
        member = generator.choice(alive)
        if generator.random() < 0.5:
            await member.leave()
        else:
            member.break_off()
        return
    name = f"{label}.{len(here)}"
    node = generator.choice(nodes)
    member = node.member(generator.choice(rooms), name, generator.random() < 0.5, generator.choice((None, name)))
    try:
        here.append(await member.join())
    except Refused:
        pass
    except AssertionError:
        # The node was killed before it could send the list of members.
        assert node not in nodes


async def inject(cluster, nodes, fault: str, seconds: float) -> None:
    match fault:
        case "redis":
            cluster.redis.kill()
            await asyncio.sleep(seconds)
            cluster.redis.start()
        case "freeze":
            cluster.redis.freeze()
            await asyncio.sleep(seconds)
            cluster.redis.thaw()
        case "cut":
            with Partition(cluster.machine.prefix):
                await asyncio.sleep(seconds)
        case "node":
            nodes.pop().kill()
            await asyncio.sleep(seconds)
            nodes.append(cluster.start())
        case _:
            await asyncio.sleep(seconds)
