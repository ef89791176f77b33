"""From the plain parts to the fast ones, one step at a time, for Chapter 23.

``python -m benchmarks.ladder`` prints how fast each step trains: the same ragged texts with the
same labels, from padded batches to updated weights, dropout 0.1 everywhere. Every round runs each
candidate once, in random order; a ratio compares two runs of one round. ``--record`` also times
texts of up to 512 tokens and the use of a trained model, and stores everything in
``records/ladder.json`` (about ten minutes of one core). On a GPU,
``python -m benchmarks.ladder --device cuda`` takes bert-base and texts of up to 512 tokens, and
stores in ``benchmarks/ladder_cuda.json`` with ``--record``. Before anything is timed, each step has
to give the loss and the gradient of the plain one, over all texts together.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import torch
import transformers

from bertbook.records import record_path
from minibert.config import BertConfig
from minibert.data import padding_share

from .encoder import measure
from .ladder_steps import (
    ASIDE,
    LADDER,
    NO_PADDING,
    Rung,
    batches,
    build,
    loss_and_gradient,
    ragged_rows,
    rungs,
    some_buckets,
    trainer,
    useful_products,
)
from .ladder_use import use_rows
from .pretraining import SIDE, build_theirs
from .records import minutes, origin

RECORD, COMMAND = record_path("ladder"), "python -m benchmarks.ladder --record"
LONG = ["fast attention", "length buckets", "no padding", "no padding, no buckets"]


class Size(NamedTuple):
    """What is trained, and on how much text."""

    model: Callable[..., BertConfig]
    rows: int  # of a batch
    batches: int  # of a round, out of a pool that is sorted together
    pool: int
    longest: int
    paragraphs: int  # at most, of a text
    rungs: list[str]


EVERY = [*LADDER, *ASIDE]
SIZES = {
    "short": Size(BertConfig.mini, 8, 10, 50, 128, 1, EVERY),
    "long": Size(BertConfig.mini, 8, 3, 20, 512, 12, LONG),
    "cuda": Size(BertConfig.base, 32, 8, 10, 512, 6, EVERY),
}


def multiplier(device: str, dtype: torch.dtype) -> Callable[[], None]:
    """Return a function that multiplies two large matrices."""
    sides = {"device": device, "dtype": dtype}
    left, right, product = (torch.randn(SIDE, SIDE, **sides) for _ in range(3))
    wait = torch.cuda.synchronize if device == "cuda" else int

    def multiply() -> None:
        torch.mm(left, right, out=product)
        wait()

    return multiply


def race(size: Size, device: str, rounds: int, clock: Callable[[], float]) -> dict[str, object]:
    """Compare every step with the plain one, and time all of them in turn."""
    rows, vocab = ragged_rows(size.rows * size.pool, size.longest, size.paragraphs)
    buckets = some_buckets(rows, size.rows, size.batches)
    rows, config = list(chain.from_iterable(buckets)), size.model(vocab_size=vocab)
    runs, told, plain = {}, {}, None
    for name in size.rungs:
        rung = rungs()[name]
        made, model = batches(buckets, size.longest, rung), build(config, rung, device)
        loss, gradient = loss_and_gradient(model, made, rung)
        plain = plain or (loss, gradient)
        told[name] = {
            "padding": round(padding_share(made), 4),
            "loss_difference": abs(loss - plain[0]),
            "gradient_difference": ((gradient - plain[1]).norm() / plain[1].norm()).item(),
        }
        runs[name] = trainer(model, made, rung)
        print(name, told[name], flush=True)
    theirs = build_theirs(config, transformers.BertForMaskedLM).to(device)
    as_usual = Rung(whole_width=False)  # it knows no other wish
    runs["transformers"] = trainer(theirs, batches(buckets, size.longest, as_usual), as_usual)
    for dtype in ("float32", "bfloat16"):
        runs[f"product in {dtype}"] = multiplier(device, getattr(torch, dtype))
    times = measure(runs, 0, rounds, clock)
    seconds = {name: [round(each, 5) for each in found] for name, found in times.items()}
    return {
        "layers": config.num_hidden_layers,
        "hidden_size": config.hidden_size,
        "tokens": sum(len(row["labels"]) for row in rows),
        "useful_products": useful_products(config, rows),
        "side": SIDE,
        "steps": told,
        "seconds": seconds,
    }


def print_race(found: dict) -> None:
    """Print how fast each is beside transformers, and its share of one large product."""
    theirs, products = found["seconds"]["transformers"], found["seconds"]["product in float32"]
    for name, seconds in found["seconds"].items():
        ratios = [a / b for a, b in zip(theirs, seconds, strict=True)]
        peak = found["useful_products"] / found["side"] ** 3
        share = statistics.median(peak * a / b for a, b in zip(products, seconds, strict=True))
        tokens = found["tokens"] / statistics.median(seconds)
        print(f"{name:36} {statistics.median(ratios):6.2f} {tokens:9.0f} tokens/s {share:5.0%}")


def race_and_print(name: str, rounds: int) -> dict:
    """Run one race, on a CPU by the seconds of the processor, which neighbors do not add to."""
    device = "cuda" if name == "cuda" else "cpu"
    clock = time.perf_counter if device == "cuda" else time.process_time
    found = race(SIZES[name], device, rounds, clock)
    print_race(found)
    return found


PARTS = {
    "short": partial(race_and_print, "short"),
    "long": partial(race_and_print, "long"),
    "use": lambda rounds: use_rows(NO_PADDING, time.process_time, rounds),
    "cuda": partial(race_and_print, "cuda"),
}


def origin_of(device: str, before: float) -> dict[str, Any]:
    """Tell how, when and on what a part is made."""
    if device == "cpu":
        return origin(COMMAND, before) | {"clock": "seconds of the processor"}
    name = torch.cuda.get_device_name()
    return origin(COMMAND, before) | {"device": name, "clock": "seconds"}


def store(path: Path, part: str, found: dict) -> None:
    """Put one part into the record, beside those that are there."""
    known = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    known |= {"command": COMMAND, part: found}
    path.write_text(json.dumps(known) + "\n", encoding="utf-8")


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--parts", nargs="+", choices=PARTS, help="renew these of the record")
    parser.add_argument("--record", action="store_true", help="measure everything, and store")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.device == "cuda":
        path, wanted = RECORD.with_name("ladder_cuda.json"), ["cuda"]
    else:
        everything = [part for part in PARTS if part != "cuda"]
        path, wanted = RECORD, arguments.parts or (everything if arguments.record else ["short"])
    for part in wanted:
        before = minutes()
        found = PARTS[part](arguments.rounds)
        if arguments.record:
            store(path, part, {"origin": origin_of(arguments.device, before)} | found)


if __name__ == "__main__":
    main()
