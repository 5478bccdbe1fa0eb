"""Short test videos made by ffmpeg, one for each video codec, with Opus audio."""

import subprocess
from pathlib import Path

FPS = 30
# The container, and the ffmpeg flags for a stream that a call sends without transcoding.
ENCODERS = {
    "H264": ("mp4", "-c:v libx264 -profile:v baseline -bf 0 -g 30 -preset veryfast"),
    "VP8": ("webm", "-c:v libvpx -deadline realtime -cpu-used 8 -g 30 -lag-in-frames 0"),
    "VP9": ("webm", "-c:v libvpx-vp9 -deadline realtime -cpu-used 8 -g 30 -lag-in-frames 0"),
}


def make(folder: Path, size: str, seconds: int, bitrate: str) -> dict[str, Path]:
    """Makes a video of this size, such as `640x360`, in every codec; returns the files by codec."""
    made = {}
    for codec, (container, options) in ENCODERS.items():
        made[codec] = folder / f"{codec}.{container}"
        inputs = f"-f lavfi -i testsrc2=size={size}:rate={FPS} -f lavfi -i sine=frequency=440"
        command = f"ffmpeg -v error -y {inputs} -t {seconds} {options} -b:v {bitrate} -c:a libopus -ac 2"
        subprocess.run([*command.split(), made[codec]], check=True, timeout=300)
    return made


def another(codec: str) -> str:
    """Returns a codec from which video must be transcoded to get this codec."""
    return "VP8" if codec == "H264" else "H264"
