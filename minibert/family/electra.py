"""ELECTRA: BERT's network on narrow embeddings, without a pooler.

What differs in the numbers: a token's vector has `embedding_size` numbers when it is looked up, and
a linear map widens it before the first layer, if the two sizes differ. What made ELECTRA new is its
task: a small generator replaces words, and this network says of every token whether it is the
original one (Clark et al., 2020). Chapter 22.
"""

from dataclasses import dataclass
from typing import Any

from jaxtyping import Float
from torch import Tensor, nn

from minibert.config import IGNORED_KEYS, BertConfig
from minibert.model import BertModel
from minibert.parts import use
from minibert.whole_numbers import require_whole_number

from .differences import NarrowEmbeddings, requires, save_under_their_names


@dataclass(frozen=True, kw_only=True)
class ElectraConfig(BertConfig):
    """The sizes of an ELECTRA; the defaults are those of transformers."""

    hidden_size: int = 256
    num_attention_heads: int = 4
    intermediate_size: int = 1024
    embedding_size: int = 128

    kind = "ELECTRA"
    ignored_keys = (IGNORED_KEYS - {"embedding_size"}) | {
        "summary_activation", "summary_last_dropout", "summary_type", "summary_use_proj",
    }  # fmt: skip
    required_values = requires("electra")

    def __post_init__(self) -> None:
        """Check every value."""
        super().__post_init__()
        require_whole_number("embedding_size", self.embedding_size, 1)


class ElectraEmbeddings(NarrowEmbeddings):
    """Look up narrow vectors, and widen them for the layers."""

    def __init__(self, config: ElectraConfig) -> None:
        super().__init__(config)
        same = config.embedding_size == config.hidden_size
        wide = nn.Linear(config.embedding_size, config.hidden_size)
        self.project = nn.Identity() if same else wide

    def forward(self, *ids: Any) -> Float[Tensor, "batch seq hidden"]:
        """Look up, add, normalize and widen."""
        embeddings = super().forward(*ids)  # (batch, seq, embedding_size)
        return self.project(embeddings)  # (batch, seq, hidden)


class ElectraModel(BertModel):
    """ELECTRA without any head; called as `BertModel` is."""

    def __init__(self, config: ElectraConfig) -> None:
        with use(embeddings=ElectraEmbeddings):
            super().__init__(config, add_pooling_layer=False)
        save_under_their_names(self, {"embeddings.project.": "embeddings_project."})
