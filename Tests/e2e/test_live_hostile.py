"""Films and streams that name other addresses, or are larger than any screen: none of this is opened or decoded."""

import struct
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from peers.runner import Runner


@pytest.fixture
def canary(loopback_machine, tmp_path) -> Runner:
    """A web server on the machine, which nobody may ask for anything."""
    return offer(loopback_machine, tmp_path)


def offer(machine, folder: Path) -> Runner:
    """Offers a folder on the machine under the URL of its first event."""
    server = machine.peer("file_server", folder)
    server.wait_for("server.listening")
    return server


def url(server: Runner) -> str:
    return server.all("server.listening")[0]["url"]


def box(kind: bytes, *content: bytes) -> bytes:
    body = b"".join(content)
    return struct.pack(">I", 8 + len(body)) + kind + body


def link(uri: str) -> bytes:
    """A QuickTime movie that consists of the address of another one."""
    name = uri.encode() + b"\0"
    reference = box(b"rdrf", bytes(4), b"url ", struct.pack(">I", len(name)), name)
    return box(b"ftyp", b"qt  ", bytes(4), b"qt  ") + box(b"moov", box(b"rmra", box(b"rmda", reference)))


def manifest(uri: str, padding: str = "") -> bytes:
    """A manifest of DASH, whose first tag comes after the padding."""
    return (
        f'<?xml version="1.0"?>{padding}<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" '
        f'mediaPresentationDuration="PT10S" minBufferTime="PT1S"><BaseURL>{uri}/</BaseURL><Period><AdaptationSet '
        'mimeType="video/mp4"><SegmentTemplate media="$Number$.m4s" initialization="init.mp4" duration="2"/>'
        '<Representation id="1" bandwidth="100000" codecs="avc1.42c01e" width="320" height="180"/></AdaptationSet>'
        "</Period></MPD>"
    ).encode()


def play(machine, path, *flags: str) -> tuple[int, str]:
    player = machine.callrunner("live", path, "--headless", "--duration", "3s", *flags)
    return player.finish(within=20), player.stderr


def test_a_file_that_only_links_to_other_media_is_refused(loopback_machine, canary, tmp_path):
    for number, uri in enumerate(
        [
            f"{url(canary)}/film",
            "testbin://video,caps=[video/x-raw,width=16000,height=16000]",
            "file:///etc/hostname",
            "udp://0.0.0.0:0",
        ]
    ):
        film = tmp_path / f"{number}.mp4"
        film.write_bytes(link(uri))
        status, text = play(loopback_machine, film)
        assert status == 3, text
        assert "the file only refers to another address" in text
    assert canary.all("request") == []


def test_a_file_that_lists_other_addresses_is_refused_and_none_of_them_is_loaded(loopback_machine, canary, tmp_path):
    film = tmp_path / "film.mp4"
    film.write_bytes(manifest(url(canary), padding="<!--" + " " * 600 + "-->"))
    status, text = play(loopback_machine, film)
    assert status == 3
    assert "the file only lists other addresses" in text
    assert canary.all("request") == []


@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("encoder", "name"),
    [("libx264 -preset ultrafast -pix_fmt yuv420p", "film.mp4"), ("libvpx", "film.webm"), ("mjpeg", "film.avi")],
)
def test_a_video_above_the_resolution_limit_is_not_decoded(loopback_machine, tmp_path, encoder, name):
    film = tmp_path / name
    command = f"ffmpeg -v error -f lavfi -i color=black:s=8192x8192:r=5 -frames:v 2 -c:v {encoder} {film}"
    subprocess.run(command.split(), check=True, timeout=120)
    status, text = play(loopback_machine, film)
    assert status == 3
    assert "8192×8192" in text.replace("8192x8192", "8192×8192")
    assert "above the limit" in text


def film_of(folder, name: str, options: str, size: str = "320x180") -> Path:
    film = folder / name
    command = f"ffmpeg -v error -f lavfi -i testsrc=size={size}:rate=25 -frames:v 25 {options} {film}"
    subprocess.run(command.split(), check=True, timeout=120)
    return film


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("-c:v libx265 -x265-params log-level=none", "film.mkv"), ("-c:v libx265 -tag:v hvc1", "film.mp4"),
        ("-c:v libaom-av1 -cpu-used 8", "film.mkv"), ("-c:v mpeg2video", "film.ts"), ("-c:v mpeg4", "film.avi"),
        ("-c:v mpeg4", "film.mp4"), ("-c:v libtheora", "film.ogv"), ("-c:v prores_ks", "film.mov"),
        ("-c:v ffv1", "film.mkv"), ("-c:v wmv2", "film.avi"), ("-c:v rawvideo", "film.mov"),
    ],
)
def test_a_file_is_played_if_its_resolution_is_known_before_decoding(loopback_machine, tmp_path, options, name):
    status, text = play(loopback_machine, film_of(tmp_path, name, options))
    assert status == 0, text
    assert "playing 320x180" in text


