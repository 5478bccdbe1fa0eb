"""A test video that flashes and beeps once a second, and the measurement of the offsets between beeps and flashes
in its recordings. `python -m peers.beep_flash FILE` prints the offsets."""

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

# The duration of a flash and of a beep in seconds.
LENGTH = 0.1
# The duration in seconds of the windows for which the audio level is measured.
PIECE = 0.005
BRIGHT, LOUD = 120.0, -30.0

CODECS = {
    "H264": ["-c:v", "libx264", "-profile:v", "baseline", "-preset", "ultrafast", "-g", "30"],
    "VP8": ["-c:v", "libvpx", "-deadline", "realtime", "-cpu-used", "8", "-g", "30"],
}


def make(path: Path, codec: str, seconds: int = 10, size: str = "320x240", grain: int = 0) -> Path:
    """Writes the test video, which begins with a flash and a beep.

    `grain`, 0 to 100, is the strength of static noise, which makes only keyframes large."""
    flash = f"color=black:size={size}:rate=30,drawbox=color=white:t=fill:enable='lt(mod(t,1),{LENGTH})'"
    flash += f",noise=alls={grain}" if grain else ""
    beep = f"aevalsrc='if(lt(mod(t,1),{LENGTH}),0.5*sin(2000*PI*t),0)':s=48000"
    command = ["ffmpeg", "-v", "error", "-nostdin", "-y", "-f", "lavfi", "-i", flash, "-f", "lavfi", "-i", beep]
    command += ["-t", str(seconds), *CODECS[codec], "-c:a", "libopus", str(path)]
    subprocess.run(command, check=True, timeout=120)
    return path


@dataclass(frozen=True)
class Sync:
    """The times in seconds at which flashes and beeps begin."""

    flashes: list[float]
    beeps: list[float]

    @property
    def offsets(self) -> list[float]:
        """The delay in seconds from each flash to its beep. Flashes without a beep within half a second are omitted."""
        nearest = [min((beep - flash for beep in self.beeps), key=abs, default=1.0) for flash in self.flashes]
        return [offset for offset in nearest if abs(offset) < 0.5]

    @property
    def worst(self) -> float:
        return max(map(abs, self.offsets), default=float("inf"))


def measure(path: Path, track: int = 0) -> Sync:
    """Measures the video track and the audio track with this number."""
    brightness = _figures(
        path, f"0:v:{track}", "-vf", "signalstats,metadata=print:key=lavfi.signalstats.YAVG:file=-"
    )
    key = "lavfi.astats.Overall.RMS_level"
    pieces = f"aresample=48000,asetnsamples=n={int(48000 * PIECE)}:p=0"
    listen = f"{pieces},astats=metadata=1:reset=1:measure_perchannel=none,ametadata=print:key={key}:file=-"
    loudness = _figures(path, f"0:a:{track}", "-af", listen)
    return Sync(beginnings(brightness, BRIGHT), beginnings(loudness, LOUD))


def _figures(path: Path, stream: str, *filtering: str) -> list[tuple[float, float]]:
    """Returns the time and the measured value of each frame or audio window."""
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), "-map", stream, *filtering]
    told = subprocess.run([*command, "-f", "null", "-"], capture_output=True, text=True, check=True, timeout=600)
    return figures(told.stdout)


def figures(told: str) -> list[tuple[float, float]]:
    """Parses the time and the measured value of each frame or audio window from the output of an ffmpeg filter."""
    found = re.findall(r"pts_time:([-\d.]+)\n\S+=(\S+)", told)
    return [(float(time), float(figure)) for time, figure in found]


def beginnings(figures: list[tuple[float, float]], limit: float) -> list[float]:
    """Returns the times at which the value rises above the limit. A value above it from the beginning is ignored."""
    pairs = zip(figures, figures[1:])
    return [time for (_, before), (time, figure) in pairs if before <= limit < figure]


def main() -> None:
    for name in sys.argv[1:]:
        sync = measure(Path(name))
        print(f"{name}: {len(sync.flashes)} flashes, {len(sync.beeps)} beeps, {len(sync.offsets)} pairs")
        if sync.offsets:
            first, last = sync.offsets[0] * 1000, sync.offsets[-1] * 1000
            print(f"  beep after flash: first {first:+.0f} ms, last {last:+.0f} ms, worst {sync.worst * 1000:.0f} ms")


if __name__ == "__main__":
    main()
