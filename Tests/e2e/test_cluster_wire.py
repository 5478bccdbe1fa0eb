"""The protocol between servers over Redis: the bytes of the official classic adapter and of the redis-emitter."""

import json

import pytest
from clusters import inside, new_cluster, until
from conftest import new_machine
from peers import foreign_node as wire
from peers.foreign_node import EMITTER, foreign_node, packed, room_channel

OFFER = {"type": "offer", "sdp": "v=0\r\ns=Привіт 👋\r\n"}
FILE = (b"\x00\x01\xff", {"inner": [b"", bytes(70_000)], "number": -1.5, "none": None}, "last")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory, module_stack):
    """Redis and two nodes for all tests of this file; each test uses rooms of its own."""
    folder = tmp_path_factory.mktemp("wire")
    cluster = new_cluster(module_stack.enter_context(new_machine(folder)), folder, module_stack)
    cluster.first, cluster.second = cluster.inside.run(cluster.nodes(2))
    return cluster


async def seat(cluster, room: int, role: str) -> dict:
    """Returns the Redis entry of the room's member with this role."""
    async with cluster.redis.client() as redis:
        return json.loads(await redis.get(f"callrunner:{{{room}}}:{role}"))


async def wait_for_foreign_node(*nodes) -> None:
    for node in nodes:

        async def is_known() -> bool:
            return await node.measure("cluster_foreign_nodes") == 1

        await until(is_known, f"{node.url} has not detected the foreign server")


