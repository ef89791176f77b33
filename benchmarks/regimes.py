"""Where the time of a step goes: to products, to memory, or to starting operations. Chapter 23.

``python -m benchmarks.regimes`` profiles three steps on one core: a training step of two layers of
BERT base, AdamW's update of the same weights, and a training step of a toy of one layer. For each
class of operations it prints its share of the time; what is left passes between operations, in
Python and in PyTorch's own bookkeeping. ``--record`` stores the shares in ``records/regimes.json``
(a minute of one core). ``benchmarks.gpu`` profiles the same steps on a GPU, by kernels; there
what is left is the time in which no kernel runs.
"""

import argparse
import json
from collections.abc import Callable
from functools import partial
from typing import Any

import torch

from minibert.config import BertConfig
from minibert.model import BertModel

from .gpu_race import kernel_classes, print_shares, release

COMMAND = "python -m benchmarks.regimes --record"
ROWS = {"cpu": 8, "cuda": 256}  # of 128 tokens each; a GPU needs more to be busy
LAYERS = BertConfig.base(num_hidden_layers=2, vocab_size=100)
TOY = BertConfig(
    vocab_size=100, hidden_size=16, num_hidden_layers=1, num_attention_heads=1,
    intermediate_size=64, max_position_embeddings=16,
)  # fmt: skip
TRACES = 7


def forward_and_backward(config: BertConfig, rows: int, seq: int, device: str) -> Callable:
    """Prepare the loss and the gradient of a batch of random words."""
    torch.manual_seed(0)
    model = BertModel(config, add_pooling_layer=False).to(device)
    ids = torch.randint(config.vocab_size, (rows, seq), device=device)

    def run() -> None:
        with torch.autocast(device, torch.bfloat16, enabled=device == "cuda"):
            states = model(ids).last_hidden_state
        states.square().mean().backward()

    return run


def update(config: BertConfig, device: str) -> Callable:
    """Prepare AdamW's update of the weights of a model."""
    model = BertModel(config, add_pooling_layer=False).to(device)
    for weight in model.parameters():
        weight.grad = torch.full_like(weight, 1e-3)
    return torch.optim.AdamW(model.parameters(), fused=True).step


def steps(device: str, rows: int, config: BertConfig) -> dict[str, Callable[[], Callable]]:
    """Name the three steps, and how each is prepared."""
    seq = min(config.max_position_embeddings, 128)
    return {
        "two layers of BERT base": partial(forward_and_backward, config, rows, seq, device),
        "AdamW on them": partial(update, config, device),
        "a toy, one sentence": partial(forward_and_backward, TOY, 1, 8, device),
    }


def regimes(device: str, rows: int, config: BertConfig) -> dict[str, dict[str, float]]:
    """Profile each step several times, and return the trace with the median between kernels."""
    found = {}
    for name, prepare in steps(device, rows, config).items():
        run = prepare()
        traces = [kernel_classes(run, device) for _ in range(TRACES)]
        traces.sort(key=lambda trace: trace["between kernels"])
        found[name] = traces[TRACES // 2]
        print_shares(name, found[name])
        del run
        release(device)
    return found


def main() -> None:
    """Profile, print, and store if asked to."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--record", action="store_true", help="write the record")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    record: dict[str, Any] = {"command": COMMAND, "shares": regimes("cpu", ROWS["cpu"], LAYERS)}
    if arguments.record:
        from bertbook.records import record_path

        from .records import origin

        record["origin"] = origin(COMMAND)
        record_path("regimes").write_text(json.dumps(record) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
