"""Three methods with and without class weights: which one answers, and how well. Chapter 19."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from berttools.cli.output import say, say_if_possible
from minibert.loading import load_tokenizer

from .baselines import BagOfWords, FrozenVectors, best_linear, frozen_encoder, mean_vectors
from .calibration import calibration_error, fit_temperature, with_temperature
from .command import METHODS, Settings
from .prepare import Work
from .saving import Classifier
from .scores import class_scores, interval, mean_f1
from .thresholds import choose_thresholds, decide, share_threshold
from .tuning import classifier_from, fine_tune_classifier
from .weighting import weightings

SHOWN = 5
Weightings = Mapping[str, Float[Tensor, " classes"]]


class Candidate(NamedTuple):
    """A classifier, how it was made, and how it does on the rows to choose with."""

    method: str
    weights: str
    right: float
    macro_f1: float
    loss: float
    classifier: Classifier
    probs: Float[np.ndarray, "rows classes"]


def compare(work: Work, settings: Settings, device: torch.device) -> list[Candidate]:
    """Fit what is asked for and what is cheaper, with each of the class weights."""
    tried = weightings(settings.class_weights, work.labels["train"], len(work.classes))
    makers = {
        "words": lambda: _count_words(work, settings, tried),
        "frozen": lambda: _freeze(work, settings, tried, device),
        "fine-tuned": lambda: _fine_tune(work, settings, tried, device),
    }
    candidates = []
    for method, make in makers.items():
        made = zip(tried, make(), strict=True)
        candidates += [_candidate(METHODS[method], name, each, work) for name, each in made]
        if method == settings.use:
            break
    return candidates


def _count_words(work: Work, settings: Settings, tried: Weightings) -> Iterator[Classifier]:
    texts = {part: table.texts for part, table in work.tables.items()}
    for weights in tried.values():
        words = BagOfWords.best(texts, work.labels, weights)
        yield Classifier(words, None, None, settings.text, classes=work.classes)


def _freeze(
    work: Work, settings: Settings, tried: Weightings, device: torch.device
) -> Iterator[Classifier]:
    tokenizer, encoder = load_tokenizer(settings.model), frozen_encoder(settings.model).to(device)
    length = min(settings.max_length, encoder.config.max_position_embeddings)
    vectors = {
        part: mean_vectors(encoder, tokenizer, work.tables[part], length)
        for part in ("train", "validation")
    }
    for weights in tried.values():
        model = FrozenVectors(encoder, best_linear(vectors, work.labels, weights))
        yield Classifier(model, tokenizer, length, settings.text, classes=work.classes)


def _fine_tune(
    work: Work, settings: Settings, tried: Weightings, device: torch.device
) -> Iterator[Classifier]:
    for name, weights in tried.items():
        say(f"Fine-tuning on {device}, class weights: {name}.")
        model, tokenizer = classifier_from(settings.model, work.classes, seed=settings.seed)
        length = min(settings.max_length, model.config.max_position_embeddings)
        options = {
            "seed": settings.seed,
            "learning_rate": settings.learning_rate,
            "weights": weights,
            "epochs": settings.epochs,
            "batch_size": settings.batch_size,
            "max_length": length,
            "device": device,
            "show_progress": say_if_possible,
        }
        parts = work.tables["train"], work.tables["validation"]
        try:
            fine_tune_classifier(model, tokenizer, *parts, **options)
        except FloatingPointError as error:
            problem = f"{error.__cause__ or error}; give a --learning-rate below"
            raise FloatingPointError(f"{problem} {settings.learning_rate:g}") from error
        yield Classifier(model.eval(), tokenizer, length, settings.text)


def _candidate(method: str, weights: str, classifier: Classifier, work: Work) -> Candidate:
    """Fit the temperature of a classifier on the rows to choose with, and count what is right."""
    labels, logits = work.labels["validation"], classifier.logits(work.tables["validation"])
    classifier = classifier._replace(temperature=fit_temperature(logits, labels))
    probs = with_temperature(logits, classifier.temperature)
    answers = probs.argmax(axis=-1)  # (rows)
    loss = -float(np.log(probs[np.arange(len(labels)), labels] + 1e-12).mean())
    right, macro = float((answers == labels).mean()), mean_f1(labels, answers)
    return Candidate(method, weights, right, macro, loss, classifier, probs)


def best_of(candidates: Iterable[Candidate]) -> Candidate:
    """Return the one with most rows right; among equals the one with the lower loss."""
    return max(candidates, key=lambda one: (one.right, -one.loss))


def choose_classifier(
    work: Work, candidates: Sequence[Candidate], settings: Settings
) -> tuple[Classifier, dict[str, Any]]:
    """Choose what answers, and from where on; ask the test part, once, for the report."""
    methods = dict.fromkeys(one.method for one in candidates)
    each = {m: best_of(c for c in candidates if c.method == m) for m in methods}
    chosen = best_of(candidates) if settings.use == "best" else each[METHODS[settings.use]]
    labels, target = work.labels["validation"], settings.promise
    alone = choose_thresholds(chosen.probs, labels, target)
    thresholds, shared = share_threshold(chosen.probs, labels, alone, target)
    classifier = chosen.classifier._replace(thresholds=thresholds.tolist())
    # The one that is used comes last.
    asked = {m: c.classifier for m, c in each.items() if m != chosen.method}
    facts = _asked_once(work, asked | {chosen.method: classifier})
    told = [one._asdict() | {"used": one is chosen} for one in candidates]
    for one in told:
        del one["classifier"], one["probs"]
    own = {"promise": target, "use": settings.use, "shared": shared.tolist()}
    return classifier, facts | {"compared": told} | own


def _asked_once(work: Work, asked: Mapping[str, Classifier]) -> dict[str, Any]:
    """Ask the test part, the last one for all that the report tells of it."""
    from sklearn.metrics import confusion_matrix

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
    least_true = np.argsort(probs[np.arange(len(labels)), labels]).tolist()
    wrong = [row for row in least_true if given[row] != labels[row]]
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
        "confusion": confusion_matrix(labels, given, labels=range(len(classes))).tolist(),
        "scores": class_scores(labels, given, len(classes)),
        "temperature": classifier.temperature,
        "calibration_error": [calibration_error(p, labels) for p in (before, probs)],
        "sure": [float(p.max(axis=-1).mean()) for p in (before, probs)],
        "thresholds": [t if np.isfinite(t) else None for t in classifier.thresholds],
        "answered": [[int(answered.sum()), int(right.sum())] for answered, right in kept],
        "wrong": [
            {
                "line": table.lines[row] if table.lines else row,
                "text": table.texts[row],
                "label": classes[labels[row]],
                "answer": classes[given[row]],
                "probability": float(probs[row].max()),
            }
            for row in wrong[:SHOWN]
        ],
    }
