"""A kernel for sequences of different lengths, for a CPU: it takes what PyTorch's takes."""

import math
import sys
from types import ModuleType

import torch

from minibert.fast import unpadded


def attend(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k):
    """Attend within each sentence; raise if a token has none, or a sentence is too long.

    No shape depends on an entry, so that a compiler can follow.
    """
    if not torch.compiler.is_compiling():
        assert cu_seq_q.dtype == cu_seq_k.dtype == torch.int32
        assert torch.equal(cu_seq_q, cu_seq_k) and max_q == max_k
        assert (cu_seq_q[0], cu_seq_q[-1]) == (0, len(query))
        assert cu_seq_q.diff().min() >= 0 and cu_seq_q.diff().max() <= max_q
    places = torch.arange(len(query))
    sentence = torch.searchsorted(cu_seq_q.long(), places, right=True)  # (tokens)
    apart = sentence[:, None] != sentence  # (tokens, tokens)
    query, key, value = (x.transpose(0, 1) for x in (query, key, value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    probs = scores.masked_fill(apart, -math.inf).softmax(-1)  # (heads, tokens, tokens)
    return (probs @ value).transpose(0, 1)  # (tokens, heads, head_size)


def play_kernel(monkeypatch):
    """Let unpadded attention go the way of a GPU, with this kernel."""
    module = ModuleType("torch.nn.attention.varlen")
    module.varlen_attn = attend
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(unpadded.UnpaddedSelfAttention, "_has_kernel", lambda self, query: True)
