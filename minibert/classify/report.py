"""What the test part says, as facts and in words. Chapter 19."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from .calibration import calibration_error, reliability, with_temperature
from .preparing import Work
from .saving import Classifier
from .scores import class_scores, count_confusions
from .splitting import linked_rows
from .table import LabeledTable
from .thresholds import decide

DRAWS, ENDS = 1000, (0.025, 0.975)
SHOWN = 5


def interval(
    values: Float[np.ndarray, " rows"], blocks: Sequence[Sequence[int]], *, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of a mean over rows, by drawing whole blocks again (bootstrap).

    Parameters
    ----------
    values : float array, shape (rows,)
        Such as 1 for each row that is right, or the difference of two classifiers.
    blocks : sequence of sequences of int
        Rows that were made from one another; each by itself if none were.
    seed : int, default 0
        Start of the draws.

    Returns
    -------
    low : float
        The lower end; the upper one if all values are equal, of which the draws know nothing else.
    high : float
        The upper end.
    """
    sums = np.array([[values[rows].sum(), len(rows)] for rows in map(list, blocks)])
    drawn = np.random.default_rng(seed).multinomial(
        len(sums), np.full(len(sums), 1 / len(sums)), size=DRAWS
    )
    total, count = (drawn @ sums).T
    low, high = np.quantile(total / count, ENDS)
    return float(low), float(high)


def measure(
    classifier: Classifier,
    work: Work,
    logits: Float[np.ndarray, "rows classes"],
    by_words: Float[np.ndarray, "rows classes"],
) -> dict[str, Any]:
    """Compare scores of the test part, and those of counted words, with the truth."""
    labels, table, classes = work.labels["test"], work.tables["test"], work.classes
    blocks = linked_rows(table)
    probs = with_temperature(logits, classifier.temperature)
    usual = np.bincount(work.labels["train"], minlength=len(classes)).argmax()
    answers = {
        f"always {classes[usual]}": np.full_like(labels, usual),
        "counted words": by_words.argmax(axis=-1),
        "this classifier": probs.argmax(axis=-1),
    }
    hits = {name: (given == labels).astype(float) for name, given in answers.items()}
    lead = hits["this classifier"] - hits["counted words"]
    matrix = count_confusions(labels, answers["this classifier"], len(classes))
    decided = decide(probs, np.array(classifier.thresholds))
    before = with_temperature(logits, 1.0)
    return {
        "classes": list(classes),
        "rows": {name: len(part) for name, part in work.tables.items()},
        "blocks": len(blocks),
        "rivals": [
            _rival(name, hits[name], blocks, count_confusions(labels, given, len(classes)))
            for name, given in answers.items()
        ],
        "lead": [float(lead.mean()), *interval(lead, blocks)],
        "confusion": matrix.tolist(),
        "scores": [list(score) for score in class_scores(matrix)],
        "temperature": classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "bins": [list(bin_) for bin_ in reliability(probs, labels)],
        "thresholds": [t if np.isfinite(t) else None for t in classifier.thresholds],
        "answered": [
            [int((decided == c).sum()), int(((decided == c) & (labels == c)).sum())]
            for c in range(len(classes))
        ],
        "unsure": _rows(table, classes, probs, labels, np.argsort(probs.max(axis=-1)).tolist()),
        "wrong": _wrong(table, classes, probs, labels),
    }


def _rival(name: str, hits: np.ndarray, blocks: Any, matrix: np.ndarray) -> dict[str, Any]:
    f1 = float(np.mean([score.f1 for score in class_scores(matrix)]))
    return {
        "name": name,
        "right": float(hits.mean()),
        "interval": interval(hits, blocks),
        "macro_f1": f1,
    }


def _wrong(
    table: LabeledTable, classes: Sequence[str], probs: np.ndarray, labels: np.ndarray
) -> Any:
    """Return the wrong answers whose true label is least probable."""
    of_truth = probs[np.arange(len(labels)), labels]
    order = [row for row in np.argsort(of_truth).tolist() if probs[row].argmax() != labels[row]]
    return _rows(table, classes, probs, labels, order)


def _rows(
    table: LabeledTable,
    classes: Sequence[str],
    probs: np.ndarray,
    labels: np.ndarray,
    order: Sequence[int],
) -> list[dict[str, Any]]:
    """Return the first rows of an order, with label and answer."""
    lines = table.lines or range(len(table))
    return [
        {
            "line": lines[row],
            "text": table.whole_texts[row],
            "label": classes[labels[row]],
            "answer": classes[probs[row].argmax()],
            "probability": float(probs[row].max()),
        }
        for row in order[:SHOWN]
    ]
