"""Exercises of Chapter 13: the schedule and clipping."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(13)


def _rate(step, peak, warm, end):
    if step < warm:
        return peak * step / warm
    return peak * (end - step) / (end - warm)


check_schedule = Exercise(
    "Return the learning rate of an update, with warm-up and linear decay.",
    _rate,
    cases=[
        (step, peak, warm, end)
        for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
        for step in (1, 3, warm, warm + 1, end - 1, end)
    ],
    forbidden=["learning_rate_factor"],
    mistakes={
        "(end - step) / (end - warm) → 1": "It rises as it should. After the warm-up, where does "
            "it have to arrive?",
        "step / warm → (end - step) / end||(end - warm) → end": "It falls from the very first "
            "step. What about the warm-up?",
        "step / warm → (end - step) / (end - warm)": "It falls along one line from the very first "
            "step. What about the warm-up?",
        "step / warm → 1": "It begins at the peak. What about the warm-up?",
        ("(end - warm) → end",
            "(end - step) / (end - warm) → ((end - step) / end if step > warm else 1)"):
            "Right up to the peak, and then it jumps. How many steps has the fall, if the warm-up "
            "is over?",
        "(end - warm) → end - warm": "In (max_steps - warmup_steps) the brackets matter.",
        "step < warm → step < end": "The rise goes on. At which step does the fall begin?",
        "step / warm → (step / warm) ** 2": "The rise is bent. It follows a straight line.",
        "(end - step) → 0": "After the warm-up nothing is left. The rate falls step by step.",
        "→ peak * min(step / warm, 1) * (end - step) / end": "You multiply warm-up and decay. The "
            "fall begins when the rise is over, at the peak.",
        "→ peak * min(step / warm, (end - step) / end)": "You take the smaller of two lines, but "
            "the second one begins at step 0. Where should it leave the peak?",
        "(end - step) / → (1 + np.cos(np.pi * (step - warm) / (end - warm))) / 2 * (end - warm) /":
            "That is a cosine. This schedule falls along a straight line.",
        ("step / warm → (step // warm)||(end - step) / (end - warm) → ((end - step) // (end - "
            "warm))", "/ → //"): "// rounds down to whole numbers. Divide by /.",
        "if → step += 1\n    if": "You are one step ahead. How many updates were made before the "
            "first one?",
        "if → step -= 1\n    if": "You are one step late. The rate is highest when as many updates "
            "were made as the warm-up has.",
        ("step / warm → (step + 1) / warm", "step / warm → (step + 1) / (warm + 1)"):
            "The rise is one step ahead. The first update is made with rate 0.",
        "step / warm → 1 / warm": "In the warm-up your rate does not move. How many of its steps "
            "are made?",
        "(end - step) / (end - warm) → (1 - (step - warm) / end)": "It leaves the peak in time, "
            "but too slowly. In how many steps must the fall be over?",
        "(end - step) / (end - warm) → (1 - step / (end - warm))": "Right up to the peak, and then "
            "it jumps. Count the steps of the fall from the end of the warm-up.",
        "(end - step) → (step - warm)": "After the warm-up yours begins at 0 and rises. Which part "
            "of the fall is left?",
        "(end - step) → (end - step - 1)": "The fall is one step ahead. Right after the warm-up "
            "the rate is the peak.",
        "→ peak * max(step / warm, (end - step) / (end - warm))": "You take the larger of two "
            "lines, or have exchanged rise and fall. Which line is the lower, and when?",
        "→ peak * min(step / (end - warm), (end - step) / warm)": "Your rise is as long as the "
            "fall should be. How many steps has the warm-up?",
        "peak * →": "You return a share of the peak. Multiply it by the peak itself.",
        "peak * step → step": "The rise does not know the peak. Multiply it by the peak, too.",
        "peak * (end → (end": "The fall does not know the peak. Multiply it by the peak, too.",
        "step / warm → warm / step": "The rise is upside down. What share of the warm-up is over?",
        "step / warm → step": "The rise goes on far beyond the peak. By how many steps do you "
            "divide?",
        "step / warm → step / end": "The rise takes as long as the whole training. How many steps "
            "has the warm-up?",
        "(end - step) → (step - end)": "The fall has the wrong sign. How many steps are left?",
        "(end - step) → (end - step + 1)": "The fall begins above the peak and does not reach 0. "
            "How many steps are left at the last one?",
        "(end - warm) → warm": "You divide the fall by the steps of the warm-up. How many has the "
            "fall?",
        "(end - step) / (end - warm) → np.sqrt(warm / step)": "That falls with the root of the "
            "step and never arrives at 0. This schedule falls along a straight line.",
        "peak * (end - step) → peak - (step - warm)": "After the warm-up you subtract a share of "
            "1. It is that share of the peak which is gone.",
    },
)  # fmt: skip


def _clip(weight, bias, longest):
    squares = (weight**2).sum() + (bias**2).sum()
    ratio = longest / squares**0.5
    factor = min(1.0, ratio)
    return weight * factor, bias * factor


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
    mistakes={
        "→ [x * min(1.0, longest / np.linalg.norm(x)) for x in (weight, bias)]":
            "Each gradient is shortened on its own. That turns the direction of the whole: there "
            "is one length for both.",
        ("min(1.0, ratio) → ratio", "1.0, → squares**0.5,"): "Long gradients are right. What "
            "should happen to one that is short enough?",
        "weight * factor, bias * factor → factor, factor": "That is the factor. Multiply both by "
            "it.",
        ("→ [x.clip(-longest, longest) for x in (weight, bias)]",
            "→ [x.clip(None, longest) for x in (weight, bias)]",
            "→ [x.clip(0, longest) for x in (weight, bias)]"): "You cut each number off. That "
            "turns the direction; scale all numbers by one factor.",
        "squares**0.5 → squares": "You divide by the square of the length. Where is the root?",
        "squares**0.5 → (np.abs(weight).sum() + np.abs(bias).sum())": "You measure the length by "
            "adding up sizes. Add up squares, then take the root.",
        "squares**0.5 → (np.linalg.norm(weight) + np.linalg.norm(bias))":
            "You add two lengths. That of both together is the root of all squares, as a path over "
            "a corner is longer than the straight one.",
        "squares**0.5 → max(np.linalg.norm(weight), np.linalg.norm(bias))":
            "You take the longer of the two. There is one length of both together.",
        "ratio) → 1.0)": "Nothing is shortened.",
        "ratio) → ratio**2)": "The factor is squared. The length must come out as the allowed one.",
        "ratio) → 1 / ratio)": "Your factor is upside down: it is the allowed length divided by "
            "the length.",
        "squares**0.5 → max(np.abs(weight).max(), np.abs(bias).max())":
            "You measure the largest number. The length is the root of all squares.",
        "+ (bias**2).sum() →": "You measure the weight alone. Both gradients have one length "
            "together.",
        "sum → mean": "You take means of squares. A length adds them up.",
        ("(weight**2).sum() → weight.sum()**2||(bias**2).sum() → bias.sum()**2",
            "(weight**2).sum() → weight.sum()**2", "(bias**2).sum() → bias.sum()**2"):
            "You add up before you square, and signs cancel. Square each number first.",
        "(weight**2).sum() → np.linalg.norm(weight, 2)**2": "Of a matrix norm(w, 2) is something "
            "else. Add up the squares of all its numbers.",
        "bias * factor → bias": "The bias keeps its size. Both are multiplied by the one factor.",
        "→ [x - max(0.0, np.hypot(*map(np.linalg.norm, (weight, bias))) - longest) for x in "
            "(weight, bias)]": "You subtract what is too much from each number. Multiply all by "
            "one factor.",
        "longest / → 1.0 /": "You make the length 1. Which length is allowed?",
        "min → max": "You lengthen what is short. It is the long ones that are shortened.",
        (".sum() →", ".sum() →||min → np.minimum", "squares**0.5 → np.linalg.norm(weight + bias)"):
            "You add the two arrays entry by entry, and their shapes need not fit. Make one number "
            "of each array first: the sum of its squares.",
        ("(weight**2).sum() → (weight**2).sum(axis=0)",
            "(weight**2).sum() + (bias**2).sum() → (weight**2).sum(axis=0)"):
            "You add up the squares of each column. Add up all of them: sum() without an axis.",
        "→ np.array([weight, bias])": "One array cannot hold two shapes. Add up the squares of "
            "each one, or lay both out in a row: np.concatenate of .ravel().",
        "weight * factor, bias * factor → bias * factor, weight * factor":
            "Turned around: first the weight, then the bias.",
        "min(1.0, ratio) → longest ** (ratio < 1)": "You multiply by the allowed length. By what "
            "must you divide it?",
        "**0.5 → **0.25": "You take one root too many.",
    },
)  # fmt: skip
