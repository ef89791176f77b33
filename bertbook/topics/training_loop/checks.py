"""Exercises of Chapter 13: the schedule, pieces of a batch, resuming, a measurement."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
from numpy.linalg import norm
from torch.optim.optimizer import register_optimizer_step_post_hook

from bertbook.core.exercises.exercise import Exercise, attempt
from bertbook.core.exercises.verdict import Verdict

PEAK = 0.03  # of Exercise 13.4
_RNG = np.random.default_rng(13)


def _rate(step, peak, warm, end):
    fall = (end - step) / (end - warm)
    return peak * (step / warm if step < warm else fall)


check_schedule = Exercise(
    "Return the learning rate of an update, with warm-up and linear decay.",
    _rate,
    cases=[(step, peak, warm, end) for peak, warm, end in ((1.0, 4, 9), (1e-4, 10, 100))
           for step in (1, 3, warm, warm + 1, end - 1, end)],
    forbidden=["learning_rate_factor"],
    mistakes={
        "fall) → 1)": "After the warm-up, where does the rate have to arrive?",
        "→ right(step, peak, 0, end)": "And the warm-up?",
        "(end - warm) → end": "How many steps has the fall, once the warm-up is over?",
        "fall) → 0)": "After the warm-up the rate falls step by step.",
        "step / warm → step / end ¦ 1 ¦ warm / step": "How far has it risen?",
        "(end - step) → (step - end) ¦ (step - warm)": "What is left of the fall?",
        "step < warm → step > warm": "When does the rate rise?",
        "/ → //": "// rounds down. Divide by /.",
        "→ right(step - 1, peak, warm, end)": "You are one step late. When is the rate highest?",
        "peak * →": "Both have the peak.",
    },
)  # fmt: skip


def _of_pieces(gradients, labels, longest):
    known = [(g, n) for g, n in zip(gradients, labels) if n > 0]
    total = sum(n * g for g, n in known) / sum(labels)
    ratio = longest / norm(total)
    return total * min(1.0, ratio)


check_accumulation = Exercise(
    "Join the gradients of a batch that came in pieces, and clip.",
    _of_pieces,
    cases=[([np.array([3.0, 1.0]), np.array([-1.0, 1.0])], [1, 3], 9.0),
           ([np.array([8.0, 0.0]), np.array([0.0, 2.0])], [1, 3], 1.0),
           ([*_RNG.normal(size=(3, 4))], [5, 1, 2], 0.5),
           ([np.array([1.0, 2.0]), np.full(2, np.nan), np.array([3.0, -1.0])], [2, 0, 5], 10.0)],
    mistakes={
        "n * g → g": "Each gradient is a mean: of how many?",
        ("sum(labels) → sum(labels) / len(labels)", "sum(labels) → len(known)", "/ sum(labels) →"):
            "The mean is over all labels. By what do you "
            "divide?",
        "n * g → g / n": "A piece counts more, the more labels stand behind it.",
        "n > 0 → n > 1": "A piece with a single label counts, too.",
        "total * min(1.0, ratio) → np.clip(total, -longest, longest)": "Each entry is cut. "
            "It is the norm of the whole that is bounded.",
        "total * min(1.0, ratio) → total": "The gradient may be too long. Where is it clipped?",
        "norm(total) → abs(total).sum() ¦ abs(total).max() ¦ norm(total) ** 2": "The norm is the "
            "root of the sum of squares.",
        "total * min(1.0, ratio) → sum(n * g * min(1.0, longest / norm(g)) for g, n in known) / "
            "sum(labels)": "Clip once, when the pieces have been joined.",
        "min → max": "You lengthen what is short. It is the long ones that are shortened.",
    },
)  # fmt: skip


def _go_on(saved, gradients, lr):
    weight, m, v = saved["weight"], saved["m"], saved["v"]
    for step in range(saved["step"], len(gradients)):
        m = 0.9 * m + 0.1 * gradients[step]
        v = 0.999 * v + 0.001 * gradients[step] ** 2
        fair_m = m / (1 - 0.9 ** (step + 1))
        fair_v = v / (1 - 0.999 ** (step + 1))
        weight = weight - lr * fair_m / fair_v**0.5
    return weight


_CUT = {"step": 2, "weight": 1.5, "m": 0.07, "v": 0.0006}

check_going_on = Exercise(
    "Go on with a run of Adam from what was kept of it.",
    _go_on,
    cases=[(_CUT, [0.5, 0.3, -0.4, 0.2], 0.1), ({"step": 1, "weight": -0.3, "m": -0.2, "v": 0.004},
           [-2.0, 0.7, 1.1], 0.01), ({"step": 3, "weight": 2.0, "m": 0.01, "v": 0.002},
           [0.1, -0.9, 1.0, 0.4, 0.4, -0.6], 0.5)],
    edges=[(_CUT, [0.5, 0.3], 0.1)],
    mistakes={
        '(step + 1) → (saved["step"] + 1) ¦ len(gradients)': "You divide by the same two shares in "
            "all updates. They change with each.",
        "m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v "
            "/||step + 1 → step + 1 ¦ step": "You move before m and v know the new gradient.",
        'saved["step"], len → 0, len ¦ saved["step"] + 1, len': "Which gradients has the run not "
            "seen yet?",
        ("0.9 * m + 0.1 * gradients[step] → 0.9 * m + gradients[step] ¦ 0.1 * m + 0.9 * "
            "gradients[step]", "0.999 * v + 0.001 * → 0.99 * v + 0.01 *", "gradients[step] ** 2 → "
            "gradients[step] ¦ abs(gradients[step])"): "m keeps 0.9 of itself and takes 0.1 of the "
            "gradient; v keeps 0.999 and takes 0.001 of its square.",
        'saved["m"], saved["v"] → 0.0, 0.0': "m and v go on from what was saved.",
        "/ (1 - 0.9 ** (step + 1)) → || / (1 - 0.999 ** (step + 1)) →": "Where is the bias "
            "correction?",
        "weight - lr → weight + lr": "Which way does a gradient descend?",
        "**0.5 →": "Divide m by the root of v.",
        "fair_v**0.5 → (fair_v**0.5 + 1e-8)": "ε is 0 here.",
        "lr * →": "Where is the learning rate?",
    },
)  # fmt: skip


def check_ends(measure: Callable) -> Verdict:
    """Say whether a measurement of the warm-up can be trusted; four runs are made.

    Args:
        measure: Yours: it takes the steps of warm-up and a list of seeds, and returns the last loss
            of each run.

    Returns:
        Whether it passed, and otherwise the first thing to mend.
    """
    ends = []
    for warmup, seeds in ((8, [0, 1]), (8, [1]), (1, [1])):
        with _updates() as rates:
            measured, problem = attempt(measure, warmup, seeds)
        problem = problem or _form_problem(measured, len(seeds)) or _of_updates(rates)
        if problem:
            return Verdict(False, problem)
        ends.extend(measured)
    problem = _of_training(measure) or _problem(*ends)
    right = "Right: every seed begins anew, and the warm-up counts. What did you find?"
    return Verdict(not problem, problem or right)


@contextmanager
def _updates() -> Iterator[list[float]]:
    """Collect the learning rate of every update that any optimizer makes."""
    rates: list[float] = []
    hook = register_optimizer_step_post_hook(
        lambda optimizer, *_: rates.append(max(group["lr"] for group in optimizer.param_groups))
    )
    try:
        yield rates
    finally:
        hook.remove()


def _of_updates(rates: list[float]) -> str:
    """Return that nothing was trained, or not with the peak that was asked for."""
    if not rates:
        return "No optimizer made an update while it ran. Where is a model trained for each seed?"
    highest = float(max(rates))
    if abs(highest - PEAK) <= 0.1 * PEAK:
        return ""
    asked = "Which peak does the exercise ask for?"
    return f"The highest learning rate of your runs is {highest:.3g}. {asked}"


def _form_problem(ends: object, count: int) -> str:
    """Return what is wrong with the form of the ends of so many runs."""
    try:
        numbers = np.asarray(ends, dtype=float)
    except (TypeError, ValueError):
        numbers = np.zeros(0)
    if numbers.shape != (count,):
        return f"It should return a list of one number for each seed, {count} here."
    good = np.isfinite(numbers).all()
    return "" if good else f"Some ends are not finite: {numbers.tolist()}."


def _of_training(measure: Callable) -> str:
    """Return that a function reads the losses of a log, and asks about nothing held out."""
    names = {*getattr(getattr(measure, "__code__", None), "co_names", ())}
    asks = "losses" not in names or names & {"asked", "held_out_loss"}
    return "" if asks else "`losses` are those of training. Where is the held-out loss?"


def _problem(first: float, second: float, alone: float, other: float) -> str:
    """Judge the runs by their ends: seeds 0 and 1, 1 alone, 1 with another warm-up."""
    if first == second:
        return "Two seeds end at the same number. Does the seed reach the model and the batches?"
    if alone != second:
        ends = f"Seed 1 ends at {alone:.4f} alone, and at {second:.4f} after seed 0."
        return f"{ends} Does every run begin with a new model, and with its own seed?"
    same = "A warm-up of 1 update ends at the same number as one of 8. Does it reach the schedule?"
    return same if other == alone else ""
