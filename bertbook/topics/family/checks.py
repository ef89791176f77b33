"""Exercises of Chapter 25: RoBERTa's positions, RoPE and ALiBi."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import gradients_flow, to_tensor


def _positions(ids, padding):
    is_token = (ids != padding).astype(int)
    return np.cumsum(is_token, axis=1) * is_token + padding


_ROWS = np.array([[0, 31, 7, 2, 1, 1], [0, 31, 7, 9, 8, 2]])


def _not_whole(function):
    """Return that positions are no whole numbers, if they are not."""
    if np.asarray(function(to_tensor(_ROWS), 1)).dtype.kind in "iu":
        return ""
    return "they are no whole numbers, and an embedding looks up rows by whole numbers: .long()."


check_positions = Exercise(
    "Number the tokens of each row as RoBERTa does.",
    _positions,
    cases=[(_ROWS, 1), (np.array([[1, 1, 0, 5, 2], [0, 6, 2, 1, 1], [0, 5, 6, 7, 2]]), 1),
           (np.array([[5, 6, 3, 3], [4, 3, 3, 3]]), 3)],
    given=to_tensor, then=_not_whole,
    mistakes={
        "+ padding →": "They begin after the padding id.",
        "* is_token →": "Padding stands at the padding id.",
        "axis=1 → axis=0": "Each row is a sentence.",
        "!= → >": "An id below that of padding is a token, too.",
        "!= → ==": "You count the padding.",
    },
)  # fmt: skip


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
    cases=[(_RNG.normal(size=(1, 1, 3, 2)), 10.0), (_RNG.normal(size=(2, 2, 5, 6)), 50.0),
           (_RNG.normal(size=(1, 3, 4, 8)), 10_000.0)],
    forbidden=["a loop", "rotate"],
    given=to_tensor, rtol=1e-7, then=gradients_flow(np.ones((1, 1, 3, 4)), 10.0, to=1),
    mistakes={
        "np.sin(angles) → -np.sin(angles)": "You turn in the other direction.",
        "-2.0 → -1.0 ¦ 2.0 ¦ -4.0": "Pair i turns by theta ** (-2i / head_size).",
        "- second → + second": "One of the two sines needs a minus, the other one a plus, or "
            "lengths change.",
        "cosine, sine = → sine, cosine =": "Which of cosine and sine is 1 at position 0?",
        "theta ** (…) → theta ¦ (1 / theta)": "Pair i turns by theta ** (-2i / head_size).",
        "(turned, → (turned[::-1],": "Number i goes back to place i.",
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
        "-slopes → slopes": "What is far away should score lower.",
        "np.abs(away) → away": "An encoder looks both ways: take the absolute distance.",
        "/ heads →": "The slope is 2 ** (-8 h / n).",
        "/ heads → // heads": "// gives whole numbers.",
        "2.0 ** ( → np.exp(": "A slope is a power of 2, not of e.",
    },
)  # fmt: skip
