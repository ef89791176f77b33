"""Train the toy of Chapter 7 in whose sentences order decides, with and without positions.

``python -m benchmarks.order`` trains each row once, and with ``--record`` five times, with five
seeds, and stores the result in ``records/order.json`` (two minutes of one thread). The
sentences, the model and its training are those that the chapter types. In each row the toy starts
with the same numbers; only what it knows of positions differs. The rate is lower and the training
longer than in the chapter, because computed positions need the patience.
"""

import argparse
import itertools
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn
from torch.nn import functional

from bertbook.records import record_path
from minibert.config import BertConfig
from minibert.embeddings import sinusoidal_positions
from tests.book.definitions import chapter_definitions

from .records import mean_and_sd, origin

RECORD = record_path("order")
COMMAND = "python -m benchmarks.order --record"
UPDATES, RATE, FIRST, SEEDS = 480, 0.003, 10, range(5)
LEADS, LATER = range(4), 8  # words in front: in training, and farther on than in any training

chapter = chapter_definitions("07-three-embeddings-make-one-input")
ANIMALS = "bear cat dog fox goat hen mouse owl pig wolf".split()
WORDS = ["[PAD]", "[MASK]", "chases", "so", "runs", "now", *ANIMALS]
PAIRS = [*itertools.combinations(ANIMALS, 2)]
random.Random(7).shuffle(PAIRS)
SEEN, NEW = PAIRS[:36], PAIRS[36:]  # both directions of a pair are in the same part
CONFIG = BertConfig(
    vocab_size=len(WORDS),
    hidden_size=32,
    num_attention_heads=2,
    max_position_embeddings=16,
    hidden_dropout_prob=0.0,
    attention_probs_dropout_prob=0.0,
)


class Row(NamedTuple):
    """What a toy knows of positions: how it is called, and what is done to its table first."""

    how: dict[str, Any]
    prepare: Callable[[nn.Module], object] = lambda model: None


def compute_positions(model: nn.Module) -> None:
    """Put the formula's codes in the place of the table, where they stay."""
    table = model.embeddings.position_embeddings.weight
    table.data.copy_(sinusoidal_positions(*table.shape))
    table.requires_grad_(False)


ROWS = {
    "none": Row({"positions": False}),
    "learned": Row({"positions": True}),
    "computed": Row({"positions": True}, compute_positions),
    "distance": Row({"positions": False, "bias": chapter.distance_bias_solution}),
}


def trained(row: Row, seed: int, updates: int = UPDATES) -> nn.Module:
    """Train a toy as the chapter does."""
    torch.manual_seed(seed)
    model = chapter.WhoRuns(CONFIG).double()
    row.prepare(model)
    batches = [chapter.chases(SEEN, WORDS, lead) for lead in LEADS]
    chapter.train(model, batches, updates, RATE, **row.how)
    return model


@torch.no_grad()
def loss_of(model: nn.Module, row: Row, pairs: list[tuple[str, str]], *leads: int) -> float:
    """Compute the mean loss over both directions of each pair, with so many words in front."""
    batches = [chapter.chases(pairs, WORDS, lead) for lead in leads]
    losses = [functional.cross_entropy(model(ids, **row.how), told) for ids, told in batches]
    return round(torch.stack(losses).mean().item(), 4)


def measure(name: str, seed: int, updates: int = UPDATES) -> dict[str, float]:
    """Train a toy; its loss on pairs that it has seen, on new ones, and on those farther on."""
    row = ROWS[name]
    model = trained(row, seed, updates)
    return {
        "seen": loss_of(model, row, SEEN, *LEADS),
        "new": loss_of(model, row, NEW, *LEADS),
        "later": loss_of(model, row, NEW, LATER),
    }


def record_row(name: str) -> dict[str, Any]:
    """Train a row with every seed."""
    runs = [measure(name, seed, UPDATES) for seed in SEEDS]
    columns = {column: [run[column] for run in runs] for column in runs[0]}
    return {
        "name": name,
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
        "after_ten_updates": measure(name, 0, FIRST)["seen"],
    }


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"five seeds each; {RECORD.name}")
    torch.set_num_threads(1)
    if not parser.parse_args().record:
        for name in ROWS:
            print(f"{name:9} {measure(name, 0)}", flush=True)
        return
    rows = [record_row(name) for name in ROWS]
    content = {
        "command": COMMAND,
        "origin": origin(COMMAND),
        "updates": UPDATES,
        "rate": RATE,
        "seeds": list(SEEDS),
        "rows": rows,
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
