"""Hostile messages and values in Redis, which must be refused and counted without disturbing other members."""

import json
import random
import secrets

import pytest
from clusters import inside, new_cluster, take_seat, until
from conftest import new_machine
from peers import foreign_node as wire
from peers.foreign_node import EVERYBODY, NODES, REQUESTS, RESPONSES, packed, room_channel

HUGE = 5 << 20
DEEP = 100_000
ROUNDS = 3000


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    """Redis and two nodes with the members Ann and Bob, who must not be disturbed by these tests."""
    folder = tmp_path_factory.mktemp("hostile")
    cluster = new_cluster(module_stack.enter_context(new_machine(folder)), folder, module_stack)
    cluster.first, cluster.second = cluster.inside.run(cluster.nodes(2))
    cluster.ann, cluster.bob = cluster.inside.run(cluster.pair(cluster.first, cluster.second, "Ann's key"))
    return cluster


async def expect_undisturbed(cluster) -> None:
    """Expects that both nodes run, and that Ann and Bob receive each other's events and nothing else."""
    ann, bob = cluster.ann, cluster.bob
    for speaker, listener in ((ann, bob), (bob, ann)):
        token = secrets.token_hex(4)
        await speaker.emit("offer", token)
        await listener.hear("offer", len(listener.all("offer")) or 1)
        await until(lambda said=[token], by=listener: heard(by, said), "an offer is not heard")
    assert ann.told == ["+Bob"] and bob.told == ["+Ann"]
    assert {event for event, *_ in ann.heard + bob.heard} <= {"room_state", "room_user_joined", "offer"}
    for node in (cluster.first, cluster.second):
        assert node.process.process.poll() is None, node.process.story
        assert await node.measure("redis_losses_total") == 0
        await node.be_shared()


async def heard(member, said: list) -> bool:
    return said in member.all("offer")


async def refusals(node) -> dict[str, float]:
    reasons = ("malformed", "oversized", "other_namespace", "unsupported", "too_busy")
    return {reason: await node.refused(reason) for reason in reasons}


def broadcast(data, rooms, **more) -> bytes:
    packet = {"type": 2, "data": data, "nsp": "/", **more.pop("packet", {})}
    return packed(["abc123", packet, {"rooms": rooms, "except": [], "flags": {}, **more}])


def nested(depth: int) -> bytes:
    return b"\x91" * depth + b"\xc0"


