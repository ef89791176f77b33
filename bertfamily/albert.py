"""ALBERT: one layer, climbed many times, on narrow embeddings. Chapter 25.

All layers of a group are the same layer, with one set of weights; and a token's vector has
`embedding_size` numbers when it is looked up, widened by a linear map (Lan et al., 2020).
"""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar

from jaxtyping import Float
from torch import Tensor, nn

from minibert import tasks
from minibert.config import IGNORED_KEYS, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.heads import BertLMPredictionHead
from minibert.inputs import require_number
from minibert.layer import BertLayer
from minibert.model import BertEncoder, BertModel, BertModelOutput
from minibert.parts import override, part
from minibert.pretraining import BertForMaskedLM

from .differences import (
    MemberHead,
    NarrowEmbeddings,
    NarrowPredictionHead,
    requires,
    save_under_their_names,
)

NAMES = {  # a piece of our names, and what ALBERT says instead
    "attention.self.": "attention.",
    "attention.output.": "attention.",
    "intermediate.dense": "ffn",
    "output.dense": "ffn_output",
    "output.LayerNorm": "full_layer_layer_norm",
    "pooler.dense": "pooler",
}


@dataclass(frozen=True, kw_only=True)
class AlbertConfig(BertConfig):
    """The sizes of an ALBERT; the defaults are those of transformers, the largest one's.

    Args:
        classifier_dropout: BERT's name; ALBERT's is `classifier_dropout_prob`.
        embedding_size: How many numbers a word has before they are widened to `hidden_size`.
        num_hidden_groups: Into how many groups the `num_hidden_layers` are divided.
        inner_group_num: How many layers a group has, each with weights of its own.
        classifier_dropout_prob: Dropout before a classifier; None for `hidden_dropout_prob`.

    Source: Lan et al. (2020).
    """

    vocab_size: int = 30000
    hidden_size: int = 4096
    num_attention_heads: int = 64
    intermediate_size: int = 16384
    hidden_act: str = "gelu_new"
    hidden_dropout_prob: float = 0.0
    attention_probs_dropout_prob: float = 0.0
    embedding_size: int = 128
    num_hidden_groups: int = 1
    inner_group_num: int = 1
    classifier_dropout_prob: float | None = 0.1

    model_name = "ALBERT"
    ignored_keys = IGNORED_KEYS - {"embedding_size"}
    required_values = requires("albert")
    tensor_sides = (*BertConfig.tensor_sides, "embedding_size")
    layer_counts = MappingProxyType(
        {"albert_layer_groups": "num_hidden_groups", "albert_layers": "inner_group_num"}
    )

    def __post_init__(self) -> None:
        share = self.classifier_dropout_prob
        if self.classifier_dropout not in (None, share):
            raise ValueError(
                f"classifier_dropout ({self.classifier_dropout}) is BERT's name; ALBERT's is "
                f"classifier_dropout_prob, which is {share}; give that one alone"
            )
        require_number("classifier_dropout_prob", self.dropout_before_classifier, 0.0, 1.0)
        super().__post_init__()
        for name in ("embedding_size", "num_hidden_groups", "inner_group_num"):
            require_number(name, getattr(self, name), 1)
        if self.num_hidden_groups > self.num_hidden_layers:
            raise ValueError(
                f"num_hidden_groups ({self.num_hidden_groups}) must not be larger than "
                f"num_hidden_layers ({self.num_hidden_layers}); nearest is {self.num_hidden_layers}"
            )

    @property
    def dropout_before_classifier(self) -> float:
        """Return the dropout before a classifier: that of the outputs, unless it is given."""
        share = self.classifier_dropout_prob
        return self.hidden_dropout_prob if share is None else share


class AlbertEncoder(BertEncoder):
    """Widen the vectors, and send them through the same few layers again and again."""

    own_parameters = True

    def __init__(self, config: AlbertConfig) -> None:
        nn.Module.__init__(self)
        self.layers = config.num_hidden_layers
        self.embedding_hidden_mapping_in = nn.Linear(config.embedding_size, config.hidden_size)
        self.albert_layer_groups = nn.ModuleList(
            nn.ModuleDict({"albert_layers": nn.ModuleList(part(BertLayer)(config) for _ in inner)})
            for inner in [range(config.inner_group_num)] * config.num_hidden_groups
        )

    @property
    def layer(self) -> list[nn.Module]:
        """List the layers in the order in which they are climbed; the same ones come again."""
        groups = self.albert_layer_groups
        turns = (groups[turn * len(groups) // self.layers] for turn in range(self.layers))
        return [layer for group in turns for layer in group["albert_layers"]]  # pyright: ignore[reportIndexIssue]

    def forward(
        self, hidden_states: Float[Tensor, "batch seq in_size"], *more: Any, **options: Any
    ) -> BertModelOutput:
        """Widen, then climb."""
        wide = self.embedding_hidden_mapping_in(hidden_states)  # (batch, seq, hidden)
        return super().forward(wide, *more, **options)


class AlbertModel(BertModel):
    """ALBERT without any head, with a pooler if `add_pooling_layer`; called as `BertModel` is."""

    config_class, base_model_prefix, own_parameters = AlbertConfig, "albert", True

    def __init__(self, config: AlbertConfig, add_pooling_layer: bool = True) -> None:
        with override({BertEmbeddings: NarrowEmbeddings, BertEncoder: AlbertEncoder}):
            super().__init__(config, add_pooling_layer)
        save_under_their_names(self, NAMES)


NAMES_OF_WORDS = {"cls.predictions.transform.": "predictions.", "cls.predictions.": "predictions."}


class AlbertHead(MemberHead):
    """What the heads of ALBERT have in common."""

    encoder_class = AlbertModel


class AlbertForMaskedLM(AlbertHead, BertForMaskedLM):
    """ALBERT that predicts masked words, compared as vectors of `embedding_size` numbers."""

    names = NAMES_OF_WORDS
    parts: ClassVar = {BertLMPredictionHead: NarrowPredictionHead}


class AlbertForSequenceClassification(AlbertHead, tasks.BertForSequenceClassification):
    """ALBERT that classifies sequences."""


class AlbertForTokenClassification(AlbertHead, tasks.BertForTokenClassification):
    """ALBERT that tags tokens."""


class AlbertForQuestionAnswering(AlbertHead, tasks.BertForQuestionAnswering):
    """ALBERT that finds answers in a text."""
