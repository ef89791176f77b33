"""How often models and counts prefer the right pronoun, *thou* or *ye*. Chapter 14."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import torch
from jaxtyping import Bool

from bertbook.topics.english.forms import FormQuestion
from minibert.pretraining import BertForPreTraining

from .counts import CountingGuesser


def forms_right(
    asked: list[FormQuestion], counts: CountingGuesser, models: Mapping[str, BertForPreTraining]
) -> dict[str, dict[str, int]]:
    """Count how often each guesser prefers the true pronoun: near and far, for one and several."""
    chances = counts.guesses(np.stack([question.window for question in asked]))
    right = {
        "questions": [True] * len(asked),
        "frequencies": [counts.frequencies[q.truth] > counts.frequencies[q.other] for q in asked],
        "counts": [bool(row[q.truth] > row[q.other]) for q, row in zip(asked, chances)],
        **{name: [_prefers(model, q) for q in asked] for name, model in models.items()},
    }
    return {name: _sorted(asked, np.array(hits, dtype=bool)) for name, hits in right.items()}


def _sorted(asked: list[FormQuestion], hits: Bool[np.ndarray, " questions"]) -> dict[str, int]:
    far = np.array([question.is_far for question in asked])
    one = np.array([question.is_one for question in asked])
    return {
        f"{distance}, {number}": int((hits & where & which).sum())
        for distance, where in (("near", ~far), ("far", far))
        for number, which in (("one", one), ("several", ~one))
    }


@torch.no_grad()
def _prefers(model: BertForPreTraining, question: FormQuestion) -> bool:
    scores = model(torch.tensor([question.input_ids])).prediction_logits[0, question.place]
    return bool(scores[question.truth] > scores[question.other])
