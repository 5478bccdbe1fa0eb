"""Impairments of a network: profiles, and seeded random decisions, without sockets or clocks."""

import math
import random
from dataclasses import dataclass
from statistics import NormalDist

_NORMAL = NormalDist()


@dataclass(frozen=True)
class Profile:
    """The impairments of one direction of a path, with times in milliseconds and probabilities from 0 to 1.

    `burst` is the mean number of consecutive lost packets (Gilbert–Elliott model, in whose bad state all packets are
    lost); 1 loses each packet independently. `rate` is in kb/s, 0 is unlimited. `queue` is the maximum time that a
    packet waits due to that rate. Packets of more than `largest` bytes are dropped silently, as by a smaller MTU.
    """

    delay: float = 0
    jitter: float = 0
    loss: float = 0
    burst: float = 1
    duplicate: float = 0
    reorder: float = 0
    rate: float = 0
    queue: float = 500
    largest: int = 1500


# The additional delay in seconds of a reordered packet, so that later packets overtake it.
HELD_BACK = 0.040

PROFILES = {
    "clear": Profile(),
    "moderate": Profile(delay=100, jitter=25, loss=0.05),
    "international": Profile(delay=250, jitter=100, loss=0.10, burst=4, duplicate=0.02, reorder=0.05, rate=300),
    "spiky": Profile(loss=0.30),
    "bursty": Profile(loss=0.08, burst=12),
    "blackout": Profile(loss=1),
}


class Impairment:
    """One direction of a path. It decides for each packet at which times copies of it leave the path.

    Every packet draws the same number of random values. Therefore its values depend only on the seed and on its index,
    not on the time or on earlier profiles. Only the queue depends on time.
    """

    def __init__(self, seed: str, profile: Profile = PROFILES["clear"]):
        self._random = random.Random(seed)
        self.profile = profile
        self._in_burst = False
        self._wave = 0.0
        self._line_free = 0.0
        self._latest = 0.0
        self.packets = 0
        self.lost = 0
        self.overflowed = 0

    def departures(self, now: float, size: int) -> tuple[float, ...]:
        """Returns the times in seconds at which copies of a packet of `size` bytes leave; empty if it is lost."""
        draw = self._random.random
        fate, turn, swing, twin, late = draw(), draw(), draw(), draw(), draw()
        profile = self.profile
        self.packets += 1
        lost = self._is_lost(profile, fate, turn) or size > profile.largest
        offset = self._jitter(profile, swing)
        if lost:
            self.lost += 1
            return ()
        sent = self._through_the_queue(profile, now, size)
        if sent is None:
            self.overflowed += 1
            return ()
        leaves = max(sent + max(0.0, profile.delay + offset) / 1000, self._latest)
        if late < profile.reorder:
            leaves += HELD_BACK
        else:
            self._latest = leaves
        return (leaves, leaves) if twin < profile.duplicate else (leaves,)

    def _is_lost(self, profile: Profile, fate: float, turn: float) -> bool:
        if profile.burst <= 1 or not 0 < profile.loss < 1:
            self._in_burst = False
            return fate < profile.loss
        leave = 1 / profile.burst
        enter = leave * profile.loss / (1 - profile.loss)
        self._in_burst = turn >= leave if self._in_burst else turn < enter
        return self._in_burst

    def _jitter(self, profile: Profile, swing: float) -> float:
        """Returns a value uniform over ± jitter, close to the previous one, so that few packets wait for others."""
        self._wave = 0.95 * self._wave + math.sqrt(1 - 0.95**2) * _NORMAL.inv_cdf(max(swing, 1e-12))
        return profile.jitter * math.erf(self._wave / math.sqrt(2))

    def _through_the_queue(self, profile: Profile, now: float, size: int) -> float | None:
        if profile.rate == 0:
            return now
        begins = max(now, self._line_free)
        if begins - now > profile.queue / 1000:
            return None
        self._line_free = begins + size * 8 / (profile.rate * 1000)
        return self._line_free
