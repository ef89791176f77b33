"""Parts that may pay on a GPU and do not on a CPU: measured by ``benchmarks.gpu``, proved by tests.

What pays there moves into `minibert.fast`; what does not goes. On a CPU one product for query, key
and value was worth 1.00 to 1.04, a padded vocabulary nothing, and the chunked loss kept nothing for
the gradient where the plain one kept all scores, but took four times as long.
"""

import torch
from torch import Tensor
from torch.nn import functional

from minibert.fast import UnpaddedSelfAttention
from minibert.heads import BertLMPredictionHead
from minibert.losses import IGNORED_LABEL, masked_lm_loss

MULTIPLE = 64  # of columns: kernels for products read rows that begin at multiples of 16 bytes


class OneProductSelfAttention(UnpaddedSelfAttention):
    """Make queries, keys and values in one product; the three weights keep their names."""

    def project(self, hidden_states: Tensor) -> list[Tensor]:
        """Put the three matrices one below the other, multiply once, and cut."""
        layers = self.query, self.key, self.value
        weight = torch.cat([layer.weight for layer in layers])  # (3 hidden, hidden)
        bias = torch.cat([layer.bias for layer in layers])  # (3 hidden)
        return [*functional.linear(hidden_states, weight, bias).chunk(3, dim=-1)]


def padded_table(head: BertLMPredictionHead) -> tuple[Tensor, Tensor]:
    """Give the table of words rows up to a multiple of 64; nobody scores those: their bias is m.

    ``softmax`` gives them exactly 0, so that no loss and no gradient changes.
    """
    weight, bias = head.decoder.weight, head.bias
    more = -len(bias) % MULTIPLE
    lowest = torch.finfo(bias.dtype).min
    return functional.pad(weight, (0, 0, 0, more)), functional.pad(bias, (0, more), value=lowest)


def aligned_word_loss(head: BertLMPredictionHead, vectors: Tensor, labels: Tensor) -> Tensor:
    """Score a vocabulary whose size is a multiple of 64."""
    weight, bias = padded_table(head)
    return masked_lm_loss(functional.linear(head.transform(vectors), weight, bias), labels)


def chunked_word_loss(head: BertLMPredictionHead, vectors: Tensor, labels: Tensor) -> Tensor:
    """Compute scores and loss piece by piece, and never keep all scores (PyTorch 2.13 or newer)."""
    weight, bias = padded_table(head)
    prepared = head.transform(vectors)  # (labels, hidden)
    return functional.linear_cross_entropy(
        prepared,
        weight.to(prepared.dtype),
        labels,
        linear_bias=bias.to(prepared.dtype),
        ignore_index=IGNORED_LABEL,
        options=torch.nn.LinearCrossEntropyOptions(),
    )
