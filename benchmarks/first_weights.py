"""Train Chapter 12's model from narrow and from wide first weights, each with a rate of its own.

``python -m benchmarks.first_weights`` trains both once, for a few steps. ``--record`` tries every
rate with a seed of its own, for few steps and for many, trains with the best of them and three
other seeds, and stores ``records/first_weights.json`` (five minutes of one thread). The stories,
the model and its training are those that the chapter types.
"""

import argparse
import contextlib
import functools
import io
import json
from typing import Any

import numpy as np
import torch

from bertbook.records import record_path
from minibert.data import draw_pairs
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer
from tests.book.definitions import cells_of, chapter_definitions

from .records import mean_and_sd, origin

RECORD = record_path("first_weights")
COMMAND = "python -m benchmarks.first_weights --record"
CHAPTER, SPREADS, RATES = "12-next-sentence-and-cls", (0.14, 0.02), (3e-4, 1e-3, 3e-3, 1e-2)
LENGTHS, LAST, FIRST = (200, 600), 50, 60  # steps; a loss is the mean of so many last ones
SEEDS, SEED_OF_RATES = range(3), 99
PARTS = "words", "pairs"

chapter = chapter_definitions(CHAPTER)
told = chapter.train.__globals__  # where its cells leave the stories and what is set aside
with contextlib.redirect_stdout(io.StringIO()):
    for cell in cells_of(CHAPTER):
        if cell["source"].startswith(("stories = [", "aside = [")):
            exec(cell["source"], told)
words = sorted({word for text in told["sentences"] for word in text.replace(".", " .").split()})
told["tokenizer"] = WordPieceTokenizer([*SPECIAL_TOKENS, *words])


@functools.cache
def losses(spread: float, rate: float, seed: int) -> np.ndarray:
    """Train for the longest time; return both losses after each step."""
    _, history = chapter.train(draw_pairs, seed, spread, rate, LENGTHS[-1])
    return history  # (steps, 2)


def ends(spread: float, rate: float, seed: int, steps: int) -> list[float]:
    """Return the mean losses of words and pairs before one of the lengths is reached."""
    before = losses(spread, rate, seed)[:steps][-LAST:]
    return [round(loss, 4) for loss in before.mean(axis=0).tolist()]


def record_row(spread: float, steps: int) -> dict[str, Any]:
    """Choose a rate by the sum of both losses, and train with the other seeds."""
    tried = [round(sum(ends(spread, rate, SEED_OF_RATES, steps)), 4) for rate in RATES]
    rate = RATES[int(np.argmin(tried))]
    runs = zip(*(ends(spread, rate, seed, steps) for seed in SEEDS))
    columns = {name: [*column] for name, column in zip(PARTS, runs)}
    row = {
        "spread": spread,
        "steps": steps,
        "rate": rate,
        "loss_at_rates": tried,
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
    }
    print(json.dumps(row), flush=True)
    return row


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"all rates; {RECORD.name}")
    torch.set_num_threads(1)
    if not parser.parse_args().record:
        for spread in SPREADS:
            _, history = chapter.train(draw_pairs, 0, spread, RATES[1], FIRST)
            print(spread, history[-LAST:].mean(axis=0).round(2).tolist(), flush=True)
        return
    rows = [record_row(spread, steps) for steps in LENGTHS for spread in SPREADS]
    content = {
        "command": COMMAND,
        "origin": origin(COMMAND),
        "rates": RATES,
        "seeds": list(SEEDS),
        "rows": rows,
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
