"""What could answer: three methods with and without class weights, and which one does best.

Chapter 19.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from torch import Tensor

from minibert.model import BertModel

from .baselines import BagOfWords, FrozenVectors, best_linear, mean_vectors
from .calibration import fit_temperature, with_temperature
from .command import METHODS
from .prepare import Work
from .saving import Classifier
from .scores import class_scores, mean_f1


class Candidate(NamedTuple):
    """A classifier, how it was made, and how it does on the rows to choose with."""

    method: str
    weights: str
    classifier: Classifier
    logits: Float[np.ndarray, "rows classes"]
    right: float
    macro_f1: float
    loss: float


def candidate(
    method: str,
    weights: str,
    classifier: Classifier,
    logits: Float[np.ndarray, "rows classes"],
    labels: Int[np.ndarray, " rows"],
) -> Candidate:
    """Fit the temperature of a classifier on the rows to choose with, and count what is right."""
    classifier = classifier._replace(temperature=fit_temperature(logits, labels))
    probs = with_temperature(logits, classifier.temperature)
    answers = probs.argmax(axis=-1)  # (rows)
    macro = mean_f1(class_scores(labels, answers, probs.shape[-1]))
    loss = -float(np.log(probs[np.arange(len(labels)), labels] + 1e-12).mean())
    right = float((answers == labels).mean())
    return Candidate(method, weights, classifier, logits, right, macro, loss)


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
    for name, weights in settings.items():
        model = tuned[name]
        tokenizer, max_length = model.tokenizer, model.max_length
        assert tokenizer is not None and max_length is not None
        vectors = vectors or {
            part: mean_vectors(encoder, tokenizer, table, max_length)
            for part, table in tables.items()
        }
        words = BagOfWords.best(texts, work.labels, weights)
        frozen = FrozenVectors(encoder, best_linear(vectors, work.labels, weights))
        plain = model._replace(classes=work.classes)
        for method, classifier in {
            "words": plain._replace(model=words, tokenizer=None, max_length=None),
            "frozen": plain._replace(model=frozen),
            "fine-tuned": model,
        }.items():
            logits = classifier.logits(tables["validation"])
            labels = work.labels["validation"]
            candidates.append(candidate(METHODS[method], name, classifier, logits, labels))
    return candidates


def best_of(candidates: Sequence[Candidate]) -> Candidate:
    """Return the one with most rows right; among equals the one with the lower loss."""
    return max(candidates, key=lambda one: (one.right, -one.loss))


def best_of_each(candidates: Sequence[Candidate]) -> dict[str, Candidate]:
    """Return the best candidate of each method."""
    names = dict.fromkeys(one.method for one in candidates)
    return {name: best_of([one for one in candidates if one.method == name]) for name in names}


def chosen_from(best: Mapping[str, Candidate], wanted: str) -> Candidate:
    """Return the candidate of the method that was asked for, or the best of all."""
    return best[METHODS[wanted]] if wanted != "best" else best_of([*best.values()])
