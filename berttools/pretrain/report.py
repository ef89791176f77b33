"""The report of a run: its losses beside those of guessers without a model. Chapter 14."""

import math
import shlex
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from jaxtyping import Float

from minibert.data import PretrainingBatches
from minibert.data.documents import Documents
from minibert.losses import IGNORED_LABEL
from minibert.pretraining import BertForPreTraining
from minibert.wordpiece import WordPieceTokenizer

HANDY = 12  # words of a question, or characters of one that has no spaces


class Measured(NamedTuple):
    """Counts of held-out labels, losses without a model, and the model's share of right pairs."""

    words: int
    pairs: int
    uniform: float
    unigram: float
    pairs_right: float


def piece_shares(
    documents: Documents, tokenizer: WordPieceTokenizer
) -> Float[np.ndarray, " vocab"]:
    """Estimate the probability of each piece, as if each had been seen once more.

    ``share = (count + 1) / (sum of counts + vocab)``: a piece that was never seen is not
    impossible.
    """
    counts = np.ones(tokenizer.vocab_size)
    for document in documents:
        for sentence in document:
            np.add.at(counts, tokenizer.encode(sentence)[1:-1], 1)
    return counts / counts.sum()


@torch.no_grad()
def measure(
    model: BertForPreTraining, batches: PretrainingBatches, shares: Float[np.ndarray, " vocab"]
) -> Measured:
    """Compute what `Measured` holds, in one pass over the held-out text."""
    model.eval()
    device = next(model.parameters()).device
    surprises, right = [], []
    for batch in batches:
        labels = batch.pop("labels")
        surprises.append(-np.log(shares[labels[labels != IGNORED_LABEL].numpy()]))
        output = model(**{name: tensor.to(device) for name, tensor in batch.items()})
        answers = output.seq_relationship_logits.argmax(-1).cpu()
        right += (answers == batch["next_sentence_label"]).tolist()
    surprises = np.concatenate(surprises)
    return Measured(
        words=len(surprises),
        pairs=len(right),
        uniform=math.log(len(shares)),
        unigram=float(surprises.mean()),
        pairs_right=sum(right) / len(right),
    )


def write_report(
    folder: Path,
    model: BertForPreTraining,
    history: list[dict[str, Any]],
    batches: PretrainingBatches,
    eval_batches: PretrainingBatches | None,
) -> str:
    """Return the report of a run, with the commands to type next."""
    # The newest value of each field: not every record has labels of both kinds.
    last = {name: value for record in history for name, value in record.items()}
    lines = [
        "",
        f"Done: {last['step']:,} steps with {last['tokens']:,} tokens in {last['seconds']:,.0f} "
        "seconds.",
        "In the last steps, on the text it learns from: masked words "
        f"{_nats(last, 'masked_lm_loss')}, next sentence {_nats(last, 'next_sentence_loss')}.",
    ]
    if eval_batches is not None:
        shares = piece_shares(batches.documents, batches.tokenizer)
        measured = measure(model, eval_batches, shares)
        lines += ["", *_on_held_out(measured, last, len(eval_batches.documents))]
    question = example_question((eval_batches or batches).documents)
    lines += [
        "",
        f"The model is in {str(folder)!r}. Ask it:",
        f"  minibert fill {shlex.quote(str(folder))} {shlex.quote(question)}",
        "The folders step-… in it are checkpoints and may be deleted now.",
    ]
    return "\n".join(lines) + "\n"


def _nats(record: dict[str, Any], name: str) -> str:
    return f"{record[name]:.3f} nats" if name in record else "without a label"


def _on_held_out(measured: Measured, last: dict[str, Any], documents: int) -> list[str]:
    """Return the model's losses below those of guessers without a model."""
    return [
        f"On the {documents:,} documents held out ({measured.words:,} masked words, "
        f"{measured.pairs:,} pairs), in nats:",
        f"  masked words   {measured.uniform:6.3f}  guessing every piece alike",
        f"                 {measured.unigram:6.3f}  knowing how frequent each piece is",
        f"                 {last['eval_masked_lm_loss']:6.3f}  this model",
        f"  next sentence  {math.log(2):6.3f}  tossing a coin",
        f"                 {last['eval_next_sentence_loss']:6.3f}  this model, which answers "
        f"{100 * measured.pairs_right:.1f} % right",
    ]


def example_question(documents: Iterable[Iterable[str]]) -> str:
    """Hide the middle word of the first sentence of several words, or of what is at hand."""
    first = ""
    for sentence in chain.from_iterable(documents):
        words = sentence.split()[:HANDY]
        if len(words) >= 3:
            words[len(words) // 2] = "[MASK]"
            return " ".join(words)
        first = first or sentence
    return f"{first[:HANDY]} [MASK]"
