"""A step is counted by what a GPU would have to start, and to multiply."""

import torch

from bertbook.core.operations import count_operations


def test_a_view_counts_nothing_and_a_product_its_multiplications():
    left, right = torch.ones(2, 3), torch.ones(3, 4)
    assert count_operations(lambda: left.T.T @ right) == (1, 2 * 3 * 4)
    assert count_operations(lambda: (left + 1) @ right) == (2, 2 * 3 * 4)
