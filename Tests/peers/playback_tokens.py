"""Playback tokens, made as Mux's documentation describes them."""

import base64
import json
import subprocess
import time
from pathlib import Path

from peers.publishing_server import Server

KEYS = "/system/v1/signing-keys"


def new_key(server: Server, folder: Path) -> tuple[str, Path]:
    """Creates a signing key; returns its ID and the file of its private half."""
    status, answer = server.api("POST", root=KEYS)
    assert status == 201 and set(answer["data"]) == {"id", "created_at", "private_key"}
    path = folder / f"{answer['data']['id']}.pem"
    path.write_bytes(base64.b64decode(answer["data"]["private_key"]))
    return answer["data"]["id"], path


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def sign(key: tuple[str, Path], playback_id: str, **claims) -> str:
    """Signs a token with openssl, without any library that knows tokens."""
    head = encoded(json.dumps({"alg": "RS256", "typ": "JWT"}).encode())
    all_claims = {"sub": playback_id, "aud": "v", "exp": int(time.time()) + 600, "kid": key[0], **claims}
    content = f"{head}.{encoded(json.dumps(all_claims).encode())}"
    command = ["openssl", "dgst", "-sha256", "-sign", key[1]]
    return f"{content}.{encoded(subprocess.run(command, input=content.encode(), capture_output=True, check=True).stdout)}"
