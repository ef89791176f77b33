"""Three methods with and without class weights: which one answers, and how well. Chapter 19."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from torch import Tensor

from minibert.model import BertModel

from .baselines import BagOfWords, FrozenVectors, best_linear, mean_vectors
from .calibration import calibration_error, fit_temperature, reliability, with_temperature
from .command import METHODS
from .prepare import Work
from .saving import Classifier
from .scores import class_scores, count_confusions, interval, mean_f1
from .thresholds import choose_thresholds, decide, share_threshold

SHOWN = 5


class Candidate(NamedTuple):
    """A classifier, how it was made, and how it does on the rows to choose with."""

    method: str
    weights: str
    right: float
    macro_f1: float
    loss: float
    classifier: Classifier
    probs: Float[np.ndarray, "rows classes"]


def compare(
    work: Work,
    tuned: Mapping[str, Classifier],
    settings: Mapping[str, Float[Tensor, " classes"]],
    encoder: BertModel,
) -> list[Candidate]:
    """Fit the linear classifiers beside those that were fine-tuned, with the same class weights."""
    tables = {part: work.tables[part] for part in ("train", "validation")}
    texts = {part: table.whole_texts for part, table in tables.items()}
    candidates, vectors = [], {}
    for weights, numbers in settings.items():
        model = tuned[weights]
        tokenizer, max_length = model.tokenizer, model.max_length
        assert tokenizer is not None and max_length is not None
        vectors = vectors or {
            part: mean_vectors(encoder, tokenizer, table, max_length)
            for part, table in tables.items()
        }
        words = BagOfWords.best(texts, work.labels, numbers)
        frozen = FrozenVectors(encoder, best_linear(vectors, work.labels, numbers))
        plain = model._replace(classes=work.classes)
        for method, classifier in {
            "words": plain._replace(model=words, tokenizer=None, max_length=None),
            "frozen": plain._replace(model=frozen),
            "fine-tuned": model,
        }.items():
            candidates.append(_candidate(METHODS[method], weights, classifier, work))
    return candidates


def _candidate(method: str, weights: str, classifier: Classifier, work: Work) -> Candidate:
    """Fit the temperature of a classifier on the rows to choose with, and count what is right."""
    labels, logits = work.labels["validation"], classifier.logits(work.tables["validation"])
    classifier = classifier._replace(temperature=fit_temperature(logits, labels))
    probs = with_temperature(logits, classifier.temperature)
    answers = probs.argmax(axis=-1)  # (rows)
    loss = -float(np.log(probs[np.arange(len(labels)), labels] + 1e-12).mean())
    right, macro = float((answers == labels).mean()), mean_f1(labels, answers)
    return Candidate(method, weights, right, macro, loss, classifier, probs)


def best_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the one with most rows right; among equals the one with the lower loss."""
    return max(candidates, key=lambda one: (one.right, -one.loss))


def choose_classifier(
    work: Work, candidates: Sequence[Candidate], use: str, target_precision: float
) -> tuple[Classifier, dict[str, Any]]:
    """Choose what answers, and from where on; ask the test part, once, for the report."""
    each = {m: best_of([c for c in candidates if c.method == m]) for m in METHODS.values()}
    chosen = best_of(candidates) if use == "best" else each[METHODS[use]]
    labels = work.labels["validation"]
    alone = choose_thresholds(chosen.probs, labels, target_precision)
    thresholds, shared = share_threshold(chosen.probs, labels, alone, target_precision)
    classifier = chosen.classifier._replace(thresholds=thresholds.tolist())
    # The one that is used comes last.
    asked = {m: c.classifier for m, c in each.items() if m != chosen.method}
    facts = _asked_once(work, asked | {chosen.method: classifier})
    told = [one._asdict() | {"used": one is chosen} for one in candidates]
    for one in told:
        del one["classifier"], one["probs"]
    return classifier, facts | {
        "compared": told,
        "promise": target_precision,
        "use": use,
        "shared": shared.tolist(),
    }


def _asked_once(work: Work, asked: Mapping[str, Classifier]) -> dict[str, Any]:
    """Ask the test part, the last one for all that the report tells of it."""
    labels, table, classes, blocks = (
        work.labels["test"], work.tables["test"], work.classes, work.blocks,
    )  # fmt: skip
    used, classifier = [*asked.items()][-1]
    logits = {name: one.logits(table) for name, one in asked.items()}
    before, probs = (with_temperature(logits[used], t) for t in (1.0, classifier.temperature))
    usual = np.bincount(work.labels["train"], minlength=len(classes)).argmax()
    answers = {f"always {classes[usual]}": np.full_like(labels, usual)}
    answers |= {name: scores.argmax(axis=-1) for name, scores in logits.items()}
    hits = {name: (given == labels).astype(float) for name, given in answers.items()}
    given, decided = answers[used], decide(probs, np.array(classifier.thresholds))
    kept = [(decided == c, (decided == c) & (labels == c)) for c in range(len(classes))]
    lines = table.lines or range(len(table))

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
                "macro_f1": mean_f1(labels, answers[name]),
            }
            for name, hit in hits.items()
        ],
        "used": used,
        "leads": {
            name: [float(lead.mean()), *interval(lead, blocks)]
            for name, lead in ((name, hits[used] - hits[name]) for name in asked if name != used)
        },
        "confusion": count_confusions(labels, given, len(classes)).tolist(),
        "scores": class_scores(labels, given, len(classes)),
        "temperature": classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "bins": [list(bin_) for bin_ in reliability(probs, labels)],
        "thresholds": [t if np.isfinite(t) else None for t in classifier.thresholds],
        "answered": [[int(answered.sum()), int(right.sum())] for answered, right in kept],
        "unsure": shown(np.argsort(probs.max(axis=-1)).tolist()),
        "wrong": shown(row for row in least_true if given[row] != labels[row]),
    }
