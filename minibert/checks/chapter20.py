"""Exercises of Chapter 20: a block mask, eight bits, a fair race, distillation, packing."""

from __future__ import annotations

import numpy as np

from minibert.reference import softmax

from .exercise import Exercise, Mistake, as_it_is
from .tensors import to_tensor

_RNG = np.random.default_rng(20)
_LOWEST = float(np.finfo(np.float32).min)


def _mask(lengths, *, owner=lambda lengths: np.repeat(np.arange(len(lengths)), lengths),
          hides=np.not_equal, low=_LOWEST, form=as_it_is):  # fmt: skip
    """Hide from each token the tokens of other sentences."""
    sentence = owner(lengths)
    hidden = hides(sentence[:, None], sentence[None, :])
    return form(np.where(hidden, low, 0.0))


check_block_mask = Exercise(
    "Hide from every token of a row all sentences but its own.",
    _mask,
    cases=[([2, 1, 3],), ([1, 4],), ([3],)],
    mistakes=[
        Mistake({"hides": np.equal}, "You hide the own sentence and show the others. 0 stands "
                "where a token may look."),
        Mistake({"low": 1.0}, "Your hidden places hold 1. The mask is added to scores: it takes "
                "the most negative finite number to hide one."),
        Mistake({"low": -np.inf}, "Minus infinity works until a row hides everything; then the "
                "softmax is nan. Take the most negative finite number of float32."),
        Mistake({"low": float(np.finfo(np.float64).min)}, "That is the most negative number of "
                "float64. In float32 it becomes minus infinity."),
        Mistake({"hides": lambda a, b: b > a}, "Tokens hear the sentences before their own. Both "
                "directions have to be hidden."),
        Mistake({"owner": np.asarray}, "There is one row and one column for each token, not for "
                "each sentence: 6 of them for lengths 2, 1 and 3."),
        Mistake({"owner": lambda lengths: np.arange(sum(lengths))}, "Every token hears itself "
                "alone. Those of one sentence hear each other."),
        Mistake({"form": lambda mask: mask == 0}, "That says where a token may look, with True. "
                "Return numbers to add to the scores."),
    ],
)  # fmt: skip


def _in_eight_bits(x, *, largest=lambda x: np.abs(x).max(axis=1, keepdims=True), most=127,
                   whole=np.round, scale=as_it_is):  # fmt: skip
    """Write rows as whole numbers and one scale each."""
    step = largest(np.asarray(x, dtype=float)) / most
    numbers = np.divide(x, step, out=np.zeros_like(x, dtype=float), where=step > 0)
    return whole(numbers), scale(step)


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
    mistakes=[
        Mistake({"largest": lambda x: np.full((len(x), 1), np.abs(x).max())}, "You have one scale "
                "for the whole table. One large row then leaves few numbers for the others: give "
                "each row its own."),
        Mistake({"largest": lambda x: x.max(axis=1, keepdims=True)}, "The largest entry by size "
                "may be negative. Take the absolute value first."),
        Mistake({"most": 128}, "int8 ends at 127. With 128 the largest entry does not fit."),
        Mistake({"whole": np.trunc}, "You cut the decimals off. Round to the nearest, or all "
                "errors point towards 0."),
        Mistake({"whole": as_it_is}, "These are no whole numbers yet. Round them."),
        Mistake({"scale": np.reciprocal}, "Your scale is upside down: numbers * scale must give "
                "the row back."),
        Mistake({"scale": np.ravel}, "Return the scales as a column, (rows, 1), so that numbers * "
                "scale scales rows."),
        Mistake(lambda x: np.einsum("ij,ik->ij", *map(np.asarray, _in_eight_bits(x))), "That is "
                "the row as it reads afterwards. Return the whole numbers and the scales."),
    ],
)  # fmt: skip


