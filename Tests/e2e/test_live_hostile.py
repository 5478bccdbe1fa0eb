"""Films that name other addresses, or are larger than any screen: they are refused, and nothing is opened or decoded."""

import struct
import subprocess
from pathlib import Path

import pytest
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


def manifest(uri: str) -> bytes:
    """A manifest of DASH, whose first tag comes late."""
    padding = "<!--" + " " * 600 + "-->"
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


def test_a_film_that_is_only_a_link_is_not_followed(loopback_machine, canary, tmp_path):
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
        assert status == 3
        assert "the film is only a link to another address" in text
    assert canary.all("request") == []


def test_a_film_that_is_a_list_of_addresses_loads_none_of_them(loopback_machine, canary, tmp_path):
    film = tmp_path / "film.mp4"
    film.write_bytes(manifest(url(canary)))
    status, text = play(loopback_machine, film)
    assert status == 3
    assert "the film is a list of other addresses" in text
    assert canary.all("request") == []


@pytest.mark.parametrize(
    ("encoder", "name"),
    [("libx264 -preset ultrafast -pix_fmt yuv420p", "film.mp4"), ("libvpx", "film.webm"), ("mjpeg", "film.avi")],
)
def test_a_film_larger_than_any_screen_is_not_decoded(loopback_machine, tmp_path, encoder, name):
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


@pytest.mark.parametrize(
    ("options", "name"),
    [
        ("-c:v libx265 -x265-params log-level=none", "film.mkv"), ("-c:v libx265 -tag:v hvc1", "film.mp4"),
        ("-c:v libaom-av1 -cpu-used 8", "film.mkv"), ("-c:v mpeg2video", "film.ts"), ("-c:v mpeg4", "film.avi"),
        ("-c:v mpeg4", "film.mp4"), ("-c:v libtheora", "film.ogv"), ("-c:v prores_ks", "film.mov"),
        ("-c:v ffv1", "film.mkv"), ("-c:v wmv2", "film.avi"), ("-c:v rawvideo", "film.mov"),
    ],
)
def test_a_film_is_played_if_its_resolution_is_known_before_it_is_decoded(loopback_machine, tmp_path, options, name):
    status, text = play(loopback_machine, film_of(tmp_path, name, options))
    assert status == 0, text
    assert "playing 320x180" in text


def test_a_film_whose_frames_are_larger_than_it_says_is_not_decoded(loopback_machine, tmp_path):
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


@pytest.mark.parametrize(
    "rows", ["#EXTINF:0,\nseg.ts", "#EXTINF:1e-30,\nseg.ts", "#EXTINF:2,\n", "#EXTINF:2,\n#x", "#EXTINF:2,\n#\u0301x",
             "#EXTINF:2,\n\x01", "#EXTINF:2", ""]
)
def test_a_playlist_in_which_the_demuxer_would_find_no_segment_ends_no_process(loopback_machine, tmp_path, rows):
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


def test_a_film_is_refused_if_only_decoding_would_tell_its_resolution(loopback_machine, tmp_path):
    status, text = play(loopback_machine, film_of(tmp_path, "film.mov", "-c:v cinepak"))
    assert status == 3
    assert "video in the codec x-cinepak is not played" in text
