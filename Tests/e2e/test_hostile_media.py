"""Hostile media, such as many RTP sources or a huge video resolution, which must not end a call."""

import signal
import struct
import subprocess
import time

import pytest
from peers import films, probe, usage

# A resolution above the default limit, in a frame of only a few kilobytes.
BOMB = "8192x8192"


@pytest.mark.sample(1)
@pytest.mark.parametrize("role", ["caller", "callee"])
def test_hundreds_of_rtp_sources_create_no_threads(machine, role):
    server = machine.server()
    roles = {"caller": ["--caller"], "callee": []}
    other = "callee" if role == "caller" else "caller"
    ours = machine.callrunner("--room", "1", "--name", "Ann", "--server", server, *roles[role])
    ours.wait_for("room.joined")
    flood = machine.peer(
        "aiortc_peer", "--name", "Bob", "--server", server, "--play", probe.ASSET, "--codec", "VP8", "--sources", "300",
        *roles[other])
    ours.wait_for("media.first_frame", kind="video")
    wait_for_the_flood(flood)
    time.sleep(1)
    # Each source would need two threads.
    assert usage.threads(ours.pid) < 100
    expect_more_frames(ours)
    hang_up(ours)


def flooded(machine, kind, count, *flags, codec="VP8"):
    """Starts a process and a calling peer, which sends it `count` hostile items of a kind; returns both.

    How long the peer needs for them depends on the machine, so that the test has to hang up.
    """
    server = machine.server()
    ours = machine.callrunner("--room", "1", "--name", "Ann", "--server", server, "--headless", *flags)
    ours.wait_for("room.joined")
    peer = machine.peer(
        "aiortc_peer", "--name", "Bob", "--server", server, "--play", probe.ASSET, "--codec", codec, "--caller",
        "--sources", str(count), "--flood", kind)
    return ours, peer


def wait_for_the_flood(peer):
    peer.wait_for("flooded", within=60)


def frames(ours):
    ours.wait_for("stats")
    return ours.all("stats")[-1].get("video", {}).get("in", {}).get("frames", 0)


def expect_more_frames(ours):
    """Checks that video of the peer still arrives."""
    deadline, before = time.monotonic() + 20, frames(ours)
    while frames(ours) <= before + 20:
        assert time.monotonic() < deadline, f"no more video arrives\n{ours.story}"
        time.sleep(0.2)


def hang_up(ours):
    """Ends the call, which must take only a moment."""
    ours.signal(signal.SIGINT)
    assert ours.finish(within=8) == 130, ours.story


def assert_growth_below(megabytes, ours, peer):
    """Checks how much memory the hostile items take."""
    ours.wait_for("media.first_frame", kind="video")
    before = usage.most_resident_megabytes(ours.pid)
    wait_for_the_flood(peer)
    time.sleep(1)
    assert usage.most_resident_megabytes(ours.pid) < before + megabytes


@pytest.mark.sample(1)
@pytest.mark.parametrize("kind", ["csrcs", "descriptions"])
def test_thousands_of_silent_rtp_sources_take_little_memory(machine, kind):
    """A packet can name many sources: as contributing sources (CSRC) or in RTCP source descriptions."""
    ours, peer = flooded(machine, kind, 30000, "--source", "none")
    # Each source would need more than a kilobyte.
    assert_growth_below(20, ours, peer)
    hang_up(ours)


def test_a_request_for_a_sender_report_does_not_stop_the_call(machine):
    """GStreamer 1.22 locks up when it reads such a request (RFC 6051)."""
    ours, peer = flooded(machine, "requests", 20)
    wait_for_the_flood(peer)
    expect_more_frames(ours)
    hang_up(ours)


def test_packets_with_many_tiny_nal_units_take_little_memory(machine):
    """A depayloader stores each NAL unit of H.264 in a buffer of its own, which is much larger than a tiny unit."""
    ours, peer = flooded(machine, "units", 10000, "--source", "none", codec="H264")
    # Without a bound that counts them, the units would take gigabytes.
    assert_growth_below(100, ours, peer)
    ours.signal(signal.SIGINT)
    ours.finish(60)


