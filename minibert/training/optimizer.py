"""AdamW with weight decay on matrices, and without on biases and LayerNorm. Chapter 13."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.optim import AdamW

from .config import TrainingConfig


def parameter_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """Return the parameters of `model` in two groups: weight decay shrinks those of the first.

    Biases and the parameters of normalizations are left out, as in the code of the paper, and so is
    what needs no gradient. Groups have ``params`` and ``weight_decay``, as PyTorch takes them.

    Source: Devlin et al. (2019), appendix A.2.

    >>> model = nn.Sequential(nn.Linear(3, 2), nn.LayerNorm(2))
    >>> for group in parameter_groups(model, weight_decay=0.01):
    ...     print(group["weight_decay"], [tuple(p.shape) for p in group["params"]])
    0.01 [(2, 3)]
    0.0 [(2,), (2,), (2,)]
    """
    decaying, free, grouped = [], [], set()
    for module in model.modules():
        is_norm = "Norm" in type(module).__name__
        for name, parameter in module.named_parameters(recurse=False):
            if parameter.requires_grad and id(parameter) not in grouped:
                grouped.add(id(parameter))
                (free if is_norm or name.endswith("bias") else decaying).append(parameter)
    if not grouped:
        raise ValueError(
            "no parameter of the model needs a gradient, so nothing can be trained; set "
            "requires_grad_(True) on the parts that shall learn"
        )
    groups = ((decaying, weight_decay), (free, 0.0))
    return [{"params": group, "weight_decay": decay} for group, decay in groups if group]


def make_optimizer(model: nn.Module, config: TrainingConfig) -> AdamW:
    """Return the optimizer of a run: AdamW, fused, with the groups of `parameter_groups`.

    `model` is on the device where it will be trained; of `config` come betas, epsilon and weight
    decay. The learning rate is set before every step.

    Source: Loshchilov and Hutter (2019), algorithm 2.

    >>> config = TrainingConfig(max_steps=10, seed=0)
    >>> optimizer = make_optimizer(nn.Linear(3, 2), config)
    >>> [group["weight_decay"] for group in optimizer.param_groups]
    [0.01, 0.0]
    """
    return AdamW(
        parameter_groups(model, config.weight_decay),
        lr=config.learning_rate,
        betas=(config.adam_beta1, config.adam_beta2),
        eps=config.adam_epsilon,
        fused=True,
    )
