"""One process against two that talk by gloo, for Chapter 24.

``python -m benchmarks.processes --record`` measures on this machine how long an update of two
models takes, and how long two processes need to add up messages of several sizes, and stores it in
``records/processes.json``. Each process computes with one thread. One and two take turns within
each round, so that both meet the same machine; of a round the fastest time counts, the least
disturbed one.
"""

import argparse
import json
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import torch
from torch import distributed, multiprocessing

from bertbook.records import record_path
from minibert.config import BertConfig
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM
from minibert.training import Processes, TrainingConfig, make_optimizer, training_step

from .encoder import spread
from .records import origin

RECORD = record_path("processes")
COMMAND = "python -m benchmarks.processes --record"
MESSAGES = (1_000, 100_000, 1_000_000, 10_000_000)  # numbers of four bytes
ROWS, TOKENS, ROUNDS = (2, 8, 32), 64, 15
SIZES = {
    "small": {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2},
    "wide": {"hidden_size": 256, "num_hidden_layers": 2, "num_attention_heads": 4},
}


def model_of(name: str) -> BertForMaskedLM:
    """Build a model with random weights."""
    size = SIZES[name]
    torch.manual_seed(0)
    return BertForMaskedLM(
        BertConfig(vocab_size=2000, intermediate_size=4 * size["hidden_size"], **size)
    )


def updates(name: str, rows: int) -> Callable[[Processes], object]:
    """Give a function that makes an update, of which each process takes its share of the rows."""
    model, config = model_of(name), TrainingConfig(max_steps=10**9, seed=0)
    optimizer = make_optimizer(model, config)
    ids = torch.randint(2000, (rows, TOKENS), generator=torch.Generator().manual_seed(0))
    labels = torch.where(torch.arange(TOKENS) % 7 == 0, ids, -100)
    batch = {"input_ids": ids, "labels": labels}
    return lambda processes: training_step(
        model, optimizer, [batch], 1, config, processes=processes
    )


def seconds_of(work: Callable[[], object]) -> float:
    """Time some work that all processes begin together."""
    if distributed.is_initialized():
        distributed.barrier()
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def rounds_of(*works: Callable[[], object], turns: int, rounds: int) -> list[list[float]]:
    """Time works in turn, so many turns a round; give the fastest of each work in each round."""
    found = []
    for _ in range(rounds + 1):  # the first round is not counted
        times = [[seconds_of(work) for work in works] for _ in range(turns)]
        found.append([round(min(column), 6) for column in zip(*times, strict=True)])
    return [list(column) for column in zip(*found[1:], strict=True)]


def compare(
    name: str, rows: int, processes: Processes, rounds: int = ROUNDS
) -> dict[str, list[float]]:
    """Time an update of one process, while the other one waits, and of all together."""
    update = updates(name, rows)

    def alone() -> None:
        if processes.rank == 0:
            update(Processes())

    both = alone, lambda: update(processes)
    one, two = rounds_of(*both, turns=64 // rows, rounds=rounds)
    return {"one": one, "two": two}


def measure(processes: Processes, rounds: int) -> dict[str, dict]:
    """Measure what these processes can do."""
    torch.set_num_threads(1)
    with override(fast_parts()):
        found = {
            name: {str(rows): compare(name, rows, processes, rounds) for rows in ROWS}
            for name in SIZES
        }
    messages = {size: torch.ones(size) for size in MESSAGES}
    talk = {
        str(size): rounds_of(
            lambda message=message: distributed.all_reduce(message), turns=8, rounds=rounds
        )[0]
        for size, message in messages.items()
    }
    return {"updates": found, "all_reduce": talk}


def _measure_together(rank: int, count: int, rounds: int, folder: str) -> None:
    distributed.init_process_group(
        "gloo", init_method=Path(folder, "meeting").as_uri(), rank=rank, world_size=count
    )
    found = measure(Processes(rank, count), rounds)
    if rank == 0:
        Path(folder, "found.json").write_text(json.dumps(found), encoding="utf-8")
    distributed.destroy_process_group()


def together(count: int, rounds: int) -> dict[str, dict]:
    """Measure in several processes at once."""
    with tempfile.TemporaryDirectory() as folder:
        multiprocessing.spawn(_measure_together, (count, rounds, folder), nprocs=count)
        return json.loads(Path(folder, "found.json").read_text(encoding="utf-8"))


def print_ratios(record: dict) -> None:
    """Print how many times as fast two are as one: the median of the rounds, and the quartiles."""
    for name, sizes in record["updates"].items():
        for rows, both in sizes.items():
            print(f"{name:6} {int(rows) * TOKENS:5} tokens  {spread(both['one'], both['two'])}")


def main() -> None:
    """Measure, print, and store it if that is asked for."""
    parser = argparse.ArgumentParser(description="Measure one process against two.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    arguments = parser.parse_args()
    sizes = {name: sum(p.numel() for p in model_of(name).parameters()) for name in SIZES}
    found = together(2, arguments.rounds)
    print_ratios(found)
    if arguments.record:
        told = {"command": COMMAND, "origin": origin(COMMAND), "parameters": sizes}
        record = told | {"tokens_per_row": TOKENS, **found}
        RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
