"""The stack of layers without a mask that hides nothing.

Replaces minibert.model.BertEncoder. Chapter 20.
"""

from jaxtyping import Float
from torch import Tensor

from minibert.attention import may_look_at
from minibert.model import BertEncoder, BertModelOutput


class FastEncoder(BertEncoder):
    """Leave the mask out where no sentence has padding.

    Adding 0 to every score of every layer is work for nothing.
    """

    def forward(
        self,
        hidden_states: Float[Tensor, "batch seq hidden"],
        additive_mask: Float[Tensor, "..."] | None = None,
        output_attentions: bool = False,
        output_hidden_states: bool = False,
    ) -> BertModelOutput:
        """Pass the vectors through the stack."""
        if additive_mask is not None and may_look_at(additive_mask) and not additive_mask.any():
            additive_mask = None
        return super().forward(
            hidden_states, additive_mask, output_attentions, output_hidden_states
        )
