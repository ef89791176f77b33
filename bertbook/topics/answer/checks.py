"""Exercises of Chapter 18: the best span, F1, windows, a threshold and what it is worth."""

import math
from collections import Counter

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.metrics import exact_match, normalize_answer


def _best_span(starts, ends, inside, longest):
    n = len(starts)
    ahead = np.arange(n) - np.arange(n)[:, None]
    outside = np.cumsum(~inside)
    whole = inside[:, None] & (outside == outside[:, None])
    legal = (ahead >= 0) & (ahead < longest) & whole
    sums = np.where(legal, starts[:, None] + ends, -np.inf)
    return divmod(int(sums.argmax()), n)


def _with_arrays(starts, ends, inside, longest):
    return np.array(starts, float), np.array(ends, float), np.array(inside, bool), longest


check_best_span = Exercise(
    "Find the best legal span: its start and its end score have the highest sum.",
    _best_span,
    cases=[_with_arrays(*case) for case in [
        ([0, 3, 2.5, 0.5, 2], [0, 0.5, 0, 1, 3], [0, 1, 1, 1, 1], 3),
        ([-1, 8, -2, 6, 1, -4], [7, 1, 3, 1, 2, 9], [0, 1, 1, 1, 1, 1], 2),
        ([9, -3, -4, 6, -5, 5], [8, -2, 7, -1, 7.5, -3], [0, 1, 1, 0, 1, 1], 4),
        ([0, 7, 6, -1, -3, -5, 9], [0, 8, 7, -2, -1.5, -4, 9], [0, 0, 0, 1, 1, 1, 0], 4),
        ([2, 5, 1], [1, 4, 2], [0, 1, 1], 2), ([0, 5, 0, 1], [0, 1, 5, 0], [0, 1, 1, 1], 3),
    ]],
    forbidden=["a loop", "best_spans"],
    mistakes={
        "(ahead >= 0) & → inside &": "Your end may come before its start.",
        "& whole →": "Every token of an answer must be inside the passage.",
        "→ return tuple(int(inside[:place].sum()) for place in right(starts, ends, inside, "
            "longest))": "Count from the first token of the whole row, the question included.",
        "~inside → inside": "Count the tokens outside: have both ends met equally many?",
        "-np.inf → 0": "What is excluded beats a sum below 0. Which number beats nothing?",
        ("& (ahead < longest) →", "ahead < longest → ahead <= longest ¦ ahead < longest - 1"):
            "How many tokens may an answer have? From 3 to 5 there are three.",
        "sums.argmax() → np.where(starts[:, None] == starts[inside].max(), sums, -np.inf).argmax()":
            "Another start, or another end, may have a higher sum.",
    },
)  # fmt: skip


def _answer_f1(answer, true):
    answer, true = (normalize_answer(text).split() for text in (answer, true))
    if not answer or not true:
        return float(answer == true)
    shared = (Counter(answer) & Counter(true)).total()
    p, r = shared / len(answer), shared / len(true)
    return 2 * p * r / (p + r) if shared else 0.0


check_answer_f1 = Exercise(
    "Return the F1 of an answer, given the true one.",
    _answer_f1,
    cases=[("Beijing", "Shanghai"), ("The Bund.", "the Bund"), ("in the year 1990", "1990"),
           ("from bank to bank to bank", "bank to bank"), ("Ieoh Ming Pei", "the architect Pei"),
           ("Pei", "Ieoh Ming Pei"), ("the bank of China", "the bank of England"),
           ("to the bank", "from bank to bank"), ("", ""), ("", "1990")],
    forbidden=["answer_f1", "score_answers"],
    mistakes={
        exact_match: "That is the exact match. How many words do both share?",
        "split() → split()||(answer) & Counter(true) → ({*answer} & {*true})||len(answer) → "
            "len({*answer})||len(true) → len({*true})": "A word that stands twice in both is "
            "shared twice.",
        "(…).total() → sum(word in answer for word in true)": "A word that one has once is shared "
            "once.",
        "normalize_answer(text) → text": "Normalize both answers first.",
        "float(answer == true) → 0.0": "Two empty answers agree.",
        "(…).total() → sum(map(str.__eq__, answer, true))": "You compare word by word, in their "
            "places. A shared word may stand anywhere.",
        "2 * p * r / (p + r) → min(p, r)": "You divide by the longer of the two answers.",
        "2 * p * r / (p + r) → max(p, r)": "You divide by the shorter of the two answers.",
        "2 * p * r / (p + r) → p ¦ r": "That is the precision alone, or the recall.",
        "2 * p * r / (p + r) → (p + r) / 2": "F1 is the harmonic mean.",
        "/ (p + r) →": "By what must you divide?",
        "2 * p → 200 * p": "F1 is 1 at most.",
        "→ right(answer, true) / 2": "It is 2 p r / (p + r).",
        ZeroDivisionError: "What is F1 when an answer has no words, or when both share none?",
    },
)  # fmt: skip


