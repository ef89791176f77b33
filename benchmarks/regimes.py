"""Where the time of a step goes: to products, to memory, or to starting operations. Chapter 23.

``python -m benchmarks.regimes`` profiles three steps on one core: a training step of two layers of
BERT base, AdamW's update of the same weights, and a training step of a toy of one layer. For each
class of operations it prints its share of the time; what is left passes between operations, in
Python and in PyTorch's own bookkeeping. ``--record`` stores the shares in ``records/regimes.json``
(a minute of one core). ``benchmarks.gpu`` profiles the same steps on a GPU, by kernels; there what
is left is the time in which no kernel runs.
"""

import argparse
import json

import torch

from bertbook.records import record_path

from .gpu_regimes import LAYERS, ROWS, regimes
from .records import origin

RECORD, COMMAND = record_path("regimes"), "python -m benchmarks.regimes --record"


def main() -> None:
    """Profile, print, and store if asked to."""
    parser = argparse.ArgumentParser(description="Profile what three steps wait for.")
    parser.add_argument("--record", action="store_true", help=f"write {RECORD.name}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    shares = regimes("cpu", ROWS["cpu"], LAYERS)
    if arguments.record:
        record = {"command": COMMAND, "shares": shares, "origin": origin(COMMAND)}
        RECORD.write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
