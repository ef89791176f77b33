"""Exercises of Chapter 21: a control task, cosines without their mean, the price of labels."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise


def _control_task(words, classes, order):
    class_of = dict(zip(words, classes))
    distinct = list(dict.fromkeys(words))
    dealt = {word: class_of[distinct[i]] for word, i in zip(distinct, order)}
    return [dealt[word] for word in words]


_KINDS = {"the": "other", "old": "adjective", "cat": "noun", "sees": "verb", "dog": "noun",
          "and": "other", "she": "other", "sings": "verb", "laughs": "verb"}  # fmt: skip


def _control_case(text, order):
    return text.split(), [_KINDS[word] for word in text.split()], order


check_control_task = Exercise(
    "Deal the classes of a control task: one class for each different word.",
    _control_task,
    cases=[_control_case("she sings and she laughs and sings", [2, 0, 3, 1]),
           _control_case("the old cat sees the dog and the dog sees the cat", [3, 4, 1, 5, 0, 2]),
           ([*"igbdhafceba"], [*"IGBDHAFCEBA"], [3, 6, 0, 8, 5, 1, 7, 4, 2])],
    forbidden=["control_labels"],
    mistakes={
        "→ classes": "These are the true classes. Deal them out again.",
        tuple(f"→ [{kind!r}] * len(words)" for kind in sorted({*_KINDS.values()})): "With one "
            "class for all, a probe needs to remember nothing.",
        "→ [classes[order[i % len(order)]] for i in range(len(words))]":
            "A word that comes twice has one class.",
        "list(dict.fromkeys(words)) → sorted({*words})": "Count the words as they first appear.",
        "fromkeys(words)) → fromkeys(words))[::-1]": "You count from the end. Where does a word "
            "come first?",
        "(distinct, order) → (distinct, order[::-1])": "You read the order from its end.",
        "in words] → in words][::-1]": "Your list is turned around.",
        "[i] → [i - 1] ¦ [(i + 1) % len(order)]": "The different words are counted from 0.",
        "list(…) → words": "`order` counts different words, as they first appear.",
        "word: class_of[distinct[i]] → distinct[i]: class_of[word]": "The other way around: word "
            "number i receives the class of order[i].",
    },
)  # fmt: skip


_RNG = np.random.default_rng(210)


def _centered_gap(vectors, labels):
    moved = vectors - vectors.mean(axis=0)
    unit = moved / norm(moved, axis=1, keepdims=True)
    cosines = unit @ unit.T
    first, second = np.triu_indices(len(vectors), k=1)
    same = (labels[:, None] == labels)[first, second]
    cosines = cosines[first, second]
    return cosines[same].mean() - cosines[~same].mean()


def _gap_case(labels, dim):
    labels = np.array(labels)
    shared, own = 3 * _RNG.normal(size=dim), _RNG.normal(size=(labels.max() + 1, dim))
    return shared + own[labels] + _RNG.normal(size=(len(labels), dim)), labels


check_centered_gap = Exercise(
    "Take the mean vector away, then compare cosines within labels and between them.",
    _centered_gap,
    forbidden=["cosine_gap"],
    cases=[_gap_case([0, 1, 0, 1], 2), _gap_case([0, 0, 1, 1, 1], 3),
           _gap_case([2, 0, 1, 1, 0, 2, 0, 0], 4)],
    mistakes={
        "moved, → vectors,": "Which lengths? Those of the vectors after the mean has gone.",
        ", k=1 →": "A vector with itself is no pair; its cosine is always 1.",
        "mean() - → mean() /": "Subtract; a mean cosine may be 0.",
        "vectors - → vectors +": "Take the mean away. You add it.",
        "mean() - → mean(),": "One number is asked for: the first minus the second.",
    },
)  # fmt: skip


def _code_length(vectors, labels, ends, classes, fit):
    bits = ends[0] * np.log2(classes)
    for start, end in zip(ends, ends[1:]):
        probe = fit(vectors[:start], labels[:start])
        chances = probe(vectors[start:end])
        told = chances[np.arange(end - start), labels[start:end]]
        bits = bits - np.log2(told).sum()
    return bits


def _near(vectors, labels):
    """Return chances of three classes: of each one labeled row as much as it is near, and a bit."""
    own = np.eye(3)[labels]
    return lambda rows: (
        (votes := np.exp(-((rows[:, None] - vectors) ** 2).sum(axis=-1)) @ own + 0.1)
        / votes.sum(axis=1, keepdims=True)
    )


def _code_case(ends, dim):
    labels = _RNG.integers(3, size=ends[-1] + 2)  # two are never sent
    return 2 * np.eye(3, dim)[labels] + _RNG.normal(size=(len(labels), dim)), labels, ends, 3, _near


check_code_length = Exercise(
    "Say how many bits labels cost, block by block, if a probe learns from what was told.",
    _code_length,
    cases=[_code_case(*sizes) for sizes in [([2, 4, 7], 2), ([3, 6, 9], 3), ([4, 6, 9, 14], 3)]],
    mistakes={
        "ends[0] * np.log2(…) → 0": "The first block costs, too: what is known there?",
        "ends[0] → ends[-1]": "Who needs no probe?",
        "np.log2(told) → np.log(told) ¦ np.log10(told)": "Bits are logarithms to the base 2.",
        "sum → mean": "Every label of the block costs: take the sum.",
        "fit(…) → fit(vectors[:end], labels[:end]) ¦ fit(vectors, labels)":
            "Learn from the earlier blocks only.",
    },
)  # fmt: skip
