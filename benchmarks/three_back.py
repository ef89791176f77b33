"""Copy the word three positions back: train on at most 16 words, test on 64.

``python -m benchmarks.three_back`` trains each row of Chapter 25 once, for a few updates.
``--record`` chooses a rate for each with a seed of its own, by its loss on new rows of 16 words,
trains with five other seeds, and stores ``records/three_back.json`` (four minutes of one
thread). The task, the model and its training are those that the chapter types.
"""

import argparse
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor

from bertbook.records import record_path
from bertfamily.modernbert import rotate
from minibert.attention import BertSelfAttention
from tests.book.definitions import chapter_definitions

from .records import mean_and_sd, origin

RECORD = record_path("three_back")
COMMAND = "python -m benchmarks.three_back --record"
UPDATES, FIRST, SEEDS, SEED_OF_RATES = 300, 10, range(5), 99
RATES = (1e-3, 3e-3, 1e-2, 3e-2)
SHORT, LONG, BACK = 16, 64, 3

chapter = chapter_definitions("25-the-family")


class Rotated(chapter.RotarySelfAttention):
    """With our rotation, whatever a reader has kept."""

    def turn(self, x: Tensor) -> Tensor:
        """Rotate."""
        return rotate(x, self.theta)


class RotatedFast(Rotated):
    """Whose slowest pair still turns by a third of a radian."""

    theta = 4.0


class RotatedSlower(Rotated):
    """Between both."""

    theta = 100.0


def begun_anywhere(length: int, generator: torch.Generator | None = None) -> Tensor:
    """Count from a random position on, so that every row of a table learns."""
    if generator is None:
        return chapter.in_order(length)
    first = int(torch.randint(LONG - SHORT + 1, (1,), generator=generator))
    return chapter.in_order(length) + first


class Row(NamedTuple):
    """What a model knows of positions."""

    attention: type[BertSelfAttention] = BertSelfAttention
    numbered: Callable[..., Tensor] = chapter.nowhere


ROWS = {
    "no positions": Row(),
    "a table": Row(numbered=chapter.in_order),
    "a table, begun anywhere": Row(numbered=begun_anywhere),
    "RoPE, theta 10 000": Row(Rotated),
    "RoPE, theta 100": Row(RotatedSlower),
    "RoPE, theta 4": Row(RotatedFast),
    "ALiBi": Row(chapter.AlibiSelfAttention),
}


def measure(name: str, seed: int, rate: float, updates: int = UPDATES) -> dict[str, float]:
    """Train a row; its loss and right words among 16, and its right words behind them."""
    attention, numbered = ROWS[name]
    model = chapter.copier(attention, seed)
    chapter.learn_to_copy(model, numbered, rate, seed, updates)
    loss, short = chapter.judge_copies(model, numbered, SHORT, BACK)
    _, behind = chapter.judge_copies(model, numbered, LONG, SHORT)
    return {"loss": round(loss, 4), "short": round(short, 4), "behind": round(behind, 4)}


def record_row(name: str) -> dict[str, Any]:
    """Choose a rate, and train with every seed."""
    tried = {rate: measure(name, SEED_OF_RATES, rate, UPDATES)["loss"] for rate in RATES}
    rate = min(tried, key=lambda one: tried[one])
    runs = [measure(name, seed, rate, UPDATES) for seed in SEEDS]
    columns = {column: [run[column] for run in runs] for column in runs[0]}
    row = {
        "name": name,
        "rate": rate,
        "loss_at_rates": list(tried.values()),
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
        "after_ten_updates": measure(name, 0, rate, FIRST)["loss"],
    }
    print(json.dumps(row), flush=True)
    return row


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"five seeds each; {RECORD.name}")
    torch.set_num_threads(1)
    if not parser.parse_args().record:
        for name in ROWS:
            print(name, measure(name, 0, RATES[1], FIRST), flush=True)
        return
    rows = [record_row(name) for name in ROWS]
    content = {
        "command": COMMAND,
        "origin": origin(COMMAND),
        "updates": UPDATES,
        "rates": RATES,
        "seeds": list(SEEDS),
        "rows": rows,
    }
    RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
