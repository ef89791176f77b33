"""Models that are built for their sizes, and whose numbers come from elsewhere or not at all.

On the meta device, where PyTorch keeps sizes without numbers, drawing normal numbers loads its
compiler, which takes seconds; so nothing is drawn here. Chapters 8 and 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


@contextmanager
def sizes_only() -> Iterator[None]:
    """Build modules of sizes without numbers."""
    with torch.device("meta"), _NothingDrawn():
        yield


class _NothingDrawn(TorchFunctionMode):
    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Leave a tensor as it is where normal numbers would be drawn into it."""
        kwargs = kwargs or {}
        if getattr(func, "__name__", "").endswith("normal_"):
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)