def _speedup(before, after, warm, *, cut=as_it_is, ratio=np.divide, pair=as_it_is,
             middle=np.median, ends=(0.25, 0.75)):  # fmt: skip
    """Compare two interleaved runs, round by round."""
    first = cut(warm)
    old, new = (pair(np.asarray(x, dtype=float)[first:]) for x in (before, after))
    ratios = ratio(old, new)
    return middle(ratios), np.quantile(ratios, ends[0]), np.quantile(ratios, ends[1])


def _of_means(before, after, warm):
    _, low, high = _speedup(before, after, warm)
    return np.mean(before[warm:]) / np.mean(after[warm:]), low, high


def _of_medians(before, after, warm):
    _, low, high = _speedup(before, after, warm)
    return np.median(before[warm:]) / np.median(after[warm:]), low, high


check_speedup = Exercise(
    "Say how many times as fast a step is: median and quartiles of the ratios.",
    _speedup,
    cases=[
        ([9.0, 2.0, 4.0, 2.2, 2.6], [30.0, 1.0, 3.2, 1.0, 1.6], 1),
        ([5.0, 5.0, 3.0, 8.0, 3.5, 3.1], [7.0, 4.0, 2.0, 2.0, 2.5, 2.9], 2),
        ([1.0, 2.0, 4.0], [1.0, 1.0, 5.0], 0),
    ],
    mistakes=[
        Mistake({"cut": lambda warm: 0}, "The first rounds are in it. They load, compile and fill "
                "caches: leave out as many as are for warming up."),
        Mistake({"cut": lambda warm: warm + 1}, "You leave out one round too many."),
        Mistake({"ratio": lambda old, new: new / old}, "Your ratio is upside down: above 1 means "
                "faster, so divide the time before by the time after."),
        Mistake({"ratio": np.subtract}, "These are seconds saved. A machine that is twice as slow "
                "saves twice as many: take ratios."),
        Mistake({"pair": np.sort}, "You sort both lists first. The two runs of one round belong "
                "together: they had the same neighbors on the machine."),
        Mistake({"middle": np.mean}, "One slow round moves a mean. Take the median."),
        Mistake({"ends": (0.0, 1.0)}, "These are the worst and the best round. The quartiles lie "
                "at a quarter and at three quarters."),
        Mistake({"ends": (0.75, 0.25)}, "The lower quartile comes first."),
        Mistake(_of_means, "You divide two means. Divide within each round first, and then take "
                "the middle of the ratios."),
        Mistake(_of_medians, "You divide two medians, which may come from different rounds. Divide "
                "within each round first."),
    ],
)  # fmt: skip


def _kl(p, q):
    return (p * (np.log(p) - np.log(q))).sum(axis=-1)


def _distance(student, teacher, temperature, *, warm=np.divide, factor=np.square, compare=_kl,
              order=as_it_is, reduce=np.mean):  # fmt: skip
    """Compute how far the student's probabilities are from the teacher's."""
    probs = [softmax(warm(np.asarray(x), temperature)) for x in order((teacher, student))]
    return reduce(factor(temperature) * compare(*probs))


def _only_teacher_warm(student, teacher, temperature):
    p, q = softmax(np.asarray(teacher) / temperature), softmax(np.asarray(student))
    return (temperature**2 * _kl(p, q)).mean()


