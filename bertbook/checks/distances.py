"""Exercises of Chapter 22 about positions in attention: RoPE and ALiBi."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise
from .tensors import gradients_flow, to_tensor

_RNG = np.random.default_rng(22)


def _rotate(x, theta):
    seq, size = x.shape[-2:]
    angles = np.arange(seq)[:, None] * theta ** (-2.0 * np.arange(size // 2) / size)
    (first, second), cosine, sine = np.split(x, 2, axis=-1), np.cos(angles), np.sin(angles)
    turned = first * cosine - second * sine, second * cosine + first * sine
    return np.concatenate(turned, axis=-1)


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
    mistakes={
        "np.split(x, 2, axis=-1) → (x[..., ::2], x[..., 1::2])||np.concatenate(turned, axis=-1) → "
            "np.stack(turned, axis=-1).reshape(x.shape)": "You turn neighbors: 0 with 1, 2 with 3. "
            "The paper does so too, but BERT's family pairs number i with number i + half.",
        "np.sin(angles) → -np.sin(angles)": "You turn in the other direction. Scores would be the "
            "same, because only differences count, but not the vectors.",
        "np.arange(seq) → np.arange(1, seq + 1)": "Your first position is 1. Positions begin with "
            "0, and the first vector stays as it is.",
        "-2.0 * → 0 *": "All pairs turn equally fast. Pair i turns by theta to the power of -2i / "
            "head_size.",
        "-2.0 → -1.0": "Your pairs slow down too little: the exponent is -2i / head_size.",
        "-2.0 → 2.0": "Your later pairs turn faster and faster. They should turn more slowly: the "
            "exponent is negative.",
        "theta ** → np.degrees(1) * theta **": "cos and sin take radians.",
        "→ np.swapaxes(right(np.swapaxes(x, 1, 2), theta), 1, 2)": "You turn the heads, each by "
            "its number. Positions are the last dimension but one.",
        "- second * sine →||+ first * sine →": "You shrink by the cosine, and nothing flows from "
            "one half to the other. A rotation needs the sine as well.",
        "- second → + second": "One of the two sines needs a minus, or lengths change.",
        "-2.0 → -4.0": "Your pairs slow down too much: the exponent is -2i / head_size, not over "
            "half of it.",
        "np.arange(size // 2) → np.arange(1, size // 2 + 1)": "Pairs are counted from 0: the first "
            "one turns by one radian for each position.",
        "theta ** (-2.0 * np.arange(size // 2) / size) → theta": "theta is no angle. A power of it "
            "is: theta to the power of -2i / head_size.",
        "→ right(x, 10_000.0)": "You take 10 000 for theta. It is given.",
        "np.concatenate(turned, axis=-1) → x * np.repeat(cosine, 2, -1) + np.concatenate((-second, "
            "first), -1) * np.repeat(sine, 2, -1)": "Numbers i and i + half turn by the same "
            "angle. Your angles are repeated for neighbors: repeat them half by half.",
        "- second * sine → - first * sine||+ first * sine → + second * sine":
            "The sine takes from each half what the other one gets: the first gets minus the "
            "second, and the second gets the first.",
        "turned = first * cosine - second * sine, → first = first * cosine - second * sine\n    "
            "turned = first,": "Your second half is made of the first one after its turn. Both "
            "need the numbers from before.",
        "(turned, → (turned[::-1],": "Your halves come back in the wrong order.",
        "np.concatenate(turned, axis=-1) → np.stack(turned, axis=-1).reshape(x.shape)":
            "You cut into halves and put together as neighbors. Number i goes back to place i.",
        "second * cosine + first * sine → second": "Only your first half has turned.",
        "→ x": "Nothing is turned.",
    },
)  # fmt: skip


def _alibi(seq, heads):
    slopes, places = 2.0 ** (-8.0 * np.arange(1, heads + 1) / heads), np.arange(seq)
    away = places[:, None] - places
    return -slopes[:, None, None] * np.abs(away)


check_alibi = Exercise(
    "Compute the bias that ALiBi adds to the scores of each head.",
    _alibi,
    cases=[(4, 2), (5, 4), (3, 8), (3, 6)],
    rtol=1e-6,  # of numbers in 32 bits
    mistakes={
        "-slopes → slopes": "Your bias rewards distance. What is far away shall score lower.",
        "np.abs(away) → away": "Your bias is negative on one side and positive on the other. An "
            "encoder looks both ways: take the absolute distance.",
        "np.abs(away) → np.maximum(away, 0)": "Tokens to the right are not punished. That is right "
            "for a model that reads from left to right; here both sides count.",
        "np.abs(away) → (np.abs(away) + 1)": "A token is no step away from itself: your distances "
            "begin with 1.",
        "np.abs(away) → np.abs(away) / seq": "Your distance is a part of the text. Count tokens: "
            "then a longer text changes nothing.",
        "np.abs(away) → np.where(away < 0, np.inf, away)": "Tokens to the right are hidden. That "
            "is a decoder's mask; here both sides count.",
        "-8.0 → -1.0": "The 8 is missing: the slopes go down to 2 to the power of -8.",
        "-8.0 → -1.0||/ heads →": "That is right for 8 heads only: head h of n has the slope 2 to "
            "the power of -8 h / n.",
        "/ heads → // heads": "Your division has dropped what is behind the point: // gives whole "
            "numbers.",
        "2.0 ** ( → np.exp(": "A slope is a power of 2, not of e.",
        "-8.0 → 8.0": "Your later heads have steeper slopes, above 1. The exponent is negative.",
        "2.0 ** (-8.0 → (8.0": "A slope is 2 to the power of that, with a minus: 2 ** (-8 h / n).",
        "→ np.exp(right(seq, heads))": "The bias is added before the softmax, which takes the "
            "exponential.",
        "np.abs(away) → away**2": "Your bias grows with the square of the distance. It is a "
            "straight line.",
        "-8.0 → 0.0": "All heads have the same slope. Head h of n has the slope 2 to the power of "
            "-8 h / n.",
        "np.arange(1, heads + 1) → np.arange(heads)": "Heads are counted from 1 here: the first "
            "slope is 2 to the power of -8 / heads.",
        "slopes[: → slopes[::-1": "Your slopes stand in the wrong order: the first head has the "
            "steepest one.",
        "→ right(seq, heads)[0]": "That is one head. Return one matrix for each.",
    },
)  # fmt: skip
