"""The endpoints of accounts that bench/accounts measures, with FastAPI and SQLite, as such services are usually written.

Tokens are JSON Web Tokens (HS256). Each request reads the session from SQLite, so that one that was ended elsewhere ends
at once, as in `callrunner serve`. Every code is 133337.
"""

import hashlib
import os
import secrets
import sqlite3
import threading
import time

import jwt
from fastapi import Depends, FastAPI, Header, HTTPException
from pydantic import BaseModel

SECRET = secrets.token_hex(32)
PATH = os.environ["ACCOUNTS_DATABASE"]
CODE = "133337"
local = threading.local()
codes: dict[str, tuple[str, float]] = {}
app = FastAPI()


def database() -> sqlite3.Connection:
    """Returns the connection of the thread."""
    if not hasattr(local, "connection"):
        local.connection = sqlite3.connect(PATH, timeout=5, isolation_level=None)
        local.connection.row_factory = sqlite3.Row
        local.connection.execute("PRAGMA journal_mode = WAL")
        local.connection.execute("PRAGMA synchronous = FULL")
    return local.connection


database().executescript("""
    CREATE TABLE user (id INTEGER PRIMARY KEY, phone TEXT UNIQUE, username TEXT UNIQUE, name TEXT, birthday TEXT,
        city TEXT, vk TEXT, instagram TEXT, about TEXT, avatar TEXT, created INTEGER, seen INTEGER);
    CREATE TABLE session (id TEXT PRIMARY KEY, user INTEGER, created INTEGER, used INTEGER);
    CREATE TABLE token (digest TEXT PRIMARY KEY, session TEXT, issued INTEGER);
""")


class Phone(BaseModel):
    phone: str


class Code(Phone):
    code: str


class Registration(Phone):
    name: str
    username: str


def tokens(user: int) -> dict:
    session, refresh, now = secrets.token_urlsafe(12), secrets.token_urlsafe(32), int(time.time())
    digest = hashlib.sha256(refresh.encode()).hexdigest()
    connection = database()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO session VALUES (?, ?, ?, ?)", (session, user, now, now))
    connection.execute("INSERT INTO token VALUES (?, ?, ?)", (digest, session, now))
    connection.execute("COMMIT")
    claims = {"sub": str(user), "sid": session, "iat": now, "exp": now + 600}
    return {"access_token": jwt.encode(claims, SECRET, "HS256"), "refresh_token": refresh, "user_id": user}


def identity(authorization: str = Header()) -> int:
    try:
        claims = jwt.decode(authorization.removeprefix("Bearer "), SECRET, ["HS256"])
    except jwt.PyJWTError as error:
        raise HTTPException(401, str(error)) from None
    if not database().execute("SELECT 1 FROM session WHERE id = ?", (claims["sid"],)).fetchone():
        raise HTTPException(401, "the session has ended")
    return int(claims["sub"])


@app.post("/api/v1/users/send-auth-code/", status_code=201)
def send_code(body: Phone) -> dict:
    codes[body.phone] = (CODE, time.monotonic() + 300)
    return {"is_success": True}


@app.post("/api/v1/users/check-auth-code/")
def check_code(body: Code) -> dict:
    code, end = codes.pop(body.phone, ("", 0))
    if code != body.code or time.monotonic() > end:
        raise HTTPException(404, {"message": "the code is wrong"})
    row = database().execute("SELECT id FROM user WHERE phone = ?", (body.phone,)).fetchone()
    return {**tokens(row["id"]), "is_user_exists": True} if row else {"is_user_exists": False, "access_token": None}


@app.post("/api/v1/users/register/", status_code=201)
def register(body: Registration) -> dict:
    now = int(time.time())
    added = database().execute(
        "INSERT INTO user (phone, username, name, created, seen) VALUES (?, ?, ?, ?, ?)",
        (body.phone, body.username, body.name, now, now),
    )
    return tokens(added.lastrowid)


@app.get("/api/v1/users/me/")
def me(user: int = Depends(identity)) -> dict:
    row = database().execute("SELECT * FROM user WHERE id = ?", (user,)).fetchone()
    avatars = {"avatar": row["avatar"], "bigAvatar": row["avatar"], "miniAvatar": row["avatar"]}
    return {"profile_data": {
        "name": row["name"], "username": row["username"], "birthday": row["birthday"], "city": row["city"],
        "vk": row["vk"], "instagram": row["instagram"], "status": row["about"], "avatar": row["avatar"], "id": row["id"],
        "last": row["seen"], "online": True, "created": row["created"], "phone": row["phone"], "completed_task": None,
        "avatars": avatars,
    }}
