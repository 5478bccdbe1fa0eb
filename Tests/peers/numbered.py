"""A video whose frames show their numbers, and the numbers that a recording of the screen shows.

A frame has columns: a white one, ten bits of which the first is the lowest, the same bits inverted, and a black one. So
a picture that is shown at another place, or in another size, is not taken for a number.
"""

import subprocess
from pathlib import Path

BITS = 10
COLUMNS = 2 * BITS + 2
WIDTH, HEIGHT = 32 * COLUMNS, 396
RATE = 30


def make(path: Path, seconds: int) -> Path:
    """Writes the video, with a tone."""
    columns = ["1", *(f"mod(floor(n/{2**bit}),2)" for bit in range(BITS))]
    columns += [f"not(mod(floor(n/{2**bit}),2))" for bit in range(BITS)]
    boxes = [
        f"drawbox=x={32 * column}:y=0:w=32:h={HEIGHT}:color=white:t=fill:enable='{is_white}'"
        for column, is_white in enumerate(columns)
    ]
    picture = ",".join([f"color=black:size={WIDTH}x{HEIGHT}:rate={RATE}", *boxes])
    command = ["ffmpeg", "-v", "error", "-y", "-f", "lavfi", "-i", picture, "-f", "lavfi", "-i", "sine", "-t", str(seconds)]
    command += ["-c:v", "libx264", "-preset", "ultrafast", "-pix_fmt", "yuv420p", "-g", str(RATE), "-c:a", "aac", str(path)]
    subprocess.run(command, check=True, timeout=120)
    return path


class Recording:
    """A recording of two lines of a display, in which the video is shown alternately.

    A line is the left edge, the width and the vertical place of the video, in pixels.
    """

    def __init__(self, display, folder: Path, lines: list[tuple[int, int, int]]):
        self._files = [folder / f"line-{number}.gray" for number in range(len(lines))]
        self._widths = [width - width % 2 for _, width, _ in lines]
        command = ["ffmpeg", "-v", "error", "-y", "-f", "x11grab", "-framerate", str(RATE), "-draw_mouse", "0"]
        command += ["-i", display.environment["DISPLAY"]]
        for (left, _, y), width, file in zip(lines, self._widths, self._files):
            command += ["-vf", f"crop={width}:2:{left}:{y},format=gray", "-f", "rawvideo", str(file)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, env={**display.environment, "PATH": "/usr/bin:/bin"})

    def stop(self) -> list[int | None]:
        """Ends the recording and returns the number in each of its frames, or None where no line shows one."""
        self._process.communicate(b"q", timeout=20)
        lines = [numbers(file.read_bytes(), width) for file, width in zip(self._files, self._widths)]
        return [next((number for number in found if number is not None), None) for found in zip(*lines)]


def numbers(data: bytes, width: int) -> list[int | None]:
    """Returns the number in each frame of a recorded line."""
    size = 2 * width
    return [number(data[start : start + width]) for start in range(0, len(data) - size + 1, size)]


def number(line: bytes) -> int | None:
    levels = [line[int((column + 0.5) * len(line) / COLUMNS)] for column in range(COLUMNS)]
    if any(60 < level < 190 for level in levels):
        return None
    white, *bits, black = [level >= 190 for level in levels]
    digits, inverted = bits[:BITS], bits[BITS:]
    if not white or black or any(one == other for one, other in zip(digits, inverted)):
        return None
    return sum(2**place for place, bit in enumerate(digits) if bit)