@pytest.mark.parametrize("kind", ["frames", "sounds"])
def test_media_that_no_decoder_can_read_takes_little_memory(machine, display, kind):
    """Decoders of GStreamer keep each such frame: 40,000 would take more than 60 megabytes."""
    server = machine.server()
    flags = ["--room", "1", "--server", server]
    ours = machine.callrunner(
        *flags, "--name", "Ann", "--window", "--source", "none", environment=display.environment)
    ours.wait_for("room.joined")
    peer = machine.peer(
        "aiortc_peer", *flags, "--name", "Bob", "--play", probe.ASSET, "--codec", "VP8", "--caller",
        "--sources", "40000", "--flood", kind)
    assert_growth_below(40, ours, peer)
    hang_up(ours)


def test_jumps_of_sequence_numbers_do_not_delay_the_end_of_the_call(machine):
    """A jitter buffer has a timer for each missing packet; a call took half a minute to end."""
    ours, peer = flooded(machine, "jumps", 25000)
    wait_for_the_flood(peer)
    hang_up(ours)


def test_repeated_retransmission_requests_for_the_same_packets_take_little_memory(machine):
    """GStreamer copies a packet for each request; 60 RTCP packets would take 400 MB, and the call itself takes up to 60 MB."""
    ours, peer = flooded(machine, "nacks", 60)
    assert_growth_below(120, ours, peer)
    hang_up(ours)


def test_reports_about_packets_that_were_never_sent_do_not_delay_the_call(machine):
    """GStreamer takes a tenth of a second for a report of 40 bytes; 20 packets of 30 reports would take a minute."""
    ours, peer = flooded(machine, "arrivals", 20)
    assert_growth_below(100, ours, peer)
    expect_more_frames(ours)
    hang_up(ours)


def test_application_data_in_dtls_does_not_end_the_call(machine):
    """Without data channels, such data makes GStreamer report an error, as if our own pipeline had failed."""
    ours, peer = flooded(machine, "data", 3)
    ours.wait_for("media.first_frame", kind="video")
    wait_for_the_flood(peer)
    expect_more_frames(ours)
    hang_up(ours)


def flooded_as_caller(machine, kind, count, lie):
    """Starts a calling process and its peer, which answers with a lie and sends `count` hostile items; returns both."""
    server = machine.server()
    ours = machine.callrunner(
        "--room", "1", "--name", "Ann", "--server", server, "--headless", "--caller", "--codec", "vp8")
    ours.wait_for("room.joined")
    peer = machine.peer(
        "aiortc_peer", "--name", "Bob", "--server", server, "--play", probe.ASSET, "--lie", lie,
        "--sources", str(count), "--flood", kind)
    return ours, peer


def test_an_unreadable_header_extension_does_not_block_the_end_of_the_call(machine):
    # A depayloader that reads it keeps a lock, at which the end of the call would wait for ever.
    ours, peer = flooded_as_caller(machine, "extensions", 50, "extension")
    wait_for_the_flood(peer)
    time.sleep(1)
    hang_up(ours)


def test_a_frame_with_thousands_of_nal_units_does_not_delay_the_end_of_the_call(machine):
    # h264parse would parse it anew for each unit before the damaged one.
    ours, peer = flooded(machine, "reparsed", 5, codec="H264")
    wait_for_the_flood(peer)
    time.sleep(1)
    hang_up(ours)


@pytest.mark.parametrize("way", ["none", "foreign", "changing", "other", "twice", "long"])
def test_a_false_connectivity_check_does_not_end_the_process(machine, way):
    if way == "other":
        subprocess.run([*machine.prefix, "ip", "address", "add", "10.99.0.7/24", "dev", "near"], check=True)
    server = machine.server()
    ours = machine.callrunner(
        "--room", "1", "--name", "Ann", "--server", server, "--headless", "--caller", "--retries", "0",
        "--connect-timeout", "6")
    ours.wait_for("room.joined")
    peer = machine.peer("false_ice", "--name", "Bob", "--server", server, "--way", way)
    assert peer.wait_for("nominated", within=30)["hosts"] == (2 if way == "other" else 1)
    time.sleep(3)
    # The peer never begins the handshake of DTLS.
    assert ours.finish(within=30) in (2, 3), ours.story


def test_a_flood_of_keyframe_requests_causes_few_keyframes(machine, tmp_path):
    recording = tmp_path / "ours.mkv"
    ours, peer = flooded(machine, "pictures", 5000, "--source", "pattern", "--record-local", recording)
    begun = ours.wait_for("media.connected")["elapsed"]
    wait_for_the_flood(peer)
    hang_up(ours)
    seconds = ours.wait_for("call.ended")["elapsed"] - begun
    # Three a second, and those at the beginning of the call.
    assert 2 <= len(probe.keyframes(recording)) <= 3 * seconds + 6


