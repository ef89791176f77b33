"""Riddles to test: ids without special tokens, the riddle maker with its vocabulary, shares."""

import math

import torch
from torch import Tensor

from minibert.masking import CorruptedTokens, corrupt_tokens

PAD, UNK, CLS, SEP, MASK = range(5)
VOCAB = 1000
KNOWN = {"vocab_size": VOCAB, "mask_token_id": MASK, "special_ids": range(5)}
MILLION = 2**20


def seeded(seed: int = 0) -> torch.Generator:
    """Return a source of chance."""
    return torch.Generator().manual_seed(seed)


def corrupt(ids: Tensor, seed: int = 0, **changes) -> CorruptedTokens:
    """Make a riddle with the vocabulary of these tests, unless other words are wished for."""
    return corrupt_tokens(ids, **{**KNOWN, "generator": seeded(seed)} | changes)


def draw_ids(*shape: int, seed: int = 0, vocab: int = VOCAB) -> Tensor:
    """Draw words, none of them special."""
    return torch.randint(5, vocab, shape, generator=seeded(seed))


def assert_share(hits: Tensor | int, total: int, share: float) -> None:
    """Fail if a count is further from its mean than a binomial one would ever be."""
    assert total > 0
    spread = math.sqrt(total * share * (1 - share))
    assert abs(int(hits) - total * share) < 4.5 * spread + 1e-9, (int(hits) / total, share)
