"""Parts and tricks that are only faster, each beside the plain one it replaces and equal to it.

One call switches all of them on, ``switch_on()``; ``with override(**fast_parts()):`` does so for
one block. Chapter 23.
"""

from __future__ import annotations

from collections.abc import Callable

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
    "fast_parts",
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


def fast_parts() -> dict[str, Callable]:
    """Give the faster parts, by the roles that they play: ``with override(**fast_parts()):``.

    A part that somebody else plays already, such as the reader's own, is left to them. The first
    weights of all parts are drawn apart, so that a model draws the same numbers whoever plays.

    Returns
    -------
    dict
        A class or function for each role, for `minibert.parts.use` or `minibert.parts.override`.

    Examples
    --------
    >>> from minibert.parts import override, part
    >>> with override(**fast_parts()):
    ...     part("dropout").__name__
    'FastDropout'
    >>> part("dropout").__name__
    'Dropout'
    """
    players = FAST_PARTS | replaced()
    apart = {role: built_apart(players.get(role, part(role))) for role in ROLES}
    return players | apart


def switch_on() -> Cast:
    """Let the faster parts play from here on, in the whole process.

    Returns
    -------
    Cast
        As `minibert.parts.use` returns it. For one block, open ``override(**fast_parts())``.

    Examples
    --------
    >>> from minibert.parts import default_part, part
    >>> cast = switch_on()
    >>> part("dropout").__name__
    'FastDropout'
    >>> cast = use(**{role: default_part(role) for role in replaced()})
    """
    return use(**fast_parts())
