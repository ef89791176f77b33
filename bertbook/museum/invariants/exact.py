"""Run a model in 64 bits throughout, and let nothing drop but what is asked to. Chapter 26."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.overrides import TorchFunctionMode

ONLY = 0.4375  # the share that drops where a single dropout is switched on
_TEXTS, _NUMBERS, _FAR = 4, 10_000, 6  # ones to drop, and deviations that chance allows
_DROPPING: dict[Any, tuple[int, str]] = {  # where each takes the share: place and name
    functional.dropout: (1, "p"),
    torch.dropout: (1, "p"),
    functional.scaled_dot_product_attention: (4, "dropout_p"),
    functional.multi_head_attention_forward: (10, "dropout_p"),
}


class Exact(TorchFunctionMode):
    """Compute in 64 bits what a model asks for in 32, and drop only where the share is ONLY.

    A softmax or a scale in 32 bits is no bug, but its rounding would hide one. Dropout that is
    called as a function knows no module that could be switched off.
    """

    def __enter__(self) -> Exact:
        """Make numbers without a type exact, too."""
        self.default = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        return super().__enter__()

    def __exit__(self, *error: Any) -> None:
        """Leave everything as it was."""
        torch.set_default_dtype(self.default)
        super().__exit__(*error)

    def __torch_function__(
        self, func: Callable, types: Any, args: Sequence[Any] = (), kwargs: dict | None = None
    ) -> Any:
        """Call a function of torch with arguments that are exact."""
        taken = [*map(_doubled, args)]
        named = {name: _doubled(value) for name, value in (kwargs or {}).items()}
        if func in _DROPPING:
            place, name = _DROPPING[func]
            if place < len(taken):
                taken[place] = taken[place] if taken[place] == ONLY else 0.0
            elif named.get(name) != ONLY:
                named[name] = 0.0
        return (Tensor.double if func is Tensor.float else func)(*taken, **named)


def dropped_unlike(model: nn.Module) -> str:
    """Say where a part of one layer drops another share than its like in the other layers."""
    shares: dict[str, dict[float, str]] = {}
    for name, part in model.named_modules():
        if isinstance(part, nn.Dropout | nn.Identity):
            alike = shares.setdefault(re.sub(r"\.\d+\.", ".", name), {})
            alike.setdefault(getattr(part, "p", 0.0), name)
    unlike = next((each for each in shares.values() if len(each) > 1), {})
    return " and ".join(f"{name} drops a share of {share:g}" for share, name in unlike.items())


@torch.no_grad()
def off_the_mean(dropout: nn.Dropout) -> str:
    """Say what a dropout does otherwise than to drop its share of ones and keep their mean."""
    ones = torch.ones(_TEXTS, _NUMBERS)
    dropped = copy.deepcopy(dropout).train()(ones)
    share, p = (dropped == 0).double().mean().item(), dropout.p
    if abs(share - p) > _FAR * (p * (1 - p) / ones.numel()) ** 0.5:
        return f"drops a share of {share:.2g}, not {p:g}"
    if (
        abs((mean := dropped.double().mean().item()) - 1)
        > _FAR * (p / (1 - p) / ones.numel()) ** 0.5
    ):
        return f"makes {mean:.2g} of a mean of 1"
    alike = bool((dropped == dropped[:1]).all())
    return "drops the same numbers of every text" if alike else ""


def _doubled(value: Any) -> Any:
    return torch.float64 if value is torch.float32 else value
