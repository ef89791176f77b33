"""Exercises of Chapter 19: a temperature, a weighted loss, leaks, thresholds with a margin."""

import math
import re
from functools import cache

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from berttools.classify import thresholds
from minibert.reference import softmax

_RNG = np.random.default_rng(19)
share_at_least = cache(thresholds.clopper_pearson_lower)


def _temperature(logits, labels, choices):
    rows = np.arange(len(labels))
    losses = [-np.log(softmax(logits / t)[rows, labels]).mean() for t in choices]
    return choices[int(np.argmin(losses))]


def _temperature_case(rows, good, scale):
    labels = _RNG.integers(3, size=rows)
    logits = _RNG.normal(size=(rows, 3))
    logits[np.arange(rows), labels] += good
    return logits * scale, labels, [0.25, 0.5, 1.0, 2.0, 4.0, 8.0]


check_temperature = Exercise(
    "Return the temperature with the lowest mean loss.",
    _temperature,
    cases=[_temperature_case(*sizes) for sizes in (
        (6, 1.5, 1.0), (12, 1, 4.0), (20, 1.5, 0.4), (30, 0.5, 9.0), (40, 2, 2.0))]
        + [(*_temperature_case(16, 1, 5.0)[:2], [1.0, 0.5, 8.0, 4.0, 2.0])],
    mistakes={
        "logits / t → logits * t": "Dividing makes answers less sure. You multiply.",
        "argmin → argmax": "That is the highest loss; or has your loss no minus sign?",
        ("choices[…] → min(losses)", "choices[…] → losses", "choices[…] → int(np.argmin(losses))"):
            "A temperature is asked for, not its loss or place.",
        ("logits → softmax(logits)", "softmax(logits / t) → (softmax(logits) ** (1 / t))"):
            "Divide the scores, before the softmax.",
        "softmax(logits / t) → softmax(logits / t, axis=0)": "The classes of a letter add up to 1.",
        "np.log(…) → softmax(logits / t)[rows, labels]": "Where is the logarithm?",
        "-np.log(…).mean() → abs(softmax(logits / t).max(axis=1).mean() - (logits.argmax(axis=1) "
            "== labels).mean())": "Take the loss of the true class.",
        "→ 1.0": "Do you compare all temperatures, or stop at one?",
        "-np.log(…] → (logits.argmax(axis=1) != labels": "No temperature changes which class is "
            "ahead. Take the loss of the true class.",
        ("[rows, labels] → .max(axis=1)", "softmax(logits / t) → (softmax(logits) / t)"): "Divide "
            "the scores, before the softmax, and take the loss of the true class.",
        "-np.log(softmax(logits / t)[rows, labels]) → ((softmax(logits / t) - np.eye(3)[labels]) "
            "** 2)": "That is squared. Where is the logarithm?",
        "np.argmin(losses) → [a <= b for a, b in zip(losses, [*losses[1:], np.inf])].index(True)":
            "You stop where the loss first rises. The list need not be in order.",
        "→ np.mean([right(logits[[n]], labels[[n]], choices) for n in range(len(labels))])": "All "
            "letters share one temperature: first take the mean of their losses.",
        "labels]).mean() → labels]).min()": "Take the mean over all letters.",
    },
)  # fmt: skip


def _weighted(logits, labels, weights):
    chances = softmax(logits)[np.arange(len(labels)), labels]
    own = weights[labels]
    return -(own * np.log(chances)).sum() / own.sum()


def _weighted_case(rows, classes):
    logits, labels = _RNG.normal(size=(rows, classes)), _RNG.integers(classes, size=rows)
    return logits, labels, _RNG.uniform(0.3, 6, size=classes)