def messages(room: str) -> list[tuple[str, bytes, str | None]]:
    """Returns channels, messages, and the reason for which each is refused; None if it is ignored without a count."""
    here = room_channel(room)
    bad_person = {"username": "", "roomId": room, "isCaller": True}
    return [
        (here, b"", "malformed"),
        (here, b"\xff\xfe not MessagePack", "malformed"),
        (here, b"\x93\xa6abc123", "malformed"),
        (here, b"\xdd\xff\xff\xff\xff", "malformed"),
        (here, b"\xdf\xff\xff\xff\xff\xa1x", "malformed"),
        (here, b"\xc6\xff\xff\xff\xff", "malformed"),
        (here, b"\xc1", "malformed"),
        (here, nested(DEEP), "malformed"),
        (here, packed("text"), "malformed"),
        (here, packed([]), "malformed"),
        (here, packed([7, {}, {}]), "malformed"),
        (here, packed(["abc123", {"type": 2}, {}]), "malformed"),
        (here, broadcast([], [room]), "malformed"),
        (here, broadcast([{"no": "name"}], [room]), "malformed"),
        (here, broadcast(["connect", 1], [room]), "malformed"),
        (here, broadcast(["x"], "no list"), "malformed"),
        (here, broadcast(["x"], [{}]), "malformed"),
        (here, broadcast(["x"], [room] * 5000), "malformed"),
        (here, broadcast(["x"], [room], **{"except": 7}), "malformed"),
        (here, broadcast(["x"], [room], packet={"type": 0}), "malformed"),
        (here, broadcast(["x"], [room], packet={"type": "2"}), "malformed"),
        (here, broadcast(["x"], [room], packet={"nsp": "/admin"}), "other_namespace"),
        (here, broadcast(["room_user_joined", bad_person], [room]), "malformed"),
        (here, broadcast(["room_user_joined"], [room]), "malformed"),
        (here, broadcast(["room_user_left", {"username": 7}], [room]), "malformed"),
        (here, b"x" * HUGE, "oversized"),
        (EVERYBODY, b"x" * HUGE, "oversized"),
        (EVERYBODY, b"\x00", "malformed"),
        (f"{EVERYBODY}{'9' * 4000}#", broadcast(["x"], [room]), None),
        (f"{EVERYBODY}\x00\xff#", broadcast(["x"], ["other"]), None),
        ("socket.io#/admin#", broadcast(["x"], [room]), None),
        (f"{EVERYBODY}no room#", b"nothing that could be read", None),
        (REQUESTS, b"", "malformed"),
        (REQUESTS, b"{", "malformed"),
        (REQUESTS, b"{" * DEEP, "malformed"),
        (REQUESTS, b"[" * DEEP, "malformed"),
        (REQUESTS, b'{"type":99,"requestId":"a"}', "malformed"),
        (REQUESTS, b'{"type":"0"}', "malformed"),
        (REQUESTS, b'{"type":0,"requestId":"a","rooms":[[]]}', "malformed"),
        (REQUESTS, b'{"type":2,"opts":{"rooms":[],"except":[]},"rooms":["x"]}', "unsupported"),
        (REQUESTS, b'{"type":3,"sid":"x","room":"y","requestId":"a"}', "unsupported"),
        (REQUESTS, b'{"type":4}', "malformed"),
        (REQUESTS, b'{"type":4,"sid":"nobody","close":true}', None),
        (REQUESTS, b'{"type":6,"uid":"emitter","data":["x"]}', None),
        (REQUESTS, packed({"type": 7, "requestId": "a"}), "malformed"),
        (REQUESTS, packed({"type": 7, "requestId": 1, "packet": {}, "opts": {}}), "malformed"),
        (REQUESTS, b'{"type":1e400,"requestId":"a"}', "malformed"),
        (REQUESTS, b'{"type":5,"requestId":"a","opts":[]}', None),
        (REQUESTS, b"x" * HUGE, "oversized"),
        (RESPONSES, b"", "malformed"),
        (RESPONSES, b'{"requestId":7}', "malformed"),
        (RESPONSES, b'{"requestId":"not ours","sockets":[]}', None),
        (RESPONSES, b"x" * HUGE, "oversized"),
        (NODES, b"", "malformed"),
        (NODES, b'{"type":"gone"}', "malformed"),
        (NODES, b'{"node":"","type":"gone"}', "malformed"),
        (NODES, b'{"node":"~abcde","type":"gone"}', None),
        (NODES, b'{"node":"~abcde","type":"dance"}', "unsupported"),
        (NODES, b'{"node":"~abcde"}', "malformed"),
        (NODES, b'{"node":"~abcde","type":"ousted","room":1}', "malformed"),
        (NODES, b'{"node":"~abcde","type":"ousted","room":-1,"sid":"x"}', "malformed"),
        (NODES, b'{"node":"~abcde","type":"moved","room":1,"sid":"x","to":{"node":7}}', "malformed"),
        (NODES, b"[" * DEEP, "malformed"),
        (NODES, b"x" * HUGE, "oversized"),
    ]  # fmt: skip


@inside
async def test_invalid_messages_from_redis_are_refused_and_counted_by_reason(cluster):
    async with cluster.redis.client() as redis:
        for channel, message, reason in messages(str(cluster.ann.room)):
            before = [await refusals(node) for node in (cluster.first, cluster.second)]
            await redis.publish(channel, message)
            # Messages arrive in order. Once this one is counted, the previous one has been processed.
            await redis.publish(NODES, b"7")
            for node, old in zip((cluster.first, cluster.second), before):

                async def is_done(node=node, old=old) -> bool:
                    return sum((await refusals(node)).values()) > sum(old.values()) + (reason is not None)

                await until(is_done, f"{message[:60]} on {channel[:60]} is not refused")
                changes = {name: value - old[name] for name, value in (await refusals(node)).items()}
                changes["malformed"] -= 1
                wanted = {name: float(name == reason) for name in changes}
                assert changes == wanted, (channel[:60], message[:60])
    await expect_undisturbed(cluster)


