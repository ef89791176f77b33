"""Exercises of Chapter 13: the schedule and clipping."""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(13)


def _fall(step, warm, end):
    return (end - step) / (end - warm)


def _rate(step, peak, warm, end, *, rise=lambda step, warm, end: step / warm, fall=_fall, shift=0,
          times=as_it_is):  # fmt: skip
    """Compute the learning rate of an update: a rise, then a fall to 0."""
    step = step + shift
    part = rise(step, warm, end) if step < warm else fall(step, warm, end)
    return times(peak) * part


def _cosine(step, warm, end):
    return (1 + math.cos(math.pi * (step - warm) / (end - warm))) / 2


check_schedule = Exercise(
    "Return the learning rate of an update, with warm-up and linear decay.",
    _rate,
    cases=[
        (step, peak, warm, end)
        for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
        for step in (1, 3, warm, warm + 1, end - 1, end)
    ],
    forbidden=["learning_rate_factor"],
    mistakes=[
        Mistake({"fall": lambda s, w, e: 1}, "It rises as it should. After the warm-up, where does "
                "it have to arrive?"),
        Mistake({"rise": lambda s, w, e: (e - s) / e, "fall": lambda s, w, e: (e - s) / e},
                "It falls from the very first step. What about the warm-up?"),
        Mistake({"rise": _fall}, "It falls along one line from the very first step. What about the "
                "warm-up?"),
        Mistake({"rise": lambda s, w, e: 1}, "It begins at the peak. What about the warm-up?"),
        *(Mistake({"fall": lambda s, w, e, at=at: (e - s) / e if s > w - at else 1}, "Right up to "
                  "the peak, and then it jumps. How many steps has the fall, if the warm-up is "
                  "over?") for at in (0, 1)),
        Mistake(lambda s, p, w, e: p * s / w if s < w else p * (e - s) / e - w, "In (max_steps - "
                "warmup_steps) the brackets matter."),
        Mistake(lambda s, p, w, e: p * s / w if s < e else 0, "The rise goes on. At which step "
                "does the fall begin?"),
        Mistake(partial(_rate, rise=lambda s, w, e: (s / w) ** 2), "The rise is bent. It follows a "
                "straight line."),
        Mistake(partial(_rate, fall=lambda s, w, e: 0), "After the warm-up nothing is left. The "
                "rate falls step by step."),
        Mistake(lambda s, p, w, e: p * min(s / w, 1) * (e - s) / e, "You multiply warm-up and "
                "decay. The fall begins when the rise is over, at the peak."),
        Mistake(lambda s, p, w, e: p * min(s / w, (e - s) / e), "You take the smaller of two "
                "lines, but the second one begins at step 0. Where should it leave the peak?"),
        Mistake({"fall": _cosine}, "That is a cosine. This schedule falls along a straight line."),
        Mistake({"rise": lambda s, w, e: s // w, "fall": lambda s, w, e: (e - s) // (e - w)},
                "// rounds down to whole numbers. Divide by /."),
        Mistake({"shift": 1}, "You are one step ahead. How many updates were made before the first "
                "one?"),
        Mistake({"shift": -1}, "You are one step late. The rate is highest when as many updates "
                "were made as the warm-up has."),
        *(Mistake({"rise": lambda s, w, e, more=more: (s + 1) / (w + more)}, "The rise is one step "
                  "ahead. The first update is made with rate 0.") for more in (0, 1)),
        Mistake({"rise": lambda s, w, e: 1 / w}, "In the warm-up your rate does not move. How many "
                "of its steps are made?"),
        Mistake({"fall": lambda s, w, e: 1 - (s - w) / e}, "It leaves the peak in time, but too "
                "slowly. In how many steps must the fall be over?"),
        Mistake({"fall": lambda s, w, e: 1 - s / (e - w)}, "Right up to the peak, and then it "
                "jumps. Count the steps of the fall from the end of the warm-up."),
        Mistake({"fall": lambda s, w, e: (s - w) / (e - w)}, "After the warm-up yours begins at 0 "
                "and rises. Which part of the fall is left?"),
        Mistake({"fall": lambda s, w, e: (e - s - 1) / (e - w)}, "The fall is one step ahead. "
                "Right after the warm-up the rate is the peak."),
        Mistake(lambda s, p, w, e: p * max(s / w, (e - s) / (e - w)), "You take the larger of two "
                "lines, or have exchanged rise and fall. Which line is the lower, and when?"),
        Mistake(lambda s, p, w, e: p * min(s / (e - w), (e - s) / w), "Your rise is as long as "
                "the fall should be. How many steps has the warm-up?"),
        Mistake({"times": lambda peak: 1}, "You return a share of the peak. Multiply it by the "
                "peak itself."),
        *(Mistake(lambda s, p, w, e, late=late: _rate(s, 1 if (s >= w) == late else p, w, e),
                  f"The {part} does not know the peak. Multiply it by the peak, too.")
          for part, late in (("rise", False), ("fall", True))),
        Mistake(partial(_rate, rise=lambda s, w, e: w / s), "The rise is upside down. What share "
                "of the warm-up is over?"),
        Mistake(partial(_rate, rise=lambda s, w, e: s), "The rise goes on far beyond the peak. By "
                "how many steps do you divide?"),
        Mistake(partial(_rate, rise=lambda s, w, e: s / e), "The rise takes as long as the whole "
                "training. How many steps has the warm-up?"),
        Mistake(partial(_rate, fall=lambda s, w, e: (s - e) / (e - w)), "The fall has the wrong "
                "sign. How many steps are left?"),
        Mistake(partial(_rate, fall=lambda s, w, e: (e - s + 1) / (e - w)), "The fall begins "
                "above the peak and does not reach 0. How many steps are left at the last one?"),
        Mistake(partial(_rate, fall=lambda s, w, e: (e - s) / w), "You divide the fall by the "
                "steps of the warm-up. How many has the fall?"),
        Mistake(partial(_rate, fall=lambda s, w, e: math.sqrt(w / s)), "That falls with the root "
                "of the step and never arrives at 0. This schedule falls along a straight line."),
        Mistake(lambda s, p, w, e: p * s / w if s < w else p - (s - w) / (e - w), "After the "
                "warm-up you subtract a share of 1. It is that share of the peak which is gone."),
    ],
)  # fmt: skip


def _length(*gradients):
    return math.sqrt(sum(float((gradient**2).sum()) for gradient in gradients))


def _at_most_one(ratio):
    return min(1.0, ratio)


def _clip(weight, bias, longest, *, length=_length, factor=_at_most_one, limit=None):
    share = factor((limit or longest) / length(weight, bias))
    return weight * share, bias * share


def _each(weight, bias, longest):
    return tuple(gradient * min(1.0, longest / _length(gradient)) for gradient in (weight, bias))


check_clipping = Exercise(
    "Shorten two gradients together, if they are too long together.",
    _clip,
    cases=[
        (np.array([[3.0]]), np.array([4.0]), 1.0),
        (_RNG.normal(size=(2, 3)), _RNG.normal(size=2), 0.5),
        (_RNG.normal(size=(2, 2)), 5 * _RNG.normal(size=2), 2.0),
        (np.array([[0.3, 0.0]]), np.array([0.4]), 1.0),
    ],
    rtol=1e-6,  # PyTorch adds 1e-6 to the length
    mistakes=[
        Mistake(_each, "Each gradient is shortened on its own. That turns the direction of the "
                "whole: there is one length for both."),
        Mistake({"factor": as_it_is}, "Long gradients are right. What should happen to one that is "
                "short enough?"),
        Mistake(lambda w, b, longest: [x * min(longest / _length(w, b), _length(w, b)) for x in
                (w, b)], "Long gradients are right. What should happen to one that is short "
                "enough?"),
        Mistake(lambda w, b, longest: [min(1.0, longest / _length(w, b))] * 2, "That is the "
                "factor. Multiply both by it."),
        *(Mistake(lambda w, b, longest, low=low: [x.clip(low * longest, longest) for x in (w, b)],
                  "You cut each number off. That turns the direction; scale all numbers by one "
                  "factor.") for low in (-1, -np.inf, 0)),
        Mistake({"length": lambda w, b: _length(w, b) ** 2}, "You divide by the square of "
                "the length. Where is the root?"),
        Mistake({"length": lambda w, b: np.abs(w).sum() + np.abs(b).sum()}, "You measure the "
                "length by adding up sizes. Add up squares, then take the root."),
        Mistake({"length": lambda *both: sum(map(_length, both))}, "You add two lengths. "
                "That of both together is the root of all squares, as a path over a corner is "
                "longer than the straight one."),
        Mistake({"length": lambda *both: max(map(_length, both))}, "You take the longer "
                "of the two. There is one length of both together."),
        Mistake({"factor": lambda ratio: 1.0}, "Nothing is shortened."),
        Mistake({"factor": lambda ratio: min(1.0, ratio**2)}, "The factor is squared. The length "
                "must come out as the allowed one."),
        Mistake({"factor": lambda ratio: min(1.0, 1 / ratio)}, "Your factor is upside down: it is "
                "the allowed length divided by the length."),
        Mistake({"length": lambda w, b: max(np.abs(w).max(), np.abs(b).max())}, "You measure the "
                "largest number. The length is the root of all squares."),
        Mistake({"length": lambda w, b: _length(w)}, "You measure the weight alone. Both "
                "gradients have one length together."),
        Mistake({"length": lambda w, b: math.sqrt((w**2).mean() + (b**2).mean())}, "You take means "
                "of squares. A length adds them up."),
        *(Mistake({"length": lambda w, b, of=of: math.hypot(of[0](w), of[1](b))}, "You add up "
                  "before you square, and signs cancel. Square each number first.")
          for of in ((np.sum, np.sum), (np.sum, _length), (_length, np.sum))),
        Mistake({"length": lambda w, b: math.hypot(np.linalg.norm(w, 2), _length(b))}, "Of a "
                "matrix norm(w, 2) is something else. Add up the squares of all its numbers."),
        Mistake(lambda w, b, longest: (_clip(w, b, longest)[0], b), "The bias keeps its size. Both "
                "are multiplied by the one factor."),
        Mistake(lambda w, b, longest: [x - max(0.0, _length(w, b) - longest) for x in (w, b)],
                "You subtract what is too much from each number. Multiply all by one factor."),
        Mistake({"limit": 1.0}, "You make the length 1. Which length is allowed?"),
        Mistake({"factor": lambda ratio: max(1.0, ratio)}, "You lengthen what is short. It is the "
                "long ones that are shortened."),
        *(Mistake({"length": length, "factor": factor}, "You add the two arrays entry by entry, "
                  "and their shapes need not fit. Make one number of each array first: the sum of "
                  "its squares.")
          for length in (lambda w, b: np.sqrt(w**2 + b**2), lambda w, b: np.linalg.norm(w + b))
          for factor in (_at_most_one, lambda ratio: np.minimum(1.0, ratio))),
        *(Mistake({"length": lambda w, b, rest=rest: np.sqrt((w**2).sum(axis=0) + rest(b))}, "You "
                  "add up the squares of each column. Add up all of them: sum() without an axis.")
          for rest in (lambda b: (b**2).sum(), lambda b: 0)),
        Mistake(lambda w, b, longest: np.array([w, b]), "One array cannot hold two shapes. Add up "
                "the squares of each one, or lay both out in a row: np.concatenate of .ravel()."),
        Mistake(lambda *case: _clip(*case)[::-1], "Turned around: first the weight, then the "
                "bias."),
        Mistake(lambda w, b, longest: [longest**(_length(w, b) > longest) * x for x in (w, b)],
                "You multiply by the allowed length. By what must you divide it?"),
        Mistake({"length": lambda w, b: math.sqrt(_length(w, b))}, "You take one root too many."),
    ],
)  # fmt: skip
