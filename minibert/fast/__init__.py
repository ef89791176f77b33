"""Parts and tricks that are only faster, each beside the plain one it replaces and equal to it.

One call switches all of them on: ``minibert.fast.switch_on()``. Chapter 20.
"""

from __future__ import annotations

from minibert.parts import Cast, replaced, use

from .attention import FastSelfAttention
from .checkpointing import CheckpointedLayer
from .columns import store_by_columns
from .distillation import distillation_loss
from .dropout import FastDropout
from .eight_bits import EightBitLinear, in_eight_bits, quantize
from .her_parts import built_alike
from .initialization import (
    FastClassifier,
    FastEmbeddings,
    FastEncoder,
    FastMLMHead,
    FastPooler,
    FastPreTrainingHeads,
    NoRandomWeights,
)
from .labeled import labeled_positions
from .learning import fast_learn_merges
from .unpadded import UnpaddedEncoder, UnpaddedSelfAttention, block_mask

__all__ = [
    "FAST_PARTS",
    "CheckpointedLayer",
    "EightBitLinear",
    "NoRandomWeights",
    "UnpaddedEncoder",
    "UnpaddedSelfAttention",
    "block_mask",
    "distillation_loss",
    "fast_learn_merges",
    "in_eight_bits",
    "labeled_positions",
    "quantize",
    "store_by_columns",
    "switch_on",
]

FAST_PARTS = {
    "embeddings": FastEmbeddings,
    "self_attention": FastSelfAttention,
    "encoder": FastEncoder,
    "pooler": FastPooler,
    "mlm_head": FastMLMHead,
    "pretraining_heads": FastPreTrainingHeads,
    "classifier": FastClassifier,
    "dropout": FastDropout,
    "scored_positions": labeled_positions,
    "learn_wordpiece": fast_learn_merges,
}


def switch_on() -> Cast:
    """Let the faster parts play from here on, or in one block.

    A part that somebody else plays already, such as the reader's own, is left to them. It is built
    as the faster ones are, so that a model draws the same numbers whoever plays.

    Returns
    -------
    Cast
        As `minibert.parts.use` returns it: ``with switch_on():`` ends with its block.

    Examples
    --------
    >>> from minibert.parts import part
    >>> with switch_on():
    ...     part("dropout").__name__
    'FastDropout'
    >>> part("dropout").__name__
    'Dropout'
    """
    taken = {role: built_alike(role, player) for role, player in replaced().items()}
    return use(**(FAST_PARTS | taken))
