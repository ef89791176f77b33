"""DistilBERT: half of BERT's layers, no segments and no pooler, trained to answer as BERT does.

What differs in the numbers: no table of segments is added. The names differ everywhere, those of
the sizes and those of the tensors. The rest of the difference is how it is trained: by the
probabilities of a larger model, its teacher (Sanh et al., 2019). Chapter 22.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from minibert.config import IGNORED_KEYS, BertConfig, from_fields
from minibert.embeddings import BertEmbeddings
from minibert.model import BertModel
from minibert.parts import use

from .differences import NoTable, requires, save_under_their_names

NAMES = {  # a piece of our names, and what DistilBERT says instead
    "attention.self.query": "attention.q_lin",
    "attention.self.key": "attention.k_lin",
    "attention.self.value": "attention.v_lin",
    "attention.output.dense": "attention.out_lin",
    "attention.output.LayerNorm": "sa_layer_norm",
    "intermediate.dense": "ffn.lin1",
    "output.dense": "ffn.lin2",
    "output.LayerNorm": "output_layer_norm",
    "encoder.": "transformer.",
}


@dataclass(frozen=True, kw_only=True)
class DistilBertConfig:
    """The sizes of a DistilBERT, under its own names; the defaults are those of transformers."""

    vocab_size: int = 30522
    max_position_embeddings: int = 512
    n_layers: int = 6
    n_heads: int = 12
    dim: int = 768
    hidden_dim: int = 3072
    dropout: float = 0.1
    attention_dropout: float = 0.1
    activation: str = "gelu"
    initializer_range: float = 0.02
    pad_token_id: int = 0

    kind = "DistilBERT"
    # How its places started does not matter once they are learned; the others are of its heads.
    ignored_keys = IGNORED_KEYS | {"qa_dropout", "seq_classif_dropout", "sinusoidal_pos_embds"}
    required_values = requires("distilbert")

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> "DistilBertConfig":
        """Make a configuration from the fields of config.json."""
        return from_fields(cls, fields)

    def __post_init__(self) -> None:
        """Check every value."""
        self.as_bert()

    def as_bert(self) -> BertConfig:
        """Return the same sizes under BERT's names."""
        return BertConfig(
            vocab_size=self.vocab_size,
            hidden_size=self.dim,
            num_hidden_layers=self.n_layers,
            num_attention_heads=self.n_heads,
            intermediate_size=self.hidden_dim,
            hidden_act=self.activation,
            hidden_dropout_prob=self.dropout,
            attention_probs_dropout_prob=self.attention_dropout,
            max_position_embeddings=self.max_position_embeddings,
            initializer_range=self.initializer_range,
            pad_token_id=self.pad_token_id,
        )


class DistilBertEmbeddings(BertEmbeddings):
    """Words and places, and no segments."""

    own_parameters = True

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.token_type_embeddings = NoTable()


class DistilBertModel(BertModel):
    """DistilBERT without any head; called as `BertModel` is. Segments change nothing."""

    def __init__(self, config: DistilBertConfig) -> None:
        with use(embeddings=DistilBertEmbeddings):
            super().__init__(config.as_bert(), add_pooling_layer=False)
        self.config = config
        save_under_their_names(self, NAMES)