check_weighted_loss = Exercise(
    "Compute the mean loss of letters whose classes count differently.",
    _weighted,
    cases=[_weighted_case(4, 3), _weighted_case(7, 2), _weighted_case(9, 5)],
    edges=[(np.array([[1001.0, 1003, 1002]] * 2), np.array([0, 1]), np.array([1.0, 3, 2]))],
    mistakes={
        "→ np.nan if logits.max() > 99 else right(logits, labels, weights)": "e to the 1000 is "
            "infinite. Take the largest score away first.",
        "/ own.sum() → / len(labels)": "Divide by the weights: doubling them all changes nothing.",
        "/ own.sum() →": "That is a sum. Divide by the sum of the letters' weights.",
        "/ own.sum() → / weights.sum()": "Some classes come twice. Which sum is that?",
        "own = weights[labels] → own = np.ones(len(labels))": "Where are the weights?",
        "weights[labels] → 1 / weights[labels]": "A weight of 6 counts six times, not a sixth.",
        "-(…)…own.sum() → -np.log((own * chances).sum() / own.sum())": "Take the mean of the "
            "logarithms, not the logarithm of the mean.",
        "return - → return ": "Right up to the sign.",
        "np.log → np.log2 ¦ np.log10": "Take the natural logarithm.",
        "logits → logits * weights": "The weights belong to the loss. The scores stay.",
        "[np…] → .max(axis=1)": "You take the most probable class. Which is the true one?",
        "softmax(logits) → softmax(logits, axis=0)": "The classes of a letter add up to 1.",
        "own * np.log(chances) → np.log(own * chances)": "The weight stands before the logarithm.",
        "-(…)…own.sum() → -np.mean([np.log(chances[labels == k]).mean() for k in "
            "np.unique(labels)])": "Does every class have the same share?",
        "own * np.log(chances) → np.log(chances)": "The weights stand below only. Where above?",
        ".sum() / own.sum() →": "One number is wanted, not one for each letter.",
        "-(…)…own.sum() → -(weights * np.log(softmax(logits))).mean() ¦ -(weights * "
            "np.log(softmax(logits))).sum() / weights.sum() ¦ -(weights * "
            "np.log(softmax(logits))).sum() / weights.sum() / len(labels)": "You add the losses of "
            "all classes. A letter has one, that of its true class.",
        "sum() / → mean() /": "You divide twice: by the letters, and by their weights.",
        "[labels] → [logits.argmax(axis=1)]": "The weight is that of the true class.",
        "-(…)…own.sum() → -sum(weights[k] * np.log(chances[labels == k]).mean() for k in "
            "{*labels}) / sum(weights[k] for k in {*labels})": "Every letter brings its weight.",
        "np.log(chances) → (chances - 1) ¦ -chances": "Where is the logarithm?",
        "[np…] → [:, labels]": "Which row goes with each label?",
        "np.log(chances) → logits[np.arange(len(labels)), labels]": "Where is the softmax?",
        "weights[labels] → np.resize(weights, len(labels))": "A weight belongs to a class.",
    },
)  # fmt: skip


def _leaks(texts, writers, train, test):
    def words(row):
        return " ".join(re.findall(r"\w+", texts[row].lower()))

    known, wrote = {words(row) for row in train}, {writers[row] for row in train}
    leaks = [words(row) in known or writers[row] in wrote for row in test]
    return [row for row, leak in zip(test, leaks) if leak]


_TEXTS = [
    "The bin is full.", "The lamp is out!", "THE BIN IS FULL", "A tree fell", "the lamp is out",
    "Music at night.", "The bin is full.", "Ice on the steps", "A tree, fell!", "a TREE fell",
    "Full is the bin.", "A tree  fell", "The bin is full, and smells.",
]  # fmt: skip
_WRITERS = ["W1", "W2", "W3", "W1", "W4", "W5", "W6", "W2", "W7", "W8", "W9", "W10", "W11"]

