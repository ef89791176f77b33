"""ModernBERT: BERT with the parts that six years of models have found better. Chapter 25.

No table of places, but queries and keys that are turned by an angle for their place (RoPE);
LayerNorm before each half (pre-norm), and once more at the end; GELU times a gate (GeGLU); no
biases; and only every third layer looks at the whole text, the others at a window (Warner et al.,
2024).
"""

import math
from typing import Any, ClassVar

import torch
from jaxtyping import Float, Int, Shaped
from torch import Tensor, nn

from minibert import tasks
from minibert.attention import BertSelfAttention, fit_mask
from minibert.config import ACTIVATIONS
from minibert.heads import BertLMPredictionHead, BertPredictionHeadTransform
from minibert.inputs import check_tokens
from minibert.model import BertEncoder, BertModel, BertModelOutput, BertPooler, initialize_weights
from minibert.parts import part
from minibert.pretraining import BertForMaskedLM

from .differences import MemberHead, NoTable, save_under_their_names
from .modernbert_config import LOCAL, ModernBertConfig


def rotate(
    x: Float[Tensor, "batch heads seq head_size"], theta: float
) -> Float[Tensor, "batch heads seq head_size"]:
    """Turn pairs of numbers, i and i + head_size / 2, by an angle for their place.

    A query times a key then depends on how far apart they stand, and not on where.
    """
    seq, size = x.shape[-2:]
    slowness = theta ** (torch.arange(0, size, 2, dtype=torch.float32) / size)  # (head_size / 2)
    exact = torch.promote_types(x.dtype, torch.float32)  # bfloat16 counts to 256 only
    angles = torch.arange(seq, dtype=exact)[:, None] * (1.0 / slowness)  # (seq, head_size / 2)
    cosine, sine = (wave.to(x).repeat(1, 2) for wave in (angles.cos(), angles.sin()))
    first, second = x.chunk(2, dim=-1)  # (batch, heads, seq, head_size / 2) each
    return x * cosine + torch.cat([-second, first], dim=-1) * sine


class ModernBertEmbeddings(nn.Module):
    """Look up words, and nothing else."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        size, hidden = config.vocab_size, config.hidden_size
        self.tok_embeddings = nn.Embedding(size, hidden, config.pad_token_id)
        self.position_embeddings = NoTable(config.max_position_embeddings)
        self.norm = config.norm()
        self.drop = nn.Dropout(config.embedding_dropout)

    @property
    def word_embeddings(self) -> nn.Embedding:
        """Return the table of words under the name that heads of words ask for."""
        return self.tok_embeddings

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        token_type_ids: Int[Tensor, "batch seq"] | None = None,
        position_ids: Int[Tensor, "#batch seq"] | None = None,
        inputs_embeds: Float[Tensor, "batch seq hidden"] | None = None,
    ) -> Float[Tensor, "batch seq hidden"]:
        """Look up and normalize; it knows neither segments nor places."""
        if token_type_ids is not None or position_ids is not None:
            raise ValueError(
                "ModernBERT has no segments, and counts places itself; leave token_type_ids and "
                "position_ids out"
            )
        check_tokens(self, input_ids, None, None, inputs_embeds)
        words = self.tok_embeddings(input_ids) if inputs_embeds is None else inputs_embeds
        return self.drop(self.norm(words))  # (batch, seq, hidden)


class ModernBertAttention(BertSelfAttention):
    """Self-attention on turned queries and keys, in a window or without one."""

    def __init__(self, config: ModernBertConfig, kind: str) -> None:
        nn.Module.__init__(self)
        hidden, bias = config.hidden_size, config.attention_bias
        self.head_size = hidden // config.num_attention_heads
        self.theta = config.theta(kind)
        everything = config.max_position_embeddings
        self.reach = config.local_attention // 2 if kind == LOCAL else everything
        self.Wqkv = nn.Linear(hidden, 3 * hidden, bias=bias)
        self.Wo = nn.Linear(hidden, hidden, bias=bias)
        self.dropout = nn.Dropout(config.attention_dropout)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token, and on request the weights that made it."""
        cut = self.Wqkv(hidden_states).chunk(3, dim=-1)  # (batch, seq, hidden), three times
        query, key, value = map(self.split_heads, cut)  # (batch, heads, seq, head_size)
        query, key = rotate(query, self.theta), rotate(key, self.theta)  # not the value
        scores = query @ key.mT / math.sqrt(self.head_size)  # (batch, heads, seq, seq)
        places = torch.arange(scores.shape[-1], device=scores.device)
        hidden = (places[:, None] - places).abs() > self.reach  # (seq, seq)
        if additive_mask is not None:
            hidden = hidden | (fit_mask(additive_mask, scores) < 0)  # (batch, 1, seq, seq)
        # Padding may see nothing. To add the lowest number would leave the score a gradient.
        scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        probs = self.dropout(scores.softmax(dim=-1))
        context = self.dropout(self.Wo(self.join_heads(probs @ value)))  # (batch, seq, hidden)
        return context, probs if output_attentions else None


