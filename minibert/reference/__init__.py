"""Numpy twins of the package: small functions to check everything else against.

Every function is pure, computes in float64, accepts any leading dimensions, and is followed in its
file by its ``*_backward``: the same step's gradient, written out by hand. Nothing in ``minibert``
imports this package, so that it stays an independent witness.
"""

from .attention import attention, attention_backward, softmax, softmax_backward
from .layers import gelu, gelu_backward, layer_norm, layer_norm_backward, linear, linear_backward
from .masks import additive_mask, causal_mask
from .prediction import (
    cross_entropy,
    cross_entropy_backward,
    embedding_lookup,
    embedding_lookup_backward,
    tied_logits,
    tied_logits_backward,
)
from .tape import Node, Tape

__all__ = [
    "Node",
    "Tape",
    "additive_mask",
    "attention",
    "attention_backward",
    "causal_mask",
    "cross_entropy",
    "cross_entropy_backward",
    "embedding_lookup",
    "embedding_lookup_backward",
    "gelu",
    "gelu_backward",
    "layer_norm",
    "layer_norm_backward",
    "linear",
    "linear_backward",
    "softmax",
    "softmax_backward",
    "tied_logits",
    "tied_logits_backward",
]
