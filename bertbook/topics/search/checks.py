"""Exercises of Chapter 22: the contrastive loss, nDCG, fusion, hard negatives."""

import numpy as np
from numpy.linalg import norm

from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.tensors import OVERFLOW, gradients_flow, log_softmax, to_tensor

_RNG = np.random.default_rng(19)


def _unit(vectors):
    return vectors / norm(vectors, axis=-1, keepdims=True)


def _contrast(q, d, t):
    scores = _unit(q) @ _unit(d).T / t
    return -np.diag(log_softmax(scores)).mean()


check_contrastive_loss = Exercise(
    "Compute the mean loss of picking each query's own document out of all.",
    _contrast,
    cases=[(*_RNG.normal(size=(2, 2, 3)), 1.0), (*np.split(_RNG.normal(size=(8, 4)), [3]), 0.5),
           (*_RNG.normal(size=(2, 4, 2)), 0.05)], forbidden=["a loop", "contrastive_loss"],
    edges=[(np.eye(2), np.array([[-1.0, 0.0], [0.0, 1.0]]), 0.001)], given=to_tensor,
    then=gradients_flow(np.ones((2, 3)), np.ones((4, 3)), 0.5, to=2),
    mistakes={
        ("_unit → ¦ (lambda x: x / norm(x)) ¦ (lambda x: x / norm(x, axis=1)[:, None] ** 2)",
            "_unit(d) → d", "_unit(q) → q"): "Length still counts. Scale every vector to length 1.",
        "_unit → (lambda x: x / norm(x, axis=0))": "You scale the columns. A vector is a row.",
        ("/ t → ¦ * t ¦ / t**2", "→ right(q, d, 1) / t"): "Divide scores by the temperature, once.",
        "np.diag(log…) → log… ¦ log…[:, 0]": "Query i belongs to document i: the diagonal.",
        ("_unit(d) → _unit(d[: len(q)])", "np.diag(log…) → (to_tensor(log…) * "
            "to_tensor(np.eye(len(q)))).sum(1)"): "Documents that follow are negatives, too.",
        ("(scores) → (scores, axis=0)", lambda q, d, t: (_contrast(q, d, t) + _contrast(
            d[: len(q)], q, t)) / 2): "Each query chooses a document, and no document a query.",
        "(scores) → (np.exp(log_softmax(scores)))": "Two softmaxes: cross_entropy has one inside.",
        "-….mean → np.exp(…).mean ¦ ….mean ¦ 1 - np.exp(…).mean": "Where is minus the logarithm?",
        ".mean() → ¦ .sum() ¦ .sum() / len(d) ¦ [0]": "Take the mean over the queries.",
        "-….mean() → -np.log(np.exp(…).mean())": "First the logarithm of each, then the mean.",
        "() → () if t > .01 else np.nan ¦ () if t > .01 else np.inf": OVERFLOW,
        "_unit(q) @ _unit(d).T → -norm(q[:, None] - d, axis=2)": "Cosines, not distances.",
        "-np.diag(log…) → -np.diag(scores) ¦ (1 / t - np.diag(scores)) ¦ "
            "-log_softmax(np.diag(scores)) ¦ np.log(np.exp(-np.diag(log…)) - 1)": "A softmax "
            "divides by the sum over its row.",
        "→ right(q, d, t) / np.log(2)": "These are bits: the natural logarithm counts in nats.",
    },
)  # fmt: skip


def _ndcg(gains, k):
    def gain(listed):
        places = np.arange(1, len(listed) + 1)
        return (listed / np.log2(1 + places)).sum()

    best = gain(np.sort(gains)[::-1][:k])
    return gain(np.array(gains[:k])) / best if best else 0.0


check_ndcg = Exercise(
    "Compute nDCG@k of a list of documents that are right by degrees.",
    _ndcg,
    cases=[([3, 2, 0, 1], 4), ([0, 1, 3, 2, 0, 2], 3), ([1, 0], 5), ([0, 0, 0, 1], 2)],
    edges=[([0, 0, 0], 2), ([0.25, 0.5], 2)],
    mistakes={
        ("1 + places → 2 + places ¦ places", "→ 1 / 0.0"): "Places are counted from 1.",
        ("1 + places → 2 * places ¦ np.maximum(2, places)", "np.log2(1 + places) → places ¦ (1 + "
            "places)"): "Divide each by log2(1 + place), with the 1 inside.",
        "/ np.log2(…) → ¦ * np.log2(…)": "A document further down must count less.",
        ("/ best → ¦ / k", "np.log2 → np.log||/ best →"): "Divide by the gain of the best order.",
        "→ 1 / right(gains, k) ¦ 1 / (right(gains, k) or np.inf)": "Which gain divides the other?",
        ("[::-1] →", "[::-1][:k] → [-k:]", "np.sort → np.argsort ¦ np.array ¦ np.unique ¦ "
            "max(gains) + 0 * np.sort ¦ 3 + 0 * np.sort", "np.sort(…)[::-1] → "
            "np.argsort(-np.array(…)) ¦ np.array(…)", "→ right(sorted(gains)[::-1], k)"): "Sort "
            "only the best order: all numbers, highest first.",
        ("[::-1][:k] → [::-1]", "[:k] → [: k - 1] ¦ [:1] ¦"): "Each list is cut off after k.",
        "listed / → (2.0**listed - 1) / ¦ (listed > 0) /": "Here the number itself is the gain.",
        (ZeroDivisionError, "0.0 → np.nan ¦ 1.0"): "Where nothing is right, return 0.",
        "best if best else 0.0 → max(best, 1)": "The best gain may be below 1.",
        ("len(listed) + 1 → k + 1", IndexError): "A list may be shorter than k.",
        "1 + places → [[*listed].index(x) + 2 for x in listed]": "Equal numbers have a place each.",
        "if best → if gains[0]": "Something is right. When may it be 0?",
        "np.sort(gains) → np.sort(gains[:k])": "A better document may stand below rank k.",
    },
)  # fmt: skip