SMALL, LARGE = "640x360", "1280x720"
PART_SECONDS = 2


def encoded(folder, codec, size, seconds=PART_SECONDS, rate=30):
    """Encodes video of one resolution; H.264 as a byte stream with parameter sets before each keyframe."""
    endings = {"H264": "h264", "VP8": "ivf", "VP9": "ivf"}
    path = folder / f"{codec}-{size}.{endings[codec]}"
    source = f"-f lavfi -i testsrc2=size={size}:rate={rate} -t {seconds}"
    command = f"ffmpeg -v error -y {source} {films.ENCODERS[codec][1]} -b:v 300k {path}"
    subprocess.run(command.split(), check=True, timeout=60)
    return path


def bomb(folder, declared=BOMB):
    """Writes a VP8 keyframe whose header declares a size; decoders accept `BOMB`."""
    path = encoded(folder, "VP8", "320x180", seconds=1, rate=1)
    ivf = bytearray(path.read_bytes())
    # After the file header of 32 bytes, the frame header of 12, the tag and the start code (RFC 6386, 9.1).
    size = slice(32 + 12 + 6, 32 + 12 + 10)
    assert struct.unpack("<HH", ivf[size]) == (320, 180)
    ivf[size] = struct.pack("<HH", *map(int, declared.split("x")))
    path.write_bytes(ivf)
    return path


def joined(folder, codec, *parts):
    """Joins encoded parts into one file whose resolution changes from part to part."""
    if codec == "H264":
        whole = folder / "parts.h264"
        whole.write_bytes(b"".join(part.read_bytes() for part in parts))
        source = f"-framerate 30 -i {whole}"
    else:
        listing = folder / "parts.txt"
        listing.write_text("".join(f"file '{part}'\n" for part in parts))
        source = f"-f concat -safe 0 -i {listing}"
    film = folder / f"film.{films.ENCODERS[codec][0]}"
    subprocess.run(f"ffmpeg -v error -y {source} -c copy {film}".split(), check=True, timeout=60)
    return film


def watch(machine, display, film, codec, *flags, seconds):
    """Starts a process with a window and a peer that sends the file without transcoding; returns both."""
    ours = machine.callrunner(
        "--room", "1", "--name", "Ann", "--caller", "--source", "none", "--window", "--duration", str(seconds), *flags,
        environment=display.environment)
    ours.wait_for("room.joined")
    peer = machine.callrunner("--room", "1", "--name", "Bob", "--source", film, "--codec", codec, "--headless")
    return ours, peer


def end(ours, peer):
    """Waits until the call has ended successfully."""
    ours.succeed(60)
    peer.succeed()
    assert peer.all("stats")[-1]["video"]["out"]["passthrough"], peer.all("stats")[-1]


@pytest.mark.sample(1)
@pytest.mark.parametrize("codec", ["VP8", "VP9", "H264"])
def test_video_above_the_resolution_limit_is_not_shown(machine, display, tmp_path, codec):
    small, large = encoded(tmp_path, codec, SMALL), encoded(tmp_path, codec, LARGE)
    recording, snapshot = tmp_path / "ours.mkv", tmp_path / "ours.png"
    ours, peer = watch(
        machine, display, joined(tmp_path, codec, large, small), codec,
        "--max-resolution", "640x480", "--record", recording, "--snapshot", snapshot, seconds=PART_SECONDS * 3)
    end(ours, peer)
    refusal = "the peer's video is not shown: 1280x720 is above the limit of 640x480; --max-resolution 1280x720 allows it"
    assert ours.stderr.count(refusal) == 1, ours.stderr
    assert ours.stderr.count("the peer's video is shown again") == 1, ours.stderr
    first = ours.all("media.first_frame")[0]
    connected = ours.all("media.connected")[0]
    assert first["elapsed"] - connected["elapsed"] > PART_SECONDS - 1, "video was shown before it was small enough"
    # The large video is recorded, because recording does not decode.
    assert probe.sizes(recording)[0] == (1280, 720)
    assert probe.sizes(snapshot)[0] == (640, 360)


