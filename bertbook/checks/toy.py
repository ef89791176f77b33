"""Exercises of Chapter 5: dropout and the masked loss."""

from __future__ import annotations

import numpy as np

from .exercise import Exercise

_RNG = np.random.default_rng(51)


def _dropout_case(shape, rate):
    kept = _RNG.random(shape) >= rate
    kept.flat[:2] = True, False
    return _RNG.standard_normal(shape), kept, rate


def _dropout(x, kept, rate):
    return x * kept / (1 - rate)


def _keeps_or_drops(got, want, x, kept, rate):
    """Return whether each number is dropped or kept, as it was or scaled, whatever was asked."""
    faces = [got, got - x, got - x / (1 - rate)]
    return np.any(np.isclose(faces, 0, atol=1e-6), axis=0).all()


check_dropout = Exercise(
    "Write inverted dropout, when what stays is given.",
    _dropout,
    cases=[_dropout_case((4,), 0.1), _dropout_case((2, 5), 0.25), _dropout_case((2, 3, 4), 0.6)],
    mistakes={
        "/ (1 - rate) →": "The right numbers are dropped. But the sum is now smaller than it will "
            "be when nothing is dropped. By which factor?",
        "/ (1 - rate) → / rate": "Which share of the numbers stays on average: the rate, or 1 "
            "minus the rate?",
        "/ (1 - rate) → * (1 - rate)": "The numbers that stay should grow, to make up for those "
            "that are gone. Yours shrink.",
        "* kept → * ~kept": "You keep what should be dropped, and drop what should stay. What does "
            "a true entry of kept mean?",
        "* kept →": "Nothing is dropped. Which argument says what stays?",
        "(1 - rate) → kept.mean()": "You divide by the share that happened to stay this time. "
            "Dividing by the share expected, 1 minus the rate, keeps each number independent of "
            "the others.",
        ("→ np.where(kept, x / (1 - rate), x)", "→ np.where(kept, x / (1 - rate), x * rate)"):
            "Nothing is dropped: the other numbers stay as they "
            "were. They should be 0.",
        "(1 - rate) → 1 - rate": "Python divides before it subtracts: put brackets around 1 - "
            "rate.",
        "* kept → * kept * rate": "What stays is multiplied by the rate as well. Divide by 1 minus "
            "the rate, and no more.",
        "/ (1 - rate) → * rate": "The numbers that stay are to grow. Yours are multiplied by the "
            "rate.",
        "(1 - rate) → (1 - rate) ** 2": "You divide by 1 minus the rate twice.",
        "/ (1 - rate) → * (1 + rate)": "1 plus the rate is close, but 0.9 · 1.1 is 0.99. Which "
            "factor times 1 minus the rate gives 1?",
        "(1 - rate) → np.sqrt(1 - rate)": "That keeps the mean of the squares. Here the mean "
            "itself is to stay. No root.",
        "x * kept → x[kept]": "x[kept] cuts the dropped numbers out. They stay in their places, as "
            "zeros.",
        "→ x[kept]": "x[kept] cuts the dropped numbers out. They stay in their places, as zeros, "
            "and the others grow.",
        "x * kept → kept": "Those are the factors. By what are they multiplied?",
        "* kept / (1 - rate) → * ~kept / rate": "You keep what should be dropped, and scale as if "
            "the rate stayed. What does a true entry of kept mean?",
        "* kept → * (np.random.default_rng(x.size).random(x.shape) >= rate)": ("You draw a mask of "
            "your own, or do not follow the one you get. What stays is decided already: kept is "
            "true there.", _keeps_or_drops),
    },
)  # fmt: skip


def _masked_loss(logits, labels):
    labeled = labels != -100
    scores, truth = logits[labeled], labels[labeled]
    scores = scores - scores.max(axis=-1, keepdims=True)
    log_total = np.log(np.exp(scores).sum(axis=-1))
    of_truth = scores[np.arange(len(truth)), truth]
    return (log_total - of_truth).mean()


_LOG_OF_SHARES = (
    "log_total = np.log(np.exp(scores).sum(axis=-1)) → log_total = 0; "
    "scores = np.log(np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True))"
)

