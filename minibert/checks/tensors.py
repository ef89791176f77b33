"""Cases whose arrays a reader's function gets as tensors. Chapter 8."""

from __future__ import annotations

import numpy as np
import torch


def to_tensor(value: object) -> object:
    """See an array as a tensor; they share their memory, so that a change of it is seen."""
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value
