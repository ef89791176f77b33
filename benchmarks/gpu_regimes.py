"""Three steps that are slow for three reasons, profiled: a part of ``benchmarks.gpu``.

Two layers of BERT base train on many tokens and wait for products, AdamW's update of their weights
waits for memory, and a toy waits for whoever starts its operations.
"""

from collections.abc import Callable
from functools import partial

import torch

from minibert.config import BertConfig
from minibert.model import BertModel

from .gpu_race import kernel_classes, print_shares, release

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
