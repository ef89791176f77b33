"""Exercises of Chapter 20: an interval, ablation, a rival."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise

_RNG = np.random.default_rng(181)


def _paired_interval(first, second, draws):
    ahead = first - second
    means = ahead[draws].mean(axis=1)
    low, high = np.quantile(means, (0.025, 0.975))
    return low, high


def _interval_case(words, repeats):
    hard = _RNG.normal(0.6, 0.2, size=words)
    scores = [np.round(hard + _RNG.normal(gain, 0.05, size=words), 2) for gain in (0.08, 0)]
    return *scores, _RNG.integers(words, size=(repeats, words))


check_paired_interval = Exercise(
    "Return the ends of the paired bootstrap interval of a mean difference.",
    _paired_interval,
    cases=[_interval_case(*sizes) for sizes in [(4, 9), (6, 40), (10, 200)]],
    mistakes={
        "mean → std ¦ sum": "Take the mean of each repeat.",
        "[draws] → [draws - 1]": "The draws are indices already, counted from 0.",
        "0.025, 0.975 → 0.05, 0.95 ¦ 0.25, 0.75 ¦ 0.0, 1.0": "How much is left out on each side of "
            "95 %?",
        "axis=1 → axis=0": "Each repeat has a mean of its own.",
        ".mean(axis=1) →": "Take the quantiles of the means of all repeats.",
    },
)  # fmt: skip


_RNG_OF_HEADS = np.random.default_rng(182)


def _mean_ablation(contexts, head, size):
    changed = np.array(contexts)
    own = slice(head * size, (head + 1) * size)
    changed[..., own] = changed[..., own].mean(axis=(0, 1))
    return changed


def _ablation_case(texts, tokens, heads, size, head):
    shape = texts, tokens, heads * size
    return _RNG_OF_HEADS.integers(-9, 9, size=shape).astype(float), head, size


check_mean_ablation = Exercise(
    "Let one head say what it says on average over all texts and tokens.",
    _mean_ablation,
    cases=[_ablation_case(*sizes) for sizes in [(2, 3, 2, 2, 1), (2, 4, 3, 2, 1), (3, 5, 4, 3, 2)]],
    mistakes={
        "mean → sum ¦ max ¦ std": "What is its average?",
        "axis=(0, 1) → axis=0": "Take the mean over tokens, too.",
        "axis=(0, 1) → axis=1": "You take the mean over tokens only.",
        "own] = → own] += ¦ own] -=": "Put the average in the place of what was said.",
        "[..., own] → [...]": "The other heads stay as they are.",
    },
)  # fmt: skip


_RNG_OF_NAMES = np.random.default_rng(180)


def _rival(pronoun, names):
    cosines = names @ pronoun / norm(names, axis=1)
    return cosines.argmax()  # the pronoun's length is the same for all


def _rival_case(names):
    rows = _RNG_OF_NAMES.normal(size=(names, 3))
    rows *= _RNG_OF_NAMES.choice([0.5, 1, 4], size=(names, 1))
    return np.round(_RNG_OF_NAMES.normal(size=3), 2), np.round(rows, 2)


check_rival = Exercise(
    "Return the number of the name whose row is most like the pronoun's.",
    _rival,
    cases=[*(_rival_case(names) for names in (2, 3, 4, 5, 5, 6, 7, 8)),
           (np.array([3.0, 1, -2]), np.array([[-3.0, 0, -2], [0, 0, 2], [-3, 1, -1], [-2, 1, 1]])),
           (np.array([3.0, 2, 2]), np.array([[2.0, 4, 1], [2, 0, 4], [0, 4, -4], [4, -1, 4]]))],
    mistakes={
        "axis=1 → axis=0": "You divide by the lengths of columns. A name is a row: axis=1.",
        "names @ pronoun / →": "Where is the pronoun?",
        ".argmax() → ¦ / norm(pronoun)": "Which name is it?",
        "argmax → argmin": "That is the name which is least like the pronoun.",
        "names, axis → names, 1, axis": "That is another length.",
    },
)  # fmt: skip
