"""Publishes a picture that shows the clock of this computer, and a tone: `clock_picture RTMP_URL`."""

import subprocess
import sys
import time

from peers import numbered


def ticks() -> int:
    """Returns the time in 1/30 s, modulo the numbers that a picture can show."""
    return int(time.time() * numbered.RATE) % 2**numbered.BITS


def age(shown: int) -> float:
    """Returns the time in seconds since a picture showed this number."""
    return (ticks() - shown) % 2**numbered.BITS / numbered.RATE


def picture(number: int) -> bytes:
    """Returns a picture of a number, one byte for each pixel."""
    bits = [number >> place & 1 for place in range(numbered.BITS)]
    columns = [1, *bits, *(1 - bit for bit in bits), 0]
    return b"".join(bytes([235 if is_white else 16]) * 32 for is_white in columns) * numbered.HEIGHT


def publish(url: str) -> None:
    """Publishes until the encoder ends."""
    size = f"{numbered.WIDTH}x{numbered.HEIGHT}"
    pictures = f"-f rawvideo -pix_fmt gray -color_range tv -s {size} -r {numbered.RATE} -i -".split()
    tone = "-re -f lavfi -i sine=sample_rate=48000".split()
    video = f"-c:v libx264 -preset ultrafast -tune zerolatency -pix_fmt yuv420p -g {numbered.RATE}".split()
    command = ["ffmpeg", "-v", "error", *pictures, *tone, *video, "-c:a", "aac", "-f", "flv", url]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as encoder:
        begin = time.monotonic()
        frame = 0
        while encoder.poll() is None:
            time.sleep(max(0, begin + frame / numbered.RATE - time.monotonic()))
            encoder.stdin.write(picture(ticks()))
            frame += 1


if __name__ == "__main__":
    publish(sys.argv[1])
