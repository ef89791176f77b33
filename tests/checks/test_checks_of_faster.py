"""What the checkers of Chapter 23 ask beyond numbers: no table, and the type of a mask."""

import numpy as np
import pytest
import torch

from bertbook.checks.faster import check_block_mask, check_online_attention


def by_blocks(query, key, value, block):
    scale, total, weighted = query.shape[-1] ** -0.5, 0, 0
    largest = torch.full_like(query[..., :1], -torch.inf)
    for start in range(0, key.shape[-2], block):
        here = slice(start, start + block)
        scores = scale * query @ key[..., here, :].transpose(-1, -2)
        before, largest = largest, torch.maximum(largest, scores.amax(-1, keepdim=True))
        weights = (scores - largest).exp()
        total = total * (before - largest).exp() + weights.sum(-1, keepdim=True)
        weighted = weighted * (before - largest).exp() + weights @ value[..., here, :]
    return weighted / total


def mask(lengths):
    owner = np.repeat(np.arange(len(lengths)), lengths)
    return np.where(owner[:, None] != owner, np.finfo(np.float32).min, 0)


def test_the_whole_table_is_no_block():
    assert check_online_attention(by_blocks).passed
    verdict = check_online_attention(lambda q, k, v, block: by_blocks(q, k, v, k.shape[-2]))
    assert not verdict.passed and "read 4 keys at a time" in verdict.message


@pytest.mark.parametrize(
    "right",
    [
        lambda lengths: mask(lengths).astype(np.float32),
        lambda lengths: torch.tensor(mask(lengths)).float(),
        lambda lengths: mask(lengths).tolist(),
    ],
)
def test_a_mask_of_32_bits_passes(right):
    assert check_block_mask(right).passed


@pytest.mark.parametrize("kind", [np.float64, torch.float64])
def test_a_mask_of_64_bits_is_named(kind):
    def wrong(lengths):
        found = mask(lengths)
        return torch.tensor(found).to(kind) if kind is torch.float64 else found.astype(kind)

    verdict = check_block_mask(wrong)
    assert not verdict.passed and "float64, and float32" in verdict.message