def test_a_file_whose_frames_are_larger_than_its_header_declares_is_not_decoded(loopback_machine, tmp_path):
    film = film_of(tmp_path, "film.mov", "-c:v prores_ks")
    content = bytearray(film.read_bytes())
    start = 0
    while (start := content.find(b"icpf", start)) >= 0:
        content[start + 12 : start + 16] = struct.pack(">HH", 16000, 16000)
        start += 4
    film.write_bytes(content)
    status, text = play(loopback_machine, film)
    assert status == 3
    assert "16000x16000" in text.replace("×", "x") and "above the limit" in text


@pytest.mark.sample(2)
@pytest.mark.parametrize(
    "rows", ["#EXTINF:0,\nseg.ts", "#EXTINF:1e-30,\nseg.ts", "#EXTINF:2,\n", "#EXTINF:2,\n#x", "#EXTINF:2,\n#\u0301x",
             "#EXTINF:2,\n\x01", "#EXTINF:2", ""]
)
def test_a_playlist_with_zero_length_or_no_segments_does_not_crash_the_player(loopback_machine, tmp_path, rows):
    film_of(tmp_path, "seg.ts", "-c:v libx264 -pix_fmt yuv420p -preset ultrafast")
    (tmp_path / "live.m3u8").write_text(f"#EXTM3U\n#EXT-X-TARGETDURATION:2\n{rows}\n#EXT-X-ENDLIST\n")
    address = f"{url(offer(loopback_machine, tmp_path))}/live.m3u8"
    if "seg.ts" in rows:
        status, text = play(loopback_machine, address)
        assert status == 0, text
    else:
        # There may be one later, so that it is tried until the limit.
        status, text = play(loopback_machine, address, "--server-timeout", "1s")
        assert status == 2 and "the playlist has no segment" in text, text


def test_a_file_is_refused_if_its_resolution_is_known_only_by_decoding(loopback_machine, tmp_path):
    status, text = play(loopback_machine, film_of(tmp_path, "film.mov", "-c:v cinepak"))
    assert status == 3
    assert "x-cinepak video is not played" in text


def tag() -> bytes:
    """The ID3 tag with a time stamp that begins segments of audio (RFC 8216 §3.4)."""
    content = b"com.apple.streaming.transportStreamTimestamp\0" + bytes(8)
    frame = b"PRIV" + struct.pack(">I", len(content)) + bytes(2) + content
    return b"ID3\x04\0\0" + struct.pack(">I", len(frame)) + frame


def playlist_of(uri: str) -> bytes:
    return f"#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\n{uri}/secret.ts\n#EXT-X-ENDLIST\n".encode()


def encrypted(content: bytes, key: bytes) -> bytes:
    """Encrypts a segment with AES-128 and an initialization vector of zeros (RFC 8216 §4.3.2.4)."""
    padding = 16 - len(content) % 16
    cipher = Cipher(algorithms.AES(key), modes.CBC(bytes(16))).encryptor()
    return cipher.update(content + bytes([padding]) * padding) + cipher.finalize()


@pytest.mark.parametrize("is_encrypted", [False, True], ids=["clear", "encrypted"])
@pytest.mark.parametrize("listed", [playlist_of, manifest])
def test_a_segment_that_lists_other_addresses_is_refused_and_none_of_them_is_loaded(
    loopback_machine, canary, tmp_path, listed, is_encrypted
):
    folder = tmp_path / "stream"
    folder.mkdir()
    film_of(folder, "video.ts", "-c:v libx264 -pix_fmt yuv420p -preset ultrafast")
    content = tag() + listed(url(canary)) + b"\n" * 200_000
    key = b"k" * 16
    (folder / "key").write_bytes(key)
    (folder / "audio.aac").write_bytes(encrypted(content, key) if is_encrypted else content)
    head = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n"
    encryption = f'#EXT-X-KEY:METHOD=AES-128,URI="key",IV=0x{"0" * 32}\n' if is_encrypted else ""
    (folder / "video.m3u8").write_text(f"{head}#EXTINF:1,\nvideo.ts\n#EXT-X-ENDLIST\n")
    (folder / "audio.m3u8").write_text(f"{head}{encryption}#EXTINF:4,\naudio.aac\n#EXT-X-ENDLIST\n")
    (folder / "live.m3u8").write_text(
        '#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="x",DEFAULT=YES,AUTOSELECT=YES,URI="audio.m3u8"\n'
        '#EXT-X-STREAM-INF:BANDWIDTH=100000,CODECS="avc1.42c01e,mp4a.40.2",RESOLUTION=320x180,AUDIO="a"\nvideo.m3u8\n'
    )
    server = offer(loopback_machine, folder)
    status, text = play(loopback_machine, f"{url(server)}/live.m3u8")
    assert status == 3, text
    assert "a part of the stream only lists other addresses" in text
    assert any(request["path"].endswith("/audio.aac") for request in server.all("request"))
    assert canary.all("request") == []