def _fusion(first, second):
    one, other = (1 / (60 + np.argsort(np.argsort(-x)) + 1) for x in (first, second))
    return one + other


check_fusion = Exercise(
    "Fuse two lists of scores: add 1 / (60 + place) over both.",
    _fusion,
    cases=[(np.array([0.9, 0.1, 0.5, 0.3]), np.array([7.0, 12.0, 3.0, 9.0])),
           (_RNG.permutation(7) / 7 - 0.4, _RNG.permutation(7) / 9)],
    mistakes={
        ("np.argsort(…) + → … +", "(np.argsort(-x)) → (x) ¦ (np.argsort(x))[::-1]",
            "np.argsort(np.argsort(-x)) → np.arange(len(x))"): "argsort of -scores lists documents "
            "by rank. Taken twice, it gives their ranks.",
        ("+ 1) → ) ¦ + 2)", "-x → x ¦ -abs(x)", "(first, second) → (first, -second) ¦ (-first, "
            "second)"): "The highest score has place 1, in both lists.",
        ("60 + → ¦ 60 *", "1 / (60 + …) for → 1 / 60 + … for"): "Where is 1 / (60 + place)?",
        "1 / (…) → (…)": ("The best document has the lowest sum. Is its place 1? Add reciprocals.",
            lambda got, want, *_: (np.argsort(got) == np.argsort(-want)).all()),
        "one + other → one ¦ other ¦ 2 * one": ("One list decides alone. Do you use both places?",
            lambda got, _, *lists: any((np.argsort(got) == np.argsort(x)).all() for x in lists)),
        ("np.argsort(…) + 1 → x ¦ (np.r_[first, second] >= x[:, None]).sum(1)", "→ first + second "
            "¦ 2 / (61 + np.argsort(np.argsort(-first - second)))"): "Only places can be compared.",
        "one + other → 1 / (1 / one + 1 / other - 60) ¦ one * other ¦ [one, other] ¦ "
            "np.maximum(one, other) ¦ (one + other) / 2": "Each list has a fraction. Add the two.",
        "→ np.argsort(-right(first, second)) ¦ right(first, second).sum()": "Return every sum.",
    },
)  # fmt: skip


def _hard(scores, right, margin):
    own = scores[np.arange(len(scores)), right][:, None]
    return np.where(scores < own - margin, scores, -np.inf).argmax(axis=1)


def _below(got, want, scores, right, margin):
    chosen = got[rows := np.flatnonzero(got != want)].astype(int) % scores.shape[1]
    # A number that is no column's is neither: one entry each way fits no hint that asks this.
    below = scores[rows, chosen] < scores[rows, right[rows]] - margin
    return np.r_[below, True, False] if (got % 1).any() else below


check_hard_negatives = Exercise(
    "Choose for each query the best document that is clearly worse than its own.",
    _hard,
    cases=[(np.array([[0.9, 0.7, 0.2], [0.5, 0.4, 0.1], [0.8, 0.6, 0.9]]), np.array([0, 1, 2]),
           0.15), (np.array([[0.3, 0.9, 0.1, 0.2], [0.6, 0.5, 0.7, 0.1]]), np.array([0, 2]), 0.05),
           (np.array([[0.2, 0.6, 0.5, 0.42]]), np.array([2]), 0.1)],
    edges=[(np.array([[0.5, 0.25, 0.125]]), np.array([0]), 0.25),
           (np.array([[0.3, -0.2, -0.5], [-2.0, -3.0, -4.0]]), np.array([0, 0]), 0.1)],
    mistakes={
        "argmax → max": "That is its score. Return the number of the document.",
        ("- margin → ¦ + margin ¦ + margin * (scores != own)", "→ scores.argmax(1)", "< own - "
            "margin → != own"): ("Is yours more than the margin below the right one?",
            lambda *case: not _below(*case).any()),
        "own - margin → own * (1 - margin)": "The margin is a difference, not a share.",
        "< → <=": "With a margin of 0 you would take the right one itself.",
        "-np.inf → 0.0 ¦ -1.0": "Scores can be below that. Write minus infinity.",
        "[:, None] → ¦ .mean() ¦ .min()": "Each query has a score of its own: a column, [:, None].",
        ("np.where(…, scores, -np.inf) → (…)", "np.where(…, scores, -np.inf).argmax(axis=1) → "
            "[np.flatnonzero(x) for x in (…)]"): ("Which of those below the margin has the highest "
            "score?", lambda *case: _below(*case).all()),
        ("scores[…][:, None] → scores[:, right] ¦ right[:, None] ¦ scores.max(1)[:, None] ¦ "
            "np.diag(scores)[:, None]", "axis=1 → axis=0", IndexError): "Row i is query i. Measure "
            "from its own document, in column right[i].",
        "return …(axis=1) → return (best := …(axis=1)) - (best > right) ¦ return [x[x < y - "
            "margin].argmax() for x, y in zip(scores, own)]": "Which column of scores is that?",
    },
)  # fmt: skip
