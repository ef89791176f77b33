"""A layer forgets what it computed, and computes it again for the gradient. Chapter 24."""

from typing import Any

from torch.utils.checkpoint import checkpoint

from minibert.layer import BertLayer


class CheckpointedLayer(BertLayer):
    """Keep the input of the layer for the way back, and nothing else.

    The layer runs twice, the second time with the same dropout: less memory for more time.

    >>> import torch
    >>> from minibert.config import BertConfig
    >>> plain = BertLayer(BertConfig.tiny()).eval()
    >>> frugal = CheckpointedLayer(BertConfig.tiny()).eval()
    >>> _, x = frugal.load_state_dict(plain.state_dict()), torch.ones(1, 4, 128)
    >>> torch.equal(frugal(x)[0], plain(x)[0])
    True
    """

    def forward(self, *inputs: Any, **named: Any) -> Any:
        """Pass the vectors through the layer, twice if a gradient is wanted."""
        return checkpoint(super().forward, *inputs, use_reentrant=False, **named)