@inside
async def test_a_role_with_an_invalid_value_in_redis_is_free(cluster):
    """The values are not JSON, incomplete, too long, or of another Redis type."""
    async with cluster.redis.client() as redis:
        values = (b"", b"nonsense", b"[]", b"7", b'{"node":7}', b"\xff\x00", b"[" * 2000, b"x" * 65_536)
        for value in values:
            room = cluster.room()
            for role in ("caller", "callee"):
                await redis.set(f"callrunner:{{{room}}}:{role}", value)
            ann = await cluster.first.member(room, "Ann", True).join()
            bob = await cluster.second.member(room, "Bob").join()
            await ann.hear("room_user_joined")
            assert bob.told == ["+Ann"], (room, bob.heard)
            await ann.leave()
            await bob.leave()
        room = cluster.room()
        for role in ("caller", "callee"):
            await redis.rpush(f"callrunner:{{{room}}}:{role}", b"x")
        await take_seat(cluster.first, room, "Ann", True)
    await expect_undisturbed(cluster)


@inside
async def test_a_role_held_by_an_unknown_node_becomes_free_after_a_delay(cluster):
    room = cluster.room()
    async with cluster.redis.client() as redis:
        await redis.set(f"callrunner:{{{room}}}:caller", b'{"node":"~dead","sid":"s"}')
    await take_seat(cluster.first, room, "Ann", True)


@inside
async def test_randomly_damaged_messages_on_every_channel_do_not_crash_a_node(cluster):
    generator = random.Random(7)
    room = str(cluster.ann.room)
    samples = [message for _, message, _ in messages(room) if len(message) < 10_000]
    samples += [
        wire.broadcast("abc123", ["offer", {"a": [1, b"\x00", None]}], [room])[1],
        json.dumps({"type": 5, "requestId": "a", "uid": "abc123", "opts": {"rooms": [room], "except": []}}).encode(),
        json.dumps({"node": "~abcde", "type": "ousted", "room": int(room), "sid": "x"}).encode(),
    ]
    channels = (EVERYBODY, room_channel(room), REQUESTS, RESPONSES, NODES)
    # Only the connections of Ann and Bob are checked, because random bytes may form a valid event for them.
    async with cluster.redis.client() as redis:
        for _ in range(ROUNDS // 100):
            async with redis.pipeline(transaction=False) as pipeline:
                for _ in range(100):
                    pipeline.publish(generator.choice(channels), scrambled(generator, generator.choice(samples)))
                await pipeline.execute()
    before = len(cluster.bob.all("offer"))
    await cluster.ann.emit("offer", "still here")
    await cluster.bob.hear("offer", before + 1)
    for node in (cluster.first, cluster.second):
        assert node.process.process.poll() is None, node.process.story
        assert await node.measure("redis_losses_total") == 0
        assert sum((await refusals(node)).values()) > ROUNDS / 2


@inside
async def test_the_number_of_remote_members_in_a_room_is_bounded(cluster):
    alone = cluster.room()
    ann = await cluster.first.member(alone, "Ann", True).join()
    before = await cluster.first.measure("cluster_remote_members")
    async with cluster.redis.client() as redis, redis.pipeline(transaction=False) as pipeline:
        for number in range(5000):
            person = {"username": f"Eve {number}", "roomId": str(alone), "isCaller": "false"}
            pipeline.publish(
                *wire.broadcast("abc123", ["room_user_joined", person], [str(alone)], [f"socket {number}"])
            )
        await pipeline.execute()
        await redis.publish(*wire.broadcast("abc123", ["last"], [str(alone)]))
    await ann.hear("last")
    assert await cluster.first.measure("cluster_remote_members") - before <= 256
    await ann.leave()


def scrambled(generator: random.Random, message: bytes) -> bytes:
    data = bytearray(message or b"\x00")
    for _ in range(generator.randint(1, 4)):
        place = generator.randrange(len(data))
        match generator.choice("xdi"):
            case "x":
                data[place] = generator.randrange(256)
            case "d":
                del data[place : place + generator.randint(1, 8)]
            case _:
                data[place:place] = generator.randbytes(generator.randint(1, 8))
        data = data or bytearray(b"\x00")
    return bytes(data)
