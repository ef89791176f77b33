"""What the test part says, as facts and in words. Chapter 19."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from .calibration import calibration_error, reliability, with_temperature
from .candidates import Candidate, best_of_each
from .preparing import Work
from .scores import class_scores, count_confusions
from .thresholds import decide

DRAWS, ENDS = 1000, (0.025, 0.975)
SHOWN = 5
FIELDS = ("method", "weights", "right", "macro_f1", "loss")


def interval(
    values: Float[np.ndarray, " rows"], blocks: Sequence[Sequence[int]], *, seed: int = 0
) -> tuple[float, float]:
    """Return the 95 % interval of a mean over rows, by drawing whole blocks again (bootstrap)."""
    sums = np.array([[values[rows].sum(), len(rows)] for rows in map(list, blocks)])
    shares = np.full(len(sums), 1 / len(sums))
    drawn = np.random.default_rng(seed).multinomial(len(sums), shares, size=DRAWS)
    total, count = (drawn @ sums).T
    low, high = np.quantile(total / count, ENDS)
    return float(low), float(high)


def measure(work: Work, candidates: Sequence[Candidate], chosen: Candidate) -> dict[str, Any]:
    """Ask the test part, once: the best of each method, and the one that is saved."""
    labels, table, classes, blocks = (
        work.labels["test"], work.tables["test"], work.classes, work.blocks,
    )  # fmt: skip
    rivals = best_of_each(candidates) | {chosen.method: chosen}
    scores = {name: one.classifier.logits(table) for name, one in rivals.items()}
    before, probs = (
        with_temperature(scores[chosen.method], t) for t in (1.0, chosen.classifier.temperature)
    )
    usual = np.bincount(work.labels["train"], minlength=len(classes)).argmax()
    answers = {f"always {classes[usual]}": np.full_like(labels, usual)}
    answers |= {name: logits.argmax(axis=-1) for name, logits in scores.items()}
    answers[chosen.method] = answers.pop(chosen.method)  # the last
    hits = {name: (given == labels).astype(float) for name, given in answers.items()}
    counts = {name: count_confusions(labels, a, len(classes)) for name, a in answers.items()}
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
                "macro_f1": float(np.mean([s.f1 for s in class_scores(counts[name]) if s.support])),
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
            for name in rivals
            if name != chosen.method
        },
        "confusion": counts[chosen.method].tolist(),
        "scores": [list(score) for score in class_scores(counts[chosen.method])],
        "temperature": chosen.classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "bins": [list(bin_) for bin_ in reliability(probs, labels)],
        "thresholds": [t if np.isfinite(t) else None for t in chosen.classifier.thresholds],
        "answered": [[int(answered.sum()), int(right.sum())] for answered, right in kept],
        "unsure": shown(np.argsort(probs.max(axis=-1)).tolist()),
        "wrong": shown(row for row in least_true if given[row] != labels[row]),
    }
