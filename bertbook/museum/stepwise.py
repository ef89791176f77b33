"""Ours once more, in steps that can go wrong one by one. Chapter 26."""

from jaxtyping import Float
from torch import Tensor

from minibert.attention import BertSelfAttention


class Attention(BertSelfAttention):
    """Self-attention that leaves to others how scores become probabilities.

    Args:
        config: Gives the sizes.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token, and on request the weights.

        Args:
            hidden_states: One vector per token.
            additive_mask: 0 where a query may look, the most negative number where not; broadcasts
                to shape (batch, heads, seq, seq).
            output_attentions: Whether to return the weights.

        Returns:
            context: One vector per token.
            probs: The weights, if they are wanted.
        """
        query, key, value = (
            self.split_heads(linear(hidden_states)) for linear in (self.query, self.key, self.value)
        )
        scores = query @ key.mT / self.head_size**0.5  # (batch, heads, seq, seq)
        mask = scores.new_zeros(1) if additive_mask is None else additive_mask
        probs = self.weigh(scores, mask)
        return self.join_heads(probs @ value), probs if output_attentions else None

    def weigh(
        self, scores: Float[Tensor, "batch heads seq seq"], mask: Float[Tensor, "..."]
    ) -> Float[Tensor, "batch heads seq seq"]:
        """Turn scores into probabilities.

        Args:
            scores: Products of queries and keys, already divided.
            mask: To add to them; broadcasts to the shape of the scores.

        Returns:
            The weights, after dropout.
        """
        return self.dropout((scores + mask).softmax(dim=-1))
