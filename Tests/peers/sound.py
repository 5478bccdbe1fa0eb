"""A PulseAudio server with null sinks in place of a sound card, and analysis of recorded audio."""

import array
import math
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RATE = 48000


class SoundServer:
    """PulseAudio on a socket of its own. The monitor of a sink is a microphone for the audio played into the sink."""

    def __init__(self, *sinks: str):
        # The test's own folder is not used, because its path is too long for a Unix socket.
        self._folder = tempfile.TemporaryDirectory(prefix="sound-")
        self._sinks = sinks
        self._socket = Path(self._folder.name) / "socket"  # PulseAudio also creates a folder “pulse” in this folder
        self._processes: list[subprocess.Popen] = []
        self._server: subprocess.Popen | None = None

    @property
    def environment(self) -> dict[str, str]:
        return {"PULSE_SERVER": f"unix:{self._socket}"}

    def __enter__(self) -> "SoundServer":
        try:
            self.start()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for process in self._processes:
            process.kill()
            process.wait()
        self.kill()
        self._folder.cleanup()

    def start(self) -> None:
        modules = [f"module-native-protocol-unix socket={self._socket} auth-anonymous=1"]
        modules += [f"module-null-sink sink_name={sink} rate={RATE}" for sink in self._sinks]
        self._socket.unlink(missing_ok=True)
        self._server = subprocess.Popen(
            ["pulseaudio", "--daemonize=no", "--system=false", "--exit-idle-time=-1", "--disable-shm=yes"]
            + ["--use-pid-file=no", "-n", "-F", "/dev/null", *(f"--load={module}" for module in modules)],
            env={**os.environ, "HOME": self._folder.name, "XDG_RUNTIME_DIR": self._folder.name},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 20
        while self._ask("info").returncode:
            assert time.monotonic() < deadline and self._server.poll() is None, "PulseAudio does not start"
            time.sleep(0.1)

    def kill(self) -> None:
        if self._server:
            self._server.kill()
            self._server.wait()
            self._server = None

    def add_slow_sink(self, sink: str) -> None:
        """Adds a sink with a reported latency of about a third of a second, like that of wireless loudspeakers."""
        pipe = Path(self._folder.name) / sink
        loaded = self._ask("load-module", "module-pipe-sink", f"sink_name={sink}", f"file={pipe}", f"rate={RATE}")
        assert loaded.returncode == 0, loaded.stderr
        # The latency results from the 64 KiB that the pipe buffers.
        self._processes.append(subprocess.Popen([sys.executable, "-c", _DRAIN, str(pipe)]))

    def play(self, sink: str, path: Path) -> None:
        """Starts to play a file of raw mono samples into the sink, in the background."""
        self._processes.append(subprocess.Popen(
            ["pacat", "--playback", f"--device={sink}", *_FORMAT, str(path)], env={**os.environ, **self.environment}
        ))

    def hear(self, source: str, seconds: float) -> array.array:
        """Records a source for `seconds`; returns the samples."""
        command = ["parec", f"--device={source}", "--latency-msec=20", *_FORMAT]
        wanted = int(seconds * RATE) * 2
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **self.environment}
        ) as recorder:
            heard = recorder.stdout.read(wanted)
            recorder.kill()
        assert len(heard) == wanted, f"{source} fell silent after {len(heard)} bytes"
        return array.array("h", heard)

    def _ask(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(["pactl", *arguments], env={**os.environ, **self.environment}, capture_output=True)


# A script that reads stereo audio from a pipe at the rate of a device, 10 ms at a time.
_DRAIN = f"""
import sys, time
with open(sys.argv[1], "rb", buffering=0) as pipe:
    due = time.monotonic()
    while pipe.read({RATE // 100 * 4}):
        now = time.monotonic()
        due = max(due + 0.01, now)
        time.sleep(due - now)
"""
_FORMAT = ["--raw", "--format=s16le", f"--rate={RATE}", "--channels=1"]


def write_tone(path: Path, frequency: float, amplitude: float, seconds: float) -> Path:
    """Writes raw samples of a sine wave with an amplitude from 0 to 1; returns the path."""
    step = 2 * math.pi * frequency / RATE
    samples = (int(32767 * amplitude * math.sin(step * index)) for index in range(int(seconds * RATE)))
    path.write_bytes(array.array("h", samples).tobytes())
    return path


def wrapped(path: Path) -> Path:
    """Converts raw samples into a media file."""
    whole = path.with_suffix(".wav")
    raw = ["-f", "s16le", "-ar", str(RATE), "-ac", "1", "-i", str(path)]
    subprocess.run(["ffmpeg", "-v", "error", "-nostdin", "-y", *raw, str(whole)], check=True, timeout=60)
    return whole


def recorded(path: Path, start: float = 0) -> array.array:
    """Returns the audio of a recording after the first `start` seconds, mixed down to mono."""
    command = ["ffmpeg", "-v", "error", "-nostdin", "-i", str(path), "-vn", "-ss", str(start)]
    command += ["-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"]
    data = subprocess.run(command, check=True, capture_output=True, timeout=60).stdout
    return array.array("h", data)


def amplitude(samples: array.array, frequency: float) -> float:
    """Returns the amplitude, 0 to 1, of this frequency in the samples (Goertzel)."""
    turn = 2 * math.cos(2 * math.pi * frequency / RATE)
    before = last = 0.0
    for sample in samples:
        before, last = last, sample + turn * last - before
    power = before * before + last * last - turn * before * last
    return 2 * math.sqrt(max(0, power)) / max(1, len(samples)) / 32768


def loudest(samples: array.array, frequency: float, window: float = 0.5) -> float:
    """Returns the highest amplitude of the frequency in any window of `window` seconds."""
    length = int(window * RATE)
    starts = range(0, max(1, len(samples) - length), length // 2)
    return max(amplitude(samples[start : start + length], frequency) for start in starts)


def decibels(samples: array.array) -> float:
    """Returns the root mean square in dB. 0 dB is a square wave at full scale."""
    power = sum(sample * sample for sample in samples) / max(1, len(samples)) / 32768**2
    return 10 * math.log10(max(power, 1e-12))