def _windows(pieces, room, stride):
    left, step = max(0, pieces - room), room - stride
    return 1 + math.ceil(left / step)


check_number_of_windows = Exercise(
    "Count the windows that a passage needs.",
    _windows,
    cases=[(5, 5, 2), (3, 9, 4), (10, 5, 2), (11, 5, 2), (30, 5, 3), (13, 5, 4), (100, 60, 20),
           (140, 60, 20)],
    forbidden=["a loop", "sliding_windows"],
    mistakes={
        "→ (pieces - room) // stride + 1 ¦ (pieces - room) / stride + 1": "In that formula the "
            "stride is the step. Here it is what neighbors share.",
        ("room - stride → stride", "→ math.ceil(pieces / room)"): "A window shares `stride` pieces "
            "with the one before. How many are new?",
        "math.ceil → math.floor": "The last pieces need a window, too. Round up.",
        "→ len(range(0, pieces - room + 1, room - stride))": "The last window need not be full.",
        "1 + math.ceil(left / step) → math.ceil(pieces / step)": "What is left behind the first "
            "window?",
        "1 + →": "Where is the first window?",
        "max(0, pieces - room) → pieces - room": "A short passage has one window, not fewer.",
        "1 + math.ceil(left / step) → 2 + left // step": "The last window may end with the "
            "passage.",
    },
)  # fmt: skip


def _honest_f1(leads, answered, silent, passages):
    reached = np.empty(len(leads))
    for passage in np.unique(passages):
        here = passages == passage
        others = leads[~here], answered[~here], silent[~here]
        tried = np.unique(others[0])
        means = [np.where(others[0] > t, others[2], others[1]).mean() for t in tried]
        threshold = tried[np.argmax(means)]
        reached[here] = np.where(leads[here] > threshold, silent[here], answered[here])
    return reached.mean()


def _mean_threshold(leads, answered, silent, passages):
    found = []
    for passage in np.unique(passages):
        others = passages != passage
        tried = np.unique(leads[others])
        means = [np.where(leads > t, silent, answered)[others].mean() for t in tried]
        found.append(tried[np.argmax(means)])
    return np.where(leads > np.mean(found), silent, answered).mean()


def _questions(leads, answered, silent, passages):
    return *(np.array(each, float) for each in (leads, answered, silent)), np.array(passages)


check_honest_f1 = Exercise(
    "Score each passage with the threshold that is best on all others.",
    _honest_f1,
    cases=[_questions(*case) for case in [
        ([0, 1, -2, 0, -3, 3], [0, 0, 0, 0, 1, 1], [1, 1, 1, 1, 0, 0], [0, 2, 2, 1, 2, 1]),
        ([3, -1, 3, -1, -2, 1, -1, -1, -2], [0.5, 0, 0.5, 0.5, 0, 0, 0, 0.25, 0],
         [0, 0, 0, 0, 1, 1, 1, 0, 0], [3, 3, 0, 1, 2, 2, 0, 2, 2]),
        ([3, 2, 2, 1, 0, 1, 1, 3, 2, -1], [0, 0, 0.25, 1, 0, 0.5, 0, 0, 0, 0.25],
         [1, 1, 0, 0, 1, 0, 0, 0, 0, 0], [7, 0, 0, 5, 2, 0, 7, 2, 7, 7]),
    ]],
    mistakes={
        "~here → here": "You choose on the passage itself. Choose on all others.",
        "> t → < t": "A lead above the threshold is no answer.",
        _mean_threshold: "You take one threshold for all, a mean. Each passage has its own.",
        "> t → >= t": "The null score must win by *more* than the threshold: >, not >=.",
        "reached.mean() → reached ¦ reached.sum()": "The mean over all questions is asked for.",
    },
)  # fmt: skip
