"""Agreement over a distance: *shall* or *shalt*, when *thou* stands out of sight. Chapter 14."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int

from bertbook.topics.english.counts import CountingGuesser
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

FORMS = (("shall", "shalt"), ("will", "wilt"), ("have", "hast"), ("are", "art"))
SUBJECTS = frozenset("thou ye you i we he she it they who which that".split())
NEAR = 3  # so far do the counts see


class FormQuestion(NamedTuple):
    """A verse with one verb hidden, the true form, the other form, and what stands near."""

    input_ids: list[int]
    place: int
    truth: int
    other: int
    is_far: bool
    window: Int[np.ndarray, " 7"]


def form_questions(verses: Iterable[str], tokenizer: WordPieceTokenizer) -> list[FormQuestion]:
    """Hide each verb of two forms; it is far if no subject pronoun is within three pieces."""
    other = {tokenizer.vocab[a]: tokenizer.vocab[b] for x, y in FORMS for a, b in ((x, y), (y, x))}
    subjects = {tokenizer.vocab[word] for word in SUBJECTS if word in tokenizer.vocab}
    edge, found = tokenizer.sep_token_id, []
    for verse in verses:
        ids = tokenizer.encode(verse)
        line = np.array([edge] * 3 + [edge, *ids[1:-1], edge] + [edge] * 3)
        for place, piece in enumerate(ids):
            if piece in other:
                window = line[place : place + 2 * NEAR + 1].copy()
                is_far = not subjects & {*window.tolist()}
                window[NEAR] = tokenizer.mask_token_id
                hidden = [*ids[:place], tokenizer.mask_token_id, *ids[place + 1 :]]
                found.append(FormQuestion(hidden, place, piece, other[piece], is_far, window))
    return found


def verbs_right(
    asked: list[FormQuestion], counts: CountingGuesser, models: Mapping[str, BertForPreTraining]
) -> dict[str, dict[str, int]]:
    """Count how often each guesser prefers the true form, near and far."""
    if not asked:
        return {}
    chances = counts.guesses(np.stack([question.window for question in asked]))
    right = {
        "frequencies": [counts.frequencies[q.truth] > counts.frequencies[q.other] for q in asked],
        "counts": [bool(row[q.truth] > row[q.other]) for q, row in zip(asked, chances)],
        **{name: [_prefers(model, q) for q in asked] for name, model in models.items()},
        "questions": [True] * len(asked),
    }
    far = np.array([question.is_far for question in asked])
    return {
        name: {"near": int(np.sum(~far & hits)), "far": int(np.sum(far & hits))}
        for name, hits in ((name, np.array(hits, dtype=bool)) for name, hits in right.items())
    }


@torch.no_grad()
def _prefers(model: BertForPreTraining, question: FormQuestion) -> bool:
    scores = model(torch.tensor([question.input_ids])).prediction_logits[0, question.place]
    return bool(scores[question.truth] > scores[question.other])
