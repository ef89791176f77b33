"""The report of a run: its losses beside those of guessers without a model. Chapter 14."""

import math
import shlex
from pathlib import Path
from typing import Any

import numpy as np

from minibert.data import PretrainingBatches
from minibert.losses import IGNORED_LABEL

from .texts import count_pieces

LONGEST = 12  # words of a question


def unigram_loss(batches: PretrainingBatches, eval_batches: PretrainingBatches) -> float:
    """Compute the loss of a guesser that knows how frequent each piece is, and nothing else.

    ``share = (count + 1) / (sum of counts + vocab)``: as if each piece had been seen once more, so
    that none is impossible.
    """
    counts, vocab = count_pieces(batches.documents, batches.tokenizer), batches.tokenizer.vocab_size
    shares = np.array([counts[piece] + 1 for piece in range(vocab)]) / (counts.total() + vocab)
    labels = np.concatenate([batch["labels"].flatten().numpy() for batch in eval_batches])
    return float(-np.log(shares[labels[labels != IGNORED_LABEL]]).mean())


def report_of(
    folder: Path,
    history: list[dict[str, Any]],
    batches: PretrainingBatches,
    eval_batches: PretrainingBatches | None,
) -> str:
    """Return the report of a run, with the commands to type next."""
    # The newest value of each field: not every record has labels of both kinds.
    last = {name: value for record in history for name, value in record.items()}
    words, pairs = (last.get(f"{name}_loss", math.nan) for name in ("masked_lm", "next_sentence"))
    lines = [
        f"\nDone: {last['step']:,} steps with {last['tokens']:,} tokens in {last['seconds']:,.0f} "
        f"seconds.\nIn the last steps, on the text it learns from: masked words {words:.3f} nats, "
        f"next sentence {pairs:.3f} nats.",
    ]
    if eval_batches is not None:
        lines += [
            f"\nOn the {len(eval_batches.documents):,} documents held out, in nats:",
            f"  masked words   {math.log(batches.tokenizer.vocab_size):6.3f}  guessing every piece "
            "alike",
            f"                 {unigram_loss(batches, eval_batches):6.3f}  knowing how frequent "
            "each piece is",
            f"                 {last['eval_masked_lm_loss']:6.3f}  this model",
            f"  next sentence  {math.log(2):6.3f}  tossing a coin",
            f"                 {last['eval_next_sentence_loss']:6.3f}  this model",
        ]
    question = max(batches.documents[0], key=len).split()[:LONGEST]
    question[len(question) // 2] = "[MASK]"
    lines += [
        f"\nThe model is in {str(folder)!r}. Ask it:",
        f"  minibert fill {shlex.quote(str(folder))} {shlex.quote(' '.join(question))}",
        "The folders step-… in it are checkpoints and may be deleted now.",
    ]
    return "\n".join(lines) + "\n"
