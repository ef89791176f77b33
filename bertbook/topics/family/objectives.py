"""Exercises of Chapter 25: the loss of replaced tokens."""

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
