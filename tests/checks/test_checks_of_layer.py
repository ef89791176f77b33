"""Right answers to the exercise of Chapter 9, written in other ways, pass."""

import re

import numpy as np
import torch

from bertbook.checks.layer import check_layer_norm


def normalize(x, w, b, eps):
    centered = x - x.mean(axis=-1, keepdims=True)
    return centered / np.sqrt(x.var(axis=-1, keepdims=True) + eps) * w + b


def norm_by_torch(x, w, b, eps):
    x, w, b = map(torch.tensor, (x, w, b))
    return torch.nn.functional.layer_norm(x, x.shape[-1:], w, b, eps).numpy()


def test_a_right_answer_passes_however_it_is_written():
    verdict = check_layer_norm(normalize)
    assert verdict.passed, verdict


def test_a_right_answer_by_a_forbidden_way_is_noticed():
    verdict = check_layer_norm(norm_by_torch)
    assert not verdict.passed
    assert re.fullmatch("Right, but .* uses layer_norm, and this exercise .*", verdict.message)
