"""Right answers to the exercises of Chapter 20, written in other ways, pass."""

import numpy as np
import pytest
import torch
from kinds_of_answers import forbidden_ways, right_answers

from bertbook.analysis.attention_maps import rank_correlation as package_rank_correlation
from bertbook.checks.head_roles import (
    check_mean_ablation,
    check_paired_interval,
    check_rank_correlation,
    check_rival,
)


def paired_interval(first, second, draws):
    """Right, and written with a loop."""
    ahead = [a - b for a, b in zip(first, second)]
    means = sorted(sum(ahead[i] for i in row) / len(row) for row in draws)
    return [float(np.quantile(means, q)) for q in (0.025, 0.975)]


def ranks(values):
    return [sorted(values).index(value) for value in values]


def rank_correlation(first, second):
    """Right, and by the formula for lists without equal numbers."""
    gaps = np.subtract(ranks(first), ranks(second))
    n = len(first)
    return 1 - 6 * (gaps**2).sum() / (n * (n**2 - 1))


def mean_ablation(contexts, head, size):
    """Right, and by PyTorch, with the heads on an axis of their own."""
    heads = torch.tensor(contexts).unflatten(-1, (-1, size))
    heads[:, :, head] = heads[:, :, head].mean(dim=(0, 1))
    return heads.flatten(-2)


def rival(pronoun, names):
    """Right, and by PyTorch."""
    cosines = torch.cosine_similarity(torch.tensor(names), torch.tensor(pronoun)[None])
    return cosines.argmax()


test_right_answers_pass_however_they_are_written = right_answers(
    (check_paired_interval, paired_interval),
    (check_paired_interval, lambda *given: np.array(paired_interval(*given))),
    (check_mean_ablation, mean_ablation),
    (check_mean_ablation, lambda *given: mean_ablation(*given).tolist()),
    (check_rank_correlation, rank_correlation),
    (check_rival, rival),
)


test_a_right_answer_by_a_forbidden_way_is_noticed = forbidden_ways(
    (check_rank_correlation, package_rank_correlation, "rank_correlation"),
)


@pytest.mark.parametrize("check", [check_paired_interval, check_rank_correlation])
def test_an_array_in_the_wrong_place_is_explained(check):
    verdict = check(lambda *given: np.zeros(len(given[0]) + 1))
    assert not verdict.passed