# A subset of a sequence parameter set (ITU-T H.264, 7.3.2.1.3), and one message of two bytes.
SUBSET, MESSAGE = bytes.fromhex("6f 76 00 1f ac bb c8"), bytes.fromhex("01 00")


def frames_of_sent_film(machine, film, seconds):
    """Sends a film without transcoding in a call that must succeed; returns the number of frames that have arrived."""
    flags = ["--room", "1", "--server", machine.server(), "--headless", "--duration", str(seconds)]
    ours = machine.callrunner(*flags, "--name", "Ann", "--caller", "--source", film)
    peer = machine.callrunner(*flags, "--name", "Bob", "--source", "none")
    ours.succeed()
    peer.succeed()
    assert ours.all("stats")[-1]["video"]["out"]["passthrough"], ours.all("stats")[-1]
    return frames(peer)


@pytest.mark.parametrize("container", ["mp4", "mkv", "ts"])
def test_nal_units_that_would_crash_the_process_are_removed_from_a_file_that_is_sent(machine, tmp_path, container):
    """A subset SPS would crash the process, and the SEI messages would take gigabytes of memory."""
    units = encoded(tmp_path, "H264", SMALL).read_bytes().split(b"\0\0\1")
    hostile = [SUBSET, b"\x06" + MESSAGE * 3_000_000 + b"\x80"]
    stream = tmp_path / "hostile.h264"
    # Each keyframe is preceded by its parameters.
    stream.write_bytes(b"\0\0\1".join(
        part for unit in units for part in ([*hostile, unit] if unit[:1] in (b"\x25", b"\x65") else [unit])))
    film = tmp_path / f"film.{container}"
    subprocess.run(f"ffmpeg -v error -y -framerate 30 -i {stream} -c copy {film}".split(), check=True, timeout=60)
    assert SUBSET in film.read_bytes()
    assert frames_of_sent_film(machine, film, seconds=3) > 30


def unit_with_start_codes(film: bytes) -> bytes:
    """Returns an MP4 film in whose last slice two start codes follow each other."""
    at = film.index(b"mdat") + 4
    slices = []
    while at + 5 < len(film):
        length = int.from_bytes(film[at : at + 4], "big")
        if not 0 < length < len(film) - at:
            break
        if film[at + 4] & 0x1F == 1 and length > 40:
            slices.append(at + 4)
        at += 4 + length
    last = slices[-1] + 20
    return film[:last] + b"\0\0\1\0\0\1" + film[last + 6 :]


def test_a_nal_unit_that_contains_start_codes_does_not_end_the_process(machine, tmp_path):
    """The payloader would find an empty unit between them."""
    film = tmp_path / "film.mp4"
    source = "-f lavfi -i testsrc2=size=320x240:rate=30 -t 2 -c:v libx264 -profile:v baseline -bf 0 -g 30 -an"
    subprocess.run(f"ffmpeg -v error -y {source} {film}".split(), check=True, timeout=60)
    film.write_bytes(unit_with_start_codes(film.read_bytes()))
    assert frames_of_sent_film(machine, film, seconds=5) > 60


def test_a_frame_with_a_huge_declared_size_takes_little_memory(machine, display, tmp_path):
    film = joined(tmp_path, "VP8", encoded(tmp_path, "VP8", SMALL), bomb(tmp_path))
    ours, peer = watch(
        machine, display, film, "VP8", "--snapshot", tmp_path / "{time}.png", "--snapshot-every", "1s", seconds=6)
    ours.wait_for("media.first_frame", kind="video")
    before = usage.most_resident_megabytes(ours.pid)
    ours.wait_for_words(f"not shown: {BOMB} is above the limit of 4096x2304")
    time.sleep(1)
    assert usage.most_resident_megabytes(ours.pid) < before + 60
    end(ours, peer)
    assert f"waits for video of a lower resolution: the peer's video of {BOMB} is above the limit" in ours.stderr
    assert ours.all("snapshot.saved")


def test_a_first_frame_of_0x0_pixels_is_not_reported_as_a_recording_failure(machine, display, tmp_path):
    recording = tmp_path / "ours.mkv"
    film = joined(tmp_path, "VP8", bomb(tmp_path, "0x0"), encoded(tmp_path, "VP8", SMALL))
    ours, _ = watch(machine, display, film, "VP8", "--record", recording, seconds=4)
    assert ours.finish(60) == 3
    assert ours.all("error")[0]["code"] == "nothing-received"
    assert not recording.exists()
