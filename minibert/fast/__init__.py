"""Parts and tricks that are only faster, each beside the plain one it replaces and equal to it.

One call switches all of them on, ``switch_on()``; ``with override(fast_parts()):`` does so for
one block. Chapter 23.
"""

from collections.abc import Callable

from torch import nn

from minibert.attention import BertSelfAttention
from minibert.parts import Replaced, part, replaced, use
from minibert.pretraining import score_words
from minibert.wordpiece.learning import learn_merges

from .attention import FastSelfAttention
from .dropout import FastDropout
from .eight_bits import EightBitLinear, in_eight_bits, quantize
from .first_weights import DRAWN_FROM, built_apart
from .labeled import labeled_positions, score_labeled_words
from .layer_norm import LowPrecisionLayerNorm
from .learning import fast_learn_merges
from .packed import PackedMaskedLM, PackedShape, pack, packed_batches
from .recomputation import CheckpointedLayer
from .unpadded import UnpaddedEncoder, UnpaddedSelfAttention, block_mask

__all__ = [
    "FAST_PARTS",
    "CheckpointedLayer",
    "EightBitLinear",
    "LowPrecisionLayerNorm",
    "PackedMaskedLM",
    "PackedShape",
    "UnpaddedEncoder",
    "UnpaddedSelfAttention",
    "block_mask",
    "fast_learn_merges",
    "fast_parts",
    "in_eight_bits",
    "labeled_positions",
    "pack",
    "packed_batches",
    "quantize",
    "score_labeled_words",
    "switch_on",
]

#: The faster part, by what it replaces.
FAST_PARTS = {
    BertSelfAttention: FastSelfAttention,
    nn.Dropout: FastDropout,
    score_words: score_labeled_words,
    learn_merges: fast_learn_merges,
}


def fast_parts() -> dict[Callable, Callable]:
    """Return the faster parts, each by what it replaces: ``with override(fast_parts()):``.

    What is replaced already, such as by the reader's own, stays so. The first weights of all parts
    are drawn apart, so that a model draws the same numbers whoever plays.

    >>> from minibert.parts import override, part
    >>> with override(fast_parts()):
    ...     part(nn.Dropout).__name__
    'FastDropout'
    """
    players = FAST_PARTS | replaced()
    apart = {kind: built_apart(players.get(kind, part(kind))) for kind in DRAWN_FROM}
    return players | apart


def switch_on() -> Replaced:
    """Return what is replaced now that the faster parts play, from here on in the whole process.

    >>> from minibert.parts import part
    >>> replacements = switch_on()
    >>> part(nn.Dropout).__name__
    'FastDropout'
    >>> use({original: original for original in replacements})
    {}
    """
    return use(fast_parts())
