"""The questions that all guessers of the page on a real book are asked. Chapter 14."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import torch
from jaxtyping import Int

from bertbook.corpus.kjv.chapters import Chapter
from minibert.data import draw_pairs, encode_pair
from minibert.losses import IGNORED_LABEL
from minibert.masking import corrupt_tokens
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

SEED = 47
MAX_LENGTH = 128


class Question(NamedTuple):
    """A pair of verses as BERT's training would show it, with what is asked."""

    chapter: int
    input_ids: list[int]
    token_type_ids: list[int]
    labels: list[int]
    next_sentence_label: int


def make_questions(chapters: Sequence[Chapter], tokenizer: WordPieceTokenizer) -> list[Question]:
    """Make the questions of some chapters: always the same ones, for every guesser.

    Pairs are drawn within these chapters as in training, each first verse once.
    """
    return [
        question
        for number in range(len(chapters))
        for question in _of_chapter(number, [c.verses for c in chapters], tokenizer)
    ]


def _of_chapter(
    number: int, documents: list[list[str]], tokenizer: WordPieceTokenizer
) -> Iterator[Question]:
    rng = np.random.default_rng((SEED, number))
    generator = torch.Generator().manual_seed(SEED * 10_000 + number)
    special = [tokenizer.vocab[token] for token in SPECIAL_TOKENS]
    for pair in draw_pairs(documents, number, rng=rng):
        ids, types = encode_pair(tokenizer, pair, MAX_LENGTH, rng=rng)
        hidden, labels = corrupt_tokens(
            torch.tensor(ids),
            vocab_size=tokenizer.vocab_size,
            mask_token_id=tokenizer.mask_token_id,
            special_ids=special,
            generator=generator,
        )
        yield Question(number, hidden.tolist(), types, labels.tolist(), pair.next_sentence_label)


class Places(NamedTuple):
    """The chosen places of all questions, one after the other."""

    question: Int[np.ndarray, " places"]
    chapter: Int[np.ndarray, " places"]
    truth: Int[np.ndarray, " places"]
    shown: Int[np.ndarray, " places"]
    window: Int[np.ndarray, "places 7"]


def places_of(asked: Sequence[Question], tokenizer: WordPieceTokenizer) -> Places:
    """Collect the chosen places, each with its neighbors within the verse."""
    rows = []
    for number, question in enumerate(asked):
        padded = _ends_padded(question, tokenizer)
        for place, truth in enumerate(question.labels):
            if truth != IGNORED_LABEL:
                window = padded[question.token_type_ids[place]][place : place + 7]
                shown = question.input_ids[place]
                rows.append([number, question.chapter, truth, shown, *window])
    table = np.array(rows)
    number, chapter, truth, shown = table.T[:4]
    return Places(number, chapter, truth, shown, table[:, 4:])


def _ends_padded(question: Question, tokenizer: WordPieceTokenizer) -> list[list[int]]:
    """Give the row as each verse sees it, all that is not of it [SEP], three more at both ends."""
    edge, special = tokenizer.sep_token_id, {tokenizer.sep_token_id, tokenizer.cls_token_id}
    return [
        [edge] * 3
        + [
            edge if kind != verse or piece in special else piece
            for piece, kind in zip(question.input_ids, question.token_type_ids)
        ]
        + [edge] * 3
        for verse in (0, 1)
    ]
