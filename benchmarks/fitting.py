"""Train a tagger or a reader as Chapters 17 and 18 do, and tell the cost."""

import time
from collections.abc import Sequence

from torch import nn

from minibert.tasks import TaskBatches
from minibert.wordpiece import WordPieceTokenizer
from tests.book.definitions import chapter_definitions

tag = chapter_definitions("17-tag")


def fit(
    model: nn.Module,
    tokenizer: WordPieceTokenizer,
    rows: list[dict],
    plan: dict,
    seed: int,
    terms: dict[str, str],
    per_token: Sequence[str] = (),
) -> dict:
    """Train, and tell the cost and the losses on the way."""
    wall, cpu = time.perf_counter(), time.process_time()
    batches = TaskBatches(
        rows,
        batch_size=plan["batch_size"],
        seed=seed,
        pad_token_id=tokenizer.pad_token_id,
        per_token=per_token,
    )
    history = tag.fine_tune(
        model, batches, epochs=plan["epochs"], rate=plan["rate"], seed=seed, terms=terms
    )
    return {
        "rows": len(rows),
        "updates": history[-1]["step"],
        "losses": [round(record["loss"], 3) for record in history],
        "seconds": round(time.perf_counter() - wall),
        "processor_seconds": round(time.process_time() - cpu),
    }
