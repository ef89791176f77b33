"""Gradient checkpointing: a layer forgets what it computed, and computes it again for the gradient.

Replaces minibert.layer.BertLayer. Chapter 23.
"""

from jaxtyping import Float
from torch import Tensor
from torch.utils.checkpoint import checkpoint

from minibert.layer import BertLayer


class CheckpointedLayer(BertLayer):
    """Keep the input of the layer for the way back, and nothing else.

    The layer runs twice, the second time with the same dropout: less memory for more time.

    Args:
        config: Gives the sizes.

    >>> import torch
    >>> from minibert.config import BertConfig
    >>> plain = BertLayer(BertConfig.tiny()).eval()
    >>> frugal = CheckpointedLayer(BertConfig.tiny()).eval()
    >>> _, x = frugal.load_state_dict(plain.state_dict()), torch.ones(1, 4, 128)
    >>> torch.equal(frugal(x)[0], plain(x)[0])
    True
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
    ) -> tuple[Float[Tensor, "batch seq hidden"], Float[Tensor, "batch heads seq seq"] | None]:
        """Pass the vectors through the layer, twice if a gradient is wanted.

        Args:
            hidden_states: One vector per token.
            additive_mask: 0 where a query may look, the most negative number where not; broadcasts
                to shape (batch, heads, seq, seq).
            output_attentions: Whether to return the weights.

        Returns:
            hidden_states: As `BertLayer` returns them.
            probs: The weights, if they are wanted.
        """
        inputs = hidden_states, additive_mask, output_attentions
        return checkpoint(super().forward, *inputs, use_reentrant=False)
