"""Parts and tricks that are only faster, each beside the plain one it replaces and equal to it.

One call switches all of them on: ``minibert.fast.switch_on()``. Chapter 23.
"""

from __future__ import annotations

from minibert.parts import Cast, part, replaced, use

from .attention import FastSelfAttention
from .checkpointing import CheckpointedLayer
from .dropout import FastDropout
from .eight_bits import EightBitLinear, in_eight_bits, quantize
from .first_weights import ROLES, built_apart
from .labeled import labeled_positions
from .learning import fast_learn_merges
from .prepacked import prepack
from .unpadded import UnpaddedEncoder, UnpaddedSelfAttention, block_mask

__all__ = [
    "FAST_PARTS",
    "CheckpointedLayer",
    "EightBitLinear",
    "UnpaddedEncoder",
    "UnpaddedSelfAttention",
    "block_mask",
    "fast_learn_merges",
    "in_eight_bits",
    "labeled_positions",
    "prepack",
    "quantize",
    "switch_on",
]

FAST_PARTS = {
    "self_attention": FastSelfAttention,
    "dropout": FastDropout,
    "scored_positions": labeled_positions,
    "learn_wordpiece": fast_learn_merges,
}


def switch_on() -> Cast:
    """Let the faster parts play from here on, or in one block.

    A part that somebody else plays already, such as the reader's own, is left to them. The first
    weights of all parts are drawn apart, so that a model draws the same numbers whoever plays.

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
    players = FAST_PARTS | replaced()
    apart = {role: built_apart(players.get(role, part(role))) for role in ROLES}
    return use(**(players | apart))
