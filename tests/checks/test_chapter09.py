"""Right answers to the exercises of Chapter 9, written in other ways, pass."""

import re

import numpy as np
import pytest
import torch

from minibert.checks.chapter09 import (
    check_feed_forward,
    check_layer_norm,
    check_layer_size,
    check_post_norm,
)
from minibert.config import BertConfig
from minibert.layer import BertLayer

functional = torch.nn.functional


def normalize(x, w=1.0, b=0.0, eps=1e-12, ddof=0, axis=-1):
    centered = x - x.mean(axis=axis, keepdims=True)
    return centered / np.sqrt(x.var(axis=axis, keepdims=True, ddof=ddof) + eps) * w + b


def norm_by_torch(x, w, b, eps):
    x, w, b = map(torch.tensor, (x, w, b))
    return functional.layer_norm(x, x.shape[-1:], w, b, eps).numpy()


def network_by_torch(*arrays):
    x, u, a, v, b = map(torch.tensor, arrays)
    return functional.linear(functional.gelu(functional.linear(x, u, a)), v, b).numpy()


def gelu(x):
    return functional.gelu(torch.tensor(x)).numpy()


def network(x, u, a, v, b, bend=gelu):
    return bend(x @ u.T + a) @ v.T + b


def size_by_counting(hidden, heads, intermediate):
    config = BertConfig(
        hidden_size=hidden, num_attention_heads=heads, intermediate_size=intermediate
    )
    return sum(p.numel() for p in BertLayer(config).parameters())


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_layer_norm, normalize),
        (check_post_norm, lambda x, c, w, b: norm_by_torch(c + x, w, b, 1e-12)),
        (check_post_norm, lambda x, c, w, b: normalize(2 * (x + c), w, b)),
        (check_feed_forward, network_by_torch),
        (check_feed_forward, network),
        (check_layer_size, lambda h, a, i: 4 * h * h + 2 * h * i + 9 * h + i),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("check", "answer", "way"),
    [
        (check_layer_norm, norm_by_torch, "layer_norm"),
        (check_layer_size, size_by_counting, "BertLayer"),
    ],
)
def test_a_right_answer_by_a_forbidden_way_is_noticed(check, answer, way):
    verdict = check(answer)
    assert not verdict.passed
    assert re.fullmatch(f"Right, but .* uses {way}, and this exercise asks .*", verdict.message)
