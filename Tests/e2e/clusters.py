"""Fixtures for servers that share rooms: Redis, nodes, and clients in one event loop."""

import asyncio
import functools
import itertools
import signal
import time
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from pathlib import Path

import aiohttp
from peers import prometheus
from peers.inside import Inside
from peers.member import Member, Refused
from peers.redis_server import RedisServer
from peers.runner import Runner

# The seconds after which the other nodes consider a silent node dead.
HEARTBEAT = 3


def inside(test: Callable) -> Callable:
    """Decorates a coroutine test so that it runs in the network namespace of its cluster."""

    @functools.wraps(test)
    def run(*arguments, **fixtures):
        fixtures["cluster"].inside.run(test(*arguments, **fixtures))

    return run


class Node:
    """One `callrunner serve` of a cluster. `process` is None if the server was not started by `Cluster.start`."""

    def __init__(self, url: str, process: Runner | None = None):
        self.url, self.process = url, process

    async def fetch(self, path: str) -> str:
        async with aiohttp.ClientSession() as session, session.get(f"{self.url}{path}") as answer:
            assert answer.status == 200, await answer.text()
            return await answer.text()

    async def metrics(self) -> prometheus.Metrics:
        return prometheus.parse(await self.fetch("/metrics"))

    async def measure(self, name: str, **labels: str) -> float:
        return (await self.metrics()).value(f"callrunner_{name}", **labels)

    async def refused(self, reason: str) -> float:
        """Returns the number of messages from Redis that the node has refused for this reason."""
        return await self.measure("cluster_refused_total", reason=reason)

    async def be_shared(self) -> "Node":
        return await self.be_ready("ready")

    async def be_ready(self, words: str) -> "Node":
        """Waits until `/readyz` begins with these words."""

        async def is_so() -> bool:
            return (await self.fetch("/readyz")).startswith(words)

        await until(is_so, f"{self.url} is not {words}")
        return self

    def kill(self) -> None:
        self.process.signal(signal.SIGKILL)

    def member(self, *person, **options) -> Member:
        """Returns a client of this node that has not joined yet."""
        return Member(self.url, *person, **options)


class Cluster:
    """Redis, nodes and their clients in one network namespace. Each test uses rooms of its own."""

    def __init__(self, machine, redis: RedisServer, inside: Inside):
        self.machine, self.redis, self.inside = machine, redis, inside
        self._rooms = itertools.count(1)

    def room(self) -> int:
        """Returns a room that has not been used before."""
        return next(self._rooms)

    def start(self, *flags, redis: str | None = None, heartbeat: float = HEARTBEAT) -> Node:
        """Starts a node without waiting for its connection to Redis. The URL `redis` may contain a password."""
        named = ("--redis", self.redis.url) if redis is None else ()
        environment = {"CALLRUNNER_REDIS": redis} if redis else {}
        shared = ("--port", "0", "--heartbeat", f"{heartbeat}s", *named)
        served = self.machine.callrunner("serve", *shared, *flags, environment=environment)
        return Node(served.wait_for("server.listening")["url"], served)

    async def nodes(self, count: int, *flags, **keywords) -> list[Node]:
        """Starts nodes and waits until all of them are connected to Redis."""
        nodes = [self.start(*flags, **keywords) for _ in range(count)]
        return [await node.be_shared() for node in nodes]

    async def pair(self, caller_at: Node, callee_at: Node, key: str | None = None) -> tuple[Member, Member]:
        """Joins a new room as Ann, the caller, and as Bob; returns both clients after their joins were announced."""
        room = self.room()
        ann = await Member(caller_at.url, room, "Ann", True, key).join()
        bob = await Member(callee_at.url, room, "Bob").join()
        await ann.hear("room_user_joined")
        await bob.hear("room_user_joined")
        return ann, bob


def new_cluster(machine, folder: Path, stack: ExitStack, **options) -> Cluster:
    redis = stack.enter_context(RedisServer(machine.prefix, folder, **options))
    return Cluster(machine, redis, stack.enter_context(Inside(machine.namespace.name)))


async def take_seat(node: Node, *person, within: float = 12) -> Member:
    """Repeats a join until the role is free; returns the client that has joined."""
    deadline = time.monotonic() + within
    while True:
        try:
            return await node.member(*person).join()
        except Refused as refusal:
            assert str(refusal) in ("room_full", "role_taken") and time.monotonic() < deadline, refusal
            await asyncio.sleep(0.05)


async def until(is_so: Callable[[], Awaitable[bool]], problem: str, within: float = 30) -> None:
    """Polls until the condition is true; fails with `problem` after `within` seconds."""
    deadline = time.monotonic() + within
    while not await is_so():
        assert time.monotonic() < deadline, f"{problem} within {within} s"
        await asyncio.sleep(0.05)


async def settle(seconds: float) -> None:
    """Waits long enough for late announcements of leaves to arrive."""
    await asyncio.sleep(seconds)
