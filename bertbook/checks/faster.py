"""Exercises of Chapter 20: a block mask, a fair race, packing."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise, Mistake, as_it_is

_RNG = np.random.default_rng(20)
_LOWEST = float(np.finfo(np.float32).min)


def _mask(lengths, *, owner=lambda lengths: np.repeat(np.arange(len(lengths)), lengths),
          hides=np.not_equal, low=_LOWEST, form=np.asarray):  # fmt: skip
    """Hide from each token the tokens of other sentences."""
    sentence = owner(lengths)
    hidden = hides(sentence[:, None], sentence[None, :])
    return form(np.where(hidden, low, 0.0))


_NOT_LOWEST = (
    "That is low enough for most scores, but the most negative number of float32 is asked for: "
    "torch.finfo(torch.float32).min."
)

check_block_mask = Exercise(
    "Hide from every token of a row all sentences but its own.",
    _mask,
    cases=[([2, 1, 3],), ([1, 4],), ([3],)],
    edges=[([2, 2],)],
    forbidden=["block_mask"],
    mistakes=[
        Mistake({"hides": np.equal}, "You hide the own sentence and show the others. 0 stands "
                "where a token may look."),
        Mistake({"low": 1.0}, "Your hidden places hold 1. The mask is added to scores: it takes "
                "the most negative finite number to hide one."),
        Mistake({"low": -1e9}, _NOT_LOWEST),
        Mistake({"low": -1e4}, _NOT_LOWEST),
        Mistake({"low": -_LOWEST}, "These are the largest numbers. They would draw all attention "
                "to the other sentences."),
        Mistake({"low": np.finfo(np.float32).tiny}, "tiny is the smallest number above 0. You want "
                "the one furthest below: min."),
        Mistake(lambda lengths: np.where(_mask(lengths), -np.inf, np.nan), "0 times infinity is "
                "not a number. Multiply by the most negative finite number of float32."),
        Mistake({"low": -np.inf}, "Minus infinity works until a row hides everything; then the "
                "softmax is nan. Take the most negative finite number of float32."),
        Mistake({"low": float(np.finfo(np.float64).min)}, "That is the most negative number of "
                "float64. In float32 it becomes minus infinity."),
        Mistake({"hides": lambda a, b: b > a}, "Tokens hear the sentences before their own. Both "
                "directions have to be hidden."),
        Mistake({"owner": lambda lengths: np.repeat(lengths, lengths)}, "Two sentences may have "
                "the same length. Give each a number of its own."),
        Mistake({"owner": np.asarray}, "There is one row and one column for each token, not for "
                "each sentence: 6 of them for lengths 2, 1 and 3."),
        Mistake({"owner": lambda lengths: np.arange(sum(lengths))}, "Every token hears itself "
                "alone. Those of one sentence hear each other."),
        Mistake({"form": lambda mask: mask == 0}, "That says where a token may look, with True. "
                "Return numbers to add to the scores."),
    ],
)  # fmt: skip


def _speedup(before, after, warm, *, cut=as_it_is, ratio=np.divide, pair=as_it_is,
             middle=np.median, ends=(0.25, 0.75), told=tuple):  # fmt: skip
    """Compare two interleaved runs, round by round."""
    first = cut(warm)
    old, new = (pair(np.asarray(x, dtype=float)[first:]) for x in (before, after))
    ratios = ratio(old, new)
    return told((middle(ratios), np.quantile(ratios, ends[0]), np.quantile(ratios, ends[1])))


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
        # whichever way quartiles are counted, equal neighbors give the same
        ([9.0, 2.0, 5.0, 3.0, 4.0, 10.0, 2.5, 3.0], [30.0, 1.0, 4.0, 2.0, 2.0, 2.0, 2.0, 3.0], 1),
        ([5.0, 5.0, 4.0, 8.0, 3.0, 8.0, 2.0, 1.0, 4.0],
         [7.0, 4.0, 5.0, 5.0, 3.0, 2.0, 2.5, 2.0, 2.5], 2),
        ([1.0, 1.0, 2.0, 3.0, 2.0, 5.0, 6.0], [4.0, 2.0, 4.0, 4.0, 2.0, 5.0, 2.0], 0),
    ],
    mistakes=[
        Mistake({"cut": lambda warm: 0}, "The first rounds are in it. They load, compile and fill "
                "caches: leave out as many as are for warming up."),
        Mistake({"cut": lambda warm: warm + 1}, "You leave out one round too many."),
        Mistake(lambda b, a, warm: _speedup(b[: len(b) - warm], a[: len(a) - warm], 0),
                "You leave out the last rounds. The first ones are for warming up."),
        Mistake(lambda b, a, warm: _speedup(b[-warm:], a[-warm:], 0), "[-warm:] "
                "keeps the last rounds only. All after the first ones are wanted: [warm:]."),
        Mistake({"ratio": lambda old, new: new / old}, "Your ratio is upside down: above 1 means "
                "faster, so divide the time before by the time after."),
        Mistake({"ratio": lambda old, new: 100 * (old / new - 1)}, "These are percent. How many "
                "times as fast is asked for: 2 for half the time."),
        Mistake({"ratio": np.subtract}, "These are seconds saved. A machine that is twice as slow "
                "saves twice as many: take ratios."),
        Mistake({"pair": np.sort}, "You sort both lists first. The two runs of one round belong "
                "together: they had the same neighbors on the machine."),
        Mistake({"middle": np.mean}, "One slow round moves a mean. Take the median."),
        Mistake({"ends": (0.0, 1.0)}, "These are the worst and the best round. The quartiles lie "
                "at a quarter and at three quarters."),
        Mistake({"ends": (0.025, 0.975)}, "Between these lie 95 of 100 rounds. The quartiles hold "
                "the middle half, from 0.25 to 0.75."),
        Mistake({"ends": (0.0025, 0.0075)}, "percentile counts to 100: its quartiles are 25 and "
                "75. quantile counts to 1."),
        Mistake({"told": lambda three: (three[1], three[0], three[2])}, "The median comes first, "
                "then the lower and the upper quartile."),
        Mistake({"told": lambda three: three[0]}, "Where are the quartiles? A median alone does "
                "not say how far the rounds differ."),
        Mistake({"ends": (0.75, 0.25)}, "The lower quartile comes first."),
        Mistake(_of_means, "You divide two means. Divide within each round first, and then take "
                "the middle of the ratios."),
        Mistake(_of_medians, "You divide two medians, which may come from different rounds. Divide "
                "within each round first."),
    ],
)  # fmt: skip


def _longest_first(lengths):
    return sorted(range(len(lengths)), key=lambda row: -lengths[row])


def _first_with_room(rooms, length):
    return next((place for place, room in enumerate(rooms) if room >= length), None)


def _pack(lengths, width, *, order=_longest_first, find=_first_with_room, told=list,
          fill=lambda length: length):  # fmt: skip
    """Put rows into bins of one width, each into the first that has room."""
    bins, rooms = [], []
    for row in order(lengths):
        place = find(rooms, lengths[row])
        if place is None:
            place = len(bins)
            bins.append([])
            rooms.append(width)
        bins[place].append(row)
        rooms[place] -= fill(lengths[row])
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
        Mistake({"order": lambda lengths: np.argsort(lengths, kind="stable")[::-1]}, "Of two equal "
                "rows you take the last one first. Turning an ascending order round turns equal "
                "ones round, too."),
        Mistake({"fill": lambda length: 0}, "Your bins never fill up. A row takes its length from "
                "the room of its bin."),
        Mistake({"told": lambda bins: bins[:1]}, "Rows are lost. What fits nowhere opens a "
                "new bin."),
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
        Mistake({"told": lambda bins: [[row + 1 for row in each] for each in bins]}, "Rows are "
                "counted from 0."),
        Mistake(lambda lengths, width: _pack(sorted(lengths, reverse=True), width), "These are "
                "places in the sorted list. Return the numbers of the rows as they were given."),
        Mistake(lambda lengths, width: [[lengths[i] for i in each] for each in
                                        _pack(lengths, width)], "These are lengths. Return the "
                "numbers of the rows, counted from 0."),
    ],
)  # fmt: skip
