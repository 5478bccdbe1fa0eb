"""A server whose disk is nearly full: the chat stores no new messages; accounts still work, except for new pictures."""

import base64
import os
import subprocess
from contextlib import contextmanager

from test_chat_server import PNG, Chat, connect, run

PHONE = "+79219999999"


@contextmanager
def disk(path, megabytes: int):
    path.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", path], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", path], check=True)


def test_a_full_disk_prevents_new_chat_messages_but_not_deletions_and_sign_ins(stack, tmp_path):
    folder = tmp_path / "disk"
    stack.enter_context(disk(folder, 130))
    chat = Chat(stack, folder)
    ballast = folder / "ballast"

    async def body(session):
        async with connect(session, chat, "userId=201&withId=202&v=2") as ann:
            await ann.of_type("history")
            await ann.say("before", "a")
            await ann.of_type("message")
            ballast.write_bytes(os.urandom(1_000_000) * 40)
            await ann.say("more", "b")
            refusal = await ann.of_type("error", "message")
            assert (refusal["code"], refusal["ref"]) == ("full", "b")
            await ann.say("before", "a")
            assert (await ann.of_type("error", "message"))["item"]["id"] == "a"
            async with session.post(f"{chat.url}/api/media?userId=201", data=PNG) as answer:
                assert (answer.status, await answer.json()) == (507, {"detail": "the disk of the server is full"})
            async with session.post(f"{chat.url}/api/v1/users/send-auth-code/", json={"phone": PHONE}) as answer:
                assert answer.status == 201
            async with session.post(
                f"{chat.url}/api/v1/users/check-auth-code/", json={"phone": PHONE, "code": "133337"}
            ) as answer:
                assert answer.status == 200
            await ann.send(type="delete", id="a")
            assert (await ann.of_type("delete", "error"))["type"] == "delete"
            ballast.unlink()
            await ann.say("more", "b")
            assert (await ann.of_type("error", "message"))["item"]["id"] == "b"

    run(body)


def test_a_full_disk_prevents_new_profile_pictures_but_not_other_profile_changes(stack, tmp_path):
    folder = tmp_path / "disk"
    stack.enter_context(disk(folder, 130))
    chat = Chat(stack, folder)
    users, ballast = f"{chat.url}/api/v1/users", folder / "ballast"

    async def body(session):
        async def post(path: str, **fields: str) -> dict:
            async with session.post(f"{users}/{path}/", json=fields) as answer:
                assert answer.status < 300, await answer.text()
                return await answer.json()

        await post("send-auth-code", phone=PHONE)
        proof = (await post("check-auth-code", phone=PHONE, code="133337"))["registration_token"]
        tokens = await post("register", phone=PHONE, name="Ann", username="ann", registration_token=proof)
        headers = {"Authorization": f"Bearer {tokens['access_token']}"}

        async def change(**fields: object) -> tuple[int, dict]:
            async with session.put(f"{users}/me/", json=fields, headers=headers) as answer:
                return answer.status, await answer.json()

        picture = {"filename": "me.png", "base_64": base64.b64encode(PNG).decode()}
        assert (await change(avatar=picture))[0] == 200
        ballast.write_bytes(os.urandom(1_000_000) * 40)
        assert await change(avatar=picture, city="Kyiv") == (507, {"detail": "the disk of the server is full"})
        async with session.get(f"{users}/me/", headers=headers) as answer:
            profile = (await answer.json())["profile_data"]
        assert profile["avatar"] and not profile["city"]
        assert (await change(city="Kyiv"))[0] == 200
        assert (await change(avatar=None))[0] == 200
        ballast.unlink()
        assert (await change(avatar=picture))[0] == 200

    run(body)
