"""Stack the toy of Chapter 5 to many layers: what warm-up and pre-norm are for.

``python -m benchmarks.toy_depth`` trains 12 layers in either order, as Exercise 9.4 does. With
``--record`` it also gives 24 layers more time and a learning rate of their own, and stores the
result in ``records/toy_depth.json`` (a quarter of an hour of one thread).
"""

import argparse
import json
import time
from typing import Any, NamedTuple

import torch

from bertbook.corpus import masked_word_ladder
from bertbook.records import record_path

from .records import mean_and_sd, origin
from .toy_parts import examine, train
from .toy_rows import PRE_NORM, SENTENCES, Row

RECORD = record_path("toy_depth")
COMMAND = "python -m benchmarks.toy_depth --record"
DEPTH, SEEDS = 12, range(5)
RATE, UPDATES, BATCH_SIZE = 0.003, 100, 32
# With more time: the best of these rates for each stack, by seed 0, and then other seeds.
PATIENT_DEPTH, PATIENT_RATES, PATIENT_UPDATES, PATIENT_WARMUP = 24, (0.0005, 0.001, 0.003), 600, 200
PATIENT = {"post-norm": 1, "post-norm, warm-up": 5, "pre-norm": 5}  # with how many seeds


class Stack(NamedTuple):
    """A way to stack layers, and whether the learning rate rises first."""

    parts: dict[str, type]
    warms_up: bool


STACKS = {
    "post-norm": Stack({}, False),
    "post-norm, warm-up": Stack({}, True),
    "pre-norm": Stack(PRE_NORM, False),
}


def row_of(stack: Stack, depth: int) -> Row:
    """Say how a stack is built."""
    return Row("depth", f"{depth} layers", stack.parts, {"num_hidden_layers": depth})


def climb(name: str, seed: int) -> float:
    """Train a stack as the exercise does; return its loss over all riddles."""
    row = row_of(STACKS[name], DEPTH)
    return examine(train(row, seed, RATE, updates=UPDATES, batch_size=BATCH_SIZE), row)["loss"]


def climb_patiently(name: str, rate: float, seed: int) -> float:
    """Train a deep stack for longer, with a rate of its own and a longer warm-up."""
    stack = STACKS[name]
    row = row_of(stack, PATIENT_DEPTH)
    warmup = PATIENT_WARMUP if stack.warms_up else 0
    settings = {"updates": PATIENT_UPDATES, "warmup": warmup, "batch_size": BATCH_SIZE}
    return examine(train(row, seed, rate, **settings), row)["loss"]


def measure_patiently(name: str) -> dict[str, Any]:
    """Try the rates with one seed, and train with the best of them for the others."""
    tried = {rate: round(climb_patiently(name, rate, 0), 4) for rate in PATIENT_RATES}
    best = min(tried, key=lambda rate: tried[rate])
    others = [round(climb_patiently(name, best, seed), 4) for seed in range(1, PATIENT[name])]
    columns = {"loss": [tried[best], *others]}
    return {
        "stack": name,
        "depth": PATIENT_DEPTH,
        "tried": [{"learning_rate": rate, "loss": loss} for rate, loss in tried.items()],
        "learning_rate": best,
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
    }


def record_patience() -> dict[str, Any]:
    """Train the deep stacks that are given more time."""
    return {
        "updates": PATIENT_UPDATES,
        "warmup_updates": PATIENT_WARMUP,
        "stacks": [measure_patiently(name) for name in PATIENT],
    }


def measure(name: str) -> dict[str, Any]:
    """Train a stack with every seed, and say how low it comes."""
    start = time.process_time()
    columns = {"loss": [round(climb(name, seed), 4) for seed in SEEDS]}
    return {
        "stack": name,
        "depth": DEPTH,
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
        "seconds": round(time.process_time() - start, 1),
    }


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    ladder = masked_word_ladder(SENTENCES)
    print(f"unigram {ladder.unigram:.4f}, floor {ladder.full:.4f} nats")
    stacks = []
    for name in ("post-norm", "pre-norm"):
        stacks.append(measure(name))
        print(json.dumps(stacks[-1]), flush=True)
    if record:
        patient = record_patience()
        content = {
            "command": COMMAND,
            "origin": origin(COMMAND),
            "learning_rate": RATE,
            "updates": UPDATES,
            "batch_size": BATCH_SIZE,
            "seeds": list(SEEDS),
            "ladder": {name: round(loss, 6) for name, loss in ladder._asdict().items()},
            "stacks": stacks,
            "with_more_time": patient,
        }
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
