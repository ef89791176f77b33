"""When a part of a layer waits for memory, for Chapter 23.

``python -m benchmarks.roofline`` measures two numbers of this machine, the products of one large
multiplication of matrices and the bytes of one long copy, and then how long parts of BERT base
take: for one question of 8 tokens, and for 32 rows of 128. A part is run for four layers in turn,
each with weights of its own, so that no weight waits in a cache for its second use. Every round
runs everything once, in random order; ``--record`` stores the seconds, with what each part computes
and moves, in ``records/roofline.json`` (a minute of one core). On a GPU, ``--device cuda``
prints the same and, with ``--record``, stores it in ``benchmarks/roofline_cuda.json``.
"""

import argparse
import json
import math
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from bertbook.records import record_path
from minibert.config import BertConfig

from .encoder import measure
from .records import origin

RECORD, COMMAND = record_path("roofline"), "python -m benchmarks.roofline --record"
BATCHES = ((1, 8), (32, 128))  # rows, tokens of a row
SIDE, LONG = 2048, 32_000_000  # of the matrices that are multiplied, of the row that is copied
SIZES = BertConfig.base()
LAYERS, NUMBER = 4, 4  # bytes of a number
HIDDEN, WIDE, HEADS = SIZES.hidden_size, SIZES.intermediate_size, SIZES.num_attention_heads


class Part(NamedTuple):
    """A part of a layer: what it computes, and what it reads and writes at least."""

    operations: int
    numbers: int
    run: Callable[[], object]


def feed_forward(tokens: int, states: Float[Tensor, "..."]) -> Part:
    """Read two matrices and the states; write the wide states, read them twice more."""
    weights = [(torch.randn(HIDDEN, WIDE), torch.randn(WIDE, HIDDEN)) for _ in range(LAYERS)]
    weights = [(a.to(states) / 28, b.to(states) / 55) for a, b in weights]

    def run() -> None:
        for wide, back in weights:
            functional.gelu(states @ wide) @ back

    return Part(
        LAYERS * 4 * tokens * HIDDEN * WIDE,
        LAYERS * (2 * HIDDEN * WIDE + tokens * (2 * HIDDEN + 4 * WIDE)),
        run,
    )


def layer_norm(tokens: int, states: Float[Tensor, "..."]) -> Part:
    """Read all states, and write as many; about eight operations for each."""
    copies = [states + i for i in range(LAYERS)]

    def run() -> None:
        for one in copies:
            functional.layer_norm(one, (HIDDEN,))

    return Part(LAYERS * 8 * tokens * HIDDEN, LAYERS * 2 * tokens * HIDDEN, run)


def attention(tokens: int, states: Float[Tensor, "..."], *, with_table: bool) -> Part:
    """Read queries, keys and values, write contexts; the table is written and read twice each."""
    rows, seq, _ = states.shape
    heads = states.view(rows, seq, HEADS, -1).transpose(1, 2)
    copies = [[(heads + i).contiguous() for _ in range(3)] for i in range(LAYERS)]
    scale = math.sqrt(HIDDEN // HEADS)

    def by_table() -> None:
        for query, key, value in copies:
            (query @ key.transpose(-1, -2) / scale).softmax(-1) @ value

    def fused() -> None:
        for query, key, value in copies:
            functional.scaled_dot_product_attention(query, key, value)

    table = 6 * rows * HEADS * seq**2 if with_table else 0  # product, division, softmax, mean
    return Part(
        LAYERS * 4 * tokens * seq * HIDDEN,
        LAYERS * (4 * tokens * HIDDEN + table),
        by_table if with_table else fused,
    )


PARTS = {
    "feed-forward": feed_forward,
    "LayerNorm": layer_norm,
    "attention, table": partial(attention, with_table=True),
    "attention, fused": partial(attention, with_table=False),
}


def parts_of(rows: int, seq: int, device: str) -> dict[str, Part]:
    """Make every part, with inputs of its own."""
    states = torch.randn(rows, seq, HIDDEN, device=device)
    return {name: make(rows * seq, states) for name, make in PARTS.items()}


def two_numbers(device: str) -> dict[str, Callable[[], object]]:
    """Make the two runs that the machine is measured by."""
    left, right, product = (torch.randn(SIDE, SIDE, device=device) for _ in range(3))
    row = torch.randn(LONG, device=device)
    copy = torch.empty_like(row)
    return {
        "product": lambda: torch.mm(left, right, out=product),
        "copy": lambda: copy.copy_(row),
    }


def measured(device: str, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Measure the machine and the parts, in turn."""
    parts = {
        f"{name}, {rows} × {seq}": part
        for rows, seq in BATCHES
        for name, part in parts_of(rows, seq, device).items()
    }
    wait = torch.cuda.synchronize if device == "cuda" else int
    runs = two_numbers(device) | {name: part.run for name, part in parts.items()}
    waiting = {name: partial(_and_wait, run, wait) for name, run in runs.items()}
    with torch.no_grad():
        times = measure(waiting, 0, rounds, clock)
    return {
        "product_operations": 2 * SIDE**3,
        "copy_bytes": 2 * NUMBER * LONG,
        "parts": {
            name: {"operations": part.operations, "bytes": NUMBER * part.numbers}
            for name, part in parts.items()
        },
        "seconds": {name: [round(each, 6) for each in found] for name, found in times.items()},
    }


def _and_wait(run: Callable[[], object], wait: Callable[[], object]) -> None:
    run()
    wait()


def main() -> None:
    """Measure, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Measure when a part waits for memory.")
    parser.add_argument("--record", action="store_true", help="write the record")
    parser.add_argument("--rounds", type=int, default=11)
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    on_gpu = arguments.device == "cuda"
    told = {"device": torch.cuda.get_device_name()} if on_gpu else {}
    clock = time.perf_counter if on_gpu else time.process_time
    found = measured(arguments.device, arguments.rounds, clock)
    for name, seconds in found["seconds"].items():
        print(f"{name:26} {1000 * statistics.median(seconds):9.2f} ms")
    if arguments.record:
        path = RECORD.with_stem("roofline_cuda") if on_gpu else RECORD
        record = {"command": COMMAND, "origin": origin(COMMAND) | told, **found}
        path.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
