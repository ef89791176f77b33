"""Exercises of Chapter 25: the loss of replaced tokens, and pairs whose order is asked."""

import numpy as np

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import gradients_flow, to_tensor

_RNG = np.random.default_rng(25)


def _detection(logits, original, shown, attention_mask):
    labels = original != shown
    each = np.logaddexp(0, logits) - labels * logits
    return (each * attention_mask).sum() / attention_mask.sum()


def _detection_case(*lengths, spread=1.0):
    rows, seq = len(lengths), max(lengths)
    real = np.arange(seq) < np.array(lengths)[:, None]
    original = np.where(real, _RNG.integers(4, 30, (rows, seq)), 0)
    replaced = real & (_RNG.random((rows, seq)) < 0.3)
    replaced[:, 1] = True
    shown = np.where(replaced, original % 26 + 4, original)
    return spread * _RNG.normal(size=(rows, seq)), original, shown, real.astype(int)


check_detection_loss = Exercise(
    "Compute ELECTRA's loss: say which of the shown tokens are not the original ones.",
    _detection,
    cases=[_detection_case(2, 4), _detection_case(5, 3, 4), _detection_case(6)],
    edges=[_detection_case(4, 6, spread=500.0)],
    given=to_tensor, rtol=1e-6, then=gradients_flow(*_detection_case(3, 4), to=1),
    mistakes={
        "- labels → - ~labels": "The label is 1 where the token was replaced, and 0 where it is "
            "the original one.",
        "/ attention_mask.sum() →": "Take the mean over the tokens.",
        "return → return 50 *": "The factor 50 comes later, when both losses are added.",
        "return → return -1 *": "A loss is positive: where is the minus before the logarithm?",
        "return → return 1 / np.log(2) *": "Take the natural logarithm.",
    },
)  # fmt: skip


def _ordered(first, second, turned, cls, sep):
    one, two = (second, first) if turned else (first, second)
    ids = [cls, *one, sep, *two, sep]
    types = [0] * (len(one) + 2) + [1] * (len(two) + 1)
    return ids, types, int(turned)


check_ordered_pair = Exercise(
    "Write a pair as ALBERT reads it: ids, segments, and whether it was turned.",
    _ordered,
    cases=[([7, 8, 9], [5, 6], turned, 2, 3) for turned in (False, True)]
    + [([11], [12, 13, 14, 15], turned, 101, 102) for turned in (True, False)],
    mistakes={
        "if turned → if not turned": "You turn those that are to stay.",
        "*two, sep] → *two]": "A [SEP] ends each of the two sentences.",
        "[cls, *one → [*one": "[CLS] stands in front.",
        "*two, sep] → cls, *two, sep]": "There is one [CLS], at the beginning.",
        ", int(turned) →": "Return the label as well: ids, segments, label.",
    },
)  # fmt: skip