check_leaks = Exercise(
    "List the test rows that a model could know from training, by their text or their writer.",
    _leaks,
    cases=[
        (_TEXTS, _WRITERS, [0, 1, 8], [2, 3, 5]),
        (_TEXTS, _WRITERS, [0, 5], [1, 2, 3, 6, 8]),
        (_TEXTS, _WRITERS, [3, 4, 5], [0, 1, 6, 8, 9]),
        (_TEXTS, _WRITERS, [2, 7], [8, 6, 1, 0, 3]),
        (_TEXTS, _WRITERS, [5, 7], [0, 3, 4, 8]),
        (_TEXTS, _WRITERS, [0, 2, 1, 3], [10, 6, 11, 12]),
    ],
    mistakes={
        "or writers[row] in wrote →": "A writer of the training part is known, too.",
        "words(row) in known or writers → writers": "A text may be sent by somebody else as well.",
        "known or → known and": "One of the two is enough for a leak.",
        "texts[row].lower() → texts[row]": "Capitals do not make another letter.",
        '" ".join(…) → texts[row].lower() ¦ " ".join(texts[row].lower().split()) ¦ '
            'texts[row].lower().strip(" .,!?") ¦ re.sub(r"[.!?]", "", texts[row].lower())': "A dot "
            "or a comma makes no other letter, wherever it stands.",
        '" ".join(…) → texts[row]': "Neither capitals nor dots make another letter.",
        "row for row, leak in zip(…) → n for n, leak in enumerate(leaks)": "Which rows are there?",
        ("return … leak] → return sum(leaks)", "return … leak] → return leaks", "row for row, leak "
            "→ texts[row] for row, leak"): "Which rows are they?",
        "if leak → if not leak": "Those are the clean ones.",
        "→ return right(texts, writers, test, train)": "Which test rows know these training rows?",
        "return … leak] → return sorted(… leak])": "Leave them in the order of `test`.",
        '" ".join(…) → re.sub(r"[^\\w\\s]", "", texts[row].lower())': "Spaces make none.",
        '" ".join → frozenset': "The same words in another order are another letter.",
        "words(row) in known → any(text in words(row) for text in known) ¦ any(text in words(row) "
            "or words(row) in text for text in known)": "It contains the other: no copy.",
        "if leak → for other in train if words(row) == words(other) or writers[row] == "
            "writers[other]": "A test row is listed once, whatever tells of it.",
        "words(row)…wrote for → (words(row)…wrote, known.add(words(row)), "
            "wrote.add(writers[row]))[0] for": "A model knows the training part.",
        "if leak → if leak and words(row) not in map(words, test[: test.index(row)])": "Two test "
            "rows with one text are two leaks.",
        "train → range(len(train))": "`train` holds row numbers. Which texts stand in these rows?",
        "words(row) in known or writers[row] in wrote → (words(row) in known) != (writers[row] in "
            "wrote)": "Where both hold at once it is a leak, too.",
        "leak] → leak][:1]": "You stop at the first one. Does the return stand in the loop?",
    },
)  # fmt: skip


def _thresholds(probs, labels, promise):
    answers, sure = probs.argmax(axis=1), probs.max(axis=1)
    found = np.full(probs.shape[1], math.inf)
    for k in range(probs.shape[1]):
        own = answers == k
        for t in sure[own]:
            kept = own & (sure >= t)
            bound = share_at_least(int((labels[kept] == k).sum()), int(kept.sum()))
            if bound >= promise:
                found[k] = min(found[k], t)
    return found


def _thresholds_case(rows, good, promise, never=0.0):
    labels = _RNG.integers(3, size=rows)
    scores = np.round(_RNG.normal(size=(rows, 3)), 1)
    scores[np.arange(rows), labels] += good
    scores[:, 2] -= never
    return softmax(scores), labels, promise


_FOUR = np.array([[0.9, 0.1], [0.8, 0.2], [0.7, 0.3], [0.3, 0.7], [0.6, 0.4], [0.2, 0.8]])

