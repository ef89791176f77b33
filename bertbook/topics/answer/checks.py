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
        "→ int(starts.argmax()), int(ends.argmax())": "Do these ends make a span?",
        "inside[:, None] & (outside == outside[:, None]) → inside[:, None] | inside": "One end of "
            "yours may stand outside. Both must be in the passage.",
        "starts…ends → np.maximum(starts[:, None], ends) ¦ starts[:, None] * ends": "Add the "
            "scores: the product of two negative ones is large, too.",
        "(ahead >= 0) & → inside & ¦": "Your end may come before its start.",
        ("& whole →", "(outside…) → inside", "& (outside…) → ", "[:, None] & (outside == "
            "outside[:, None]) →"): "Every token of an answer must be inside the passage.",
        ("np.arange(n) - np.arange(n)[:, None] → np.arange(n)[:, None] - np.arange(n)",
            "np.arange(n) - np.arange(n)[:, None] → np.arange(n)[:, None] - np.arange(n)||& whole "
            "→ & whole & inside"): "All of your spans end before they start.",
        "→ return right(starts[inside], ends[inside], inside[inside], longest) ¦ return "
            "tuple(int(inside[:place].sum()) for place in right(starts, ends, inside, longest))":
            "Count from the first token of the whole row, the question included.",
        ", n) → , n)[::-1]": "Turned around: first the start, then the end.",
        "divmod(…) → int(sums.argmax())": "Which row and column is that? divmod(number, n).",
        "divmod(…) → sums.max()": "Where is that highest sum?",
        "→ (0, 0)": "Yours is always (0, 0). Does your search end at what is excluded?",
        ("starts[:, None] + → starts +", "ahead >= 0 → ahead == 0", "starts…ends → starts + "
            "ends[:, None]"): "The starts stand in a column: starts[:, None].",
        "starts…ends → np.exp(starts)[:, None] / np.exp(starts).sum() + np.exp(ends) / "
            "np.exp(ends).sum()": "You add probabilities. Add the scores themselves.",
        "~inside → inside": "Count the tokens outside: have both ends met equally many?",
        "ahead >= 0 → ahead > 0": "An answer may be a single token.",
        ("sums.argmax() → np.triu(sums).argmax()", "-np.inf → 0"): "What is excluded beats a sum "
            "below 0. Which number beats nothing?",
        ("& (ahead < longest) →", "ahead < longest → ahead <= longest ¦ ahead < longest - 1"):
            "How many tokens may an answer have? From 3 to 5 there are three.",
        ("divmod(…) → int(sums.argmax()) // n, int(sums.argmax()) % n + 1", "divmod(…) → "
            "int(sums.argmax()) // n, int(sums.argmax()) % n - int(sums.argmax()) // n + 1"):
            "Return the last token itself: not the one behind it, and not a length.",
        "sums.argmax() → np.where(starts[:, None] == starts[inside].max(), sums, -np.inf).argmax() "
            "¦ np.where(ends == ends[inside].max(), sums, -np.inf).argmax()": "Another start, or "
            "another end, may have a higher sum.",
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
        ("split() → split()||(answer) & Counter(true) → ({*answer} & {*true})||len(answer) → "
            "len({*answer})||len(true) → len({*true})", "(…).total() → len({*answer} & {*true})"):
            "A word that stands twice in both is shared twice.",
        "(…).total() → sum(word in true for word in answer) ¦ sum(word in answer for word in true)":
            "A word that one has once is shared once.",
        "normalize_answer(text) → text ¦ text.lower()": "Normalize both answers first.",
        "normalize_answer(text).split() → list(normalize_answer(text))": "F1 counts words.",
        "float(answer == true) → 0.0": "Two empty answers agree.",
        "(…).total() → sum(map(str.__eq__, answer, true))": "You compare word by word, in their "
            "places. A shared word may stand anywhere.",
        "2 * p * r / (p + r) → min(p, r)": "You divide by the longer of the two answers.",
        "2 * p * r / (p + r) → max(p, r)": "You divide by the shorter of the two answers.",
        "2 * p * r / (p + r) → p ¦ r": "That is the precision alone, or the recall.",
        "2 * p * r / (p + r) → (p + r) / 2 ¦ (p * r) ** 0.5": "F1 is the harmonic mean.",
        ("2 * p * r / (p + r) → p * r / (p + r - p * r)", "2 * p * r / (p + r) → shared / "
            "len({*answer, *true})"): "F1 counts shared words in both answers.",
        "/ (p + r) →": "By what must you divide?",
        "2 * p → 200 * p": "F1 is 1 at most.",
        "2 * p * r / (p + r) → 1.0 ¦ float(shared)": "What share of the answers is that?",
        "→ float(normalize_answer(true) in normalize_answer(answer))": "You ask whether one answer "
            "stands in the other. F1 counts shared words.",
        "float(answer == true) → 1.0": "If only one of the two is empty, they share nothing.",
        "→ answer, true = (Counter(normalize_answer(text).split()) for text in (answer, "
            "true))\nboth = answer.total() + true.total()\nreturn 2 * (answer | true).total() / "
            "both if both else 1.0": "& keeps what both share.",
        ("→ right(answer, true) / 2", "2 * p → p"): "It is 2 p r / (p + r).",
        ZeroDivisionError: "What is F1 when an answer has no words, or when both share none?",
        "normalize_answer(text).split() → [normalize_answer(word) for word in text.split()]": "Of "
            "an article an empty word is left. Normalize the whole text, then split.",
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
        "→ [*range(0, max(1, pieces - stride), room - stride)]": "How many places are these?",
        ("room - stride → room - 2 * stride ¦ room - stride - 1 ¦ room - stride + 1 ¦ room + "
            "stride", "→ math.ceil(pieces / stride)", "room - stride → stride", "→ "
            "math.ceil(pieces / room) ¦ 1 + math.ceil(pieces / room)"): "A window shares `stride` "
            "pieces with the one before. How many are new?",
        ("math.ceil → math.floor ¦ round", "math.ceil(left / step) → left / step"): "The last "
            "pieces need a window, too. Round up.",
        "→ len(range(0, pieces - room + 1, room - stride))": "The last window need not be full.",
        ("1 + math.ceil(left / step) → math.ceil(pieces / step) ¦ pieces // step + 1", "left / "
            "step → pieces / step ¦ (pieces - stride) / step ¦ max(0, pieces - stride) / step"):
            "What is left behind the first window?",
        "1 + →": "Where is the first window?",
        ("max(0, pieces - room) → pieces - room", "max(0, pieces - room) → abs(pieces - room)"):
            "A short passage has one window, not fewer.",
        "1 + math.ceil(left / step) → 2 + left // step ¦ 1 if pieces <= room else 2 + left // "
            "step": "The last window may end with the passage.",
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
        "[~here]…silent[~here] → , answered, silent||(others[0]) → (leads)": "The passage has had "
            "part in the choice. Leave it out.",
        "~here → here": "You choose on the passage itself. Choose on all others.",
        "→ right(leads, answered, silent, np.arange(len(leads)))": "You leave out one question, "
            "and the other questions on its passage stay in. What is the unit?",
        "np.where(…], answered[here] → max(means": "So good they are where they were chosen. And "
            "on the passage that was left out?",
        "reached.mean() → np.mean([reached[passages == p].mean() for p in np.unique(passages)])":
            "Take the mean over questions: a passage with two counts less than one with ten.",
        ("> threshold → < threshold", "> t → < t"): "A lead above the threshold is no answer.",
        "tried = np.unique(others[0]) → tried = np.r_[-np.inf, np.unique(others[0])]": "You try a "
            "threshold below all leads, too. Try those that occur.",
        _mean_threshold: "You take one threshold for all, a mean. Each passage has its own.",
        ("> t → >= t||> threshold → >= threshold", "> t → >= t", "> threshold → >= threshold"):
            "The null score must win by *more* than the threshold: >, not >=.",
        ("silent[here], answered → answered[here], silent", "[2], others[1] → [1], others[2]"):
            "Which of the two scores counts when the null score wins?",
        ("[np.argmax(means)] → [::-1][np.argmax(means[::-1])]", "np.unique(others[0]) → others[0]"):
            "Of equally good thresholds take the lowest.",
        "tried[np.argmax(means)] → np.argmax(means)": "argmax gives the place of a threshold in "
            "your list. Which threshold stands there?",
        "→ np.where(leads > 0, silent, answered).mean()": "Try every lead that occurs.",
        "tried = np.unique(others[0]) → tried = np.unique(leads)": "A lead of the passage that is "
            "left out is among the thresholds you try.",
        "reached.mean() → reached ¦ reached.sum()": "The mean over all questions is asked for.",
        "[~here] → [here]||reached = np.empty(len(leads)) → reached = []||reached[here] = "
            "np.where(leads[here] > threshold, silent[here], answered[here]) → reached += "
            "[*np.where(leads > threshold, silent, answered)[~here]]||reached.mean() → "
            "np.mean(reached)": "Turned around: choose on all others, and score this passage.",
        "→ np.maximum(answered, silent).mean()": "Nobody knows beforehand which of the two is "
            "better. What does a threshold say?",
        "np.empty → np.zeros||np.unique(passages) → range(len({*passages}))": "The numbers of the "
            "passages may have gaps. Which ones occur?",
        "np.where(leads[here] > threshold, silent[here], answered[here]) → answered[here]": "You "
            "answer every question of the passage. What does the threshold say?",
    },
)  # fmt: skip
