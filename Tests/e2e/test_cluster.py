"""Nodes that share their rooms through Redis: calls, roles, and clients that resume on another node."""

import asyncio
from collections import Counter

import expect
import pytest
from clusters import inside, new_cluster, take_seat, until
from conftest import new_machine
from peers.member import Member, Refused
from peers.runner import BROWSER_PAGE

SECONDS = 3
GRACE = 2


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    """Redis and two nodes for all tests of this file; each test uses rooms of its own."""
    folder = tmp_path_factory.mktemp("cluster")
    cluster = new_cluster(module_stack.enter_context(new_machine(folder)), folder, module_stack)
    cluster.first, cluster.second = cluster.inside.run(cluster.nodes(2, "--grace", f"{GRACE}s", "--origin", BROWSER_PAGE))
    return cluster


def call(cluster, node, room, name, *flags):
    return cluster.machine.callrunner(
        "--room", room, "--name", name, "--server", node.url, "--headless", "--duration", SECONDS, *flags
    )


def test_peers_on_different_nodes_call_each_other(cluster):
    room = cluster.room()
    bob = call(cluster, cluster.second, room, "Bob")
    bob.wait_for("room.joined")
    ann = call(cluster, cluster.first, room, "Ann", "--caller")
    ann.succeed()
    bob.succeed()
    for sender, receiver in ((ann, bob), (bob, ann)):
        expect.arrived(sender, receiver, "video", least=25 * SECONDS)
        expect.arrived(sender, receiver, "audio", least=40 * SECONDS)
    expect.a_call_that_ended(ann, reason="duration")
    assert len(ann.all("call.started")) == len(ann.all("media.connected")) == 1


def test_callrunner_and_chromium_on_different_nodes_call_each_other(cluster):
    room = cluster.room()
    ours = call(cluster, cluster.first, room, "Ann", "--caller")
    ours.wait_for("room.joined")
    theirs = cluster.machine.peer("browser_peer", "--room", room, "--name", "Bob", "--server", cluster.second.url)
    ours.succeed()
    theirs.succeed()
    received = expect.a_call_that_ended(ours, reason="duration")["received"]
    assert received["video"] > 0 and received["audio"] > 0, received


