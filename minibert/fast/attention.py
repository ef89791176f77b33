"""Self-attention by PyTorch's fused function, wherever that is faster and right.

Replaces minibert.attention.BertSelfAttention. Chapter 23.
"""

import math

from jaxtyping import Float
from torch import Tensor
from torch.nn import functional

from minibert.attention import BertSelfAttention, fit_mask
from minibert.inputs import entries_can_be_read


class FastSelfAttention(BertSelfAttention):
    """Compute the same contexts without ever storing the attention weights.

    PyTorch's fused function, SDPA, works through the scores block by block. Where it would be slow
    or wrong, or where the weights are wanted, attention is written out as in the plain part.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token, and on request the weights that made it."""
        query, key, value = map(self.split_heads, self.project(hidden_states))
        # each (batch, heads, seq, head_size)
        if additive_mask is not None and additive_mask.dtype != query.dtype:
            additive_mask = fit_mask(additive_mask, query)
        if output_attentions or not self._may_fuse(query, additive_mask):
            context, probs = self._write_out(query, key, value, additive_mask)
            return self.join_heads(context), probs if output_attentions else None
        dropout_p = self.dropout.p if self.training else 0.0
        if additive_mask is not None:
            additive_mask = additive_mask[(None,) * (4 - additive_mask.dim())]  # four dimensions
        context = functional.scaled_dot_product_attention(
            query, key, value, additive_mask, dropout_p
        )
        return self.join_heads(context), None  # (batch, seq, hidden)

    def project(
        self, hidden_states: Float[Tensor, "batch seq hidden"]
    ) -> list[Float[Tensor, "batch seq hidden"]]:
        """Make queries, keys and values of the vectors."""
        return [layer(hidden_states) for layer in (self.query, self.key, self.value)]

    def _write_out(
        self, query: Tensor, key: Tensor, value: Tensor, additive_mask: Tensor | None
    ) -> tuple[Tensor, Tensor]:
        scores = (query / math.sqrt(self.head_size)) @ key.transpose(-1, -2)
        if additive_mask is not None:
            scores = scores + additive_mask  # (batch, heads, seq, seq)
        probs = self.dropout(scores.softmax(dim=-1))
        return probs @ value, probs  # (batch, heads, seq, head_size), (batch, heads, seq, seq)

    def _may_fuse(self, query: Tensor, additive_mask: Tensor | None) -> bool:
        """Return whether SDPA is faster and right here.

        With dropout on a CPU it takes a slow path. In a row that hides everything its gradient is
        seq times too large: next to the lowest number, the logarithm of seq is lost.
        """
        drops_on_cpu = self.training and self.dropout.p > 0 and query.device.type == "cpu"
        hides_a_row = (
            additive_mask is not None
            and query.requires_grad
            and entries_can_be_read(additive_mask)
            and bool((additive_mask.amax(dim=-1) < 0).any())
        )
        return not (drops_on_cpu or hides_a_row)
