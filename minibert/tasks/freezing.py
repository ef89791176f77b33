"""Let only the upper part of a model learn. Chapter 16."""

from __future__ import annotations

from typing import Any

from torch import nn


def train_from_top(model: nn.Module, groups: int) -> None:
    """Let the head and the top `groups` of the encoder learn, and freeze those below.

    The groups are the layers, counted from the last one down, and below them the embeddings. With 0
    groups the encoder is frozen and gives fixed features; with number of layers + 1 everything
    learns. What reads the encoder, pooler and classifier, always learns. A layer with several
    turns, as in ALBERT, belongs to the lowest of its groups. An optimizer made before does not know
    of the change: make a new one, or a new trainer.

    `model` is a `BertModel`, or has one under the name ``bert``; it is changed in place.

    Source: Howard and Ruder (2018), section 3.3.

    >>> from minibert.config import BertConfig
    >>> from minibert.tasks import BertForTokenClassification
    >>> model = BertForTokenClassification(BertConfig.tiny(vocab_size=89))
    >>> train_from_top(model, 0)
    >>> [name for name, parameter in model.named_parameters() if parameter.requires_grad]
    ['classifier.weight', 'classifier.bias']
    """
    bert: Any = getattr(model, "bert", model)
    layers = [*bert.encoder.layer]  # from below
    if not 0 <= groups <= len(layers) + 1:
        raise ValueError(
            f"groups ({groups}) must be from 0 to {len(layers) + 1}: {len(layers)} layers, and the "
            "embeddings"
        )
    model.requires_grad_(True)
    if groups > len(layers):
        return
    below, learning = layers[: len(layers) - groups], layers[len(layers) - groups :]
    if learning and hasattr(bert.encoder, "final_norm"):  # ModernBERT's, above the last layer
        learning.append(bert.encoder.final_norm)
    for part in (bert.embeddings, bert.encoder):
        part.requires_grad_(False)
    for part in learning:
        part.requires_grad_(True)
    for part in below:  # ALBERT's layers may be among those above, too
        part.requires_grad_(False)
