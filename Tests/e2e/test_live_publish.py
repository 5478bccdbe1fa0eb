"""Live streams that encoders publish to `callrunner serve` by RTMP."""

import json
import os
import re
import signal
import subprocess
import time

import pytest
from peers import clock_picture, numbered, obs
from peers.publishing_server import STREAMS, TOKEN, Server
from peers.runner import PYTHON, REPOSITORY

TEST_VIDEO = REPOSITORY / "assets/webRtcTestVideo.mp4"
GSTREAMER = (
    "videotestsrc is-live=true ! video/x-raw,width=320,height=180,framerate=30/1 "
    "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=30"
)


@pytest.fixture
def server(machine):
    server = Server(machine)
    yield server
    server.stop_encoders()


def probe(server: Server, stream: dict, seconds: int) -> dict:
    """Copies a part of the stream with ffmpeg, which must not report anything; returns its packets."""
    url = server.playlist_url(stream)
    command = ["ffmpeg", "-v", "error", "-i", url, "-t", str(seconds), "-c", "copy", "-f", "mpegts", "-"]
    copied = subprocess.run([*server.machine.prefix, *command], capture_output=True, timeout=60)
    assert (copied.returncode, copied.stderr) == (0, b"")
    show = "packet=codec_type,pts_time,dts_time,flags:stream=codec_name,width,height,sample_rate,channels"
    command = ["ffprobe", "-v", "error", "-of", "json", "-show_entries", show, "-"]
    return json.loads(subprocess.run(command, input=copied.stdout, capture_output=True, check=True).stdout)


def test_a_stream_published_by_ffmpeg_is_played_without_a_gap(server):
    stream = server.create()
    assert server.playlist(stream)[0] == 412
    server.encoder(stream["stream_key"])
    playlist = server.wait_for_playlist(stream)
    assert "#EXT-X-TARGETDURATION:1\n" in playlist and "#EXT-X-PROGRAM-DATE-TIME:" in playlist
    assert server.status(stream) == "active"
    probed = probe(server, stream, 6)
    kinds = {found["codec_name"]: found for found in probed["streams"]}
    assert (kinds["h264"]["width"], kinds["h264"]["height"]) == (320, 180)
    assert (kinds["aac"]["sample_rate"], kinds["aac"]["channels"]) == ("48000", 2)
    for kind, longest in [("video", 0.05), ("audio", 0.06)]:
        times = sorted(float(packet["pts_time"]) for packet in probed["packets"] if packet["codec_type"] == kind)
        assert times[-1] - times[0] > 4
        assert max(later - earlier for earlier, later in zip(times, times[1:])) <= longest
    described = server.api("GET", f"/{stream['id']}")[1]["data"]
    health = described["health"]
    assert 25 < health["frame_rate"] < 35 and health["bitrate"] > 50_000
    assert health["keyframe_distance"] == pytest.approx(1, abs=0.05) and described["viewers"] >= 1


def test_the_player_plays_a_published_stream(server):
    stream = server.create()
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    live = server.machine.callrunner("live", server.playlist_url(stream), "--duration", "4s")
    playing = live.wait_for("live.playing")
    assert (playing["width"], playing["height"], playing["live"], playing["codec"]) == (320, 180, True, "H264")
    live.succeed()
    assert not live.all("live.offline"), live.story


@pytest.mark.parametrize(("options", "codec"), [(["-vn"], "aac"), (["-an"], "h264")], ids=["audio", "video"])
def test_a_stream_may_have_only_audio_or_only_video(server, options, codec):
    stream = server.create()
    server.encoder(stream["stream_key"], *options)
    server.wait_for_playlist(stream)
    probed = probe(server, stream, 3)
    assert [found["codec_name"] for found in probed["streams"]] == [codec]


def test_frames_that_are_presented_in_another_order_keep_their_times(server):
    stream = server.create()
    server.encoder(stream["stream_key"], "-tune:v", "film", "-bf", "2", "-preset", "veryfast")
    server.wait_for_playlist(stream)
    packets = [packet for packet in probe(server, stream, 4)["packets"] if packet["codec_type"] == "video"]
    assert any(packet["pts_time"] != packet["dts_time"] for packet in packets)
    decoding = [float(packet["dts_time"]) for packet in packets]
    assert decoding == sorted(decoding)
    presented = sorted(float(packet["pts_time"]) for packet in packets)
    assert max(later - earlier for earlier, later in zip(presented, presented[1:])) <= 0.05


