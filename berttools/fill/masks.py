"""What a BERT puts for each ``[MASK]``. Chapter 14."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from berttools.cli.options import PLAN, resume_hint
from minibert.loading import load_pretrained, load_tokenizer
from minibert.loading.files import CONFIG, locate, read_json, read_weights
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer

WITH_HEAD = ("BertForMaskedLM", "BertForPreTraining")


class Guess(NamedTuple):
    """A word that may stand for a ``[MASK]``."""

    word: str
    prob: float


def fill_masks(
    model: BertForMaskedLM | BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    top: int = 5,
) -> list[list[list[Guess]]]:
    """Guess the word at each ``[MASK]``, the best guesses first.

    ``p(word) = softmax(scores of the head at the masked position)[word]``; several masks of a text
    are guessed independently of each other.
    """
    if isinstance(texts, str):
        raise TypeError(f"give a list of texts, not the one string {texts[:30]!r}")
    if not 1 <= top <= tokenizer.vocab_size:
        raise ValueError(
            f"top ({top}) must be 1 to {tokenizer.vocab_size}, the size of the vocabulary"
        )
    rows = [_encode(text, tokenizer, model.config.max_position_embeddings) for text in texts]
    encoded = predict(
        model.bert,
        rows,
        lambda output, mask: output.last_hidden_state,
        pad_token_id=tokenizer.pad_token_id,
    )
    chosen = [torch.tensor(ids) == tokenizer.mask_token_id for ids, _ in rows]
    return [
        _guesses(model, tokenizer, hidden_states[: len(is_mask)][is_mask], top)
        for hidden_states, is_mask in zip(encoded, chosen, strict=True)
    ]


def _encode(text: str, tokenizer: WordPieceTokenizer, room: int) -> tuple[list[int], list[int]]:
    """Encode a text; raise if it has no [MASK] or is too long."""
    batch = tokenizer(text)
    ids, types = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
    shown = repr(text)
    shown = shown if len(shown) <= 60 else f"{shown[:40]}…{shown[-20:]}"
    if tokenizer.mask_token_id not in ids:
        raise ValueError(f"{shown} has no [MASK]; write [MASK], in capitals, for a missing word")
    if len(ids) > room:
        raise ValueError(
            f"{shown} has {len(ids)} tokens, [CLS] and [SEP] included, and the model takes {room}; "
            "shorten it"
        )
    return ids, types


@torch.no_grad()
def _guesses(
    model: BertForMaskedLM | BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    hidden_states: Float[Tensor, "positions hidden"],
    top: int,
) -> list[list[Guess]]:
    """Score all words at the masks of a text; the head has no dropout to switch off."""
    device = next(model.parameters()).device
    probs = model.cls.predictions(hidden_states.to(device)).float().softmax(-1)
    known = probs[:, : tokenizer.vocab_size]  # a table may have more rows than there are words
    best = zip(*(part.tolist() for part in known.topk(top)), strict=True)
    return [[Guess(tokenizer.pieces[piece], prob) for prob, piece in zip(*row)] for row in best]


def open_folder(folder: str | Path) -> tuple[BertForMaskedLM, WordPieceTokenizer]:
    """Load the model and the tokenizer of a folder in Hugging Face's layout."""
    folder = Path(folder)
    try:
        _require_words(folder)
        # What is not used is of the question for the next sentence.
        unused = ("bert.pooler", "cls.seq_relationship")
        return load_pretrained(BertForMaskedLM, folder, unused=unused), load_tokenizer(folder)
    except FileNotFoundError as error:
        if (folder / PLAN).exists():
            told = f"the run in {str(folder)!r} is not finished; {resume_hint(folder)}"
            raise ValueError(told) from error
        raise


def _require_words(folder: Path) -> None:
    """Raise if a folder holds a model that guesses no words, or numbers of eight bits."""
    architectures = read_json(locate(folder, CONFIG)).get("architectures") or WITH_HEAD
    if not set(architectures) & set(WITH_HEAD):
        raise ValueError(
            f"{str(folder)!r} holds a {architectures[0]}, which guesses no words; name the folder "
            f"of a {' or '.join(WITH_HEAD)}"
        )
    if any(tensor.dtype == torch.int8 for tensor in read_weights(folder).values()):
        raise ValueError(
            f"{str(folder)!r} holds a model in eight bits a number, as the pages of the book read "
            "it and nothing else does; name the folder that `minibert pretrain` has written, or "
            "another with the numbers in full (in Python, bertbook.core.eight_bits opens it)"
        )
