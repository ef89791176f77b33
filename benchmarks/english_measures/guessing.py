"""What a BERT answers to the questions of the page on a real book. Chapter 14."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import torch
from jaxtyping import Float

from minibert.losses import IGNORED_LABEL
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer
from minibert.wordpiece.encode_batch import Batch

from .counts import CountingGuesser
from .questions import Question

ROWS = 32
FIRST = 5


@torch.no_grad()
def piece_losses(
    model: BertForPreTraining, asked: Sequence[Question]
) -> Float[np.ndarray, " places"]:
    """Compute what a model pays at each chosen place, in nats, in the order of `places_of`."""
    losses = []
    for rows, batch in _batches(asked):
        scores = model(**batch).prediction_logits
        labels = _padded([question.labels for question in rows], IGNORED_LABEL)
        chosen = labels != IGNORED_LABEL
        losses.append(
            torch.nn.functional.cross_entropy(scores[chosen], labels[chosen], reduction="none")
        )
    return torch.cat(losses).double().numpy()


@torch.no_grad()
def pair_losses(
    model: BertForPreTraining, asked: Sequence[Question]
) -> Float[np.ndarray, " pairs"]:
    """Compute what a model pays for saying whether each second verse is the next, in nats."""
    losses = []
    for rows, batch in _batches(asked):
        scores = model(**batch).seq_relationship_logits
        truth = torch.tensor([question.next_sentence_label for question in rows])
        losses.append(torch.nn.functional.cross_entropy(scores, truth, reduction="none"))
    return torch.cat(losses).double().numpy()


def _batches(asked: Sequence[Question]) -> Iterator[tuple[Sequence[Question], dict]]:
    for begin in range(0, len(asked), ROWS):
        rows = asked[begin : begin + ROWS]
        lengths = [len(question.input_ids) for question in rows]
        yield (
            rows,
            {
                "input_ids": _padded([question.input_ids for question in rows], 0),
                "attention_mask": _padded([[1] * length for length in lengths], 0),
                "token_type_ids": _padded([question.token_type_ids for question in rows], 0),
            },
        )


def _padded(rows: Sequence[Sequence[int]], value: int) -> torch.Tensor:
    length = max(map(len, rows))
    return torch.tensor([[*row, *[value] * (length - len(row))] for row in rows])


@torch.no_grad()
def first_answers(
    batch: Batch, model: BertForPreTraining, tokenizer: WordPieceTokenizer
) -> list[list]:
    """List the five likeliest pieces, with their chances, for the one [MASK] of a sentence."""
    place = batch["input_ids"][0].tolist().index(tokenizer.mask_token_id)
    return _first(model(**batch).prediction_logits[0, place].softmax(-1), tokenizer)


def counted_answers(
    batch: Batch, counts: CountingGuesser, tokenizer: WordPieceTokenizer
) -> list[list]:
    """List what the counts answer, in the same form."""
    ids = batch["input_ids"][0].tolist()
    place, edge = ids.index(tokenizer.mask_token_id), tokenizer.sep_token_id
    line = np.array([edge] * 3 + [edge, *ids[1:-1], edge] + [edge] * 3)
    return _first(counts.guesses(line[None, place : place + 7])[0], tokenizer)


def _first(chances: torch.Tensor, tokenizer: WordPieceTokenizer) -> list[list]:
    best = chances.topk(FIRST)
    return [
        [tokenizer.pieces[number], round(chance, 3)]
        for chance, number in zip(best.values.tolist(), best.indices.tolist())
    ]
