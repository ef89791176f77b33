"""What several members do to BERT's parts: other names, no table, narrow embeddings. Chapter 22."""

import dataclasses
import math
from collections.abc import Mapping
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minibert.config import REQUIRED_VALUES, BertConfig
from minibert.embeddings import BertEmbeddings


def requires(model_type: str, **changes: Any) -> dict[str, Any]:
    """Return the values that a config.json must have where it has these keys."""
    return {**REQUIRED_VALUES, "model_type": model_type, **changes}


def save_under_their_names(model: nn.Module, names: Mapping[str, str]) -> None:
    """Let a model save and load its tensors under Hugging Face's names.

    `names` maps a piece of our names to theirs; the pieces are replaced one after the other.
    """
    table = {}
    for ours in model.state_dict():
        theirs = ours
        for piece, other in names.items():
            theirs = theirs.replace(piece, other)
        table[ours] = theirs

    def saved(module: nn.Module, state: dict[str, Any], prefix: str, *_: object) -> None:
        for name in list(state):  # also those that are right, so that the order stays
            ours = name.removeprefix(prefix)
            state[prefix + table.get(ours, ours)] = state.pop(name)

    def loads(module: nn.Module, state: dict[str, Any], prefix: str, *_: object) -> None:
        for ours, theirs in table.items():
            if prefix + theirs in state:
                state[prefix + ours] = state.pop(prefix + theirs)

    model.register_state_dict_post_hook(saved)
    model.register_load_state_dict_pre_hook(loads)


class NoTable(nn.Module):
    """Play a table of embeddings that adds nothing, however large the id."""

    num_embeddings = math.inf

    def forward(self, ids: Int[Tensor, "..."]) -> Float[Tensor, ""]:
        """Return 0, whatever the ids."""
        return torch.zeros((), device=ids.device)


class NarrowEmbeddings(BertEmbeddings):
    """Embeddings of `embedding_size` numbers a token, fewer than the layers have."""

    own_parameters = True

    def __init__(self, config: Any) -> None:
        narrow = {"hidden_size": config.embedding_size, "num_attention_heads": 1}
        fields = {f.name: getattr(config, f.name) for f in dataclasses.fields(BertConfig)}
        super().__init__(BertConfig(**fields | narrow))
