"""Exercises of Chapter 22 about positions in attention: RoPE and ALiBi."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is
from .tensors import gradients_flow, to_tensor

_RNG = np.random.default_rng(22)


def _slow(numbers, size, theta):
    return theta ** (-2.0 * numbers / size)


def _halves(x):
    return np.split(x, 2, axis=-1)


def _neighbors(x):
    return x[..., ::2], x[..., 1::2]


def _woven(first, second):
    return np.stack([first, second], axis=-1).reshape(*first.shape[:-1], -1)


def _side_by_side(first, second):
    return np.concatenate([first, second], axis=-1)


def _rotate(x, theta, *, speed=_slow, cut=_halves, join=_side_by_side, sign=1.0, start=0):
    """Turn the pairs (i, i + half) of each vector by its position times the speed of the pair."""
    size, seq = x.shape[-1], x.shape[-2]
    angles = (np.arange(seq) + start)[:, None] * speed(np.arange(size // 2), size, theta)
    (first, second), cosine, sine = cut(x), np.cos(angles), sign * np.sin(angles)
    return join(first * cosine - second * sine, second * cosine + first * sine)


def _in_parts(x, theta):
    """Return both halves, and cosine and sine of the angles."""
    size = x.shape[-1]
    angles = np.arange(x.shape[-2])[:, None] * _slow(np.arange(size // 2), size, theta)
    return *_halves(x), np.cos(angles), np.sin(angles)


def _without_sine(x, theta):
    first, second, cosine, _ = _in_parts(x, theta)
    return _side_by_side(first * cosine, second * cosine)


def _swapped_sine(x, theta):
    first, second, cosine, sine = _in_parts(x, theta)
    return _side_by_side(first * cosine + second * sine, second * cosine + first * sine)


def _not_crossed(x, theta):
    first, second, cosine, sine = _in_parts(x, theta)
    return _side_by_side(first * (cosine - sine), second * (cosine + sine))


def _overwritten(x, theta):
    first, second, cosine, sine = _in_parts(x, theta)
    first = first * cosine - second * sine
    return _side_by_side(first, second * cosine + first * sine)


def _angles_of_neighbors(x, theta):
    first, second, *waves = _in_parts(x, theta)
    cosine, sine = (np.repeat(wave, 2, axis=-1) for wave in waves)
    return x * cosine + _side_by_side(-second, first) * sine


check_rotate = Exercise(
    "Turn each vector by an angle for its position, pair by pair.",
    _rotate,
    cases=[
        (_RNG.normal(size=(1, 1, 3, 2)), 10.0),
        (_RNG.normal(size=(2, 2, 5, 6)), 50.0),
        (_RNG.normal(size=(1, 3, 4, 8)), 10_000.0),
    ],
    given=to_tensor,
    rtol=1e-7,
    forbidden=["a loop", "rotate"],
    then=gradients_flow(np.ones((1, 1, 3, 4)), 10.0, to=1),
    mistakes=[
        Mistake({"cut": _neighbors, "join": _woven}, "You turn neighbors: 0 with 1, 2 with 3. The "
                "paper does so too, but BERT's family pairs number i with number i + half."),
        Mistake({"sign": -1.0}, "You turn in the other direction. Scores would be the same, "
                "because only differences count, but not the vectors."),
        Mistake({"start": 1}, "Your first position is 1. Positions begin with 0, and the first "
                "vector stays as it is."),
        Mistake({"speed": lambda i, size, theta: np.ones(len(i))}, "All pairs turn equally fast. "
                "Pair i turns by theta to the power of -2i / head_size."),
        Mistake({"speed": lambda i, size, theta: theta ** (-1.0 * i / size)}, "Your pairs slow "
                "down too little: the exponent is -2i / head_size."),
        Mistake({"speed": lambda i, size, theta: theta ** (2.0 * i / size)}, "Your later pairs "
                "turn faster and faster. They should turn more slowly: the exponent is negative."),
        Mistake({"speed": lambda i, size, theta: np.degrees(_slow(i, size, theta))}, "cos and sin "
                "take radians."),
        Mistake(lambda x, theta: np.swapaxes(_rotate(np.swapaxes(x, 1, 2), theta), 1, 2),
                "You turn the heads, each by its number. Positions are the last "
                "dimension but one."),
        Mistake(_without_sine, "You shrink by the cosine, and nothing flows from one half to the "
                "other. A rotation needs the sine as well."),
        Mistake(_swapped_sine, "One of the two sines needs a minus, or lengths change."),
        Mistake({"speed": lambda i, size, theta: theta ** (-4.0 * i / size)}, "Your pairs slow "
                "down too much: the exponent is -2i / head_size, not over half of it."),
        Mistake({"speed": lambda i, size, theta: _slow(i + 1, size, theta)}, "Pairs are counted "
                "from 0: the first one turns by one radian for each position."),
        Mistake({"speed": lambda i, size, theta: np.full(len(i), theta)}, "theta is no angle. A "
                "power of it is: theta to the power of -2i / head_size."),
        Mistake(lambda x, theta: _rotate(x, 10_000.0), "You take 10 000 for theta. It is given."),
        Mistake(_angles_of_neighbors, "Numbers i and i + half turn by the same angle. Your angles "
                "are repeated for neighbors: repeat them half by half."),
        Mistake(_not_crossed, "The sine takes from each half what the other one gets: the first "
                "gets minus the second, and the second gets the first."),
        Mistake(_overwritten, "Your second half is made of the first one after its turn. Both "
                "need the numbers from before."),
        Mistake({"join": lambda first, second: _side_by_side(second, first)}, "Your halves come "
                "back in the wrong order."),
        Mistake({"join": _woven}, "You cut into halves and put together as neighbors. Number i "
                "goes back to place i."),
        Mistake(lambda x, theta: _side_by_side(_halves(_rotate(x, theta))[0], _halves(x)[1]),
                "Only your first half has turned."),
        Mistake(lambda x, theta: x, "Nothing is turned."),
    ],
)  # fmt: skip


def _slopes(heads):
    return 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads)


def _alibi(seq, heads, *, slopes=_slopes, away=np.abs, sign=-1.0):
    """Return for each head a penalty that grows with the distance."""
    places = np.arange(seq)
    distance = away(places[:, None] - places)
    return sign * slopes(heads)[:, None, None] * distance


check_alibi = Exercise(
    "Compute the bias that ALiBi adds to the scores of each head.",
    _alibi,
    cases=[(4, 2), (5, 4), (3, 8), (3, 6)],
    rtol=1e-6,  # of numbers in 32 bits
    mistakes=[
        Mistake({"sign": 1.0}, "Your bias rewards distance. What is far away shall score lower."),
        Mistake({"away": as_it_is}, "Your bias is negative on one side and positive on the other. "
                "An encoder looks both ways: take the absolute distance."),
        Mistake({"away": lambda distance: np.maximum(distance, 0)}, "Tokens to the right are not "
                "punished. That is right for a model that reads from left to right; here both "
                "sides count."),
        Mistake({"away": lambda distance: np.abs(distance) + 1}, "A token is no step away from "
                "itself: your distances begin with 1."),
        Mistake({"away": lambda distance: np.abs(distance) / len(distance)}, "Your distance is a "
                "part of the text. Count tokens: then a longer text changes nothing."),
        Mistake({"away": lambda distance: np.where(distance < 0, np.inf, distance)}, "Tokens to "
                "the right are hidden. That is a decoder's mask; here both sides count."),
        Mistake({"slopes": lambda heads: 2.0 ** (-np.arange(1, heads + 1) / heads)}, "The 8 is "
                "missing: the slopes go down to 2 to the power of -8."),
        Mistake({"slopes": lambda heads: 2.0 ** -np.arange(1, heads + 1)}, "That is right for 8 "
                "heads only: head h of n has the slope 2 to the power of -8 h / n."),
        Mistake({"slopes": lambda heads: 2.0 ** (-8 * np.arange(1, heads + 1) // heads)}, "Your "
                "division has dropped what is behind the point: // gives whole numbers."),
        Mistake({"slopes": lambda heads: np.exp(-8 * np.arange(1, heads + 1) / heads)}, "A slope "
                "is a power of 2, not of e."),
        Mistake({"slopes": lambda heads: 1 / _slopes(heads)}, "Your later heads have steeper "
                "slopes, above 1. The exponent is negative."),
        Mistake({"slopes": lambda heads: 8.0 * np.arange(1, heads + 1) / heads}, "A slope is 2 to "
                "the power of that, with a minus: 2 ** (-8 h / n)."),
        Mistake(lambda seq, heads: np.exp(_alibi(seq, heads)), "The bias is added before the "
                "softmax, which takes the exponential."),
        Mistake({"away": np.square}, "Your bias grows with the square of the distance. It is a "
                "straight line."),
        Mistake({"slopes": np.ones}, "All heads have the same slope. Head h of n has the slope 2 "
                "to the power of -8 h / n."),
        Mistake({"slopes": lambda heads: _slopes(heads) * 2 ** (8 / heads)}, "Heads are counted "
                "from 1 here: the first slope is 2 to the power of -8 / heads."),
        Mistake({"slopes": lambda heads: _slopes(heads)[::-1]}, "Your slopes stand in the wrong "
                "order: the first head has the steepest one."),
        Mistake(lambda seq, heads: _alibi(seq, heads)[0], "That is one head. Return one matrix for "
                "each."),
    ],
)  # fmt: skip
