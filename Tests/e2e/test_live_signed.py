"""Live streams and recordings that are played with tokens, as Mux's documentation describes signed playback IDs."""

import subprocess
import time

import pytest
from peers.playback_tokens import KEYS, new_key, sign
from peers.publishing_server import Server

SIGNED = {"playback_policies": ["signed"], "new_asset_settings": {"playback_policies": ["signed"]}}


@pytest.fixture
def server(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    yield server
    server.stop_encoders()


def status(server, url: str) -> int:
    command = ["curl", "-sk", "-o", "/dev/null", "-w", "%{http_code}", url]
    return int(subprocess.run([*server.machine.prefix, *command], capture_output=True, text=True, check=True).stdout)


def decoded_frames(server, url: str, seconds: int) -> int:
    command = ["ffmpeg", "-v", "error", "-i", url, "-t", str(seconds), "-map", "0:v", "-f", "framecrc", "-"]
    played = subprocess.run([*server.machine.prefix, *command], capture_output=True, text=True, timeout=60)
    assert (played.returncode, played.stderr) == (0, "")
    return sum(not line.startswith("#") for line in played.stdout.splitlines())


def test_a_signed_stream_and_its_recording_are_played_with_a_token_only(server, tmp_path):
    key = new_key(server, tmp_path)
    stream = server.create(**SIGNED)
    assert stream["playback_ids"][0]["policy"] == "signed" and stream["new_asset_settings"] == SIGNED["new_asset_settings"]
    encoder = server.encoder(stream["stream_key"], seconds=14)
    playback_id, url = stream["playback_ids"][0]["id"], server.playlist_url(stream)
    token = sign(key, playback_id)
    deadline = time.monotonic() + 15
    while status(server, f"{url}?token={token}") != 200:
        assert time.monotonic() < deadline, server.process.story
        time.sleep(0.1)
    assert decoded_frames(server, f"{url}?token={token}", 3) >= 85
    playlist = server.machine.fetch(f"{url}?token={token}")
    segment = next(line for line in playlist.splitlines() if line and not line.startswith("#"))
    address = f"{server.url}/{segment}"
    assert status(server, address) == 200 and status(server, address.split("?")[0]) == 403
    assert status(server, f"{url.removesuffix('.m3u8')}/1.ts") == 403
    others = [sign(key, "other"), sign(key, playback_id, exp=1), sign(key, playback_id, aud="t"), token[:-8], "x"]
    for refused in [url, *(f"{url}?token={other}" for other in others)]:
        assert status(server, refused) == 403, refused
    assert encoder.wait(30) == 0
    recording = server.asset(stream)
    assert recording["playback_ids"][0]["policy"] == "signed"
    film = server.playlist_url(recording)
    assert status(server, film) == 403 and status(server, f"{film}?token={token}") == 403
    own = sign(key, recording["playback_ids"][0]["id"])
    assert decoded_frames(server, f"{film}?token={own}", 60) == pytest.approx(420, abs=3)
    assert status(server, f"{film.removesuffix('.m3u8')}/0.mp4") == 403


def test_signing_keys_are_listed_without_their_private_half_and_survive_a_restart(server, machine, tmp_path):
    first, second = new_key(server, tmp_path), new_key(server, tmp_path)
    listed = server.api("GET", root=KEYS)[1]["data"]
    assert [key["id"] for key in listed] == [second[0], first[0]] and all(set(key) == {"id", "created_at"} for key in listed)
    assert server.api("GET", f"/{first[0]}", root=KEYS)[1]["data"] == listed[1]
    stream = server.create(playback_policies=["signed"])
    server.process.signal(9)
    server.process.finish()
    again = Server(machine, data=tmp_path / "data")
    url = f"{again.playlist_url(stream)}?token={sign(first, stream['playback_ids'][0]['id'])}"
    # Nobody publishes the stream, which only those learn who may play it.
    assert status(again, url) == 412 and status(again, again.playlist_url(stream)) == 403
    assert again.api("DELETE", f"/{first[0]}", root=KEYS)[0] == 204
    assert status(again, url) == 403
    for method in ["GET", "DELETE"]:
        code, answer = again.api(method, f"/{first[0]}", root=KEYS)
        assert (code, answer["error"]["type"]) == (404, "not_found")
    assert again.api("POST", root=KEYS, token="token:wrong")[0] == 401
    assert b"PRIVATE KEY" not in again.database.read_bytes()