def test_gstreamer_publishes_to_the_server(server):
    stream = server.create()
    pipeline = f"{GSTREAMER} ! flvmux streamable=true ! rtmp2sink location={server.rtmp}/{stream['stream_key']}"
    encoder = subprocess.Popen([*server.machine.prefix, "gst-launch-1.0", "-q", *pipeline.split()])
    server.encoders.append(encoder)
    server.wait_for_playlist(stream)
    probed = probe(server, stream, 3)
    assert [found["codec_name"] for found in probed["streams"]] == ["h264"]


@pytest.mark.parametrize("source", ["test", "pattern"])
def test_callrunner_publishes_a_source(server, source):
    stream = server.create()
    arguments = ["--source", source, "--size", "320x180", "--duration", "8s"]
    published = server.machine.callrunner("publish", "--to", f"{server.rtmp}/{stream['stream_key']}", *arguments)
    connected = published.wait_for("publish.connected")
    assert connected["url"] == server.rtmp
    server.wait_for_playlist(stream)
    probed = probe(server, stream, 3)
    assert "h264" in [found["codec_name"] for found in probed["streams"]]
    for kind, longest in [("video", 0.05), ("audio", 0.06)] if source == "test" else [("video", 0.05)]:
        times = sorted(float(packet["pts_time"]) for packet in probed["packets"] if packet["codec_type"] == kind)
        assert max(later - earlier for earlier, later in zip(times, times[1:])) <= longest
    stats = published.wait_for("publish.stats")
    assert stats["dropped"] == 0 and 25 < stats["fps"] < 35 and stats["bitrate"] > 50_000
    published.succeed()
    assert stream["stream_key"] not in published.story.split("\n", 1)[1]
    # The end of the stream was announced, so nobody waits for the encoder.
    server.wait_for_playlist(stream, contains="#EXT-X-ENDLIST", within=3)


