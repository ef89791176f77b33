"""Early stopping: the weights with the lowest evaluation loss, and how old they are. Chapter 13."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from torch import nn

from .checkpoint import Tensors
from .state import model_tensors, restore_model


class BestWeights:
    """Keep a copy of the weights with the lowest loss, and count the evaluations since.

    After `patience` evaluations in a row without a lower loss the run is over; None keeps no
    weights and never ends a run.
    """

    def __init__(self, patience: int | None) -> None:
        self.patience = patience
        self.loss, self.step, self.waited = math.inf, 0, 0
        self.weights: Tensors = {}

    @property
    def is_over(self) -> bool:
        """Return whether the loss has not fallen for too long."""
        return self.patience is not None and self.waited >= self.patience

    @property
    def state(self) -> dict[str, Any]:
        """Return what a checkpoint must hold besides the weights."""
        if not self.weights:
            return {}
        return {"loss": self.loss, "step": self.step, "waited": self.waited}

    def record(self, loss: float, step: int, model: nn.Module) -> None:
        """Record the loss of an evaluation, and copy the weights if it is the lowest."""
        if self.patience is None:
            return
        if loss < self.loss:
            self.loss, self.step, self.waited = loss, step, 0
            self.weights = {name: x.clone() for name, x in model_tensors(model).items()}
        else:
            self.waited += 1

    def require(self, eval_batches: object) -> None:
        """Raise for early stopping without evaluations."""
        if self.patience is not None and eval_batches is None:
            raise ValueError(
                f"early_stopping_patience ({self.patience}) needs something to evaluate on; give "
                "eval_batches, rows that are not trained on"
            )

    def restore_best(self, model: nn.Module) -> None:
        """Give the model the best weights, if any are kept."""
        if self.weights:
            restore_model(model, self.weights)

    def restore(self, state: Mapping[str, Any], weights: Tensors) -> None:
        """Restore what a checkpoint held."""
        self.loss, self.step = state.get("loss", math.inf), state.get("step", 0)
        self.waited, self.weights = state.get("waited", 0), dict(weights)
