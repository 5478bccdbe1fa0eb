"""Recognition of the test video in a screenshot, at any size."""

from .display import Photograph

# The positions of the video's colour chips, as fractions of the frame, and their colours.
CHIPS = {"yellow": (0.223, (242, 213, 68)), "cyan": (0.334, (65, 214, 214)), "green": (0.445, (79, 201, 107)),
         "magenta": (0.555, (214, 91, 214))}
BLUE_CHIP = (0.777, (63, 107, 234))
CHIPS_HEIGHT = 0.874

Rectangle = tuple[float, float, float, float]


def near(colour, wanted) -> bool:
    return all(abs(ours - theirs) <= 40 for ours, theirs in zip(colour, wanted))


def colour_at(photograph: Photograph, rectangle: Rectangle, across: float, down: float) -> tuple[int, int, int]:
    """Returns the colour at a position given as fractions of a rectangle (left, top, width, height)."""
    left, top, width, height = rectangle
    return photograph.colour(int(left + across * width), int(top + down * height))


def wrong_chips(photograph: Photograph, rectangle: Rectangle) -> dict[str, tuple[int, int, int]]:
    """Returns the colour chips that have a wrong colour in this rectangle, with that colour."""
    seen = {name: colour_at(photograph, rectangle, place, CHIPS_HEIGHT) for name, (place, _) in CHIPS.items()}
    return {name: colour for name, colour in seen.items() if not near(colour, CHIPS[name][1])}