@pytest.mark.parametrize("seconds", [8, pytest.param(600, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
def test_playlists_and_segments_follow_the_rules_of_hls(server, seconds):
    stream = server.create(reconnect_window=4)
    first = server.encoder(stream["stream_key"], seconds=seconds)
    server.wait_for_playlist(stream)
    command = [*server.machine.prefix, PYTHON, "-m", "peers.hls_validator", server.playlist_url(stream), str(seconds + 60)]
    with subprocess.Popen(command, cwd=REPOSITORY / "Tests", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as validator:
        time.sleep(seconds / 2)
        first.kill()
        # The encoder returns with other parameters.
        server.encoder(stream["stream_key"], "-profile:v", "main", "-s", "480x270", seconds=max(4, seconds // 2))
        output, problems = validator.communicate(timeout=seconds + 80)
    assert validator.returncode == 0, problems
    found = json.loads(output)
    assert found["isEnded"] and found["discontinuities"] == 1, found
    assert found["segments"] >= seconds - 2 and found["longestGap"] <= 0.12, found


def test_chromium_plays_a_published_stream_by_media_source_extensions(server, display):
    stream = server.create()
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    command = [*server.machine.prefix, PYTHON, "-m", "peers.live_page", server.playlist_url(stream), "3"]
    environment = {**os.environ, **display.environment}
    played = subprocess.run(
        command, cwd=REPOSITORY / "Tests", env=environment, capture_output=True, text=True, timeout=60
    )
    assert played.returncode == 0, played.stderr
    figures = json.loads(played.stdout)
    assert figures["stalls"] == 0 and figures["behind"] < 10, figures


@pytest.mark.alone
def test_a_picture_reaches_the_window_within_four_and_a_half_seconds(server, display):
    stream = server.create()
    clock = [*server.machine.prefix, PYTHON, "-m", "peers.clock_picture", f"{server.rtmp}/{stream['stream_key']}"]
    server.encoders.append(subprocess.Popen(clock, cwd=REPOSITORY / "Tests"))
    server.wait_for_playlist(stream)
    playing = server.machine.callrunner(
        "live", server.playlist_url(stream), "--window", "--duration", "30s", environment=display.environment)
    playing.wait_for("live.playing")
    left, top, width, height = display.geometry(display.window(stream["playback_ids"][0]["id"]))
    shown_width = min(width, height * 16 // 9)
    start = left + (width - shown_width) // 2
    time.sleep(8)
    ages = []
    for _ in range(10):
        row = display.photograph().row(top + height // 2)[3 * start : 3 * (start + shown_width) : 3]
        if (number := numbered.number(row)) is not None:
            ages.append(clock_picture.age(number))
        time.sleep(0.5)
    # The time for a photograph counts, too.
    assert len(ages) >= 7 and max(ages) <= 4.5, ages
    playing.signal(signal.SIGINT)
    assert playing.finish() == 130


@pytest.mark.long
@pytest.mark.alone
@pytest.mark.timeout(900)
def test_every_encoder_publishes_for_ten_minutes_without_a_gap(machine, server, display, tmp_path):
    seconds = 600
    secure = Server(machine, "--tls", "self-signed", data=tmp_path / "secure")
    streams = {name: server.create() for name in ["ffmpeg", "gstreamer", "callrunner", "obs"]}
    streams["callrunner by TLS"] = secure.create()
    keys = {name: stream["stream_key"] for name, stream in streams.items()}
    server.encoder(keys["ffmpeg"], seconds=seconds + 60)
    pipeline = f"{GSTREAMER} ! flvmux streamable=true ! rtmp2sink location={server.rtmp}/{keys['gstreamer']}"
    server.encoders.append(subprocess.Popen([*machine.prefix, "gst-launch-1.0", "-q", *pipeline.split()]))
    for name, place in [("callrunner", server), ("callrunner by TLS", secure)]:
        machine.callrunner("publish", "--to", f"{place.rtmp}/{keys[name]}", "--source", "test", "--insecure")
    server.encoders.append(obs.start(machine.prefix, tmp_path, display.environment, server.rtmp, keys["obs"]))
    validators = {}
    for name, stream in streams.items():
        place = secure if "TLS" in name else server
        place.wait_for_playlist(stream, within=60)
        command = [*machine.prefix, PYTHON, "-m", "peers.hls_validator", place.playlist_url(stream), str(seconds)]
        validators[name] = subprocess.Popen(
            command, cwd=REPOSITORY / "Tests", stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for name, validator in validators.items():
        output, problems = validator.communicate(timeout=seconds + 60)
        assert validator.returncode == 0, f"{name}: {problems}"
        found = json.loads(output)
        assert not found["isEnded"] and found["discontinuities"] == 0 and found["longestGap"] <= 0.12, f"{name}: {found}"
        # The keyframes of OBS are 8.3 seconds apart.
        assert found["segments"] >= seconds / (8.5 if name == "obs" else 1.1), f"{name}: {found}"


def test_callrunner_publishes_again_when_its_server_is_back(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    stream = server.create()
    port = server.rtmp.removesuffix("/app").rsplit(":", 1)[1]
    environment = {"CALLRUNNER_STREAM_KEY": stream["stream_key"]}
    published = machine.callrunner("publish", "--to", server.rtmp, "--source", "test", environment=environment)
    published.wait_for("publish.connected")
    server.wait_for_playlist(stream)
    server.process.signal(signal.SIGKILL)
    server.process.finish()
    assert published.wait_for("publish.lost")["reason"] == "unreachable"
    again = Server(machine, "--rtmp-port", port, data=tmp_path / "data")
    again.wait_for_playlist(stream)
    published.signal(signal.SIGINT)
    assert published.finish() == 130


def test_the_reason_of_a_failed_publication_is_told(server, tmp_path):
    for url, code, message in [
        (f"{server.rtmp}/wrong-key", 4, "no stream has this key"),
        ("rtmp://127.0.0.1:9/app/some-key", 2, "Connection refused"),
        (f"{server.rtmp}/a-key".replace("rtmp", "rtmps", 1), 4, ""),
        (server.rtmp, 64, "lacks the app or the key"),
        ("http://127.0.0.1/app/key", 64, "does not begin with rtmp"),
    ]:
        file = tmp_path / "url"
        file.write_text(url)
        file.chmod(0o600)
        published = server.machine.callrunner("publish", "--to", f"@{file}", "--source", "test")
        assert published.finish() == code, published.story
        assert message in published.wait_for("error")["message"]
        assert "-key" not in published.story
    file.chmod(0o644)
    assert server.machine.callrunner("publish", "--to", f"@{file}").finish() == 64


def test_a_film_is_published_once(server):
    stream = server.create()
    film = server.machine.callrunner(
        "publish", "--to", f"{server.rtmp}/{stream['stream_key']}", "--source", TEST_VIDEO, "--once"
    )
    server.wait_for_playlist(stream)
    command = [*server.machine.prefix, PYTHON, "-m", "peers.hls_validator", server.playlist_url(stream), "30"]
    validated = subprocess.run(command, cwd=REPOSITORY / "Tests", capture_output=True, text=True)
    assert validated.returncode == 0, validated.stderr
    film.succeed(within=40)
    # The film lasts ten seconds, with a keyframe each second, and all of it arrives.
    found = json.loads(validated.stdout)
    assert (found["segments"], found["isEnded"]) == (10, True), found
    text = server.playlist(stream)[1]
    durations = [float(duration) for duration in re.findall(r"#EXTINF:([0-9.]+)", text)]
    assert len(durations) == 6 and all(0.9 < duration < 1.1 for duration in durations), text


def test_a_film_with_an_odd_size_is_published_in_an_even_one(server, tmp_path):
    stream = server.create()
    film = tmp_path / "odd.webm"
    picture = "-f lavfi -i testsrc2=size=321x241:rate=30:duration=20 -c:v libvpx -deadline realtime -cpu-used 8".split()
    subprocess.run(["ffmpeg", "-v", "error", *picture, film], check=True)
    url = f"{server.rtmp}/{stream['stream_key']}"
    published = server.machine.callrunner("publish", "--to", url, "--source", film, "--duration", "8s")
    server.wait_for_playlist(stream)
    (found,) = probe(server, stream, 3)["streams"]
    assert (found["codec_name"], found["width"], found["height"]) == ("h264", 320, 240)
    published.succeed()


def test_a_film_that_cannot_be_sent_to_its_end_is_no_success(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    stream = server.create()
    film = machine.callrunner(
        "publish", "--to", f"{server.rtmp}/{stream['stream_key']}", "--source", TEST_VIDEO, "--once"
    )
    film.wait_for("publish.connected")
    server.process.signal(signal.SIGKILL)
    assert film.finish(within=40) == 2
    assert "could not be sent" in film.wait_for("error")["message"]


def test_a_stream_is_published_over_tls(machine):
    server = Server(machine, "--tls", "self-signed")
    stream = server.create()
    assert server.rtmp.startswith("rtmps://")
    url = f"{server.rtmp}/{stream['stream_key']}"
    refused = machine.callrunner("publish", "--to", url, "--source", "test")
    assert refused.finish() == 4
    published = machine.callrunner("publish", "--to", url, "--source", "test", "--insecure", "--duration", "4s")
    published.wait_for("publish.connected")
    server.wait_for_playlist(stream)
    published.succeed()


@pytest.mark.parametrize("seconds", [6, pytest.param(600, marks=[pytest.mark.long, pytest.mark.timeout(900)])])
@pytest.mark.parametrize("is_secure", [False, True], ids=["plain", "tls"])
def test_callrunner_publishes_to_nginx(machine, tmp_path, is_secure, seconds):
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    request = f"openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -keyout {key} -out {certificate}"
    subprocess.run(request.split(), check=True, capture_output=True)
    recorded = tmp_path / "recorded"
    recorded.mkdir(mode=0o777)
    (tmp_path / "nginx.conf").write_text(f"""
        user root;
        load_module /usr/lib/nginx/modules/ngx_rtmp_module.so;
        load_module /usr/lib/nginx/modules/ngx_stream_module.so;
        pid {tmp_path}/pid;
        error_log stderr;
        events {{}}
        rtmp {{ server {{ listen 1935; application app {{ live on; record all; record_path {recorded}; }} }} }}
        stream {{
            server {{
                listen 443 ssl;
                ssl_certificate {certificate};
                ssl_certificate_key {key};
                proxy_pass 127.0.0.1:1935;
            }}
        }}
    """)
    command = ["nginx", "-e", "stderr", "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-g", "daemon off;"]
    with subprocess.Popen([*machine.prefix, *command], stderr=subprocess.DEVNULL) as nginx:
        try:
            arguments = ["--to", "rtmp://127.0.0.1/app/film", "--source", TEST_VIDEO]
            if is_secure:
                arguments[1] = "rtmps://localhost/app/film"
                arguments += ["--cacert", certificate]
            deadline = time.monotonic() + 10
            while machine.callrunner("publish", *arguments, "--duration", "0s").finish() == 2:
                assert time.monotonic() < deadline  # until nginx listens
            for file in recorded.iterdir():
                file.unlink()
            machine.callrunner("publish", *arguments, "--duration", f"{seconds}s").succeed(within=seconds + 60)
        finally:
            nginx.terminate()
    (film,) = recorded.iterdir()
    show = ["-show_entries", "packet=codec_type,dts_time:stream=codec_name", "-of", "json"]
    probed = json.loads(subprocess.run(["ffprobe", "-v", "error", *show, film], capture_output=True, check=True).stdout)
    assert sorted(stream["codec_name"] for stream in probed["streams"]) == ["aac", "h264"]
    times = [float(packet["dts_time"]) for packet in probed["packets"] if packet["codec_type"] == "video"]
    assert times[-1] - times[0] > seconds - 1.5
    assert max(later - earlier for earlier, later in zip(times, times[1:])) < 0.05


def test_an_encoder_that_returns_continues_the_stream_with_a_discontinuity(server):
    stream = server.create(reconnect_window=30)
    encoder = server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    encoder.kill()
    time.sleep(1)
    assert server.status(stream) == "active"
    assert "#EXT-X-ENDLIST" not in server.playlist(stream)[1]
    server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream, contains="#EXT-X-DISCONTINUITY\n")


def test_a_stream_ends_when_its_encoder_does_not_return(server):
    stream = server.create(reconnect_window=2)
    encoder = server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    encoder.kill()
    server.wait_for_playlist(stream, contains="#EXT-X-ENDLIST", within=8)
    assert server.status(stream) == "idle"


def test_a_second_encoder_is_refused(server):
    stream = server.create()
    first = server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    second = server.encoder(stream["stream_key"], seconds=5)
    assert second.wait(15) != 0
    assert "another encoder is publishing this stream" in second.stderr.read()
    assert first.poll() is None


@pytest.mark.parametrize(
    ("app", "reason"), [("app", "no stream has this key"), ("hush", "there is no such app")], ids=["key", "app"]
)
def test_an_encoder_with_a_wrong_url_gets_the_reason(server, app, reason):
    encoder = server.encoder("hush", app=app, seconds=5)
    assert encoder.wait(15) != 0
    assert reason in encoder.stderr.read()
    server.process.wait_for_words(reason)
    assert "hush" not in server.process.stderr


def test_media_that_cannot_be_packaged_ends_the_connection_with_a_reason(server):
    stream = server.create()
    encoder = server.encoder(stream["stream_key"], "-c:v", "flv1", "-preset:v", "", "-tune:v", "", seconds=5)
    assert encoder.wait(15) != 0
    server.process.wait_for_words("its video is Sorenson H.263; set the encoder to H.264")


def test_the_api_creates_lists_changes_and_deletes_streams_with_the_shapes_of_mux(server):
    status, answer = server.api("POST", body={"playback_policy": ["public"], "new_asset_settings": {"playback_policies": ["public"]}, "passthrough": "mine"})
    stream = answer["data"]
    assert status == 201
    assert set(stream) == {
        "id", "created_at", "stream_key", "status", "playback_ids", "latency_mode", "reconnect_window", "passthrough",
        "new_asset_settings",
    }  # fmt: skip
    assert (stream["status"], stream["latency_mode"], stream["reconnect_window"]) == ("idle", "standard", 60)
    assert [found["policy"] for found in stream["playback_ids"]] == ["public"]
    assert abs(int(stream["created_at"]) - time.time()) < 10
    other = server.create()
    assert other["reconnect_window"] == 0
    assert [found["id"] for found in server.api("GET")[1]["data"]] == [other["id"], stream["id"]]
    assert [found["id"] for found in server.api("GET", "?limit=1&page=2")[1]["data"]] == [stream["id"]]
    assert server.api("GET", f"/{stream['id']}") == (200, {"data": stream})

    assert server.api("PUT", f"/{stream['id']}/disable") == (200, {"data": {}})
    assert server.status(stream) == "disabled"
    refused = server.encoder(stream["stream_key"], seconds=5)
    assert refused.wait(15) != 0
    assert "the stream is disabled" in refused.stderr.read()
    assert server.api("PUT", f"/{stream['id']}/enable") == (200, {"data": {}})
    assert server.status(stream) == "idle"

    status, answer = server.api("POST", f"/{stream['id']}/reset-stream-key")
    assert status == 201 and answer["data"]["stream_key"] != stream["stream_key"]
    assert {**answer["data"], "stream_key": ""} == {**stream, "stream_key": ""}

    assert server.api("DELETE", f"/{stream['id']}") == (204, {})
    assert server.api("GET", f"/{stream['id']}")[0] == 404
    assert server.playlist(stream)[0] == 404


@pytest.mark.parametrize("action", ["complete", "disable", "reset-stream-key", "delete"])
def test_the_encoder_is_disconnected_when_its_stream_is_changed(server, action):
    stream = server.create(reconnect_window=60)
    encoder = server.encoder(stream["stream_key"])
    server.wait_for_playlist(stream)
    method, path = {"delete": ("DELETE", ""), "reset-stream-key": ("POST", f"/{action}")}.get(action, ("PUT", f"/{action}"))
    assert server.api(method, f"/{stream['id']}{path}")[0] in (200, 201, 204)
    assert encoder.wait(10) != 0
    if action == "complete":
        server.wait_for_playlist(stream, contains="#EXT-X-ENDLIST", within=3)
        assert server.status(stream) == "idle"


def test_requests_without_the_token_or_with_invalid_fields_are_refused(server):
    for token in ["token:wrong", "wrong:secret", "token:", ":"]:
        status, answer = server.api("GET", token=token)
        assert (status, answer["error"]["type"]) == (401, "unauthorized")
    for body in [
        {"latency_mode": "fast"}, {"reconnect_window": 1801}, {"reconnect_window": "1"}, {"passthrough": "x" * 256},
        {"playback_policies": ["secret"]}, {"playback_policies": ["public", "signed"]},
    ]:  # fmt: skip
        status, answer = server.api("POST", body=body)
        assert (status, answer["error"]["type"]) == (400, "invalid_parameters"), body
    for path in ["?limit=0", "?limit=101", "?page=0"]:
        assert server.api("GET", path)[0] == 400
    for method, path in [("GET", ""), ("DELETE", ""), ("PUT", "/complete"), ("PUT", "/disable"), ("POST", "/reset-stream-key")]:
        status, answer = server.api(method, f"/unknown{path}")
        assert (status, answer["error"]["type"]) == (404, "not_found")


def test_streams_survive_a_killed_server_and_their_keys_are_encrypted(machine, tmp_path):
    server = Server(machine, data=tmp_path / "data")
    stream = server.create(passthrough="kept")
    server.process.signal(signal.SIGKILL)
    server.process.finish()
    for file in (tmp_path / "data").iterdir():
        assert stream["stream_key"].encode() not in file.read_bytes()
        assert file.stat().st_mode & 0o077 == 0
    again = Server(machine, data=tmp_path / "data")
    assert again.api("GET", f"/{stream['id']}") == (200, {"data": stream})


def test_a_server_whose_key_was_replaced_does_not_start(machine, tmp_path):
    data = tmp_path / "data"
    server = Server(machine, data=data)
    server.create()
    server.process.signal(signal.SIGKILL)
    server.process.finish()
    (data / "live.key").write_bytes(bytes(32))
    refused = machine.callrunner("serve", "--port", "0", "--rtmp-port", "0", "--data", data)
    assert refused.finish() == 64
    assert "were encrypted with another key" in refused.wait_for("error")["message"]


def test_keys_and_the_token_appear_in_no_output(server):
    stream = server.create()
    server.encoder(stream["stream_key"], seconds=5)
    server.wait_for_playlist(stream)
    server.encoder("a-wrong-key", seconds=5).wait(15)
    server.process.wait_for_words("no stream has this key")
    output = server.process.story.split("\n", 1)[1]  # without the command
    for secret in [stream["stream_key"], "a-wrong-key", "secret"]:
        assert secret not in output