check_masked_loss = Exercise(
    "Compute the mean loss over the labeled positions, from logits, in numpy.",
    _masked_loss,
    cases=[
        (_RNG.standard_normal((3, 4)), np.array([3, 1, -100])),
        (_RNG.standard_normal((5, 7)), np.array([-100, 2, -100, 6, 0])),
    ],
    edges=[
        (np.array([[900.0, 0.0], [0.0, 0.0], [1.0, 2.0]]), np.array([0, 1, -100])),
        (np.array([[0.0, 1000.0], [0.5, 0.0]]), np.array([0, 1])),
    ],
    forbidden=["cross_entropy", "masked_lm_loss"],
    rtol=1e-8,
    mistakes={
        ".mean() → .sum() / len(labels)": "You divide by the number of all positions. How many "
            "have a label?",
        ".mean() → .sum()": "That is the sum. The loss is the mean over the labeled positions.",
        "→ -right(logits, labels)": "A loss is not negative. Where is the minus?",
        "→ right(logits, np.maximum(labels, 0))": "You count the positions labeled -100 as if "
            "their word had id 0. They have no label at all.",
        ("scores.max(axis=-1, keepdims=True) → scores.max(axis=0) || np.log(np.exp(scores).sum("
         "axis=-1)) → np.log(np.exp(scores).sum(axis=0))[truth]"): "You add up over the "
            "positions. Softmax runs over the words: along which axis do they lie?",
        ("scores.max(axis=-1, keepdims=True) → scores.max() || .sum(axis=-1) → .sum()",
         "→ scores = logits - logits.max(); scores = scores - np.log(np.exp(scores).sum()); "
         "labeled = labels != -100; return -scores[labeled, labels[labeled]].mean()"): "Your sum "
            "runs over the whole array. Each position has a softmax of its own.",
        ".mean() →": "Those are the losses of the labeled positions. The loss is their mean.",
        ("log_total - of_truth).mean() → ((np.exp(scores - log_total[:, None]) - "
         "np.eye(logits.shape[-1])[truth]) ** 2).sum(axis=-1)).mean()"): "That is a squared error. "
            "The loss is −ln of one number, the probability of the true word.",
        ("→ labeled = labels != -100; p = 1 / (1 + np.exp(-logits[labeled])); truth = "
         "np.eye(logits.shape[-1])[labels[labeled]]; return -np.log(np.where(truth, p, 1 - "
         "p)).sum(axis=-1).mean()"): "You ask of each word by itself whether it is right, with a "
            "sigmoid. Softmax makes one choice among all words.",
        "labels != -100 → labels > 0": "You leave out the word with id 0, which is a word like any "
            "other.",
        ("scores[np.arange(len(truth)), truth] → scores[:, truth] - log_total[:, None] || "
         "log_total - of_truth → -of_truth"): "You take the columns of all labels at every "
            "position. Each position has one label: index rows and labels together.",
        "labels != -100 → labels != 0 || labels[labeled] → np.maximum(labels[labeled], 0)":
            "You leave out the word with id 0 and count positions without a label. Which number "
            "says that there is none?",
        "→ right(logits, labels) / np.log(2)": "Your unit is the bit. Which logarithm gives nats?",
        "→ right(logits, labels) / np.log(10)": "Your logarithm has the base 10. Which one gives "
            "nats?",
        ("np.log → np.log2", "np.log → np.log10"): "The logarithm that undoes np.exp is np.log. "
            "Yours has another base.",
        "→ np.exp(right(logits, labels))": "That is e to the loss, the perplexity. Return the "
            "loss itself.",
        ".mean() → .mean() / len(labels)": "That is a mean already. Why divide once more?",
        ".mean() → .max()": "That is the largest loss. Take the mean of all that have a label.",
        "log_total - of_truth → log_total[:, None] - scores": "You average over all words. The "
            "true one of each position counts.",
        "log_total - of_truth → log_total": "You take the loss of the most probable word. Which "
            "word is true is said by the label.",
        "log_total - of_truth → -np.exp(of_truth - log_total)": "You average the probabilities of "
            "the true words. Where is the logarithm?",
        "(log_total - of_truth).mean() → -np.log(np.exp(of_truth - log_total).mean())": "You take "
            "the logarithm of the mean. The loss is the mean of the logarithms.",
        "- scores.max(axis=-1, keepdims=True) → || log_total - of_truth → -of_truth": "You take "
            "the logit of the true word. Its probability depends on the others: where is softmax?",
        "log_total - of_truth → -of_truth": "Subtracting the largest logit changes no probability. "
            "Where is the sum over all words?",
        ".mean() → [log_total != of_truth].mean()": "Right on random numbers. But a labeled "
            "position that is certain and right has a loss of exactly 0, and yours forgets it. "
            "What decides whether a position counts?",
        ("- scores.max(axis=-1, keepdims=True) →",
         f"- scores.max(axis=-1, keepdims=True) → || {_LOG_OF_SHARES}"): "Right on small logits, "
            "but a logit of 900 overflows. Which number can you subtract from a row without "
            "changing its probabilities?",
        ("scores.max(axis=-1, keepdims=True) → scores.max()",
         f"scores.max(axis=-1, keepdims=True) → scores.max() || {_LOG_OF_SHARES}"): "You subtract "
            "the largest logit of the whole array. A row far below it underflows to 0. Which "
            "maximum does each row need?",
        _LOG_OF_SHARES: "Right on small logits, but a probability below the smallest number there "
            "is becomes 0, and its logarithm infinite. Can you take the logarithm before anything "
            "is rounded to 0?",
        tuple(f"{_LOG_OF_SHARES[:-1]} + 1e-{digits})" for digits in (7, 8, 9, 10, 12)): "A tiny "
            "number in the logarithm? It changes the answer for hopeless words. The logarithm of a "
            "softmax needs no help.",
    },
)  # fmt: skip
