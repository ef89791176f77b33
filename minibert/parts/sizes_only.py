"""Modules that are built for their sizes, and whose numbers come from elsewhere or not at all.

PyTorch's own way, ``torch.device("meta")``, still calls the functions that draw numbers, and with
normal numbers that loads its compiler, which takes seconds. Chapters 8 and 15.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class NoRandomWeights(TorchFunctionMode):
    """Build modules without drawing random weights, for weights that come from elsewhere.

    Inside ``with NoRandomWeights():`` the functions of ``torch.nn.init`` that draw numbers leave
    their tensor as it is, which is to say undefined.
    """

    def __torch_function__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        """Skip the functions that draw weights; call every other."""
        kwargs = kwargs or {}
        on_meta = getattr(func, "__name__", "") == "normal_" and args and args[0].is_meta
        if on_meta or getattr(func, "__module__", "") == "torch.nn.init":
            return kwargs["tensor"] if "tensor" in kwargs else args[0]
        return func(*args, **kwargs)


@contextmanager
def sizes_only() -> Iterator[None]:
    """Build modules of sizes without numbers, on the meta device."""
    with torch.device("meta"), NoRandomWeights():
        yield
