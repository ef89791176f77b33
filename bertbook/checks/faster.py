"""Exercises of Chapter 20: a block mask, a fair race, packing, eight bits, distillation."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise
from .tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_LOWEST = float(np.finfo(np.float32).min)


def _mask(lengths):
    sentence = np.repeat(np.arange(len(lengths)), lengths)
    hidden = sentence[:, None] != sentence
    return np.where(hidden, _LOWEST, 0.0)


check_block_mask = Exercise(
    "Hide from every token of a row all sentences but its own.",
    _mask,
    cases=[([2, 1, 3],), ([1, 4],), ([3],)],
    edges=[([2, 2],)],
    forbidden=["block_mask"],
    mistakes={
        "!= → ==": "You hide the own sentence and show the others. 0 stands where a token may "
            "look.",
        "_LOWEST → 1.0": "Your hidden places hold 1. The mask is added to scores: it takes the "
            "most negative finite number to hide one.",
        ("_LOWEST → -1e9", "_LOWEST → -1e4"): "That is low enough for most scores, but the most "
            "negative number of float32 is asked for: torch.finfo(torch.float32).min.",
        "_LOWEST → -_LOWEST": "These are the largest numbers. They would draw all attention to the "
            "other sentences.",
        "_LOWEST → np.finfo(np.float32).tiny": "tiny is the smallest number above 0. You want the "
            "one furthest below: min.",
        "_LOWEST, 0.0 → -np.inf, np.nan": "0 times infinity is not a number. Multiply by the most "
            "negative finite number of float32.",
        "_LOWEST → -np.inf": "Minus infinity works until a row hides everything; then the softmax "
            "is nan. Take the most negative finite number of float32.",
        "_LOWEST → np.finfo(np.float64).min": "That is the most negative number of float64. In "
            "float32 it becomes minus infinity.",
        "!= → <": "Tokens hear the sentences before their own. Both directions have to be hidden.",
        "np.arange(len(lengths)) → lengths": "Two sentences may have the same length. Give each a "
            "number of its own.",
        "np.repeat(np.arange(len(lengths)), lengths) → np.array(lengths)":
            "There is one row and one column for each token, not for each sentence: 6 of them for "
            "lengths 2, 1 and 3.",
        "np.repeat(np.arange(len(lengths)), lengths) → np.arange(sum(lengths))":
            "Every token hears itself alone. Those of one sentence hear each other.",
        "np.where(hidden, _LOWEST, 0.0) → ~hidden": "That says where a token may look, with True. "
            "Return numbers to add to the scores.",
    },
)  # fmt: skip


def _speedup(before, after, warm):
    old, new = np.array(before[warm:]), np.array(after[warm:])
    ratios = old / new
    middle, low, high = np.quantile(ratios, (0.5, 0.25, 0.75))
    return middle, low, high


check_speedup = Exercise(
    "Say how many times as fast a step is: median and quartiles of the ratios.",
    _speedup,
    cases=[
        # whichever way quartiles are counted, equal neighbors give the same
        ([9.0, 2.0, 5.0, 3.0, 4.0, 10.0, 2.5, 3.0], [30.0, 1.0, 4.0, 2.0, 2.0, 2.0, 2.0, 3.0], 1),
        ([5.0, 5.0, 4.0, 8.0, 3.0, 8.0, 2.0, 1.0, 4.0],
         [7.0, 4.0, 5.0, 5.0, 3.0, 2.0, 2.5, 2.0, 2.5], 2),
        ([1.0, 1.0, 2.0, 3.0, 2.0, 5.0, 6.0], [4.0, 2.0, 4.0, 4.0, 2.0, 5.0, 2.0], 0),
    ],
    mistakes={
        "[warm:] →": "The first rounds are in it. They load, compile and fill caches: leave out as "
            "many as are for warming up.",
        "[warm:] → [warm + 1 :]": "You leave out one round too many.",
        "[warm:] → [: len(before) - warm]": "You leave out the last rounds. The first ones are for "
            "warming up.",
        "[warm:] → [-warm:]": "[-warm:] keeps the last rounds only. All after the first ones are "
            "wanted: [warm:].",
        "old / new → new / old": "Your ratio is upside down: above 1 means faster, so divide the "
            "time before by the time after.",
        "old / new → 100 * (old / new - 1)": "These are percent. How many times as fast is asked "
            "for: 2 for half the time.",
        "old / new → old - new": "These are seconds saved. A machine that is twice as slow saves "
            "twice as many: take ratios.",
        "np.array → np.sort": "You sort both lists first. The two runs of one round belong "
            "together: they had the same neighbors on the machine.",
        "return middle → return ratios.mean()": "One slow round moves a mean. Take the median.",
        "0.25, 0.75 → 0.0, 1.0": "These are the worst and the best round. The quartiles lie at a "
            "quarter and at three quarters.",
        "0.25, 0.75 → 0.025, 0.975": "Between these lie 95 of 100 rounds. The quartiles hold the "
            "middle half, from 0.25 to 0.75.",
        "0.25, 0.75 → 0.0025, 0.0075": "percentile counts to 100: its quartiles are 25 and 75. "
            "quantile counts to 1.",
        "return middle, low → return low, middle": "The median comes first, then the lower and the "
            "upper quartile.",
        "return middle, low, high → return middle": "Where are the quartiles? A median alone does "
            "not say how far the rounds differ.",
        "0.25, 0.75 → 0.75, 0.25": "The lower quartile comes first.",
        "return middle → return old.mean() / new.mean()": "You divide two means. Divide within "
            "each round first, and then take the middle of the ratios.",
        "return middle → return np.median(old) / np.median(new)": "You divide two medians, which "
            "may come from different rounds. Divide within each round first.",
    },
)  # fmt: skip


def _pack(lengths, width):
    bins, rooms = [], []
    for row in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        fitting = [place for place, room in enumerate(rooms) if room >= lengths[row]]
        place = [*fitting, len(bins)][0]
        if place == len(bins):
            bins.append([])
            rooms.append(width)
        bins[place].append(row)
        rooms[place] -= lengths[row]
    return bins


check_packing = Exercise(
    "Pack rows into bins of one width: the longest first, into the first bin with room.",
    _pack,
    cases=[
        ([5, 7, 5, 2, 4, 2, 5, 1, 6], 10),
        ([3, 3, 3, 9, 1, 8, 2], 9),
        ([44, 70, 21, 52, 33, 13, 96, 61, 11, 17], 100),
        ([10, 42, 60, 45], 100),
    ],
    mistakes={
        "sorted(range(len(lengths)), key=lambda i: -lengths[i]) → range(len(lengths))":
            "You take the rows as they come. Take the longest first: short ones fit into gaps "
            "later.",
        "-lengths[i] → lengths[i]": "You begin with the shortest. The longest first: short ones "
            "fit into gaps later.",
        "-lengths[i]) → lengths[i])[::-1]": "Of two equal rows you take the last one first. "
            "Turning an ascending order round turns equal ones round, too.",
        "rooms[place] -= lengths[row] → pass": "Your bins never fill up. A row takes its length "
            "from the room of its bin.",
        "return bins → return bins[:1]": "Rows are lost. What fits nowhere opens a new bin.",
        "[*fitting, len(bins)][0] → len(bins) - (len(bins) - 1 in fitting)":
            "You only look into the last bin. An earlier one may have room.",
        "[*fitting, len(bins)][0] → min([*fitting, len(bins)], key=lambda n: [*rooms, width][n])":
            "You take the bin with the least room, best fit. Here it is the first one that has "
            "room.",
        "room >= → room >": "A row that fills its bin exactly fits as well.",
        "[*fitting, len(bins)][0] → len(bins)": "Every row has a bin of its own. That is padding "
            "again.",
        "return bins → return len(bins)": "That is the number of bins. Return them, as lists of "
            "numbers of rows.",
        "return bins → return [[row + 1 for row in each] for each in bins]":
            "Rows are counted from 0.",
        "→ right(sorted(lengths, reverse=True), width)": "These are places in the sorted list. "
            "Return the numbers of the rows as they were given.",
        "return bins → return [[lengths[row] for row in each] for each in bins]":
            "These are lengths. Return the numbers of the rows, counted from 0.",
    },
)  # fmt: skip


_RNG = np.random.default_rng(20)


def _in_eight_bits(x):
    scale = np.abs(x).max(axis=1, keepdims=True) / 127
    numbers = np.round(np.divide(x, scale, out=np.zeros_like(x), where=scale > 0))
    return numbers, scale


def _any_scale_of_zeros(answer):
    """See the scale of a row of zeros as 0: with any other one the row reads as zeros, too."""
    if not isinstance(answer, tuple) or len(answer) != 2 or np.ndim(answer[0]) != 2:
        return answer
    numbers, scale = map(np.asarray, answer)
    is_column = scale.shape == (len(numbers), 1)
    return numbers, np.where(numbers.any(axis=1, keepdims=True), scale, 0) if is_column else scale


check_quantize = Exercise(
    "Write each row as whole numbers from -127 to 127 and one scale.",
    _in_eight_bits,
    cases=[
        (np.array([[0.5, -1.27, 0.013], [2.0, 1.0, -0.6]]),),
        (_RNG.normal(size=(3, 5)),),
        (_RNG.normal(scale=[[1.0], [50.0]], size=(2, 4)),),
    ],
    edges=[(np.array([[0.0, 0.0], [1.0, -2.0]]),)],
    given=to_tensor,
    read=_any_scale_of_zeros,
    forbidden=["quantize"],
    mistakes={
        "np.abs(x).max(axis=1, keepdims=True) → np.full((len(x), 1), np.abs(x).max())":
            "You have one scale for the whole table. One large row then leaves few numbers for the "
            "others: give each row its own.",
        "np.abs(x) → x": "The largest entry by size may be negative. Take the absolute value "
            "first.",
        "axis=1 → axis=0": "You have one scale for each column. Look for the largest entry along "
            "dim=1, with keepdim=True.",
        "127 → 128": "int8 ends at 127. With 128 the largest entry does not fit.",
        "np.round → np.trunc": "You cut the decimals off. Round to the nearest, or all errors "
            "point towards 0.",
        "np.round → np.floor": "You round down, always. Round to the nearest.",
        "np.round →": "These are no whole numbers yet. Round them.",
        "return numbers, scale → return numbers, 1 / scale": "Your scale is upside down: numbers * "
            "scale must give the row back.",
        "return numbers, scale → return numbers, scale.ravel()": "Return the scales as a column, "
            "(rows, 1), so that numbers * scale scales rows.",
        "return numbers, scale → return tuple(numbers * scale)": "That is the row as it reads "
            "afterwards. Return the whole numbers and the scales.",
        "return numbers, scale → return tuple(numbers)": "Where are the scales? Without them "
            "nobody can read the numbers.",
        "return numbers, scale → return scale, numbers": "The numbers come first, and then the "
            "scales.",
        "return numbers, scale → return _any_scale_of_zeros((np.round(x * scale), scale))":
            "You multiply by the scale. A number says how often the scale goes into the entry: "
            "divide.",
        "return numbers, scale → return np.where(scale > 0, numbers, np.nan), scale":
            "A row of zeros has the scale 0, and 0/0 is nan. Divide by something above 0 there.",
    },
)  # fmt: skip


def _distance(student, teacher, temperature):
    p, q = log_softmax(teacher / temperature), log_softmax(student / temperature)
    return temperature**2 * (np.exp(p) * (p - q)).sum(axis=-1).mean()


check_distillation_loss = Exercise(
    "Compute how far a student's probabilities are from the teacher's.",
    _distance,
    cases=[
        (_RNG.normal(size=(3, 4)), _RNG.normal(size=(3, 4)), 2.0),
        (_RNG.normal(size=(1, 3)), 3 * _RNG.normal(size=(1, 3)), 1.0),
        (_RNG.normal(size=(5, 2)), _RNG.normal(size=(5, 2)), 4.0),
    ],
    edges=[(np.array([[2.0, 0.0, -1.0]]), np.array([[0.0, 2.0, 1.0]]), 0.001)],
    given=to_tensor,
    forbidden=["distillation_loss"],
    then=gradients_flow(np.eye(3), np.ones((3, 3)), 2.0, to=1),
    mistakes={
        "/ temperature → * temperature": "You multiply by the temperature. A high one shall make "
            "the probabilities more even.",
        "/ temperature →": "Where is the temperature in the softmax?",
        "student / temperature → student": "Only the teacher is warm. A student that agrees with "
            "it would have to pay: divide both by the temperature.",
        "temperature**2 * →": "The factor is missing. Without temperature squared the gradient "
            "shrinks as the temperature grows.",
        "temperature**2 → temperature": "The factor is the temperature squared: it comes in twice, "
            "once by the division and once by the flatter probabilities.",
        "p, q = → q, p =": "The roles are exchanged. The distances are weighed by what the teacher "
            "believes.",
        "(np.exp(p) * (p - q)) → -(np.exp(p) * q)": "That is the cross-entropy. It has the same "
            "gradient, but it is not 0 when both agree: subtract the teacher's own entropy.",
        "(p - q) → (p - np.exp(q))": "The student's logarithm is missing. kl_div takes its "
            "log_softmax first, then probabilities.",
        ("→ right(student, teacher, temperature) if temperature > 0.01 else np.nan",
            "→ right(student, teacher, temperature) if temperature > 0.01 else np.inf"): OVERFLOW,
        "→ np.nan": "That is the logarithm of something negative. kl_div takes probabilities of "
            "the teacher, unless it is told log_target=True.",
        "/ temperature) → / temperature, axis=0)": "Your softmax runs over the items. Each item "
            "shares its probability among the classes: dim=-1.",
        "(np.exp(p) * (p - q)).sum(axis=-1) → -q[p == p.max(axis=-1, keepdims=True)]":
            "You keep the teacher's best class alone. What it believes of others is the lesson.",
        "(np.exp(p) * (p - q)) → ((np.exp(p) - np.exp(q)) ** 2)": "That is a squared distance. "
            "Here p · (ln p − ln q) is summed over the classes.",
        "mean → sum": "That is the sum over the items. Take the mean.",
        "sum(axis=-1).mean() → mean()": "You average over the classes. Sum over them, and average "
            "over the items.",
    },
)  # fmt: skip