class ModernBertMLP(nn.Module):
    """Widen twice, let one half open the other, and narrow."""

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        hidden, wide = config.hidden_size, config.intermediate_size
        self.Wi = nn.Linear(hidden, 2 * wide, bias=config.mlp_bias)
        self.Wo = nn.Linear(wide, hidden, bias=config.mlp_bias)
        self.activation = ACTIVATIONS[config.hidden_activation]
        self.drop = nn.Dropout(config.mlp_dropout)

    def forward(
        self, hidden_states: Float[Tensor, "batch seq hidden"]
    ) -> Float[Tensor, "batch seq hidden"]:
        """Return ``Wo(gelu(a) * b)``, with a and b the halves of `Wi` of `hidden_states`."""
        wide, gate = self.Wi(hidden_states).chunk(2, dim=-1)  # (batch, seq, intermediate) both
        return self.Wo(self.drop(self.activation(wide) * gate))


class ModernBertLayer(nn.Module):
    """Look around, then think, each after its LayerNorm."""

    def __init__(self, config: ModernBertConfig, number: int) -> None:
        super().__init__()
        self.attn_norm = config.norm() if number else nn.Identity()  # the embeddings have just had
        self.attn = ModernBertAttention(config, config.types[number])
        self.mlp_norm = config.norm()
        self.mlp = ModernBertMLP(config)

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Pass the vectors of all tokens through the layer."""
        normed = self.attn_norm(hidden_states)
        context, probs = self.attn(normed, additive_mask, output_attentions)
        attended = hidden_states + context  # (batch, seq, hidden)
        return attended + self.mlp(self.mlp_norm(attended)), probs


class ModernBertEncoder(BertEncoder):
    """BERT's stack, of other layers, with a LayerNorm at its end."""

    def __init__(self, config: ModernBertConfig) -> None:
        nn.Module.__init__(self)
        numbers = range(config.num_hidden_layers)
        self.layer = nn.ModuleList(ModernBertLayer(config, number) for number in numbers)
        self.final_norm = config.norm()

    def forward(
        self, hidden_states: Float[Tensor, "batch seq hidden"], *more: Any, **options: Any
    ) -> BertModelOutput:
        """Climb, then normalize."""
        output = super().forward(hidden_states, *more, **options)
        normed = self.final_norm(output.last_hidden_state)  # (batch, seq, hidden)
        states = output.hidden_states and (*output.hidden_states[:-1], normed)
        return output._replace(last_hidden_state=normed, hidden_states=states)


class ModernBertModel(BertModel):
    """ModernBERT without any head, and without a pooler unless `add_pooling_layer`.

    It is called as `BertModel` is, without segments and places.
    """

    config_class, base_model_prefix, own_parameters = ModernBertConfig, "model", True

    def __init__(self, config: ModernBertConfig, add_pooling_layer: bool = False) -> None:
        nn.Module.__init__(self)
        self.config = config
        self.embeddings = ModernBertEmbeddings(config)
        self.encoder = ModernBertEncoder(config)
        pooler: Any = part(BertPooler)
        self.pooler = pooler(config) if add_pooling_layer else None  # it has BERT's sizes
        initialize_weights(self, config.initializer_range)
        names = {"encoder.layer.": "layers.", "encoder.final_norm": "final_norm"}
        save_under_their_names(self, names)


