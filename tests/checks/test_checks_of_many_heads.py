"""Right answers to the exercises of Chapter 8, written in other ways, pass."""

import math
import re

import pytest
import torch
from torch.nn import functional

from bertbook.checks.many_heads import (
    check_many_heads,
    check_query_weight,
)


def split(x, heads):
    """Right, with a name for every size."""
    batch, seq, hidden = x.shape
    return x.view(batch, seq, heads, hidden // heads).permute(0, 2, 1, 3)


def join(x):
    """Right, with a name for every size."""
    batch, heads, seq, head_size = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, seq, heads * head_size)


def attend(query, key, value, heads, mask, dropout):
    """Right, with a context by PyTorch's own function where nothing is dropped."""
    context, probs = written_out(query, key, value, heads, mask, dropout)
    sides = (split(side, heads) for side in (query, key, value))
    fused = join(functional.scaled_dot_product_attention(*sides, attn_mask=mask))
    return (fused if torch.allclose(fused, context) else context), probs


def written_out(query, key, value, heads, mask, dropout):
    query, key, value = (split(side, heads) for side in (query, key, value))
    scores = torch.einsum("bhqd,bhkd->bhqk", query, key) / math.sqrt(query.shape[-1])
    probs = dropout((scores if mask is None else mask + scores).softmax(dim=-1))
    return join(probs @ value), probs


def looking_back(steps):
    """Right, as the matrix that turns a place by some steps the other way."""
    blocks = [
        [[turn.real, -turn.imag], [turn.imag, turn.real]]
        for turn in (
            complex(math.cos(steps * math.pi * x), -math.sin(steps * math.pi * x))
            for x in (0.1, 0.3)
        )
    ]
    return torch.block_diag(*(torch.tensor(b, dtype=torch.float64) for b in blocks)).numpy()


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_query_weight, looking_back),
        (check_many_heads, written_out),
        (check_many_heads, lambda *given: [x.requires_grad_() for x in written_out(*given)]),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_many_heads, attend, "scaled_dot_product_attention"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
