"""DeBERTa-v2: what a token is and how far away it stands, two vectors, compared apart. Chapter 25.

Every layer adds to the scores how well a query fits the distance of the key (c2p), and a key the
distance of the query (p2c). Distances come from one table for all layers; far ones share a row.
Places need not be added to the words (He et al., 2021).
"""

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from minibert import tasks
from minibert.attention import BertSelfAttention, fit_mask
from minibert.config import ACTIVATIONS, IGNORED_KEYS, BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.model import BertEncoder, BertModel, BertModelOutput, BertPooler
from minibert.parts import override, part
from minibert.pretraining import BertForMaskedLM

from .differences import HeadPooler, MemberHead, NoTable, requires, save_under_their_names

PROJECTIONS = {f"self.{name}.": f"self.{name}_proj." for name in ("query", "key", "value")}


@dataclass(frozen=True, kw_only=True)
class DebertaV2Config(BertConfig):
    """The sizes of a DeBERTa-v2; the defaults are those of transformers.

    Args:
        type_vocab_size: As in `BertConfig`; 0 without segments.
        relative_attention: Whether scores look at distances.
        max_relative_positions: The farthest distance; -1 for `max_position_embeddings`.
        position_buckets: How many distances on each side have a vector: near ones their own, far
            ones share; -1 for no sharing.
        position_biased_input: Whether a vector of the position is added to the word, as in BERT.
        pos_att_type: Which products with distances: ``"c2p"``, words with distances, ``"p2c"``,
            distances with words, or both.
        share_att_key: Whether distances go through the maps of queries and keys, or have their own.
        norm_rel_ebd: ``"layer_norm"`` normalizes the vectors of distances, ``"none"`` does not.
        pooler_dropout: Dropout before the pooler of a classifier of texts.
        pooler_hidden_act: The activation of this pooler.
        cls_dropout: Dropout before a classifier; None for `hidden_dropout_prob`.
        legacy: Which of its two layouts the head for words has: True for BERT's.

    Source: He et al. (2021).
    """

    vocab_size: int = 128100
    hidden_size: int = 1536
    num_hidden_layers: int = 24
    num_attention_heads: int = 24
    intermediate_size: int = 6144
    type_vocab_size: int = 0
    layer_norm_eps: float = 1e-7
    relative_attention: bool = False
    max_relative_positions: int = -1
    position_buckets: int = -1
    position_biased_input: bool = True
    pos_att_type: Any = ()
    share_att_key: bool = False
    norm_rel_ebd: str = "none"
    pooler_dropout: float = 0.0
    pooler_hidden_act: str = "gelu"
    cls_dropout: float | None = None
    legacy: bool = True

    model_name = "DeBERTa-v2"
    ignored_keys = (IGNORED_KEYS - {"embedding_size"}) | {"pooler_hidden_size"}
    required_values = requires("deberta-v2", conv_kernel_size=0)
    tensor_sides = (
        *("vocab_size", "type_vocab_size", "hidden_size", "intermediate_size"),
        *("rows_of_position_embeddings", "rows_of_rel_embeddings"),
    )

    def __post_init__(self) -> None:
        """Check every value; no segments at all are allowed here."""
        kinds = self.pos_att_type or ()
        kinds = kinds.lower().split("|") if isinstance(kinds, str) else kinds
        kinds = tuple(dict.fromkeys(kind.strip() for kind in kinds))
        object.__setattr__(self, "pos_att_type", kinds)
        if strange := set(self.pos_att_type) - {"c2p", "p2c"}:
            raise ValueError(f"pos_att_type has {min(strange)!r}; it can have 'c2p' and 'p2c'")
        if self.norm_rel_ebd not in ("none", "layer_norm"):
            raise ValueError(f"norm_rel_ebd ({self.norm_rel_ebd!r}) must be none or layer_norm")
        if self.type_vocab_size == 0:
            dataclasses.replace(self, type_vocab_size=1)  # checks the rest
        else:
            super().__post_init__()

    @property
    def rows_of_position_embeddings(self) -> int:
        """Return how many rows the table of places has."""
        return self.max_position_embeddings if self.position_biased_input else 0

    @property
    def rows_of_rel_embeddings(self) -> int:
        """Return how many rows the table of distances has."""
        return 2 * self.span if self.relative_attention else 0

    @property
    def farthest(self) -> int:
        """Return the largest distance that is told from larger ones."""
        largest = self.max_relative_positions
        return largest if largest >= 1 else self.max_position_embeddings

    @property
    def span(self) -> int:
        """Return how many rows the table of distances has for each side."""
        return self.position_buckets if self.position_buckets > 0 else self.farthest


