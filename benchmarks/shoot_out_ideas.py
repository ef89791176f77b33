"""ModernBERT's ideas, each alone in a RoBERTa, for `benchmarks.shoot_out`."""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from bertfamily import ModernBertConfig
from bertfamily.modernbert import rotate
from minibert.attention import BertSelfAttention
from minibert.layer import BertLayer
from minibert.model import initialize_weights

from .shoot_out_members import HIDDEN, SPREAD, WIDE, WINDOW, Member, Words, roberta

GATED = 2 * WIDE // 3 // 8 * 8  # three matrices of this width have the numbers of two of WIDE


class Turned(BertSelfAttention):
    """With RoPE, as in the global layers of ModernBERT."""

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        """Compare turned queries with turned keys; values stay as they are."""
        linears = (self.query, self.key, self.value)
        query, key, value = (self.split_heads(linear(hidden_states)) for linear in linears)
        query, key = (rotate(x, ModernBertConfig.global_rope_theta) for x in (query, key))
        scores = query @ key.mT / math.sqrt(self.head_size)  # (batch, heads, seq, seq)
        if additive_mask is not None:
            scores = scores + additive_mask
        probs = scores.softmax(dim=-1)
        return self.join_heads(probs @ value), probs if output_attentions else None


class InAWindow(BertSelfAttention):
    """That looks at a few tokens to each side."""

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        """Hide what is further away, whatever the mask says."""
        places = torch.arange(hidden_states.shape[1])
        outside = (places[:, None] - places).abs() > WINDOW  # (seq, seq)
        window = torch.zeros(outside.shape).masked_fill(outside, torch.finfo(torch.float32).min)
        if additive_mask is not None:
            window = torch.minimum(window, additive_mask)
        return super().forward(hidden_states, window, output_attentions)


class Gated(nn.Module):
    """Widen twice, and let one half open the other."""

    def __init__(self) -> None:
        super().__init__()
        self.dense = nn.Linear(HIDDEN, 2 * GATED)

    def forward(self, hidden_states: Tensor) -> Tensor:
        """Compute ``gelu(a) * b``, with a and b the halves of the wide vector."""
        wide, gate = self.dense(hidden_states).chunk(2, dim=-1)
        return functional.gelu(wide) * gate  # (batch, seq, GATED)


class PreNorm(nn.Module):
    """A layer of BERT whose LayerNorms come first, and a last one after the last layer."""

    def __init__(self, layer: BertLayer, is_last: bool) -> None:
        super().__init__()
        self.layer = layer
        self.final_norm = nn.LayerNorm(HIDDEN) if is_last else nn.Identity()

    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        """Normalize, look around, add; normalize, think, add."""
        attention, output = self.layer.attention, self.layer.output
        normed = attention.output.LayerNorm(hidden_states)
        context, probs = attention.self(normed, additive_mask, output_attentions)
        attended = hidden_states + attention.output.dense(context)  # (batch, seq, hidden)
        wide = self.layer.intermediate(output.LayerNorm(attended))
        return self.final_norm(attended + output.dense(wide)), probs


def fresh(module: nn.Module) -> nn.Module:
    """Draw the weights of a new part as those of the others were drawn."""
    initialize_weights(module, SPREAD)
    return module


def turned(_: nn.Module | None) -> Words:
    """Build a RoBERTa with RoPE in the place of the table of positions."""
    model = roberta(None)
    table = model.encoder.embeddings.position_embeddings.weight
    nn.init.zeros_(table).requires_grad_(False)
    for layer in model.encoder.encoder.layer:
        layer.attention.self = fresh(Turned(model.encoder.config))
    return model


def in_a_window(_: nn.Module | None) -> Words:
    """Build a RoBERTa whose last layer looks at a window, as ModernBERT's second of two."""
    model = roberta(None)
    model.encoder.encoder.layer[-1].attention.self = fresh(InAWindow(model.encoder.config))
    return model


def gated(_: nn.Module | None) -> Words:
    """Build a RoBERTa with gates, and as many numbers."""
    model = roberta(None)
    for layer in model.encoder.encoder.layer:
        layer.intermediate = fresh(Gated())
        layer.output.dense = fresh(nn.Linear(GATED, HIDDEN))
    return model


def pre_norm(_: nn.Module | None) -> Words:
    """Build a RoBERTa with pre-norm."""
    model = roberta(None)
    layers = model.encoder.encoder.layer
    for place, layer in enumerate(layers):
        layers[place] = PreNorm(layer, place == len(layers) - 1)
    return model


IDEAS = {
    "RoPE alone": Member(turned),
    "GeGLU alone": Member(gated),
    "pre-norm alone": Member(pre_norm),
    "a window alone": Member(in_a_window),
}