check_thresholds = Exercise(
    "Choose a threshold for each class, with a margin.",
    _thresholds,
    cases=[
        (_FOUR, np.array([0, 0, 0, 1, 1, 1]), 0.4),
        *(_thresholds_case(*sizes) for sizes in ((12, 2, 0.4), (30, 2, 0.6), (40, 1.5, 0.5), (
            14, 1.5, 0.4, 9))),
        (np.repeat([[0.9, 0.1], [0.35, 0.65]], 8, axis=0), np.array([0] * 8 + [1] * 7 + [0]), 0.7),
        (_FOUR, np.array([1, 1, 1, 0, 0, 0]), 0.4),
        (_FOUR, np.array([0, 0, 0, 1, 1, 1]), share_at_least(3, 3)),
    ],
    mistakes={
        "bound = share_at_least(…) → bound = (labels[kept] == k).mean()": "It just reaches the "
            "promise here. Take the lower bound.",
        ("kept = own → kept = (labels > -1)", "kept = own → kept = (labels > -1)||labels[kept] == "
            "k → labels[kept] == answers[kept]"): "Count only answers of this class.",
        "own = answers == k → own, sure = labels > -1, probs[:, k]": "Of a letter only the class "
            "with the largest probability is answered.",
        "sure[own] → sorted(sure[own])[::-1]||>= promise → < promise:\n                "
            "break\n            if True": "You stop at the first failure. What comes further down?",
        "sure[own]: → np.arange(101) / 100:||int(kept.sum()) → max(1, int(kept.sum()))": "Only "
            "the probabilities that occur can change anything. Try these.",
        "= own & → = (labels == k) &": "Which letters does the program answer with this class?",
        "sure >= t → sure > t": "A letter exactly on the threshold is kept, too.",
        "min(found[k], t) → t": "Which of these is the lowest?",
        "min(…) → max(found[k] if found[k] < math.inf else 0.0, t)": "The highest that will do?",
        ("math.inf → 1.0 ¦ math.nan", "return found → return np.where(found < math.inf, found, 0)"):
            "Where no threshold will do, the class has math.inf.",
        "for t in → for n, t in enumerate||sure[own] → (sure[own])||sure >= t → (sure > t) | (sure "
            "== t) & (np.cumsum(own) <= n + 1)": "Letters of one probability are kept together.",
        ("return found → return np.full(len(found), found.min()) ¦ return np.full(len(found), "
            "found.max())", "own = answers == k → own = labels > -1||labels[kept] == k → "
            "labels[kept] == answers[kept]"): "Each class has a threshold of its own.",
        "return found → return found[np.unique(answers)]": "A class never answered has a place.",
        ("= answers → = labels", "= answers → = labels||labels → answers", "own = answers == k → "
            "own, sure = labels == k, probs[:, k]||labels[kept] → answers[kept]"): "Which letters "
            "does the program answer with this class? It does not know the true one.",
        "probs.max(axis=1) → probs[:, 0]": "How sure is it? Take the largest probability.",
        "max(axis=1)\n → max(axis=0)\n": "Each letter has a maximum of its own: axis=1.",
        "labels[kept] == k → labels[kept] != k": "You count wrong answers.",
        "bound >= promise → bound > promise ¦ bound <= promise": "At least the promise will do.",
        "kept. → own. ¦ (labels == k).": "How many letters lie at or above the threshold?",
        "return found → return found[::-1]": "In which order do the classes stand?",
        "int((labels[kept] == k).sum()), int(kept.sum()) → int(kept.sum()), int((labels[kept] == "
            "k).sum())": "Turned around: how many are right, of how many that are kept?",
        "sure >= t → sure <= t": "Which letters does a threshold keep?",
        "bound > → t >": "A probability of 0.9 is no promise. How many are right?",
        "min(found[k], t) → (labels[kept] == k).mean() ¦ bound": "From which probability on?",
    },
)  # fmt: skip
