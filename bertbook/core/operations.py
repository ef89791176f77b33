"""How large a training step is: what a GPU would start, and multiply. Chapters 5 to 12."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode


class _Count(TorchDispatchMode):
    """Count the operations that compute something; a view of a tensor computes nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0

    def __torch_dispatch__(
        self, function: Any, types: Any, args: tuple = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        self.operations += not function.is_view
        return function(*args, **(kwargs or {}))


def count_operations(step: Callable[[], object]) -> tuple[int, int]:
    """Run a step once; return its number of operations and of multiplications in its products.

    Args:
        step: It takes nothing; what it returns is dropped.

    Returns:
        operations: How many a GPU would have to start, each by itself.
        multiplications: Those of all products. One with its addition counts once.
    """
    with FlopCounterMode(display=False) as products, _Count() as counted:
        step()
    return counted.operations, products.get_total_flops() // 2