class ModernBertPredictionHead(nn.Module):
    """Prepare a vector: a linear map, an activation, a LayerNorm."""

    own_parameters = True

    def __init__(self, config: ModernBertConfig) -> None:
        super().__init__()
        self.dense = nn.Linear(config.hidden_size, config.hidden_size, config.classifier_bias)
        self.activation = ACTIVATIONS[config.classifier_activation]
        self.norm = config.norm()

    def forward(self, hidden_states: Float[Tensor, "... hidden"]) -> Float[Tensor, "... hidden"]:
        """Map, activate and normalize."""
        return self.norm(self.activation(self.dense(hidden_states)))


class ModernBertDecoder(BertLMPredictionHead):
    """BERT's head of words, where the bias can be left out."""

    own_parameters = True

    def __init__(self, config: ModernBertConfig, word_embeddings: nn.Embedding) -> None:
        super().__init__(config, word_embeddings)  # pyright: ignore[reportArgumentType] (has its sizes)
        if not config.decoder_bias:
            self.bias = self.decoder.bias = None  # pyright: ignore[reportAttributeAccessIssue]


class ModernBertSummarizer(ModernBertModel):
    """An encoder with a summary: of the first token, or the mean of all that the mask shows."""

    def __init__(self, config: ModernBertConfig, add_pooling_layer: bool = True) -> None:
        super().__init__(config)
        self.head = _new_head(config)

    def forward(
        self,
        input_ids: Int[Tensor, "batch seq"] | None = None,
        attention_mask: Shaped[Tensor, "batch seq"] | None = None,
        *more: Any,
        **named: Any,
    ) -> BertModelOutput:
        """Encode, summarize and prepare."""
        output = super().forward(input_ids, attention_mask, *more, **named)
        summary = output.last_hidden_state[:, 0]  # (batch, hidden)
        if self.config.classifier_pooling == "mean":
            states = output.last_hidden_state  # (batch, seq, hidden)
            shown = states.new_ones(states.shape[:2]) if attention_mask is None else attention_mask
            summary = (states * shown[..., None]).sum(dim=1) / shown.sum(dim=1, keepdim=True)
        return output._replace(pooler_output=self.head(summary))


def _new_head(config: ModernBertConfig) -> ModernBertPredictionHead:
    head = ModernBertPredictionHead(config)
    initialize_weights(head, config.initializer_range)
    return head


class ModernBertHead(MemberHead):
    """What the heads of ModernBERT have in common."""

    encoder_class = ModernBertModel


class ModernBertForMaskedLM(ModernBertHead, BertForMaskedLM):
    """ModernBERT that predicts masked words, with its own activation and LayerNorm in the head."""

    names: ClassVar = {
        "cls.predictions.transform.": "head.",
        "cls.predictions.decoder.": "decoder.",
        "cls.predictions.bias": "decoder.bias",
    }
    parts: ClassVar = {
        BertLMPredictionHead: ModernBertDecoder,
        BertPredictionHeadTransform: ModernBertPredictionHead,
    }


class ModernBertForSequenceClassification(ModernBertHead, tasks.BertForSequenceClassification):
    """ModernBERT that classifies sequences, by the first vector or by the mean."""

    names: ClassVar = {"bert.head.": "head."}
    encoder_class = ModernBertSummarizer


class ModernBertForTokenClassification(ModernBertHead, tasks.BertForTokenClassification):
    """ModernBERT that tags tokens, after a linear map, an activation and LayerNorm."""

    names: ClassVar = {"dropout.0.": "head."}

    def finish(self) -> None:
        """Prepare every token."""
        self.dropout = nn.Sequential(_new_head(self.config), self.dropout)


class ModernBertForQuestionAnswering(ModernBertHead, tasks.BertForQuestionAnswering):
    """ModernBERT that finds answers in a text, after a linear map, an activation and LayerNorm."""

    names: ClassVar = {"qa_outputs.0.": "head.", "qa_outputs.2.": "classifier."}

    def finish(self) -> None:
        """Prepare every token before it is scored."""
        dropout = part(nn.Dropout)(self.config.classifier_dropout)
        self.qa_outputs = nn.Sequential(_new_head(self.config), dropout, self.qa_outputs)