def distances(seq: int, config: DebertaV2Config) -> Int[Tensor, "seq seq"]:
    """Return the row of the table for each query and key: near ones exactly, far ones in buckets.

    The logarithms have 32 bits as in the library, so that both round up in the same places.
    """
    places = torch.arange(seq)
    away = places[:, None] - places  # (seq, seq)
    middle = config.position_buckets // 2
    if config.position_buckets > 0:
        widest = torch.log(torch.tensor((config.farthest - 1) / middle))
        ratio = torch.log(away.abs().clamp(min=1) / middle) / widest
        far = (torch.ceil(ratio * (middle - 1)) + middle) * away.sign()
        away = torch.where(away.abs() <= middle, away, far.long())
    return (away + config.span).clamp(0, 2 * config.span - 1)


class DebertaV2Embeddings(BertEmbeddings):
    """BERT's embeddings, where places and segments can be left out."""

    own_parameters = True

    def __init__(self, config: DebertaV2Config) -> None:
        tables = {"type_vocab_size": max(config.type_vocab_size, 1)}
        tables["max_position_embeddings"] = max(config.rows_of_position_embeddings, 1)
        super().__init__(dataclasses.replace(config, **tables))
        if not config.type_vocab_size:
            self.token_type_embeddings = NoTable()
        if not config.position_biased_input:
            self.position_embeddings = NoTable()


class DisentangledSelfAttention(BertSelfAttention):
    """Score words with words, words with distances, and distances with words."""

    own_parameters = True
    table = None  # what gives the vectors of all distances; the encoder sets it

    def __init__(self, config: DebertaV2Config) -> None:
        super().__init__(config)
        self.config = config
        self.pos_dropout = part(nn.Dropout)(config.hidden_dropout_prob)
        hidden = config.hidden_size
        if config.relative_attention and not config.share_att_key:
            if "c2p" in config.pos_att_type:
                self.pos_key_proj = nn.Linear(hidden, hidden)
            if "p2c" in config.pos_att_type:
                self.pos_query_proj = nn.Linear(hidden, hidden)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token, and on request the weights that made it."""
        query = self.split_heads(self.query(hidden_states))  # (batch, heads, seq, head_size)
        key = self.split_heads(self.key(hidden_states))  # (batch, heads, seq, head_size)
        value = self.split_heads(self.value(hidden_states))  # (batch, heads, seq, head_size)
        scores = query @ key.mT  # (batch, heads, seq, seq)
        if self.table is not None:
            table = self.pos_dropout(self.table())[None]  # (1, distances, hidden)
            scores = scores + self.score_distances(query, key, table)
        scores = scores / math.sqrt(self.head_size * (1 + len(self.config.pos_att_type)))
        if additive_mask is not None:
            # Padding sees nothing. To add the lowest number would leave the score a gradient.
            hidden = fit_mask(additive_mask, scores) < 0  # (batch, 1, seq, seq)
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        probs = self.dropout(scores.softmax(dim=-1))
        return self.join_heads(probs @ value), probs if output_attentions else None

    def score_distances(
        self,
        query: Float[Tensor, "batch heads seq head_size"],
        key: Float[Tensor, "batch heads seq head_size"],
        table: Float[Tensor, "1 rows hidden"],
    ) -> Float[Tensor, "batch heads seq seq"] | float:
        """Return what c2p and p2c add to the scores, not yet divided; 0.0 if neither is wanted.

        `query` and `key` are those of the words, and `table` has the vectors of all distances.
        """
        rows = distances(query.shape[2], self.config).to(query.device)  # (seq, seq)
        rows = rows.expand(*query.shape[:3], -1)  # (batch, heads, seq, seq)
        shared, scores = self.config.share_att_key, 0.0
        if "c2p" in self.config.pos_att_type:
            keys = self.split_heads((self.key if shared else self.pos_key_proj)(table))
            scores += (query @ keys.mT).gather(-1, rows)  # (batch, heads, seq, seq)
        if "p2c" in self.config.pos_att_type:
            queries = self.split_heads((self.query if shared else self.pos_query_proj)(table))
            scores += (key @ queries.mT).gather(-1, rows.mT).mT  # (batch, heads, seq, seq)
        return scores


class DebertaV2Encoder(BertEncoder):
    """BERT's stack, with one table of distances that all layers read."""

    own_parameters = True

    def __init__(self, config: DebertaV2Config) -> None:
        super().__init__(config)
        self.config = config
        if not config.relative_attention:
            return
        self.rel_embeddings = nn.Embedding(2 * config.span, config.hidden_size)
        if config.norm_rel_ebd == "layer_norm":
            self.LayerNorm = part(nn.LayerNorm)(config.hidden_size, config.layer_norm_eps)
        for layer in self.layer:
            layer.attention.self.table = self.table  # pyright: ignore[reportAttributeAccessIssue, reportArgumentType]

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        *more: Any,
        **options: Any,
    ) -> BertModelOutput:
        """Climb; padding begins as zeros and looks at everything alike, as in the library."""
        if additive_mask is not None and additive_mask.shape[-2] == 1:
            shown = additive_mask[:, 0, 0] == 0  # (batch, seq)
            hidden_states = hidden_states * shown[..., None]  # (batch, seq, hidden)
            additive_mask = torch.minimum(additive_mask, additive_mask.mT)  # (batch, 1, seq, seq)
        return super().forward(hidden_states, additive_mask, *more, **options)

    def table(self) -> Float[Tensor, "rows hidden"]:
        """Return one vector for each distance."""
        table = self.rel_embeddings.weight  # (distances, hidden)
        return self.LayerNorm(table) if self.config.norm_rel_ebd == "layer_norm" else table


