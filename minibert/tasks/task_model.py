"""What the models of all tasks have in common. Chapter 16."""

from typing import Any

import torch
from torch import nn


class TaskModel(nn.Module):
    """A BERT with a classifier, under the two names by which PEFT finds its way in it."""

    bert: Any

    @property
    def embeddings(self) -> nn.Module:
        """Return the part that turns ids into vectors; prompt tuning puts its own before them."""
        return self.bert.embeddings

    @property
    def device(self) -> torch.device:
        """Return where the weights are."""
        return next(self.parameters()).device
