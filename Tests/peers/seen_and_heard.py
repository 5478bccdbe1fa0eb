"""Measurement of the video and audio that a running program outputs to a display and a loudspeaker.

The program under test plays a video of `beep_flash`. One ffmpeg process grabs a small area of the X display and
records the monitor of a PulseAudio sink. It uses one clock for both, minus the latency that PulseAudio reports.
`python -m peers.seen_and_heard DISPLAY PULSE_SERVER SOURCE X Y SECONDS` prints the measurement."""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from .beep_flash import BRIGHT, LOUD, Sync, beginnings, figures

# Grabs per second, and the width and height of the grabbed area in pixels.
RATE, SPOT = 120, 16
# The duration of the windows for which the audio level is measured, in samples at 48 kHz.
PIECE = 96


@dataclass(frozen=True)
class Sighting:
    """The flashes and beeps of a measurement, and the load of the host during the measurement."""

    sync: Sync
    load: float

    @property
    def offsets(self) -> list[float]:
        """The delay in seconds from each flash to its beep."""
        return self.sync.offsets

    def median(self, first: float = 0, last: float = 1) -> float:
        """Returns the median offset in seconds in a part of the measurement, from the fraction `first` to `last`."""
        offsets = self.offsets
        return statistics.median(offsets[int(first * len(offsets)) : max(1, int(last * len(offsets)))])

    def __str__(self) -> str:
        if not self.offsets:
            return f"{len(self.sync.flashes)} flashes, {len(self.sync.beeps)} beeps, no pair (load {self.load:.1f})"
        figures = ", ".join(
            f"{name} {1000 * figure:+.0f} ms"
            for name, figure in [
                ("median", self.median()), ("first", self.offsets[0]), ("last", self.offsets[-1]),
                ("earliest", min(self.offsets)), ("latest", max(self.offsets)),
            ]
        )
        return f"beep after flash: {figures} of {len(self.offsets)} pairs (load {self.load:.1f})"


class Watch:
    """Records a small area of the display and a PulseAudio source."""

    def __init__(self, environment: dict[str, str], source: str, x: int, y: int, seconds: float):
        self._folder = tempfile.TemporaryDirectory(prefix="watch-")
        self._seen, self._heard = (Path(self._folder.name) / name for name in ("seen", "heard"))
        self._seconds = seconds
        base = int(time.time())
        grab = ["-use_wallclock_as_timestamps", "1", "-f", "x11grab", "-draw_mouse", "0", "-framerate", str(RATE)]
        grab += ["-video_size", f"{SPOT}x{SPOT}", "-grab_x", str(x), "-grab_y", str(y)]
        listen = ["-f", "pulse", "-fragment_size", "960", "-sample_rate", "48000", "-channels", "1"]
        look = f"setpts=PTS-{base}/TB,signalstats,metadata=print:key=lavfi.signalstats.YAVG:file={self._seen}"
        key = "lavfi.astats.Overall.RMS_level"
        hear = f"asetpts=PTS-{base}/TB,asetnsamples=n={PIECE}:p=0,astats=metadata=1:reset=1:measure_perchannel=none,"
        hear += f"ametadata=print:key={key}:file={self._heard}"
        limit = ["-t", str(seconds)]
        self._process = subprocess.Popen(
            ["ffmpeg", "-v", "error", "-nostdin", "-copyts", "-thread_queue_size", "4096", *grab, *limit]
            + ["-i", environment["DISPLAY"], "-thread_queue_size", "4096", *listen, *limit, "-i", source]
            + ["-map", "0:v", "-vf", look, "-f", "null", "-", "-map", "1:a", "-af", hear, "-f", "null", "-"],
            env={**os.environ, **environment}, stderr=subprocess.PIPE, text=True,
        )

    def __enter__(self) -> "Watch":
        return self

    def __exit__(self, *_) -> None:
        self._process.kill()
        self._process.wait()
        self._folder.cleanup()

    def found(self) -> Sighting:
        """Waits for the end of the recording; returns the measurement."""
        _, errors = self._process.communicate(timeout=self._seconds + 60)
        assert self._process.returncode == 0, errors
        flashes, beeps = (
            beginnings(figures(path.read_text()), limit) for path, limit in [(self._seen, BRIGHT), (self._heard, LOUD)]
        )
        return Sighting(Sync(flashes, beeps), os.getloadavg()[0])


def main() -> None:
    display, server, source, x, y, seconds = sys.argv[1:]
    with Watch({"DISPLAY": display, "PULSE_SERVER": server}, source, int(x), int(y), float(seconds)) as watch:
        print(watch.found())


if __name__ == "__main__":
    main()