@inside
async def test_an_event_is_published_with_the_same_bytes_as_by_the_official_adapter(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    async with cluster.redis.capture() as capture:
        for speaker, role in ((ann, "caller"), (bob, "callee")):
            who = await seat(cluster, ann.room, role)
            for event, *arguments in (("offer", OFFER), ("file", *FILE), ("nothing",)):
                await speaker.emit(event, *arguments)
                data = await capture.take(room_channel(ann.room))
                channel, documented = wire.broadcast(who["node"], [event, *arguments], [str(ann.room)], [who["sid"]])
                assert (channel, data) == (room_channel(ann.room), documented)
            assert len(who["node"]) == 6


@inside
async def test_a_join_is_published_with_the_documented_bytes(cluster):
    room = cluster.room()
    await cluster.second.member(room, "Bob").join()
    async with cluster.redis.capture() as capture:
        await cluster.first.member(room, "Ann", True).join()
        data = await capture.take(room_channel(room))
    who = await seat(cluster, room, "caller")
    node, sid = who["node"].encode(), who["sid"].encode()
    assert data == (
        b"\x93\xa6" + node
        + b"\x83\xa4type\x02\xa4data\x92\xb0room_user_joined\x83\xa8username\xa3Ann\xa6roomId" + bytes([room])
        + b"\xa8isCaller\xc3\xa3nsp\xa1/"
        + b"\x83\xa5rooms\x91" + bytes([0xA0 + len(str(room))]) + str(room).encode()
        + b"\xa6except\x91" + bytes([0xA0 + len(sid)]) + sid
        + b"\xa5flags\x80"
    )  # fmt: skip


@inside
async def test_events_of_the_redis_emitter_reach_a_room_on_every_node(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    others = await cluster.pair(cluster.first, cluster.second)
    async with cluster.redis.client() as redis:
        await redis.publish(*wire.broadcast(EMITTER, ["notice", OFFER, 1.5, None], [str(ann.room)]))
        await redis.publish(*wire.broadcast(EMITTER, ["file", *FILE], [str(ann.room)]))
        await redis.publish(*wire.broadcast(EMITTER, ["both", 2**40], [str(ann.room), "no room"]))
        # `except` may contain a room as well as a socket.
        await redis.publish(*wire.broadcast(EMITTER, ["nobody"], [str(ann.room)], [str(ann.room)]))
        await redis.publish(*wire.broadcast(EMITTER, ["last"], []))
    for member in (ann, bob):
        await member.hear("last")
        assert member.heard[-4:] == [("notice", OFFER, 1.5, None), ("file", *FILE), ("both", 2**40), ("last",)]
    for member in others:
        await member.hear("last")
        assert member.heard[-2][0] in ("room_user_joined", "room_state")


@inside
async def test_a_nodejs_server_exchanges_events_with_a_room(cluster):
    async with cluster.redis.client() as redis, foreign_node(redis) as node, cluster.redis.capture() as capture:
        await wait_for_foreign_node(cluster.first)
        ann = await cluster.first.member(cluster.room(), "Ann", True).join()
        who = await seat(cluster, ann.room, "caller")
        joined = ["room_user_joined", {"username": "Ann", "roomId": ann.room, "isCaller": True}]
        channel, documented = wire.broadcast(who["node"], joined, [str(ann.room)], [who["sid"]])
        assert await capture.take(channel) == documented
        # The announcement of a join by the original Node.js server.
        person = {"username": "Zoë", "roomId": str(ann.room), "isCaller": "false"}
        await node.broadcast("room_user_joined", person, rooms=[str(ann.room)], excepted=["socket of Zoë"])
        told = {"username": "Zoë", "roomId": ann.room, "isCaller": False}
        assert await ann.hear("room_user_joined") == [told]
        await capture.take(room_channel(ann.room))
        await ann.emit("offer", *FILE)
        channel, documented = wire.broadcast(who["node"], ["offer", *FILE], [str(ann.room)], [who["sid"]])
        assert await capture.take(channel) == documented
        await node.broadcast("answer", *FILE, rooms=[str(ann.room)], excepted=["socket of Zoë"])
        assert await ann.hear("answer") == list(FILE)
        # A socket in `except` does not receive the event.
        await node.broadcast("whisper", rooms=[str(ann.room)], excepted=[who["sid"]])
        await node.broadcast("room_user_left", {"username": "Zoë"}, rooms=[str(ann.room)], excepted=["socket of Zoë"])
        assert await ann.hear("room_user_left") == [{"username": "Zoë", "isCaller": False}]
        assert not ann.all("whisper") and ann.told == ["+Zoë", "-Zoë"]
        for _ in range(3):
            await capture.take(room_channel(ann.room))
        await ann.leave()
        left = ["room_user_left", {"username": "Ann", "isCaller": True}]
        channel, documented = wire.broadcast(who["node"], left, [str(ann.room)], [who["sid"]])
        assert await capture.take(channel) == documented


@pytest.mark.sample(1)
@pytest.mark.parametrize("is_direct", [False, True], ids=["to-all", "to-one"])
@inside
async def test_a_new_member_is_notified_of_the_members_on_nodejs_servers(cluster, is_direct):
    room = cluster.room()
    sockets = [
        {
            "id": "socket of Zoë", "rooms": ["socket of Zoë", str(room)], "data": {},
            "handshake": {"query": {"username": "Zoë", "roomId": str(room), "isCaller": "false"}},
        },
        # Invalid entries are ignored.
        {"id": 7}, {"id": "x" * 5000, "handshake": None}, {},
    ]  # fmt: skip
    async with cluster.redis.client() as redis, foreign_node(redis, sockets, is_direct) as node:
        await wait_for_foreign_node(cluster.first)
        ann = await cluster.first.member(room, "Ann", True).join()
        await ann.hear("room_user_joined")
        asked = await node.hear_request(5)
        assert len(asked["uid"]) == 6
        assert {"rooms": [str(room)], "except": []} in [request.get("opts") for request in node.requests]
    # The remote member leaves when its server ends.
    await ann.hear("room_user_left")
    assert ann.told == ["+Zoë", "-Zoë"]


@inside
async def test_requests_between_servers_get_the_same_answers_as_from_the_official_adapter(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    room = str(ann.room)
    caller, callee = [await seat(cluster, ann.room, role) for role in ("caller", "callee")]
    sids = {caller["sid"], callee["sid"]}
    async with cluster.redis.client() as redis, foreign_node(redis) as node:
        answers = await node.request(0, answers=2, rooms=[room])
        assert {sid for answer in answers for sid in answer["sockets"]} == sids
        answers = await node.request(1, answers=2)
        assert {room, *sids} <= {name for answer in answers for name in answer["rooms"]}
        answers = await node.request(5, answers=2, opts={"rooms": [room], "except": [callee["sid"]]})
        (socket,) = [socket for answer in answers for socket in answer["sockets"]]
        query = {"roomId": room, "username": "Ann", "isCaller": "true"}
        assert socket == {
            "id": caller["sid"], "handshake": {"query": query}, "rooms": [caller["sid"], room], "data": {},
        }  # fmt: skip
        # Each server sends its number of clients, and separately the first argument of each acknowledgement.
        packet = {"type": 2, "data": ["ask", b"\xff", "x"], "nsp": "/"}
        opts = {"rooms": [room], "except": [], "flags": {"timeout": 5000}}
        answers = await node.request(7, answers=4, packet=packet, opts=opts)
        assert sorted(answer["clientCount"] for answer in answers if answer["type"] == 8) == [1, 1]
        assert [answer["packet"] for answer in answers if answer["type"] == 9] == [b"\xff", b"\xff"]
        assert ann.all("ask") == bob.all("ask") == [[b"\xff", "x"]]
        await node.publish(wire.REQUESTS, json.dumps({
            "uid": node.uid, "type": 4, "opts": {"rooms": [room], "except": [caller["sid"]]}, "close": False,
        }).encode())  # fmt: skip
        await ann.hear("room_user_left")
        assert ann.told == ["+Bob", "-Bob"] and not ann.closed.is_set()


@inside
async def test_an_acknowledgement_is_requested_in_the_format_of_the_official_adapter(cluster):
    ann, bob = await cluster.pair(cluster.first, cluster.second)
    async with cluster.redis.capture() as capture:
        assert await ann.ask(b"\x00\xff", 1) == b"\x00\xff"
        caller = await seat(cluster, ann.room, "caller")
        asked = wire.unpacked(await capture.take(wire.REQUESTS))
        number = asked["requestId"]
        packet = {"type": 2, "data": ["ask", b"\x00\xff", 1], "nsp": "/"}
        opts = {"rooms": [str(ann.room)], "except": [caller["sid"]], "flags": {}}
        assert asked == {"uid": caller["node"], "requestId": number, "type": 7, "packet": packet, "opts": opts}
        counted = json.loads(await capture.take(wire.RESPONSES))
        assert counted == {"type": 8, "requestId": number, "clientCount": 1}
        acked = await capture.take(wire.RESPONSES)
        assert acked == packed({"type": 9, "requestId": number, "packet": b"\x00\xff"})
