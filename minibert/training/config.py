"""The numbers that fix a training run, and the learning rate of each of its steps. Chapter 13."""

import dataclasses
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from minibert.inputs import ABOVE_0, MOST, require_number

# The least and the most that a value may be, whole if the least is.
RANGES = MappingProxyType(
    dict.fromkeys(("max_steps", "gradient_accumulation_steps", "logging_steps"), (1, MOST))
    | dict.fromkeys(("eval_steps", "save_steps", "early_stopping_patience"), (1, MOST))
    | dict.fromkeys(("learning_rate", "adam_epsilon"), (ABOVE_0, 1e10))
    | dict.fromkeys(("adam_beta1", "adam_beta2"), (0.0, 1 - 1e-9))
    | {"seed": (0, MOST), "weight_decay": (0.0, 1e10), "max_grad_norm": (ABOVE_0, MOST)}
)
MAY_BE_NONE = ("eval_steps", "early_stopping_patience")

# What may differ when a run resumes: how often it reports and saves changes no weight. How often it
# evaluates does if that decides when it stops.
FREE_TO_CHANGE = ("logging_steps", "eval_steps", "save_steps")


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """What a training run is made of; the defaults are those of BERT's pre-training.

    The names are Hugging Face's. A step is one update of the weights. Every value is checked.

    Args:
        max_steps: Number of updates, at least 1.
        seed: Seed of all randomness in the model, such as dropout; at least 0.
        learning_rate: The highest one, reached after the warm-up; above 0.
        warmup_steps: Updates during which the learning rate rises, 0 to `max_steps`.
        weight_decay: Share of the learning rate by which matrices shrink in a step, at least 0.
        adam_beta1, adam_beta2: Memory of the mean gradient and of the mean squared one, below 1.
        adam_epsilon: Added to the root of the latter, above 0.
        max_grad_norm: A longer gradient is shortened to this; infinity leaves it as it is.
        gradient_accumulation_steps: Batches that make one update together, at least 1.
        bf16: Whether to compute in bfloat16 on CUDA devices, where that is faster.
        logging_steps: Updates between two records of the loss, at least 1.
        eval_steps: Updates between two evaluations; None evaluates at the end only.
        save_steps: Updates between two checkpoints; there is always one at the end.
        early_stopping_patience: After so many evaluations in a row without a lower loss the run
            ends; and however it ends, the weights with the lowest loss are put back. None trains to
            the end and keeps the last weights.

    Source: Devlin et al. (2019), appendix A.2.

    >>> config = TrainingConfig(max_steps=1000, warmup_steps=100, seed=0)
    >>> config.learning_rate_at(50), config.learning_rate_at(100), config.learning_rate_at(1000)
    (5e-05, 0.0001, 0.0)
    """

    max_steps: int
    seed: int
    learning_rate: float = 1e-4
    warmup_steps: int = 0
    weight_decay: float = 0.01
    adam_beta1: float = 0.9
    adam_beta2: float = 0.999
    adam_epsilon: float = 1e-6
    max_grad_norm: float = 1.0
    gradient_accumulation_steps: int = 1
    bf16: bool = True
    logging_steps: int = 10
    eval_steps: int | None = None
    save_steps: int = 500
    early_stopping_patience: int | None = None

    def __post_init__(self) -> None:
        for name, (least, most) in RANGES.items():
            if name not in MAY_BE_NONE or getattr(self, name) is not None:
                require_number(name, getattr(self, name), least, most)
        usual = ", max_steps; BERT warms up for 1 % of its steps"
        require_number("warmup_steps", self.warmup_steps, 0, self.max_steps, usual)
        if self.early_stopping_patience is not None and self.eval_steps is None:
            raise ValueError(
                f"early_stopping_patience ({self.early_stopping_patience}) counts evaluations, "
                "but eval_steps is None; say after how many updates to evaluate"
            )
        if not isinstance(self.bf16, bool):
            raise TypeError(f"bf16 must be True or False, not {self.bf16!r}")

    def learning_rate_at(self, step: int) -> float:
        """Return the learning rate of the update that follows `step` others."""
        return self.learning_rate * learning_rate_factor(
            step, warmup_steps=self.warmup_steps, max_steps=self.max_steps
        )

    def differences(self, other: dict[str, Any]) -> list[str]:
        """Return a sentence for each value of `other` that would make it a different run."""
        free = {*FREE_TO_CHANGE}
        if self.early_stopping_patience is not None:
            free.remove("eval_steps")
        return differences(other, dataclasses.asdict(self), free)


def differences(
    before: Mapping[str, Any], now: Mapping[str, Any], free: Collection[str] = ()
) -> list[str]:
    """Say of each value that differs what it was and what it is, but for those that may."""
    return [
        f"{name} was {before.get(name)!r} and is {now.get(name)!r}"
        for name in sorted({*before, *now} - {*free})
        if before.get(name) != now.get(name)
    ]


def learning_rate_factor(step: int, *, warmup_steps: int, max_steps: int) -> float:
    """Return which share of the highest learning rate an update gets.

    The share rises on a straight line for `warmup_steps` and then falls on one to 0 at `max_steps`:
    ``step / warmup_steps``, then ``(max_steps - step) / (max_steps - warmup_steps)``, with `step`
    the number of updates before this one. So the first share is 0, as in the code of the paper.

    Source: Devlin et al. (2019), appendix A.2.

    >>> [learning_rate_factor(step, warmup_steps=2, max_steps=6) for step in range(7)]
    [0.0, 0.5, 1.0, 0.75, 0.5, 0.25, 0.0]
    """
    if step < warmup_steps:
        return step / warmup_steps
    return max(0.0, (max_steps - step) / max(1, max_steps - warmup_steps))
