"""What the test part says: all facts of the report. Chapter 19."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from .calibration import calibration_error, reliability, with_temperature
from .candidates import Candidate, best_of_each
from .prepare import Work
from .scores import class_scores, count_confusions, interval, mean_f1
from .thresholds import decide

SHOWN = 5
FIELDS = ("method", "weights", "right", "macro_f1", "loss")


def evaluate(work: Work, candidates: Sequence[Candidate], chosen: Candidate) -> dict[str, Any]:
    """Ask the test part, once: the best of each method, and the one that is saved."""
    labels, table, classes, blocks = (
        work.labels["test"], work.tables["test"], work.classes, work.blocks,
    )  # fmt: skip
    compared = best_of_each(candidates) | {chosen.method: chosen}
    logits = {name: one.classifier.logits(table) for name, one in compared.items()}
    before, probs = (
        with_temperature(logits[chosen.method], t) for t in (1.0, chosen.classifier.temperature)
    )
    usual = np.bincount(work.labels["train"], minlength=len(classes)).argmax()
    answers = {f"always {classes[usual]}": np.full_like(labels, usual)}
    answers |= {name: each.argmax(axis=-1) for name, each in logits.items()}
    answers[chosen.method] = answers.pop(chosen.method)  # the last
    hits = {name: (given == labels).astype(float) for name, given in answers.items()}
    scores = {name: class_scores(labels, a, len(classes)) for name, a in answers.items()}
    decided = decide(probs, np.array(chosen.classifier.thresholds))
    kept = [(decided == c, (decided == c) & (labels == c)) for c in range(len(classes))]
    lines, given = table.lines or range(len(table)), answers[chosen.method]

    def shown(order: Iterable[int]) -> list[dict[str, Any]]:
        return [
            {
                "line": lines[row],
                "text": table.whole_texts[row],
                "label": classes[labels[row]],
                "answer": classes[given[row]],
                "probability": float(probs[row].max()),
            }
            for row in [*order][:SHOWN]
        ]

    least_true = np.argsort(probs[np.arange(len(labels)), labels]).tolist()
    return {
        "classes": list(classes),
        "rows": {name: len(part) for name, part in work.tables.items()},
        "blocks": len(blocks),
        "rivals": [
            {
                "name": name,
                "right": float(hit.mean()),
                "interval": interval(hit, blocks),
                "macro_f1": mean_f1(scores[name]),
            }
            for name, hit in hits.items()
        ],
        "used": chosen.method,
        "compared": [
            {**{name: getattr(one, name) for name in FIELDS}, "used": one[:2] == chosen[:2]}
            for one in candidates
        ],
        "leads": {
            name: [
                float((hits[chosen.method] - hits[name]).mean()),
                *interval(hits[chosen.method] - hits[name], blocks),
            ]
            for name in compared
            if name != chosen.method
        },
        "confusion": count_confusions(labels, given, len(classes)).tolist(),
        "scores": [list(score) for score in scores[chosen.method]],
        "temperature": chosen.classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "bins": [list(bin_) for bin_ in reliability(probs, labels)],
        "thresholds": [t if np.isfinite(t) else None for t in chosen.classifier.thresholds],
        "answered": [[int(answered.sum()), int(right.sum())] for answered, right in kept],
        "unsure": shown(np.argsort(probs.max(axis=-1)).tolist()),
        "wrong": shown(row for row in least_true if given[row] != labels[row]),
    }
