"""What a BERT puts for each ``[MASK]``. Chapter 14."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import torch

from berttools.cli.options import PLAN, resume_hint
from minibert.loading import load_pretrained, load_tokenizer
from minibert.loading.files import CONFIG
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import predict
from minibert.wordpiece import WordPieceTokenizer


class Guess(NamedTuple):
    """A word that may stand for a ``[MASK]``."""

    word: str
    prob: float


@torch.no_grad()
def fill_masks(
    model: BertForMaskedLM | BertForPreTraining,
    tokenizer: WordPieceTokenizer,
    texts: Sequence[str],
    top: int = 5,
) -> list[list[list[Guess]]]:
    """Guess the word at each ``[MASK]`` of each text, the best guesses first.

    ``p(word) = softmax(scores of the head at the masked position)[word]``; several masks of a text
    are guessed independently of each other.
    """
    most = model.config.max_position_embeddings
    rows = [_encode(text, tokenizer, most) for text in texts]
    encoded = predict(
        model.bert,
        rows,
        lambda output, mask: output.last_hidden_state,
        pad_token_id=tokenizer.pad_token_id,
    )
    device, filled = next(model.parameters()).device, []
    for (ids, _), hidden_states in zip(rows, encoded, strict=True):
        is_mask = torch.tensor(ids) == tokenizer.mask_token_id
        masked = hidden_states[: len(ids)][is_mask].to(device)
        probs = model.cls.predictions(masked).float().softmax(-1)  # a head has no dropout
        known = probs[:, : tokenizer.vocab_size]  # a table may have more rows than there are words
        best = known.topk(min(top, tokenizer.vocab_size))
        filled.append(
            [
                [Guess(tokenizer.pieces[piece], prob) for prob, piece in zip(*row)]
                for row in zip(best.values.tolist(), best.indices.tolist(), strict=True)
            ]
        )
    return filled


def _encode(text: str, tokenizer: WordPieceTokenizer, most: int) -> tuple[list[int], list[int]]:
    batch = tokenizer(text)
    ids, types = (batch[name][0].tolist() for name in ("input_ids", "token_type_ids"))
    if tokenizer.mask_token_id not in ids:
        raise ValueError(f"{text!r} has no [MASK]; write [MASK], in capitals, for a missing word")
    if len(ids) > most:
        raise ValueError(f"a text of {len(ids)} tokens is too long; this model reads {most}")
    return ids, types


def open_folder(folder: str | Path) -> tuple[BertForMaskedLM, WordPieceTokenizer]:
    """Load the model and the tokenizer of a folder in Hugging Face's layout."""
    folder = Path(folder)
    if (folder / PLAN).exists() and not (folder / CONFIG).exists():
        raise ValueError(f"the run in {str(folder)!r} is not finished; {resume_hint(folder)}")
    # What is not used is of the question for the next sentence.
    unused = ("bert.pooler", "cls.seq_relationship")
    try:
        return load_pretrained(BertForMaskedLM, folder, unused=unused), load_tokenizer(folder)
    except (TypeError, ValueError) as error:  # of a value in a file
        if "weight.scale" in str(error):
            raise ValueError(
                f"{str(folder)!r} holds a model in eight bits a number, for the pages of the book; "
                "name a folder that `minibert pretrain` has written"
            ) from error
        raise ValueError(str(error)) from error
