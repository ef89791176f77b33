"""DistilBERT: half of BERT's layers, no segments and no pooler. Chapter 25.

No table of segments is added, and the names differ everywhere. The rest of the difference is how it
is trained: by the probabilities of a larger model, its teacher (Sanh et al., 2019).
"""

from dataclasses import dataclass, fields
from operator import attrgetter
from types import MappingProxyType
from typing import ClassVar

import torch
from torch import nn

from minibert import tasks
from minibert.config import IGNORED_KEYS, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.model import BertModel, BertPooler
from minibert.parts import override, part
from minibert.pretraining import BertForMaskedLM

from .differences import HeadPooler, MemberHead, NoTable, requires, save_under_their_names

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
    """The sizes of a DistilBERT, under its own names; the defaults are those of transformers.

    `vocab_size`, `max_position_embeddings`, `initializer_range` and `pad_token_id` are BERT's.

    Args:
        n_layers, n_heads, dim, hidden_dim: BERT's `num_hidden_layers`, `num_attention_heads`,
            `hidden_size` and `intermediate_size`.
        dropout, attention_dropout: BERT's `hidden_dropout_prob` and `attention_probs_dropout_prob`.
        activation: BERT's `hidden_act`.
        qa_dropout: The share that training drops before the scores of answers.
        seq_classif_dropout: The share that training drops before a classifier of texts.

    Source: Sanh et al. (2019).
    """

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
    qa_dropout: float = 0.1
    seq_classif_dropout: float = 0.2

    model_name = "DistilBERT"
    ignored_keys = IGNORED_KEYS | {"sinusoidal_pos_embds"}  # only how its places started
    required_values = requires("distilbert")
    tensor_sides = ("vocab_size", "max_position_embeddings", "dim", "hidden_dim")
    layer_counts = MappingProxyType({"layer": "n_layers"})
    default_ids = BertConfig.default_ids
    # The same sizes under BERT's names, which its heads ask for.
    hidden_size = property(attrgetter("dim"))
    num_hidden_layers = property(attrgetter("n_layers"))
    num_attention_heads = property(attrgetter("n_heads"))
    intermediate_size = property(attrgetter("hidden_dim"))
    hidden_act = property(attrgetter("activation"))
    hidden_dropout_prob = dropout_before_classifier = property(attrgetter("dropout"))
    attention_probs_dropout_prob = property(attrgetter("attention_dropout"))
    layer_norm_eps = BertConfig.layer_norm_eps

    def __post_init__(self) -> None:
        self.as_bert()

    def as_bert(self) -> BertConfig:
        """Return the same sizes under BERT's names, with its defaults for the others."""
        names = {field.name for field in fields(BertConfig)}
        return BertConfig(**{name: getattr(self, name) for name in names if hasattr(self, name)})


BertConfig.register(DistilBertConfig)


class DistilBertEmbeddings(BertEmbeddings):
    """Words and places, and no segments."""

    own_parameters = True

    def __init__(self, config: BertConfig) -> None:
        super().__init__(config)
        self.token_type_embeddings = NoTable()


class DistilBertModel(BertModel):
    """DistilBERT without any head; called as `BertModel` is. Segments change nothing.

    No DistilBERT of Hugging Face has the pooler of `add_pooling_layer`.
    """

    config_class, base_model_prefix, own_parameters = DistilBertConfig, "distilbert", True

    def __init__(self, config: DistilBertConfig, add_pooling_layer: bool = False) -> None:
        with override({BertEmbeddings: DistilBertEmbeddings}):
            super().__init__(config.as_bert(), add_pooling_layer)
        self.config = config
        save_under_their_names(self, NAMES)


NAMES_OF_WORDS = {
    "cls.predictions.transform.dense": "vocab_transform",
    "cls.predictions.transform.LayerNorm": "vocab_layer_norm",
    "cls.predictions.decoder": "vocab_projector",
    "cls.predictions.": "vocab_projector.",
}


class DistilBertPooler(HeadPooler):
    """With ReLU, and without dropout."""

    activation = staticmethod(torch.relu)

    def share(self, config: BertConfig) -> float:
        """Return 0."""
        return 0.0


class DistilBertHead(MemberHead):
    """What the heads of DistilBERT have in common."""

    encoder_class = DistilBertModel


class DistilBertForMaskedLM(DistilBertHead, BertForMaskedLM):
    """DistilBERT that predicts masked words."""

    names = NAMES_OF_WORDS


class DistilBertForSequenceClassification(DistilBertHead, tasks.BertForSequenceClassification):
    """DistilBERT that classifies sequences: a linear map and ReLU on the first vector."""

    names: ClassVar = {"bert.pooler.dense": "pre_classifier"}
    parts: ClassVar = {BertPooler: DistilBertPooler}

    def finish(self) -> None:
        """Drop with a share of its own."""
        self.dropout = part(nn.Dropout)(self.config.seq_classif_dropout)


class DistilBertForTokenClassification(DistilBertHead, tasks.BertForTokenClassification):
    """DistilBERT that tags tokens."""


class DistilBertForQuestionAnswering(DistilBertHead, tasks.BertForQuestionAnswering):
    """DistilBERT that finds answers in a text, with `qa_dropout` before the scores."""

    names: ClassVar = {"qa_outputs.1.": "qa_outputs."}

    def finish(self) -> None:
        """Drop before the scores."""
        dropout = part(nn.Dropout)(self.config.qa_dropout)
        self.qa_outputs = nn.Sequential(dropout, self.qa_outputs)
