"""Exercises of Chapter 20: a block mask, a fair race, packing."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

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
