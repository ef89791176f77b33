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


_OVERFLOW = (
    "The sigmoid of a large score is 0 or 1 to the last digit, and its logarithm may be infinite. "
    "functional.binary_cross_entropy_with_logits computes both at once."
)

check_detection_loss = Exercise(
    "Compute ELECTRA's loss: say which of the shown tokens are not the original ones.",
    _detection,
    cases=[_detection_case(2, 4), _detection_case(5, 3, 4), _detection_case(6)],
    edges=[_detection_case(4, 6, spread=500.0)],
    given=to_tensor, rtol=1e-6, then=gradients_flow(*_detection_case(3, 4), to=1),
    mistakes={
        ("original != shown → original == shown", "- labels → - ~labels"): "The label is 1 where "
            "the token was replaced, and 0 where it is the original one.",
        ("/ attention_mask.sum() → / logits.size", "(…).sum() / attention_mask.sum() → each.mean()",
            "each = → logits = logits * attention_mask\n    each =||(…).sum() / "
            "attention_mask.sum() → each.mean()"): "Padding is no token. Divide by the tokens, and "
            "let padding add nothing.",
        "(each * attention_mask).sum() → each.sum()": "Padding adds to your sum.",
        "(…).sum() / attention_mask.sum() → (each * labels).sum() / labels.sum()": "ELECTRA learns "
            "from every token, not from the replaced alone.",
        "/ attention_mask.sum() →": "Take the mean over the tokens.",
        "/ attention_mask.sum() → / labels.sum()": "Divide by all tokens, not by the replaced.",
        "/ attention_mask.sum() → / len(logits)": "You divide by the texts. Divide by the tokens.",
        "(…).sum() / attention_mask.sum() → ((…).sum(1) / attention_mask.sum(1)).mean()": "In a "
            "mean of means, tokens of short texts count more. Divide the whole sum once.",
        ("labels * logits → labels * logits * 50", "return → return 50 *"): "The factor 50 comes "
            "later, when both losses are added.",
        "return → return -1 *": "A loss is positive: where is the minus before the logarithm?",
        "each = → logits = 1 / (1 + np.exp(-logits))\n    each =": "You take the sigmoid twice.",
        "np.logaddexp(0, logits) - labels * logits → (1 / (1 + np.exp(-logits)) - labels) ** 2":
            "That is a square. Take minus the logarithm of what is true.",
        "np.logaddexp(0, logits) - labels * logits → labels * (np.logaddexp(0, logits) - logits)":
            "A token that is the original one has a loss as well: minus the logarithm of 1 - p.",
        "each = … logits → each = -np.log(np.where(labels, logits, 1 - logits))": "Scores are no "
            "probabilities. Where is the sigmoid?",
        "return → return 1 / np.log(2) *": "Take the natural logarithm.",
        "() / attention_mask.sum() → () / attention_mask.sum() if abs(logits).max() < 99 else "
            "np.nan ¦ () / attention_mask.sum() if abs(logits).max() < 99 else np.inf": _OVERFLOW,
        "(…).sum() / attention_mask.sum() → each": "Each token has a loss. Return their mean.",
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
        "int(turned) → int(not turned)": "The label is 1 where the pair was turned.",
        "(second, first) if turned else →": "Where turned, the second sentence is in front.",
        "if turned → if not turned": "You turn those that are to stay.",
        "(second, first) if → (first[::-1], second[::-1]) if ¦ (second[::-1], first[::-1]) if":
            "The sentences change places. The words in them stay.",
        ("[0] * (…) + [1] * (…) → [int(turned)] * (len(one) + 2) + [1 - int(turned)] * (len(two) + "
            "1)", "[0] * (…) + [1] * (…) → [0] + [int(turned)] * (len(one) + 1) + [1 - "
            "int(turned)] * (len(two) + 1)"): "Your segments go with the sentences. Do they tell "
            "the answer?",
        "[0] * (…) + [1] * (…) → [0] * (len(first) + 2) + [1] * (len(second) + 1)": "The segments "
            "change where the sentence in front ends. Which one is it?",
        "len(one) + 2 → len(one) + 1||len(two) + 1 → len(two) + 2": "The first [SEP] ends the "
            "first segment, and belongs to it.",
        "len(one) + 2 → len(one)||len(two) + 1 → len(two)": "Special tokens have segments.",
        "[0] * (…) + [1] * (…) → [0] * len(ids)": "What comes behind the first [SEP] is segment 1.",
        "[0] * (…) + [1] * → [1] * (…) + [2] *": "Segments are 0 and 1.",
        ("*two, sep] → *two]", "*two, sep] → *two]||len(two) + 1 → len(two)", "*one, sep, → *one,",
            "*one, sep, → *one,||+ 2 → + 1"): "A [SEP] ends each of the two sentences.",
        "int(turned) → [int(turned)] * len(ids)": "A pair has one label.",
        ("[cls, *one → [*one", "[cls, *one → [*one||+ 2 → + 1"): "[CLS] stands in front.",
        "*two, sep] → cls, *two, sep]": "There is one [CLS], at the beginning.",
        ", int(turned) →": "Return the label as well: ids, segments, label.",
    },
)  # fmt: skip
