"""Exercises of Chapter 13: the schedule, clipping, pieces of a batch, going on, a measurement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .exercise import Exercise, attempt
from .verdict import Verdict

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


_RNG_OF_PIECES = np.random.default_rng(31)


def _of_pieces(gradients, labels, longest):
    known = [(g, n) for g, n in zip(gradients, labels) if n > 0]
    total = sum(n * g for g, n in known) / sum(labels)
    ratio = longest / np.sqrt((total**2).sum())  # pyright: ignore[reportAttributeAccessIssue]
    return total * min(1.0, ratio)


check_accumulation = Exercise(
    "Join the gradients of a batch that came in pieces, and clip.",
    _of_pieces,
    cases=[
        ([np.array([3.0, 1.0]), np.array([-1.0, 1.0])], [1, 3], 9.0),
        ([np.array([8.0, 0.0]), np.array([0.0, 2.0])], [1, 3], 1.0),
        ([*_RNG_OF_PIECES.normal(size=(3, 4))], [5, 1, 2], 0.5),
        ([np.array([1.0, 2.0]), np.full(2, np.nan), np.array([3.0, -1.0])], [2, 0, 5], 10.0),
    ],
    mistakes={
        "n * g → g||sum(labels) → len(known)": "Each piece counts the same here. A label in a "
            "small piece counts more then than one in a large piece.",
        "n * g → g||sum(labels) → len(labels)": "Each piece counts the same here, even one without "
            "a label. By what should a piece be weighted?",
        "n * g → g||/ sum(labels) →": "You add the gradients up as they are. Each is that of a "
            "mean: how many labels stand behind it?",
        "/ sum(labels) →": "You weight with the number of labels. What is missing to make a mean "
            "of the sum?",
        "sum(labels) → len(labels)": "You divide by the number of pieces. It is a mean over "
            "labels.",
        "n * g → n * g * min(1.0, longest / np.linalg.norm(g))||min(1.0, ratio) → 1":
            "You shorten each piece. The pieces have no length of their own: shorten what they "
            "make together, once.",
        "1.0, ratio → 1.0, 1.0": "Added up as it should be. And if it is too long?",
        "min(1.0, ratio) → ratio": "You bring every gradient to the allowed length. What should "
            "happen to one that is short enough?",
        ("n * g → g / n||sum(labels) → sum(1 / n for _, n in known)", "n * g → g / n"):
            "You divide by the number of labels. A piece counts more, the more labels stand behind "
            "it.",
        "n * g → g / n||/ sum(labels) →": "You divide by the number of labels. It is a mean "
            "already; undo that before you add.",
        "sum(labels) → len(known)": "You divide by the number of pieces. It is a mean over labels.",
        "longest / → longest / sum(labels) /": "You clip before you divide by the number of "
            "labels. Shorten the mean.",
        ("longest / → 1.0 /", "longest / → 1.0 /||min(1.0, ratio) → ratio"):
            "You make the length 1. Which length is allowed?",
        "total * min(1.0, ratio) → total.clip(-longest, longest)": "You cut each number off. That "
            "turns the direction; scale all numbers by one factor.",
        ("np.sqrt((total**2).sum()) → np.abs(total).sum()",
            "np.sqrt((total**2).sum()) → np.abs(total).max()",
            "np.sqrt((total**2).sum()) → (total**2).sum()",
            "np.sqrt((total**2).sum()) → total.sum()", "(total**2).sum() → (total**2).mean()"):
            "That is another length. It is the root of the sum of all squares.",
        "in known → in known[:1]": "Your loop ends in its first round. Does the return stand "
            "inside it?",
        "n > 0] → n > 0][: [*labels, 0].index(0)]": "You stop at a piece without labels. Those "
            "after it count, too.",
        ("n > 0 → n > 1||sum(labels) → sum(n for _, n in known)", "n > 0 → n > 1"):
            "A piece with a single label counts, too.",
        ("sum(labels) → labels[0]", "sum(labels) → labels[-1]", "sum(labels) → max(labels)"):
            "You divide by the labels of one piece. The mean is over those of all.",
        "n * g → g": "Each gradient is that of a mean. Multiply it by its labels before you add, "
            "and then divide by all labels.",
        "(total**2).sum() → sum((g**2).sum() for g, _ in known)": "You measure the pieces. Measure "
            "what they make together.",
        "ratio) → 1 / ratio)": "Your factor is upside down: it is the allowed length divided by "
            "the length.",
        "min → max": "You lengthen what is short. It is the long ones that are shortened.",
        "return total * → return": "That is the factor. Multiply the gradient by it.",
        "n > 0 → n >= 0": "Right, as long as every piece has a label. What is 0 times NaN?",
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
    cases=[
        (_CUT, [0.5, 0.3, -0.4, 0.2], 0.1),
        ({"step": 1, "weight": -0.3, "m": -0.2, "v": 0.004}, [-2.0, 0.7, 1.1], 0.01),
        ({"step": 3, "weight": 2.0, "m": 0.01, "v": 0.002}, [0.1, -0.9, 1.0, 0.4, 0.4, -0.6], 0.5),
    ],
    edges=[(_CUT, [0.5, 0.3], 0.1)],
    mistakes={
        'saved["m"] → 0.0||saved["v"] → 0.0||(step + 1) → (step - saved["step"] + 1)':
            "You begin with an Adam that has no memory. What was kept besides the weight?",
        'saved["m"] → 0.0||saved["v"] → 0.0': "m and v begin at 0 again. They were kept.",
        'range(saved["step"], len(gradients)) → range(len(gradients))||(step + 1) → (step + '
            'saved["step"] + 1)': "You go through all gradients again. How many updates were made "
            "already?",
        'range(saved["step"], len(gradients)) → range(len(gradients))':
            "You go through all gradients again, and count the updates from 1. How many were made "
            "already?",
        '(step + 1) → (step - saved["step"] + 1)': "Weight, m and v go on; but you count the "
            "updates from 1 again, and m and v are divided by shares that are too small.",
        "(step + 1) → step": "You divide by the shares after one update fewer. The first update "
            "that you make has the number step + 1.",
        "(step + 1) → (step + 2)": "You divide by the shares after one update more. The first "
            "update that you make has the number step + 1.",
        ('(step + 1) → (saved["step"] + 1)', '(step + 1) → saved["step"]',
            "(step + 1) → len(gradients)"): "You divide by the same two shares in all updates. "
            "They change with the number of the update.",
        ("m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v /",
            "m = 0.9 → old_m, old_v = m, v\n        m = 0.9||= m / → = old_m /||= v / → = old_v "
            "/||(step + 1) → step"): "You move before m and v have taken in the new gradient. "
            "Renew them first.",
        "/ (1 - 0.9 ** (step + 1)) →||/ (1 - 0.999 ** (step + 1)) →": "m and v are too small at "
            "first. By what are they divided?",
        "/ (1 - 0.9 ** (step + 1)) →": "Only v is divided by its share. Both are too small at "
            "first.",
        "/ (1 - 0.999 ** (step + 1)) →": "Only m is divided by its share. Both are too small at "
            "first.",
        ("m / → m *", "v / → v *", "m / → m *||v / → v *"): "A share is below 1, so multiplying "
            "makes what is too small even smaller. Divide by it.",
        "fair_v**0.5 → fair_v": "Adam divides by the root of v.",
        "v / → v**0.5 /||fair_v**0.5 → fair_v": "You take the root of v before you divide it by "
            "its share. Divide first.",
        "/ fair_v**0.5 →": "That moves by m alone. Adam divides it by the root of v.",
        "fair_m / fair_v**0.5 → m": "That moves by m alone, as it was kept. By what does Adam "
            "divide?",
        "fair_v**0.5 → (fair_v**0.5 + 1e-8)": "Right, but for a small number in the denominator. ε "
            "is 0 here.",
        "gradients[step] ** 2 → abs(gradients[step])": "v gathers squares of the gradients, not "
            "their sizes.",
        "gradients[step] ** 2 → gradients[step]": "v gathers squares of the gradients.",
        "gradients[step] ** 2 → m**2": "v gathers squares of the gradients, not of m.",
        "0.001 * gradients[step] ** 2 → (0.001 * gradients[step]) ** 2":
            "You square 0.001, too. Only the gradient is squared.",
        ("0.1 * →", "0.001 * →", "0.1 * →||0.001 * →", "0.9 * m + 0.1 → 0.1 * m + 0.9",
            "0.999 * v + 0.001 → 0.001 * v + 0.999",
            "0.9 * m + 0.1 → 0.1 * m + 0.9||0.999 * v + 0.001 → 0.001 * v + 0.999"):
            "Of the old m or v much is kept, and little of the new gradient comes in: 0.9 and 0.1, "
            "0.999 and 0.001.",
        ("0.999 * v + 0.001 → 0.99 * v + 0.01",
            "0.999 * v + 0.001 → 0.99 * v + 0.01||0.999 ** → 0.99 **"):
            "v keeps 0.999 of what it was, not 0.99.",
        "0.9 * m + 0.1 → 0.999 * m + 0.001||0.999 * v + 0.001 → 0.9 * v + 0.1||0.9 ** → 0.999 "
            "**||0.999 ** → 0.9 **": "You have exchanged the two rates: m forgets faster.",
        "= m / → = m = m /||= v / → = v = v /": "You divide m and v by their shares and keep the "
            "quotients. Keep m and v as they are, and divide for each move anew.",
        "weight - → weight - lr * 0.01 * weight -": "The weight decays. This run has no decay.",
        'weight - → saved["weight"] -': "Each of your moves begins at the weight that was kept. "
            "Begin where the one before has ended.",
        'return weight → return saved["weight"]': "You return the weight as it was kept. Does your "
            "loop change it?",
        "len(gradients) → len(gradients) - 1": "The last gradient is left out. Where does your "
            "range end?",
        "gradients[step] → gradients[step - 1]": "You are one gradient behind. The first one that "
            "is left is gradients[step].",
        'range(saved["step"], len(gradients)) → range(saved["step"])': "You make the updates again "
            "that were made. Begin behind them, and go on until no gradient is left.",
        "lr * →": "By what is each move multiplied? The learning rate is missing.",
        "weight - → weight +": "You walk uphill. Which sign has a step?",
        '→ saved["weight"] - lr * sum(gradients[saved["step"] :])': "That is the step of plain "
            "gradient descent. What are m and v for?",
        'range(saved["step"] → range(saved["step"] + 1': "You begin one gradient too late. "
            "Counting starts at 0: the first one that is left is gradients[step].",
        "gradients[step] → gradients[step + 1]||len(gradients) → len(gradients) - 1":
            "You begin one gradient too late. The first one that is left is gradients[step].",
        'range(saved["step"] → range(saved["step"] - 1': "You make one update again that was made. "
            "The first gradient that is left is gradients[step].",
        'len(gradients) → saved["step"] + 1': "That is one update. Go on until no gradient is "
            "left.",
        'saved["m"] → 0.0': "m begins at 0 again. It was kept.",
        'saved["v"] → 0.0': "v begins at 0 again. It was kept.",
        'saved["weight"] → 0.0': "The weight begins at 0. It was kept.",
        KeyError: "The dictionary has the keys 'step', 'weight', 'm' and 'v'.",
        ZeroDivisionError: "At the first update that is left you divide by 0. Its number is step + "
            "1.",
    },
)  # fmt: skip


def check_ends(measure: Callable) -> Verdict:
    """Say whether a measurement of the warm-up can be trusted; four runs are made."""
    ends = []
    for warmup, seeds in ((8, [0, 1]), (8, [1]), (1, [1])):
        measured, problem = attempt(measure, warmup, seeds)
        problem = problem or _form_problem(measured, len(seeds))
        if problem:
            return Verdict(False, problem)
        ends.append(measured)
    problem = _problem(*ends[0], *ends[1], *ends[2])
    right = "Right: every seed begins anew, and the warm-up counts. What did you find?"
    return Verdict(not problem, problem or right)


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


def _problem(first: float, second: float, alone: float, other: float) -> str:
    """Judge the runs by their ends: seeds 0 and 1, 1 alone, 1 with another warm-up."""
    if first == second:
        return "Two seeds end at the same number. Does the seed reach the model and the batches?"
    if alone != second:
        return (
            f"Seed 1 alone ends at {alone:.4f}, and after seed 0 at {second:.4f}. Does every run "
            "begin with a new model, and with its own seed?"
        )
    same = "A warm-up of 1 update ends at the same number as one of 8. Does it reach the schedule?"
    return same if other == alone else ""