check_distillation_loss = Exercise(
    "Compute how far a student's probabilities are from the teacher's.",
    _distance,
    cases=[
        (_RNG.normal(size=(3, 4)), _RNG.normal(size=(3, 4)), 2.0),
        (_RNG.normal(size=(1, 3)), 3 * _RNG.normal(size=(1, 3)), 1.0),
        (_RNG.normal(size=(5, 2)), _RNG.normal(size=(5, 2)), 4.0),
    ],
    given=to_tensor,
    mistakes=[
        Mistake({"warm": np.multiply}, "You multiply by the temperature. A high one shall make "
                "the probabilities more even."),
        Mistake({"warm": lambda x, t: x}, "Where is the temperature in the softmax?"),
        Mistake(_only_teacher_warm, "Only the teacher is warm. A student that agrees with it would "
                "have to pay: divide both by the temperature."),
        Mistake({"factor": np.ones_like}, "The factor is missing. Without temperature squared the "
                "gradient shrinks as the temperature grows."),
        Mistake({"factor": as_it_is}, "The factor is the temperature squared: it comes in twice, "
                "once by the division and once by the flatter probabilities."),
        Mistake({"order": lambda pair: pair[::-1]}, "The roles are exchanged. The distances are "
                "weighed by what the teacher believes."),
        Mistake({"compare": lambda p, q: -(p * np.log(q)).sum(axis=-1)}, "That is the "
                "cross-entropy. It has the same gradient, but it is not 0 when both agree: "
                "subtract the teacher's own entropy."),
        Mistake({"compare": lambda p, q: ((p - q) ** 2).sum(axis=-1)}, "That is a squared "
                "distance. Here p · (ln p − ln q) is summed over the classes."),
        Mistake({"reduce": np.sum}, "That is the sum over the items. Take the mean."),
        Mistake({"compare": lambda p, q: _kl(p, q) / p.shape[-1]}, "You average over the classes. "
                "Sum over them, and average over the items."),
    ],
)  # fmt: skip


def _longest_first(lengths):
    return sorted(range(len(lengths)), key=lambda row: -lengths[row])


def _first_with_room(rooms, length):
    return next((place for place, room in enumerate(rooms) if room >= length), None)


def _pack(lengths, width, *, order=_longest_first, find=_first_with_room, told=list):
    """Put rows into bins of one width, each into the first that has room."""
    bins, rooms = [], []
    for row in order(lengths):
        place = find(rooms, lengths[row])
        if place is None:
            place = len(bins)
            bins.append([])
            rooms.append(width)
        bins[place].append(row)
        rooms[place] -= lengths[row]
    return told(bins)


def _last_only(rooms, length):
    return len(rooms) - 1 if rooms and rooms[-1] >= length else None


def _tightest(rooms, length):
    fitting = [place for place, room in enumerate(rooms) if room >= length]
    return min(fitting, key=lambda place: rooms[place]) if fitting else None


check_packing = Exercise(
    "Pack rows into bins of one width: the longest first, into the first bin with room.",
    _pack,
    cases=[
        ([5, 7, 5, 2, 4, 2, 5, 1, 6], 10),
        ([3, 3, 3, 9, 1, 8, 2], 9),
        ([44, 70, 21, 52, 33, 13, 96, 61, 11, 17], 100),
        ([10, 42, 60, 45], 100),
    ],
    mistakes=[
        Mistake({"order": lambda lengths: range(len(lengths))}, "You take the rows as they come. "
                "Take the longest first: short ones fit into gaps later."),
        Mistake({"order": lambda lengths: sorted(range(len(lengths)), key=lambda i: lengths[i])},
                "You begin with the shortest. The longest first: short ones fit into gaps later."),
        Mistake({"find": _last_only}, "You only look into the last bin. An earlier one may have "
                "room."),
        Mistake({"find": _tightest}, "You take the bin with the least room, best fit. Here it is "
                "the first one that has room."),
        Mistake({"find": lambda rooms, length: next(
            (i for i, room in enumerate(rooms) if room > length), None)}, "A row that fills its "
                "bin exactly fits as well."),
        Mistake({"find": lambda rooms, length: None}, "Every row has a bin of its own. That is "
                "padding again."),
        Mistake({"told": len}, "That is the number of bins. Return them, as lists of numbers of "
                "rows."),
        Mistake(lambda lengths, width: [[lengths[i] for i in each] for each in
                                        _pack(lengths, width)], "These are lengths. Return the "
                "numbers of the rows, counted from 0."),
    ],
)  # fmt: skip
