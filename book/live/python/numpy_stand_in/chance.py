"""Random numbers: those that numpy draws from the same seed."""

from __future__ import annotations

import math

from .kinds import FLOAT, INT, Part, Small
from .ndarray import array, asarray, entry, ndarray

WORD, LONG, STATE = 2**32 - 1, 2**64 - 1, 2**128 - 1
STEP = 0x2360ED051FC65DA44385DF649FCCF645
EDGE = 3.6541528853610088  # beyond it the normal distribution has a tail


def _seeded(seed: int) -> list[int]:
    """Stir a seed until eight words of 32 bits come out (numpy's SeedSequence)."""
    constant = 0x43B0D7E5

    def stirred(word, factor):
        nonlocal constant
        word ^= constant
        constant = constant * factor & WORD
        word = word * constant & WORD
        return word ^ word >> 16

    words = [seed >> 32 * i & WORD for i in range(max(4, -(-seed.bit_length() // 32)))]
    pool = [stirred(word, 0x931E8875) for word in words[:4]]
    places = [(i, j) for i in range(4) for j in range(4) if i != j]
    given = [(None, j, word) for word in words[4:] for j in range(4)]
    for source, place, word in [*((i, j, 0) for i, j in places), *given]:
        other = stirred(word if source is None else pool[source], 0x931E8875)
        mixed = pool[place] * 0xCA01F9DD - other * 0x4973F715 & WORD
        pool[place] = mixed ^ mixed >> 16
    constant = 0x8B51F9DD
    return [stirred(pool[i % 4], 0x58F38DED) for i in range(8)]


def _layers() -> tuple[list[float], list[float], list[float]]:
    """Cut the area below the bell curve into 256 layers of one size."""
    area = EDGE * math.exp(-EDGE * EDGE / 2)
    area += math.sqrt(math.pi / 2) * math.erfc(EDGE / math.sqrt(2))
    widths = [0.0] * 256
    widths[0], widths[255] = area / math.exp(-EDGE * EDGE / 2), EDGE
    for i in range(254, 0, -1):
        above = widths[i + 1]
        widths[i] = math.sqrt(-2 * math.log(area / above + math.exp(-above * above / 2)))
    inner = [EDGE / widths[0], 0.0, *(widths[i - 1] / widths[i] for i in range(2, 256))]
    heights = [1.0, *(math.exp(-w * w / 2) for w in widths[1:])]
    return widths, inner, heights


WIDTHS, INNER, HEIGHTS = _layers()


class Generator(Small):
    """Draws random numbers; the same seed draws the same ones."""

    def __init__(self, seed: int = 0):
        words = _seeded(seed)
        high, low, first, second = (words[i] | words[i + 1] << 32 for i in range(0, 8, 2))
        self._more = (first << 64 | second) << 1 & STATE | 1
        self._state = self._more + (high << 64 | low) & STATE
        self._next_state()
        self._kept = None

    def _next_state(self):
        self._state = self._state * STEP + self._more & STATE
        return self._state

    def _bits(self) -> int:
        """Draw 64 bits."""
        state = self._next_state()
        mixed, turn = (state >> 64 ^ state) & LONG, state >> 122
        return (mixed >> turn | mixed << (64 - turn)) & LONG

    def _half(self) -> int:
        """Draw 32 bits; those that are left are kept for the next time."""
        if self._kept is not None:
            bits, self._kept = self._kept, None
            return bits
        bits = self._bits()
        self._kept = bits >> 32
        return bits & WORD

    def _unit(self) -> float:
        return (self._bits() >> 11) / 2**53

    def _below(self, count: int) -> int:
        """Draw a whole number below `count`."""
        if count == 1:
            return 0
        product = self._half() * count
        while product & WORD < (WORD + 1 - count) % count:
            product = self._half() * count
        return product >> 32

    def _normal(self) -> float:
        """Draw a point in a layer; what lies outside the curve is drawn again."""
        while True:
            bits = self._bits()
            layer, sign, far = bits & 255, -1 if bits >> 8 & 1 else 1, bits >> 9 & (2**52 - 1)
            x = sign * far / 2**52 * WIDTHS[layer]
            if far < INNER[layer] * 2**52:
                return x
            if layer == 0:
                return self._tail() * (-1 if far >> 8 & 1 else 1)
            height = (HEIGHTS[layer - 1] - HEIGHTS[layer]) * self._unit() + HEIGHTS[layer]
            if height < math.exp(-x * x / 2):
                return x

    def _tail(self) -> float:
        while True:
            beyond = -math.log1p(-self._unit()) / EDGE
            if -2 * math.log1p(-self._unit()) > beyond * beyond:
                return EDGE + beyond

    def _drawn(self, draw, size, kind=FLOAT):
        if size is None:
            return entry(draw(), kind)
        shape = (size,) if isinstance(size, int) else tuple(size)
        return ndarray([draw() for _ in range(math.prod(shape))], shape, kind)

    def standard_normal(self, size=None):
        """Draw from the normal distribution."""
        return self._drawn(self._normal, size)

    def normal(self, loc=0.0, scale=1.0, size=None):
        """Draw from a normal distribution."""
        return self._drawn(lambda: loc + scale * self._normal(), size)

    def random(self, size=None):
        """Draw between 0 and 1."""
        return self._drawn(self._unit, size)

    def uniform(self, low=0.0, high=1.0, size=None):
        """Draw between two numbers."""
        return self._drawn(lambda: low + (high - low) * self._unit(), size)

    def integers(self, low, high=None, size=None):
        """Draw whole numbers, the last one excluded."""
        low, high = (0, low) if high is None else (low, high)
        return self._drawn(lambda: low + self._below(high - low), size, INT)

    def permutation(self, given):
        """Shuffle a copy; the order is not numpy's."""
        given = asarray(range(given) if isinstance(given, int) else given)
        order = sorted(range(len(given)), key=lambda _: self._unit())
        return given[array(order, int)]


def default_rng(seed=0):
    """Make a generator."""
    return seed if isinstance(seed, Generator) else Generator(seed)


random = Part("np.random", default_rng=default_rng, Generator=Generator)
