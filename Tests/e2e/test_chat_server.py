"""The chat of `callrunner serve`, with a third-party client (aiohttp)."""

import asyncio
import json
import os
import random
import re
import signal
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp
import pytest
from conftest import CLEAN
from faults import wait_until
from peers import runner

PHONE = "+79219999999"
# A picture of one pixel.
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49484154789c6360606060000000050001"
    "a5f645400000000049454e44ae426082"
)
TIMESTAMP = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00$")


class Chat:
    """A server with a chat, on loopback."""

    def __init__(self, stack, folder: Path, *flags):
        self.stack, self.folder = stack, folder
        self.flags = ["--port", "0", "--data", folder / "data", "--reply-delay", "0s", *flags]
        self.start()

    def start(self) -> None:
        environment = {**CLEAN, "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        self.server = self.stack.enter_context(runner.callrunner("serve", *self.flags, environment=environment))
        self.url = self.server.wait_for("server.listening")["url"]
        # The next start is at the same address.
        self.flags[1] = self.url.rsplit(":", 1)[1]

    def kill(self) -> None:
        self.server.signal(signal.SIGKILL)
        self.server.process.wait(10)


@pytest.fixture
def chat(stack, tmp_path):
    return Chat(stack, tmp_path)


def complete(coroutine) -> None:
    """Runs a coroutine in a thread of its own, because a browser of another test may have a loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, coroutine).result()


def run(body) -> None:
    async def limited():
        async with aiohttp.ClientSession() as session:
            await asyncio.wait_for(body(session), 60)

    complete(limited())


class Socket:
    def __init__(self, socket):
        self.socket = socket

    async def text(self) -> str:
        message = await self.socket.receive(10)
        assert message.type == aiohttp.WSMsgType.TEXT, message
        return message.data

    async def frame(self) -> dict:
        return json.loads(await self.text())

    async def of_type(self, *types: str) -> dict:
        while (frame := await self.frame())["type"] not in types:
            pass
        return frame

    async def send(self, **frame) -> None:
        await self.socket.send_str(json.dumps(frame))

    async def say(self, text: str, id: str, **more) -> None:
        await self.send(type="message", id=id, message=text, **more)

    async def close_code(self) -> int:
        while True:
            message = await self.socket.receive(10)
            if message.type in (aiohttp.WSMsgType.CLOSE, aiohttp.WSMsgType.CLOSED, aiohttp.WSMsgType.CLOSING):
                return self.socket.close_code


@asynccontextmanager
async def connect(session, chat, query: str, **keywords):
    async with session.ws_connect(f"{chat.url}/ws/chat?{query}", max_msg_size=0, **keywords) as socket:
        yield Socket(socket)


async def sign_up(session, chat, phone: str = PHONE, name: str = "Ann") -> str:
    """Registers an account; returns its access token."""
    api = f"{chat.url}/api/v1/users"
    async with session.post(f"{api}/send-auth-code/", json={"phone": phone}) as answer:
        assert answer.status < 300
    async with session.post(f"{api}/check-auth-code/", json={"phone": phone, "code": "133337"}) as answer:
        token = (await answer.json())["registration_token"]
    registration = {"phone": phone, "name": name, "username": name.lower(), "registration_token": token}
    async with session.post(f"{api}/register/", json=registration) as answer:
        assert answer.status == 201
        return (await answer.json())["access_token"]


def message(sender: str, to: str, text: str, timestamp: str, auto: bool = False) -> dict:
    """A message in the order of the original's members."""
    made = {"from": sender, "to": to, "message": text, "timestamp": timestamp}
    if auto:
        made["auto"] = True
    return made


def test_a_client_with_the_original_protocol_receives_the_same_bytes_as_from_the_original_server(chat):
    texts = ["hello", 'say "hi" \\ now', "Привіт, як справи?", "🙂 and 👩‍👩‍👧", "line\nbreak\ttab \x01\x1f\x7f", "</script> é"]

    async def body(session):
        async with connect(session, chat, "userId=20&withId=1") as socket:
            first = await socket.text()
            stamps = [item["timestamp"] for item in json.loads(first)["items"]]
            assert all(TIMESTAMP.match(stamp) for stamp in stamps) and stamps == sorted(stamps)
            peer = json.loads(first)["items"][0]["from"]
            expected = [message(peer, "20", "Hi there!", stamps[0]), message("20", peer, "Hello!", stamps[1])]
            assert first == json.dumps({"type": "history", "items": expected})
            for text in texts:
                await socket.socket.send_str(text)
                for auto in (False, True):
                    frame = await socket.text()
                    item = json.loads(frame)["item"]
                    said = item["message"] if auto else text
                    pair = (peer, "20") if auto else ("20", peer)
                    expected.append(message(*pair, said, item["timestamp"], auto))
                    assert frame == json.dumps({"type": "message", "item": expected[-1]})
        async with connect(session, chat, "userId=20&withId=1") as socket:
            assert await socket.text() == json.dumps({"type": "history", "items": expected})

    run(body)


def test_grapheme_joiners_are_inserted_into_a_message_with_many_combining_marks(chat):
    """Comparing thousands of successive marks takes long; the server would hang."""

    async def body(session):
        async with connect(session, chat, "userId=20&withId=21") as socket:
            await socket.text()
            await socket.socket.send_str("\0a" + "\u0301" * 100 + "\u0316" * 100)
            said = (await socket.of_type("message"))["item"]["message"]
            assert said.startswith("\ufffda\u0301") and said.count("\u034f") == 6

    run(body)


def test_clients_with_the_extended_and_the_original_protocol_share_conversations(chat):
    async def body(session):
        async with (
            connect(session, chat, "userId=20&withId=30") as plain, connect(session, chat, "userId=30&withId=20&v=2") as pair,
            connect(session, chat, "userId=30&v=2") as inbox,
        ):
            assert (await plain.frame())["type"] == "history"
            hello = await pair.frame()
            assert hello["type"] == "hello" and hello["v"] == 2 and hello["limits"]["frame"] == 65536
            assert (await pair.frame())["type"] == "history"
            assert (await inbox.frame())["type"] == "hello"
            assert (await inbox.frame())["items"][0]["withId"] == 20
            await plain.socket.send_str("to all")
            assert (await plain.frame())["item"].keys() == {"from", "to", "message", "timestamp"}
            item = (await pair.of_type("message"))["item"]
            assert (item["message"], item["fromId"], item["toId"]) == ("to all", 20, 30) and item["id"]
            assert (await inbox.of_type("message"))["withId"] == 20
            await pair.say("twice", "m-1")
            await pair.say("twice", "m-1")
            assert [(await pair.of_type("message"))["item"]["id"] for _ in range(2)] == ["m-1", "m-1"]
            assert (await plain.frame())["item"]["message"] == "twice"
            await pair.send(type="reaction", id="m-1", reaction="like", op="add")
            assert (await inbox.of_type("reaction"))["fromId"] == 30
            await pair.send(type="search", query="twic")
            assert [item["id"] for item in (await pair.of_type("search"))["items"]] == ["m-1"]
            await pair.send(type="delete", id="m-1")
            await inbox.of_type("delete")
            await inbox.send(type="call", room=7, withId=20)
            assert (await inbox.of_type("error"))["code"] == "offline"

    run(body)


def test_a_file_and_its_byte_ranges_are_readable_only_by_sender_and_recipient(chat):
    async def body(session):
        url = f"{chat.url}/api/media"
        async with session.post(f"{url}?userId=20", data=PNG) as answer:
            assert answer.status == 201
            media = await answer.json()
        assert (media["type"], media["bytes"], media["width"], media["height"]) == ("image/png", len(PNG), 1, 1)
        file = f"{chat.url}{media['url']}"

        async def status(person: int, **headers) -> tuple[int, bytes]:
            async with session.get(f"{file}?userId={person}", headers=headers) as answer:
                assert answer.headers.get("X-Content-Type-Options") == "nosniff" or answer.status != 200
                return answer.status, await answer.read()

        assert await status(20) == (200, PNG)
        assert (await status(30))[0] == 404
        async with connect(session, chat, "userId=30&withId=20") as plain, connect(session, chat, "userId=20&withId=30&v=2") as pair:
            await plain.frame()
            await pair.say("look", "m-1", media={"id": media["id"]})
            assert (await plain.frame())["item"]["message"] == f"look\n{file}"
            assert (await pair.of_type("message"))["item"]["media"]["id"] == media["id"]
            assert await status(30, Range="bytes=1-3") == (206, b"PNG")
            assert (await status(31))[0] == 404
            assert (await status(20, Range="bytes=1000-"))[0] == 416
            await pair.send(type="delete", id="m-1")
            await pair.of_type("delete")
            assert (await status(30))[0] == 404
        for body, expected in [(b"", 400), (bytes(20_000_001), 413)]:
            async with session.post(f"{url}?userId=20", data=body) as answer:
                assert answer.status == expected
        assert list((chat.folder / "data/chat-media").iterdir()) == []

    run(body)


def test_an_interrupted_upload_leaves_no_file(chat):
    folder = chat.folder / "data/chat-media"
    folder.mkdir(mode=0o700, exist_ok=True)

    async def begin():
        _, writer = await asyncio.open_connection("127.0.0.1", int(chat.flags[1]))
        writer.write(b"POST /api/media?userId=20 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n" + bytes(50_000))
        await writer.drain()
        await asyncio.sleep(0.3)
        return writer

    async def body(session):
        (await begin()).transport.abort()
        await asyncio.sleep(0.3)
        assert list(folder.iterdir()) == []
        async with session.post(f"{chat.url}/api/media?userId=20", data=PNG) as answer:
            assert answer.status == 201
        await begin()
        chat.kill()
        assert len(list(folder.iterdir())) == 1

    run(body)
    (folder / "6f9619ff-8b86-d011-b42d-00c04fc964ff").write_bytes(b"of no message")
    (folder / "7f9619ff-8b86-d011-b42d-00c04fc964ff.unknown").write_bytes(b"of a database that did not come back")
    os.utime(folder / "7f9619ff-8b86-d011-b42d-00c04fc964ff.unknown", times=(0, 0))
    (folder / ".6f9619ff-8b86-d011-b42d-00c04fc964ff.part").write_bytes(b"incomplete")
    (folder / "notes.txt").write_bytes(b"of somebody else")
    before = set(folder.iterdir())
    chat.start()
    after = set(folder.iterdir())
    assert {path.name for path in before - after} == {
        "6f9619ff-8b86-d011-b42d-00c04fc964ff", "7f9619ff-8b86-d011-b42d-00c04fc964ff.unknown",
        ".6f9619ff-8b86-d011-b42d-00c04fc964ff.part",
    }
    assert {path.name for path in after - before} == {"6f9619ff-8b86-d011-b42d-00c04fc964ff.unknown"}


def test_a_client_that_exceeds_a_limit_is_refused_or_disconnected_and_others_are_not_disturbed(chat):
    async def body(session):
        async with connect(session, chat, "userId=40&withId=41&v=2") as neighbour:
            await neighbour.of_type("history")
            said = 0

            async def neighbour_goes_on():
                nonlocal said
                said += 1
                await neighbour.say("here", f"n-{said}")
                assert (await neighbour.of_type("message", "error"))["item"]["id"] == f"n-{said}"

            async def closed(query: str, *texts: str) -> int:
                async with connect(session, chat, query) as socket:
                    for text in texts:
                        await socket.socket.send_str(text)
                    return await socket.close_code()

            assert await closed("userId=20&withId=30", *["x"] * 30) == 1008
            await neighbour_goes_on()
            assert await closed("userId=21&withId=30", "x" * 4001) == 1009
            assert await closed("userId=22&withId=30", "x" * 65_537) == 1009
            assert await closed("userId=23&withId=30&v=2", "x" * 65_537) == 1009
            await neighbour_goes_on()
            async with connect(session, chat, "userId=24&withId=30&v=2") as socket:
                await socket.of_type("history")
                await socket.say("x" * 4001, "a")
                assert (await socket.of_type("error"))["code"] == "too_long"
                for number in range(40):
                    await socket.say("x", f"m-{number}")
                codes = [(await socket.of_type("message", "error")).get("code") for _ in range(40)]
                assert set(codes) == {None, "too_fast"} and 15 <= codes.count(None) <= 30
                await socket.socket.send_str("no frame")
                assert (await socket.of_type("error"))["code"] == "bad_frame"
            await neighbour_goes_on()
            sockets = [await session.ws_connect(f"{chat.url}/ws/chat?userId=25&withId=30") for _ in range(9)]
            assert await Socket(sockets[8]).close_code() == 1008
            assert not sockets[7].closed
            for socket in sockets:
                await socket.close()
            await neighbour_goes_on()

    run(body)


def test_a_client_that_does_not_read_is_disconnected_with_code_1013(chat):
    async def body(session):
        reader, writer = await asyncio.open_connection("127.0.0.1", int(chat.flags[1]), limit=1 << 30)
        writer.write(
            b"GET /ws/chat?userId=20&withId=30 HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()
        async with connect(session, chat, "userId=30&withId=20&v=2") as sender:
            await sender.of_type("history")
            for number in range(600):
                await sender.say("ж" * 4000, f"m-{number}")
                frame = await sender.of_type("message", "error")
                if frame["type"] == "error":
                    await asyncio.sleep(1.1)
                    await sender.say("ж" * 4000, f"m-{number}")
                    await sender.of_type("message")
                if await is_closed(session):
                    break
            assert await is_closed(session)
            writer.transport.resume_reading()
            rest = await asyncio.wait_for(reader.read(-1), 10)
            # A close frame with code 1013 is the last thing.
            assert rest[-4:] == b"\x88\x02" + (1013).to_bytes(2)

    async def is_closed(session) -> bool:
        async with session.get(f"{chat.url}/metrics") as answer:
            return 'callrunner_slow_consumers_closed_total{reason="queue_full"} 1' in await answer.text()

    run(body)


@pytest.mark.parametrize("rounds", [3, pytest.param(200, marks=[pytest.mark.long, pytest.mark.timeout(1800)])])
def test_no_acknowledged_message_is_lost_when_the_server_is_killed(chat, rounds):
    generator = random.Random(1)

    async def send(session, person: int, echoed: list[str], round: int):
        try:
            async with connect(session, chat, f"userId={person}&withId={person + 1}&v=2") as socket:
                await socket.of_type("history")
                for number in range(10_000):
                    id = f"{round}-{person}-{number}"
                    await socket.say("x" * 50, id)
                    frame = await socket.of_type("message", "error")
                    if frame["type"] == "message":
                        echoed.append(id)
                    else:
                        await asyncio.sleep(0.1)
        except (aiohttp.ClientError, AssertionError, ConnectionError, TypeError):
            pass

    async def body(session):
        everything: dict[int, list[str]] = {person: [] for person in range(100, 140, 2)}
        for round in range(rounds):
            tasks = [asyncio.create_task(send(session, person, ids, round)) for person, ids in everything.items()]
            await asyncio.sleep(generator.uniform(0.3, 1.5))
            await asyncio.to_thread(chat.kill)
            await asyncio.gather(*tasks)
            await asyncio.to_thread(chat.start)
        for person, ids in everything.items():
            assert ids
            async with connect(session, chat, f"userId={person}&withId={person + 1}&v=2") as socket:
                page = await socket.of_type("history")
                stored = [item["id"] for item in page["items"]]
                while page["more"]:
                    await asyncio.sleep(0.1)
                    await socket.send(type="history", before=stored[0], limit=100)
                    page = await socket.of_type("history")
                    stored = [item["id"] for item in page["items"]] + stored
            kept = set(stored)
            assert [id for id in stored if id in set(ids)] == ids and len(kept) == len(stored)

    async def unlimited():
        async with aiohttp.ClientSession() as session:
            await body(session)

    complete(unlimited())


def test_account_ids_and_forwarded_requests_require_a_valid_token(chat):
    async def body(session):
        token = await sign_up(session, chat)

        async def status(query: str, **headers) -> int:
            try:
                async with session.ws_connect(f"{chat.url}/ws/chat?{query}", headers=headers):
                    return 101
            except aiohttp.WSServerHandshakeError as error:
                return error.status

        async def people(query: str = "", **headers) -> int:
            async with session.get(f"{chat.url}/api/users{query}", headers=headers) as answer:
                body = await answer.json()
                if answer.status == 200:
                    assert [person["id"] for person in body] == sorted(person["id"] for person in body)
                    assert {"id", "name", "status", "isOnline"} == set(body[0])
                return answer.status

        bearer = {"Authorization": f"Bearer {token}"}
        away = {"X-Forwarded-For": "203.0.113.7"}
        assert await status("userId=1000&withId=1") == 401
        assert await status("userId=1000&withId=1", **bearer) == 101
        assert await status(f"userId=1000&withId=1&token={token}", **away) == 101
        assert await status("userId=1001&withId=1", **bearer) == 401
        assert await status("userId=20&withId=1", **away) == 401
        assert await status("userId=20&withId=1", Authorization="Bearer forged") == 401
        assert await status("userId=20&withId=1", Origin="https://evil.example") == 403
        for query in ("", "userId=20", "userId=0&withId=1", "userId=20&withId=20", "userId=20&withId=x"):
            assert await status(query) == 400
        assert await people() == 200 and await people(**away) == 401 and await people(**away, **bearer) == 200
        assert await people("?userId=1000") == 401

    run(body)


def test_people_with_a_conversation_stay_in_the_list(chat):
    async def body(session):
        async def people(viewer: int) -> dict[int, dict]:
            async with session.get(f"{chat.url}/api/users?userId={viewer}") as answer:
                found = await answer.json()
            assert [person["id"] for person in found] == sorted(person["id"] for person in found)
            return {person["id"]: person for person in found}

        async with connect(session, chat, "userId=101&withId=102&v=2") as ann:
            await ann.say("hello", "a")
            await ann.of_type("message")
        for _ in range(50):
            if 101 not in await people(103):
                break
            await asyncio.sleep(0.1)
        assert 101 not in await people(103)
        assert (await people(102))[101] == {"id": 101, "name": "Guest 101", "status": None, "isOnline": False}

    run(body)


def test_the_conversation_with_a_deleted_account_can_be_read_but_not_continued(chat):
    ann, bob = 1000, 1001
    tokens: list[str] = []

    async def write(session):
        for phone, name in ((PHONE, "Ann"), ("+79219999998", "Bob")):
            tokens.append(await sign_up(session, chat, phone, name))
        bearer = {"Authorization": f"Bearer {tokens[0]}"}
        async with connect(session, chat, f"userId={ann}&withId={bob}&v=2", headers=bearer) as socket:
            await socket.say("goodbye", "a")
            await socket.of_type("message")

    async def read(session):
        bearer = {"Authorization": f"Bearer {tokens[1]}"}
        async with session.get(f"{chat.url}/api/users", headers=bearer) as answer:
            [listed] = [person for person in await answer.json() if person["id"] == ann]
        assert listed == {"id": ann, "name": "Deleted account", "status": None, "isOnline": False}
        async with connect(session, chat, f"userId={bob}&withId={ann}&v=2", headers=bearer) as socket:
            history = await socket.of_type("history")
            assert [(item["from"], item["message"]) for item in history["items"]] == [("Deleted account", "goodbye")]
            await socket.say("come back", "b")
            refusal = await socket.of_type("error")
            assert (refusal["code"], refusal["ref"]) == ("blocked", "b")

    def rows(query: str) -> list[tuple]:
        with sqlite3.connect(chat.folder / "data/callrunner.db") as database:
            return database.execute(query).fetchall()

    run(write)
    # As if the server had been killed right after a deletion.
    chat.kill()
    with sqlite3.connect(chat.folder / "data/callrunner.db") as database:
        database.execute("DELETE FROM account_user WHERE id = ?", (ann,))
        database.execute("INSERT INTO chat_block (person, blocked) VALUES (?, 20), (?, 20)", (ann, bob))
    flags = chat.flags
    # A server that offers no accounts now knows nothing about them.
    chat.flags = [*flags, "--services", "chat"]
    chat.start()
    time.sleep(1)
    assert rows("SELECT id, name FROM chat_person WHERE id >= 1000") == [(ann, "Ann"), (bob, "Bob")]
    chat.kill()
    chat.flags = flags
    chat.start()
    wait_until("the name is forgotten", lambda: rows("SELECT person FROM chat_deleted") == [(ann,)], 5)
    assert rows("SELECT id, name FROM chat_person WHERE id >= 1000") == [(ann, "Deleted account"), (bob, "Bob")]
    assert rows("SELECT person FROM chat_block") == [(bob,)]
    run(read)


def test_a_sign_out_closes_the_sockets_of_its_session_at_once(chat):
    async def body(session):
        api = f"{chat.url}/api/v1/users"
        bearer = {"Authorization": f"Bearer {await sign_up(session, chat)}"}
        async with session.get(f"{api}/sessions/", headers=bearer) as answer:
            [entry] = (await answer.json())["sessions"]
        async with (
            connect(session, chat, "userId=1000&v=2", headers=bearer) as inbox,
            connect(session, chat, "userId=1000&withId=1", headers=bearer) as plain,
            connect(session, chat, "userId=20&v=2") as other,
        ):
            await inbox.of_type("conversations")
            await plain.frame()
            start = time.monotonic()
            async with session.delete(f"{api}/sessions/{entry['id']}", headers=bearer) as answer:
                assert answer.status == 204
            assert await inbox.close_code() == 1008 and await plain.close_code() == 1008
            assert time.monotonic() - start < 5
            await other.of_type("conversations")
            assert not other.socket.closed

    run(body)


def test_unfinished_requests_from_one_address_do_not_block_the_accounts_for_others(chat):
    async def body(session):
        port = int(chat.flags[1])
        target = b"POST /api/v1/users/send-auth-code/ HTTP/1.1\r\nHost: localhost\r\n"
        held = []
        for fields in [b"Content-Length: 50\r\n\r\n{"] * 100 + [b"Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"] * 64:
            _, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=("127.0.0.2", 0))
            writer.write(target + fields)
            held.append(writer)
        await asyncio.sleep(0.5)
        for _ in range(3):
            async with session.get(f"{chat.url}/openapi.json") as answer:
                assert answer.status == 200
        async with session.post(f"{chat.url}/api/v1/users/send-auth-code/", json={"phone": PHONE}) as answer:
            assert answer.status == 201
        for writer in held:
            writer.close()

    run(body)
