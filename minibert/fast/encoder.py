"""The stack of layers without a mask that hides nothing.

Replaces minibert.model.BertEncoder. Chapter 23.
"""

from jaxtyping import Float
from torch import Tensor

from minibert.inputs import entries_can_be_read
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
        if additive_mask is not None and entries_can_be_read(additive_mask):
            additive_mask = additive_mask if additive_mask.any() else None
        return super().forward(
            hidden_states, additive_mask, output_attentions, output_hidden_states
        )
