"""The forms of `candidate` messages that existing clients send. callrunner must accept all of them."""

from collections.abc import Callable

Message = dict[str, object]

FORMS: dict[str, Callable[[str, str, int], Message]] = {
    "documented": lambda line, mid, index: {"candidate": line, "sdpMid": mid, "sdpMLineIndex": index},
    "mid-only": lambda line, mid, index: {"candidate": line, "sdpMid": mid},
    "index-only": lambda line, mid, index: {"candidate": line, "sdpMLineIndex": index},
    "null-mid": lambda line, mid, index: {"candidate": line, "sdpMid": None, "sdpMLineIndex": index},
    "null-index": lambda line, mid, index: {"candidate": line, "sdpMid": mid, "sdpMLineIndex": None},
    "index-string": lambda line, mid, index: {"candidate": line, "sdpMLineIndex": str(index)},
    "a-prefix": lambda line, mid, index: {"candidate": f"a={line}", "sdpMid": mid, "sdpMLineIndex": index},
    # The mid takes precedence, because the index is that of another section or of none.
    "mid-wins": lambda line, mid, index: {"candidate": line, "sdpMid": mid, "sdpMLineIndex": index + 7},
}

END_OF_CANDIDATES: tuple[object, ...] = (
    {"candidate": "", "sdpMid": "0", "sdpMLineIndex": 0},
    {"candidate": None, "sdpMid": None, "sdpMLineIndex": None},
    None,
)

GARBAGE: tuple[object, ...] = (
    {"candidate": "candidate:nonsense", "sdpMid": "0", "sdpMLineIndex": 0},
    {"candidate": "candidate:1 1 UDP 2122 300.300.300.300 99999 typ host", "sdpMid": "0"},
    {"candidate": 17, "sdpMid": ["0"], "sdpMLineIndex": -4},
    {"candidate": "candidate:1 1 UDP 2122 127.0.0.1 9 typ host", "sdpMLineIndex": 9223372036854775807},
    {"candidate": "candidate:1 1 UDP 2122 127.0.0.1 9 typ host", "sdpMid": "no such section"},
    "candidate:just a string",
    [1, 2, 3],
    {},
    {"candidate": "candidate:" + "x" * 20_000, "sdpMid": "0"},
)


def split_candidates(sdp: str) -> tuple[str, list[tuple[str, str, int]]]:
    """Splits a session description; returns it without candidates, and the candidates as (line, mid, index)."""
    kept, candidates = [], []
    index, mid = -1, ""
    for line in sdp.splitlines():
        if line.startswith("m="):
            index += 1
        if line.startswith("a=candidate:"):
            candidates.append((line.removeprefix("a="), index))
        elif line != "a=end-of-candidates":
            kept.append(line)
    mids = [line.removeprefix("a=mid:") for line in kept if line.startswith("a=mid:")]
    located = [(line, mids[index] if index < len(mids) else str(index), index) for line, index in candidates]
    return "\r\n".join(kept) + "\r\n", located
