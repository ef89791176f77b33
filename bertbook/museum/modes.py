"""The room of modes: training and evaluation are two computations. Chapter 26."""

# An exhibit takes the arguments that the reader sees it use, and no others.
# pyright: reportIncompatibleMethodOverride=false

import torch
from torch import nn
from torch.nn import functional

from minibert.attention import BertSelfAttention
from minibert.model import BertModel

from .bug import Bug


class _Transformers679(BertModel):
    def train(self, mode=True):
        return super().train(True)


class _PyTorch124464(BertSelfAttention):
    def forward(self, hidden_states, additive_mask=None, output_attentions=False):
        if output_attentions:
            return super().forward(hidden_states, additive_mask, output_attentions)
        context = functional.scaled_dot_product_attention(
            self.split_heads(self.query(hidden_states)),
            self.split_heads(self.key(hidden_states)),
            self.split_heads(self.value(hidden_states)),
            attn_mask=additive_mask,
            dropout_p=self.dropout.p,
        )
        return self.join_heads(context), None


class _NormOfTheBatch(nn.BatchNorm1d):
    def forward(self, x):
        rows = x.reshape(-1, x.shape[-1])
        return super().forward(rows).reshape(x.shape)


class _OnePatternForAll(nn.Dropout):
    def forward(self, x):
        kept = super().forward(torch.ones_like(x[:1]))
        return x * kept


MODES = [
    Bug(_Transformers679, "eval() forgotten", "call eval() before it answers",
        "huggingface/transformers #679"),
    Bug(_PyTorch124464, "dropout in a function", "0.0 unless self.training",
        "pytorch/pytorch #124464", BertSelfAttention),
    Bug(_NormOfTheBatch, "the batch normalized", "LayerNorm, over each token alone",
        role=nn.LayerNorm),
    Bug(_OnePatternForAll, "one dropout for the batch", "drop from x itself, not ones",
        role=nn.Dropout),
]  # fmt: skip