@inside
async def test_joins_and_leaves_are_announced_once_across_nodes(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    person = {"username": "Ann", "roomId": ann.room, "isCaller": True}
    assert ann.heard == [
        ("room_state", {"peers": []}),
        ("room_user_joined", {"username": "Bob", "roomId": ann.room, "isCaller": False}),
    ]
    assert bob.heard == [("room_user_joined", person), ("room_state", {"peers": [person]})]
    await ann.leave()
    assert await bob.hear("room_user_left") == [{"username": "Ann", "isCaller": True}]
    eve = await cluster.first.member(ann.room, "Eve", True).join()
    await bob.hear("room_user_joined", 2)
    assert bob.told == ["+Ann", "-Ann", "+Eve"] and eve.told == ["+Bob"]


@inside
async def test_text_and_binary_events_reach_the_other_node_unchanged(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    said = [
        ("offer", {"type": "offer", "sdp": "v=0\r\ns=Привіт 👋\r\n"}),
        ("candidate", {"candidate": "candidate:1 1 udp 1 10.0.0.1 9 typ host", "sdpMid": "0", "sdpMLineIndex": 0}),
        ("file", b"\x00\x01\xff", {"inner": [b"", bytes(70_000)], "number": -1.5, "none": None}, "last"),
        ("numbers", 0, -1, 127, 128, -33, 65_536, 2**40, -(2**40), 1.5, True),
        ("nothing",),
    ]
    for speaker, listener in ((ann, bob), (bob, ann)):
        for event, *arguments in said:
            await speaker.emit(event, *arguments)
        await listener.hear("nothing")
        assert listener.heard[-len(said) :] == said


@inside
async def test_an_acknowledgement_from_a_peer_on_another_node_reaches_the_sender(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    for speaker, listener in ((ann, bob), (bob, ann)):
        for question in ("x", {"a": [1, None]}, b"\x00\xff"):
            assert await speaker.ask(question, "more") == question
        assert len(listener.all("ask")) == 3


@inside
async def test_a_role_taken_on_one_node_is_taken_on_every_node(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    for node in (cluster.first, cluster.second):
        for is_caller in (True, False):
            with pytest.raises(Refused, match="room_full"):
                await node.member(ann.room, "Eve", is_caller).join()
    await bob.leave()
    await ann.hear("room_user_left")
    for node in (cluster.first, cluster.second):
        with pytest.raises(Refused, match="role_taken"):
            await node.member(ann.room, "Eve", True).join()
    assert ann.told == ["+Bob", "-Bob"]


@inside
async def test_a_role_goes_to_exactly_one_of_many_simultaneous_joins(cluster):
    rooms = [cluster.room() for _ in range(25)]
    joining = [
        node.member(room, f"Ann{number}", True)
        for number in range(5)
        for room in rooms
        for node in (cluster.first, cluster.second)
    ]
    results = await asyncio.gather(*(member.join() for member in joining), return_exceptions=True)
    seated = [result for result in results if isinstance(result, Member)]
    assert sorted(member.room for member in seated) == rooms
    refused = Counter(str(result) for result in results if not isinstance(result, Member))
    assert refused == {"role_taken": len(joining) - len(rooms)}
    await asyncio.gather(*(member.leave() for member in seated))


@inside
async def test_a_client_moves_to_another_node_with_its_key_and_its_peer_is_not_notified(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second, key="secret of Ann")
    again = await cluster.second.member(ann.room, "Ann", True, "secret of Ann").join()
    await asyncio.wait_for(ann.closed.wait(), 20)
    assert again.state == {"peers": [{"username": "Bob", "roomId": ann.room, "isCaller": False}]}
    await bob.emit("offer", 1)
    await again.hear("offer")
    back = await cluster.first.member(ann.room, "Ann", True, "secret of Ann").join()
    await asyncio.wait_for(again.closed.wait(), 20)
    await bob.emit("offer", 2)
    assert await back.hear("offer") == [2]
    await back.emit("answer", 3)
    assert await bob.hear("answer") == [3]
    # Long enough for the announcement of a leave, if the end of an old socket counted as one.
    await asyncio.sleep(2 * GRACE)
    assert bob.told == ["+Ann"]
    await back.leave()
    await bob.hear("room_user_left")
    assert bob.told == ["+Ann", "-Ann"]


@inside
async def test_a_lost_client_resumes_on_another_node_with_its_key(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second, key="k")
    ann.break_off()
    again = await cluster.second.member(ann.room, "Ann", True, "k").join()
    await asyncio.sleep(2 * GRACE)
    assert bob.told == ["+Ann"] and again.told == ["+Bob"]
    await bob.emit("offer", 1)
    assert await again.hear("offer") == [1]


@inside
async def test_another_node_refuses_a_wrong_or_missing_key_while_the_client_is_connected(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second, key="k")
    for key in ("another", None):
        with pytest.raises(Refused, match="room_full"):
            await cluster.second.member(ann.room, "Ann", True, key).join()
    await ann.emit("offer", 1)
    assert await bob.hear("offer") == [1] and bob.told == ["+Ann"]


@inside
async def test_the_role_of_a_lost_client_without_a_key_can_be_taken_on_another_node(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    first, second = cluster.first, cluster.second
    seat = f"callrunner:{{{ann.room}}}:caller"
    ann.break_off()
    async with cluster.redis.client() as redis:

        async def is_marked_as_lost() -> bool:
            return b'"lost":true' in (await redis.get(seat) or b"")

        await until(is_marked_as_lost, "the seat is not marked as lost")
    again = await second.member(ann.room, "Ann", True).join()
    # The peer is notified, because this may be another client with the same name.
    await bob.hear("room_user_joined", 2)
    again.break_off()
    eve = await take_seat(first, ann.room, "Eve", True)
    await bob.hear("room_user_joined", 3)
    await asyncio.sleep(2 * GRACE)
    assert bob.told == ["+Ann", "+Ann", "-Ann", "+Eve"] and eve.told == ["+Bob"]


@inside
async def test_a_lost_client_is_announced_as_left_after_the_grace_period(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    ann.break_off()
    await bob.hear("room_user_left")
    await cluster.second.member(ann.room, "Eve", True).join()
    await bob.hear("room_user_joined", 2)
    assert bob.told == ["+Ann", "-Ann", "+Eve"]


@inside
async def test_an_offer_is_held_for_a_callee_that_joins_later_on_another_node(cluster):
    first, second = await cluster.nodes(2, "--hold")
    ann = await first.member(cluster.room(), "Ann", True).join()
    await ann.emit("offer", {"type": "offer", "sdp": "v=0"})
    await ann.emit("candidate", {"candidate": "c"})
    bob = await second.member(ann.room, "Bob").join()
    await bob.hear("candidate")
    assert bob.heard[-2:] == [("offer", {"type": "offer", "sdp": "v=0"}), ("candidate", {"candidate": "c"})]
    first.kill()
    second.kill()


@inside
async def test_metrics_count_the_traffic_between_nodes(cluster):
    async def numbers(node) -> dict[str, float]:
        metrics = await node.metrics()
        return {name: metrics.value(f"callrunner_{name}") for name in (
            "redis_up", "redis_losses_total", "cluster_nodes", "cluster_remote_members", "cluster_published_total",
            "cluster_delivered_total",
        )}  # fmt: skip

    async def are_two() -> bool:
        return (await numbers(cluster.first))["cluster_nodes"] == (await numbers(cluster.second))["cluster_nodes"] == 2

    await until(are_two, "the nodes do not count each other")
    before = [await numbers(node) for node in (cluster.first, cluster.second)]
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    await ann.emit("offer", 1)
    await bob.hear("offer")
    for node, old, published, delivered in zip((cluster.first, cluster.second), before, (1, 1), (0, 1)):
        new = await numbers(node)
        assert new["redis_up"] == 1 and new["redis_losses_total"] == 0 and new["cluster_nodes"] == 2
        assert new["cluster_remote_members"] == old["cluster_remote_members"] + 1
        assert new["cluster_delivered_total"] - old["cluster_delivered_total"] == delivered
