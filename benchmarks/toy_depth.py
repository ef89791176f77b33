"""Stack the toy of Chapter 5 to many layers: what residuals, warm-up and pre-norm are for.

``python -m benchmarks.toy_depth`` trains each stack of 6 layers. With ``--record`` it also trains
stacks of 12, 24 and 48, measures with which gradient the last layer begins, gives 24 layers more
time and a learning rate of their own, and stores the result in ``records/toy_depth.json``
(twenty minutes of one thread). Where one layer is enough, these parts buy little; here they decide.
"""

import argparse
import json
import time
from typing import Any, NamedTuple

import torch

from bertbook.corpus import masked_word_ladder
from bertbook.records import record_path

from .records import mean_and_sd, origin
from .toy_parts import examine, hide, riddles, train
from .toy_rows import NO_RESIDUALS, PRE_NORM, SENTENCES, Row, build

RECORD = record_path("toy_depth")
COMMAND = "python -m benchmarks.toy_depth --record"
DEPTHS, SEEDS = (6, 12, 24, 48), range(5)
RATE, UPDATES, WARMUP, BATCH_SIZE = 0.003, 100, 25, 32
# With more time: the best of these rates for each stack, by seed 0, and then other seeds.
PATIENT_DEPTH, PATIENT_RATES, PATIENT_UPDATES, PATIENT_WARMUP = 24, (0.0005, 0.001, 0.003), 600, 200
PATIENT = {"post-norm": 1, "post-norm, warm-up": 5, "pre-norm": 5}  # with how many seeds


class Stack(NamedTuple):
    """A way to stack layers, and for how many updates the learning rate rises first."""

    parts: dict[str, type]
    warmup: int


STACKS = {
    "no residuals": Stack(NO_RESIDUALS, WARMUP),
    "post-norm": Stack({}, 0),
    "post-norm, warm-up": Stack({}, WARMUP),
    "pre-norm": Stack(PRE_NORM, 0),
}


def row_of(stack: Stack, depth: int) -> Row:
    """Say how a stack is built."""
    return Row("depth", f"{depth} layers", stack.parts, {"num_hidden_layers": depth})


def climb(name: str, depth: int, seed: int) -> float:
    """Train a stack; return its loss over all riddles."""
    stack = STACKS[name]
    row = row_of(stack, depth)
    settings = {"updates": UPDATES, "warmup": stack.warmup, "batch_size": BATCH_SIZE}
    return examine(train(row, seed, RATE, **settings), row)["loss"]


def climb_patiently(name: str, rate: float, seed: int, updates: int | None = None) -> float:
    """Train a deep stack for longer, with a rate of its own and a longer warm-up."""
    stack = STACKS[name]
    row = row_of(stack, PATIENT_DEPTH)
    settings = {"warmup": PATIENT_WARMUP if stack.warmup else 0, "batch_size": BATCH_SIZE}
    updates = updates or PATIENT_UPDATES
    return examine(train(row, seed, rate, updates=updates, **settings), row)["loss"]


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


def last_gradient(name: str, depth: int, seed: int) -> float:
    """Measure the gradient of the last layer's matrices before training, as one length."""
    row = row_of(STACKS[name], depth)
    model = build(row, seed)
    model(**hide(riddles())).loss.backward()
    last = model.bert.encoder.layer[-1]
    return torch.stack([p.grad.norm() for p in last.parameters() if p.dim() == 2]).norm().item()


def measure(name: str, depth: int) -> dict[str, Any]:
    """Train a stack with every seed, and say how low it comes."""
    start = time.process_time()
    columns = {"loss": [round(climb(name, depth, seed), 4) for seed in SEEDS]}
    return {
        "stack": name,
        "depth": depth,
        "runs": columns,
        "mean_and_sd": mean_and_sd(columns),
        "seconds": round(time.process_time() - start, 1),
    }


def measure_gradients(name: str, depth: int) -> dict[str, Any]:
    """Measure the gradient with which the last layer of a stack begins, for every seed."""
    columns = {"last_gradient": [round(last_gradient(name, depth, seed), 4) for seed in SEEDS]}
    return {"stack": name, "depth": depth, "runs": columns, "mean_and_sd": mean_and_sd(columns)}


def main() -> None:
    """Train, print, and store if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    record = parser.parse_args().record
    torch.set_num_threads(1)
    ladder = masked_word_ladder(SENTENCES)
    print(f"unigram {ladder.unigram:.4f}, floor {ladder.full:.4f} nats")
    stacks = []
    for depth in DEPTHS if record else DEPTHS[:1]:
        for name in STACKS:
            stacks.append(measure(name, depth))
            print(json.dumps(stacks[-1]), flush=True)
    if record:
        gradients = [
            measure_gradients(name, depth) for depth in DEPTHS for name in ("post-norm", "pre-norm")
        ]
        patient = record_patience()
        content = {
            "command": COMMAND,
            "origin": origin(COMMAND),
            "learning_rate": RATE,
            "updates": UPDATES,
            "warmup_updates": WARMUP,
            "batch_size": BATCH_SIZE,
            "seeds": list(SEEDS),
            "ladder": {name: round(loss, 6) for name, loss in ladder._asdict().items()},
            "stacks": stacks,
            "gradients": gradients,
            "with_more_time": patient,
        }
        RECORD.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
