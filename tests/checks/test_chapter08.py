"""Planted wrong answers to the exercises of Chapter 8 get the right hint."""

import math

import pytest
from torch.nn import functional

from minibert.attention import BertAttention
from minibert.checks.chapter08 import (
    check_join_heads,
    check_many_heads,
    check_parameters,
    check_split_heads,
)
from minibert.config import BertConfig


def split(x, heads):
    """Right, with a name for every size."""
    batch, seq, hidden = x.shape
    return x.view(batch, seq, heads, hidden // heads).permute(0, 2, 1, 3)


def join(x):
    """Right, with a name for every size."""
    batch, heads, seq, head_size = x.shape
    return x.permute(0, 2, 1, 3).reshape(batch, seq, heads * head_size)


def attend(query, key, value, heads, mask):
    """Right, by PyTorch's own function."""
    sides = (split(side, heads) for side in (query, key, value))
    return join(functional.scaled_dot_product_attention(*sides, attn_mask=mask))


def written_out(query, key, value, heads, mask, scale=None, axis=-1, join=join, split=split):
    query, key, value = (split(side, heads) for side in (query, key, value))
    scale = math.sqrt(query.shape[-1]) if scale is None else scale
    return join((query @ key.transpose(-1, -2) / scale + mask).softmax(dim=axis) @ value)


def parameters(hidden, heads):
    """Right, by counting what a module has."""
    config = BertConfig(hidden_size=hidden, num_attention_heads=heads)
    return sum(parameter.numel() for parameter in BertAttention(config).parameters())


@pytest.mark.parametrize(
    ("checker", "answer"),
    [
        (check_split_heads, split),
        (check_join_heads, join),
        (check_many_heads, attend),
        (check_many_heads, written_out),
        (check_many_heads, lambda *given: attend(*given).requires_grad_()),
        (check_parameters, parameters),
    ],
)
def test_right_answers_pass(checker, answer):
    verdict = checker(answer)
    assert verdict.passed, verdict.message


def reshape_to_heads(x, heads):
    return x.reshape(x.shape[0], heads, x.shape[1], -1)


def reshape_to_rows(x):
    return x.reshape(x.shape[0], x.shape[2], -1)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (reshape_to_heads, "several pieces of one token"),
        (lambda x, heads: x.unflatten(-1, (-1, heads)).permute(0, 3, 1, 2), "like cards"),
        (lambda x, heads: split(x, heads).flip(1), "reverse order"),
        (lambda x, heads: x.unflatten(-1, (heads, -1)), "it should be (1, 2, 4, 3)"),
        (lambda x, heads: split(x, heads) + 1, "expected"),
        (lambda x, heads: split(x.mul_(2), heads), "changes its input"),
        (lambda x, heads: x.view(-1, 7), "stopped with RuntimeError"),
        (lambda x, heads: None, "nothing yet"),
        (lambda x, heads: "heads", "it should be (1, 2, 4, 3)"),
    ],
)
def test_wrong_split(wrong, hint):
    verdict = check_split_heads(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (reshape_to_rows, "pieces of several tokens"),
        (lambda x: x.permute(0, 2, 3, 1).flatten(2), "one number of every head in turn"),
        (lambda x: join(x.flip(1)), "reverse order"),
        (lambda x: x.transpose(1, 2), "it should be (1, 4, 6)"),
        (lambda x: 2 * join(x), "expected"),
        (lambda x: ..., "nothing yet"),
    ],
)
def test_wrong_join(wrong, hint):
    verdict = check_join_heads(wrong)
    assert not verdict.passed
    assert hint in verdict.message


def attend_over_heads(query, key, value, heads, mask):
    query, key, value = (side.unflatten(-1, (heads, -1)) for side in (query, key, value))
    return functional.scaled_dot_product_attention(query, key, value).flatten(2)


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda q, k, v, heads, mask: attend(q, k, v, 1, mask), "one big head"),
        (lambda q, k, v, heads, mask: attend(q, k, v, heads, None), "mask has no effect"),
        (lambda *given: written_out(*given, scale=math.sqrt(given[0].shape[-1])), "root of hidden"),
        (lambda *given: written_out(*given, scale=1), "not divided"),
        (lambda *given: written_out(*given, axis=-2), "runs over the queries"),
        (attend_over_heads, "no token sees another"),
        (lambda *given: written_out(*given, split=reshape_to_heads, join=reshape_to_rows),
         "reshape straight"),
        (lambda *given: written_out(*given, join=reshape_to_rows), "joined wrongly"),
        (lambda q, k, v, heads, mask: attend(q, k, k, heads, mask), "expected"),
        (lambda q, k, v, heads, mask: split(v, heads), "it should be (1, 3, 4)"),
        (lambda q, k, v, heads, mask: None, "nothing yet"),
    ],
)  # fmt: skip
def test_wrong_attention(wrong, hint):
    verdict = check_many_heads(wrong)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.parametrize(
    ("wrong", "hint"),
    [
        (lambda hidden, heads: parameters(hidden, heads) - 4 * hidden, "have biases"),
        (lambda hidden, heads: parameters(hidden, heads) - hidden * hidden - hidden, "A fourth"),
        (lambda hidden, heads: parameters(hidden, heads) - 2 * hidden, "LayerNorm has parameters"),
        (lambda hidden, heads: 3 * hidden * (hidden + 1), "BertSelfOutput"),
        (lambda hidden, heads: 4 * heads * hidden * (hidden + 1) + 2 * hidden, "of full size"),
        (lambda hidden, heads: 4 * hidden * (hidden + 1) // heads + 2 * hidden, "one head only"),
        (lambda hidden, heads: parameters(hidden, heads) - hidden, "one stretches it"),
        (lambda hidden, heads: parameters(hidden, heads) + 1, "expected"),
        (lambda hidden, heads: hidden / 0, "stopped with ZeroDivisionError"),
        (lambda hidden, heads: None, "nothing yet"),
    ],
)
def test_wrong_count(wrong, hint):
    verdict = check_parameters(wrong)
    assert not verdict.passed
    assert hint in verdict.message
