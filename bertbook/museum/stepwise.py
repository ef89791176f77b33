"""Ours once more, in steps that can go wrong one by one. Chapter 26."""

from jaxtyping import Float
from torch import Tensor

from minibert.attention import BertSelfAttention


class Attention(BertSelfAttention):
    """Self-attention that leaves to others how scores become probabilities.

    Parameters
    ----------
    config : BertConfig
        Gives the sizes.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Compute the context of every token, and on request the weights.

        Parameters
        ----------
        hidden_states : Float[Tensor, "batch seq hidden"]
            One vector per token.
        additive_mask : float tensor that broadcasts to shape (batch, heads, seq, seq), optional
            0 where a query may look, the most negative number where not.
        output_attentions : bool, default False
            Whether to return the weights.

        Returns
        -------
        context : Float[Tensor, "batch seq hidden"]
            One vector per token.
        probs : Float[Tensor, "batch heads seq seq"] or None
            The weights, if they are wanted.
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

        Parameters
        ----------
        scores : Float[Tensor, "batch heads seq seq"]
            Products of queries and keys, already divided.
        mask : float tensor that broadcasts to the shape of the scores
            To add to them.

        Returns
        -------
        Float[Tensor, "batch heads seq seq"]
            The weights, after dropout.
        """
        return self.dropout((scores + mask).softmax(dim=-1))
