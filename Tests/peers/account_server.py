"""An account server with the shapes that public clients of the API know, which differ from those of `callrunner serve`.

Its tokens are no JSON Web Tokens. `/-/MODE` changes what it does until `/-/plain` is requested:

- `refuse`, `fail` or `drop` refreshes, or answer them `slow`ly
- the form of `detail` in errors: `list`, `text`, `object`, `garbage` or `nothing`
"""

import asyncio

from aiohttp import web

from .report import report

PHONE, CODE = "+79210000001", "000111"
DETAILS = {
    "list": {"detail": [{"loc": ["body", 0, "code"], "msg": "the code is a list", "type": "value_error"}]},
    "text": {"detail": "the code is a text"},
    "object": {"detail": {"message": "the code is an object"}},
}


class Server:
    def __init__(self):
        self.mode = "plain"
        self.number = 1
        self.refreshes = 0
        self.requests = 0
        self.city = None

    def tokens(self) -> dict:
        return {"refresh_token": f"refresh-{self.number}", "access_token": f"access-{self.number}", "user_id": 7}

    def error(self, status: int) -> web.Response:
        if self.mode in DETAILS:
            return web.json_response(DETAILS[self.mode], status=status)
        if self.mode == "garbage":
            return web.Response(status=status, text="<html>error</html>", content_type="text/html")
        return web.Response(status=status)

    def is_signed_in(self, request: web.Request) -> bool:
        return request.headers.get("Authorization") == f"Bearer access-{self.number}"

    async def set_mode(self, request: web.Request) -> web.Response:
        self.mode = request.match_info["mode"]
        if self.mode == "expire":
            self.number += 1
            self.mode = "plain"
        return web.json_response({"refreshes": self.refreshes, "requests": self.requests, "city": self.city})

    async def send_code(self, request: web.Request) -> web.Response:
        return web.json_response({"is_success": True}, status=201)

    async def check_code(self, request: web.Request) -> web.Response:
        body = await request.json()
        if body["code"] != CODE:
            return self.error(404)
        if body["phone"] == PHONE:
            return web.json_response({**self.tokens(), "is_user_exists": True})
        return web.json_response(
            {"refresh_token": None, "access_token": None, "user_id": None, "is_user_exists": False}
        )

    async def register(self, request: web.Request) -> web.Response:
        assert set(await request.json()) == {"phone", "name", "username"}
        return web.json_response(self.tokens(), status=201)

    async def refresh(self, request: web.Request) -> web.Response:
        self.refreshes += 1
        # The number before the last expiry is the one that clients have.
        known = (await request.json())["refresh_token"]
        match self.mode:
            case "refuse": return self.error(401)
            case "fail": return web.Response(status=503)
            case "drop":
                request.transport.close()
                return web.Response()
            case "slow": await asyncio.sleep(2)
        if known not in (f"refresh-{self.number}", f"refresh-{self.number - 1}"):
            return self.error(401)
        self.number += 1
        return web.json_response(self.tokens())

    async def me(self, request: web.Request) -> web.Response:
        self.requests += 1
        if not self.is_signed_in(request):
            return self.error(401)
        if request.method == "PUT":
            self.city = (await request.json()).get("city")
            return {
                "plain": web.Response(), "text": web.json_response(None),
                "object": web.json_response({"avatar": "a.png", "bigAvatar": None, "miniAvatar": None}),
            }.get(self.mode) or web.json_response({"avatars": None})
        profile = {
            "name": "Ann", "username": "ann", "phone": PHONE, "id": 7, "online": True, "birthday": None,
            "city": self.city, "vk": None, "instagram": None, "status": None, "avatar": None, "last": None,
            "created": "2024-05-01T10:00:00", "completed_task": 3, "avatars": None,
        }
        return web.json_response({"profile_data": profile})


async def main() -> None:
    server = Server()
    application = web.Application()
    root = "/api/v1/users"
    application.add_routes([
        web.get("/-/{mode}", server.set_mode),
        web.post(f"{root}/send-auth-code/", server.send_code),
        web.post(f"{root}/check-auth-code/", server.check_code),
        web.post(f"{root}/register/", server.register),
        web.post(f"{root}/refresh-token/", server.refresh),
        web.get(f"{root}/me/", server.me),
        web.put(f"{root}/me/", server.me),
    ])
    runner = web.AppRunner(application)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    report("server.listening", url=f"http://127.0.0.1:{site._server.sockets[0].getsockname()[1]}")
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
