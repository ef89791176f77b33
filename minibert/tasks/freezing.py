"""Let only the upper part of a model learn. Chapter 16."""

from __future__ import annotations

from typing import Any

from torch import nn


def train_from_top(model: nn.Module, groups: int) -> None:
    """Let the head and the top groups of the encoder learn, and freeze those below.

    The groups are the layers, counted from the last one down, and below them the embeddings. With 0
    groups the encoder is frozen and gives fixed features; with one group more from time to time it
    thaws gradually; with all of them, number of layers + 1, everything learns. What stands above
    the layers, pooler and classifier, always learns.

    An optimizer made before does not know of the change: make a new one, or a new trainer.

    Parameters
    ----------
    model : nn.Module
        A `BertModel`, or a model that has one under the name ``bert``; changed in place.
    groups : int
        From 0 to the number of layers + 1.

    Raises
    ------
    ValueError
        If the model has not so many groups.

    References
    ----------
    Howard and Ruder (2018), section 3.3.

    Examples
    --------
    >>> from minibert.config import BertConfig
    >>> from minibert.tasks import BertForTokenClassification
    >>> model = BertForTokenClassification(BertConfig.tiny(vocab_size=89))
    >>> train_from_top(model, 0)
    >>> [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    ['classifier.weight', 'classifier.bias']
    """
    bert: Any = getattr(model, "bert", model)
    from_below = [bert.embeddings, *bert.encoder.layer]
    if not 0 <= groups <= len(from_below):
        raise ValueError(
            f"groups ({groups}) must be from 0 to {len(from_below)}: {len(from_below) - 1} layers, "
            "and the embeddings"
        )
    model.requires_grad_(True)
    for frozen in from_below[: len(from_below) - groups]:
        frozen.requires_grad_(False)
