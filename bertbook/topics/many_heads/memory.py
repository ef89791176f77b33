"""How much memory a computation holds at once, counted tensor by tensor. Chapter 8."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class _Live(TorchDispatchMode):
    """Adds up what the tensors hold that operations make, and takes off what is given back."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self.known: set[int] = set()

    def __torch_dispatch__(
        self, func: Callable, types: Any, args: tuple = (), kwargs: dict | None = None
    ) -> Any:
        result = func(*args, **(kwargs or {}))
        self.know(args)
        for tensor in tree_leaves(result):
            if isinstance(tensor, Tensor):
                self.add(tensor)
        return result

    def know(self, args: tuple) -> None:
        """Remember what was there before: a view of it holds no memory of its own."""
        for leaf in tree_leaves(args):
            if isinstance(leaf, Tensor):
                self.known.add(leaf.untyped_storage()._cdata)

    def add(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        if key not in self.known:
            self.known.add(key)
            self.now += size
            self.most = max(self.most, self.now)
            weakref.finalize(storage, self.free, key, size)

    def free(self, key: int, size: int) -> None:
        self.known.discard(key)
        self.now -= size


def peak_bytes(run: Callable[[], object]) -> int:
    """Count the bytes that the tensors of a computation hold when they hold the most.

    Counted is what is made while it runs, forward or backward, until it is given back. What stood
    there before is not, nor what an operation keeps for itself while it works.

    Parameters
    ----------
    run : function without arguments
        The computation; its result is thrown away.

    Returns
    -------
    int
        Bytes, the same on every machine.

    Examples
    --------
    Two tensors of four numbers, never three at once:

    >>> import torch
    >>> x = torch.ones(4)
    >>> peak_bytes(lambda: x + 1 + 1)
    32
    """
    with _Live() as live:
        run()
    return live.most
