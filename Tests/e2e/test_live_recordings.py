"""Recordings of the live streams of `callrunner serve`."""

import json
import os
import re
import signal
import sqlite3
import subprocess

import pytest
from peers import prometheus
from peers.publishing_server import ASSETS, Server
from peers.runner import PYTHON, REPOSITORY


def packets(server, url):
    """Reads a recording with ffmpeg, which must not report anything; returns its decoded frames of video and audio."""
    command = ["ffmpeg", "-v", "error", "-i", url, "-f", "null", "-"]
    played = subprocess.run([*server.machine.prefix, *command], capture_output=True, timeout=60)
    assert (played.returncode, played.stderr) == (0, b""), played.stderr
    show = ["-show_entries", "packet=codec_type,pts_time,duration_time:stream=codec_name,width,height"]
    command = ["ffprobe", "-v", "error", "-of", "json", *show, url]
    return json.loads(subprocess.run([*server.machine.prefix, *command], capture_output=True, check=True).stdout)


@pytest.fixture
def server(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    yield server
    server.stop_encoders()


RECORDED = {"new_asset_settings": {"playback_policies": ["public"]}}


def test_a_recorded_stream_can_be_played_afterwards_from_its_first_to_its_last_frame(server):
    stream = server.create(**RECORDED)
    assert stream["new_asset_settings"] == RECORDED["new_asset_settings"] and "active_asset_id" not in stream
    encoder = server.encoder(stream["stream_key"], seconds=8)
    server.wait_for_playlist(stream)
    live = server.asset(stream, "preparing")
    metrics = prometheus.parse(server.machine.fetch(f"{server.url}/metrics"))
    assert metrics.value("callrunner_live_recordings") == 1
    assert metrics.value("callrunner_live_received_frames_total") > 30
    assert metrics.value("callrunner_live_streams", status="active") == 1
    assert live["is_live"] and live["live_stream_id"] == stream["id"] and "duration" not in live
    assert server.playlist(live)[0] == 412
    assert server.api("DELETE", f"/{live['id']}", root=ASSETS)[0] == 400
    assert encoder.wait(20) == 0
    ready = server.asset(stream)
    assert ready["id"] == live["id"] and not ready["is_live"] and ready["duration"] == pytest.approx(8, abs=0.1)
    status, playlist = server.playlist(ready)
    assert status == 200 and "#EXT-X-PLAYLIST-TYPE:VOD" in playlist and "#EXT-X-DISCONTINUITY" not in playlist
    assert "#EXT-X-MAP:" in playlist and playlist.endswith("#EXT-X-ENDLIST\n")
    probed = packets(server, server.playlist_url(ready))
    kinds = {found["codec_name"]: found for found in probed["streams"]}
    assert (kinds["h264"]["width"], kinds["h264"]["height"]) == (320, 180) and "aac" in kinds
    for kind, count, longest in [("video", 240, 0.035), ("audio", 375, 0.022)]:
        times = sorted(float(packet["pts_time"]) for packet in probed["packets"] if packet["codec_type"] == kind)
        assert len(times) == pytest.approx(count, abs=3)
        assert max(later - earlier for earlier, later in zip(times, times[1:])) <= longest
    # The files can be played by themselves, too.
    file = server.playlist_url(ready).removesuffix(".m3u8") + "/0.mp4"
    assert len(packets(server, file)["packets"]) == len(probed["packets"])
    player = server.machine.callrunner("live", server.playlist_url(ready), "--headless")
    playing = player.wait_for("live.playing")
    assert (playing["width"], playing["height"], playing["live"]) == (320, 180, False)
    player.succeed(within=30)


def test_chromium_plays_a_recording(server, display):
    stream = server.create(**RECORDED)
    server.encoder(stream["stream_key"], seconds=4).wait(20)
    ready = server.asset(stream)
    url = server.playlist_url(ready).removesuffix(".m3u8") + "/0.mp4"
    command = [*server.machine.prefix, PYTHON, "-m", "peers.film_page", url]
    environment = {**os.environ, **display.environment}
    played = subprocess.run(
        command, cwd=REPOSITORY / "Tests", env=environment, capture_output=True, text=True, timeout=60
    )
    assert played.returncode == 0, played.stderr
    figures = json.loads(played.stdout)
    assert figures["ended"] and figures["width"] == 320 and figures["time"] == pytest.approx(4.1, abs=0.3), figures


@pytest.mark.parametrize("end", ["killed", "stopped"])
def test_a_recording_survives_the_end_of_the_server(machine, tmp_path, end):
    server = Server(machine, data=tmp_path / "data")
    stream = server.create(**RECORDED)
    server.encoder(stream["stream_key"])
    server.wait_for_segments(stream, 6)
    server.process.signal(signal.SIGKILL if end == "killed" else signal.SIGTERM)
    server.process.finish()
    server.stop_encoders()
    # A server that is stopped completes its recordings.
    with sqlite3.connect(server.database) as database:
        assert database.execute("SELECT is_active FROM live_recording").fetchall() == [(int(end == "killed"),)]
    again = Server(machine, data=tmp_path / "data")
    ready = again.asset(stream)
    assert ready["duration"] >= 5
    times = [float(packet["pts_time"]) for packet in packets(again, again.playlist_url(ready))["packets"]]
    assert max(times) >= 5


def test_an_encoder_that_returns_continues_the_recording(server):
    stream = server.create(reconnect_window=30, **RECORDED)
    server.encoder(stream["stream_key"])
    server.wait_for_segments(stream, 4)
    server.stop_encoders()
    again = server.encoder(stream["stream_key"], "-s", "480x270", seconds=4)
    assert again.wait(20) == 0
    assert server.asset(stream, "preparing")["is_live"]
    assert server.api("PUT", f"/{stream['id']}/complete")[0] == 200
    ready = server.asset(stream)
    playlist = server.playlist(ready)[1]
    assert playlist.count("#EXT-X-DISCONTINUITY") == 1 and playlist.count("#EXT-X-MAP:") == 2
    assert ready["duration"] >= 7
    described = server.api("GET", f"/{stream['id']}")[1]["data"]
    assert described["recent_asset_ids"] == [ready["id"]] and "active_asset_id" not in described


def test_recordings_are_listed_and_deleted(server):
    streams = [server.create(**RECORDED), server.create()]
    for stream in streams:
        assert server.encoder(stream["stream_key"], seconds=3).wait(20) == 0
    ready = server.asset(streams[0])
    listed = server.api("GET", root=ASSETS)[1]["data"]
    assert [found["id"] for found in listed] == [ready["id"]]
    assert re.fullmatch("[0-9]+", ready["created_at"]) and ready["playback_ids"][0]["policy"] == "public"
    assert server.api("GET", root=ASSETS, token="token:wrong")[0] == 401
    assert server.api("DELETE", f"/{ready['id']}", root=ASSETS)[0] == 204
    assert server.api("GET", f"/{ready['id']}", root=ASSETS)[0] == 404
    assert server.playlist(ready)[0] == 404
    assert "recent_asset_ids" not in server.api("GET", f"/{streams[0]['id']}")[1]["data"]
    assert server.api("POST", body={"new_asset_settings": {"playback_policies": ["secret"]}})[0] == 400