class DebertaV2Model(BertModel):
    """DeBERTa-v2 without head, called as `BertModel` is; no pooler unless `add_pooling_layer`."""

    config_class, base_model_prefix, own_parameters = DebertaV2Config, "deberta", True

    def __init__(self, config: DebertaV2Config, add_pooling_layer: bool = False) -> None:
        parts = {BertEmbeddings: DebertaV2Embeddings, BertEncoder: DebertaV2Encoder}
        with override({**parts, BertSelfAttention: DisentangledSelfAttention}):
            super().__init__(config, add_pooling_layer)
        save_under_their_names(self, PROJECTIONS)


class DebertaV2Pooler(HeadPooler):
    """With dropout and activation of its own."""

    def __init__(self, config: DebertaV2Config) -> None:
        super().__init__(config)
        self.activation = ACTIVATIONS[config.pooler_hidden_act]

    def share(self, config: DebertaV2Config) -> float:
        """Return the pooler's dropout."""
        return config.pooler_dropout


class DebertaV2Head(MemberHead):
    """What the heads of DeBERTa-v2 have in common."""

    encoder_class = DebertaV2Model


class DebertaV2ForMaskedLM(DebertaV2Head, BertForMaskedLM):
    """DeBERTa-v2 that predicts masked words."""

    @property
    def names(self) -> dict[str, str]:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Return the names of today, which are BERT's, or those of the first files."""
        first = "lm_predictions.lm_head."
        old = {"cls.predictions.transform.": first, "cls.predictions.": first}
        return {} if self.config.legacy else old


class DebertaV2ForSequenceClassification(DebertaV2Head, tasks.BertForSequenceClassification):
    """DeBERTa-v2 that classifies sequences, with dropouts and a pooler of its own."""

    names: ClassVar = {"bert.pooler.": "pooler."}
    parts: ClassVar = {BertPooler: DebertaV2Pooler}

    def finish(self) -> None:
        """Drop with a share of its own."""
        share = self.config.cls_dropout
        self.dropout = part(nn.Dropout)(self.config.hidden_dropout_prob if share is None else share)


class DebertaV2ForTokenClassification(DebertaV2Head, tasks.BertForTokenClassification):
    """DeBERTa-v2 that tags tokens."""


class DebertaV2ForQuestionAnswering(DebertaV2Head, tasks.BertForQuestionAnswering):
    """DeBERTa-v2 that finds answers in a text."""
