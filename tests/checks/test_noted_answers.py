"""Answers of readers that passed though wrong, were refused though right, or were told nothing."""

import math

import numpy as np
import torch

from bertbook.topics.classify.checks import check_mcnemar
from bertbook.topics.many_heads.checks import check_many_heads
from bertbook.topics.masks.checks import check_promises


def many_heads(hide, late=False):
    """Write Exercise 8.1 with a mask that hides in some way, perhaps before the division."""

    def my_heads(q, k, v, heads, mask, dropout):
        q, k, v = (x.unflatten(-1, (heads, -1)).transpose(1, 2) for x in (q, k, v))
        scores, root = q @ k.transpose(-1, -2), math.sqrt(q.shape[-1])
        scores = scores if late else scores / root
        scores = scores if mask is None else hide(scores, mask)
        probs = dropout((scores / root if late else scores).softmax(dim=-1))
        return (probs @ v).transpose(1, 2).flatten(2), probs

    return my_heads


def told(check, answer):
    verdict = check(answer)
    assert not verdict.passed
    return verdict.message


def test_who_hides_by_minus_infinity_is_told_of_empty_texts():
    answers = (lambda s, m: s.masked_fill(m != 0, -torch.inf),
               lambda s, m: s.masked_fill(m < 0, -torch.inf),
               lambda s, m: torch.where(m == 0, s, -torch.inf))  # fmt: skip
    for hide in answers:
        assert "nothing but padding gives NaN" in told(check_many_heads, many_heads(hide))


def test_a_mask_is_added_whatever_it_holds():
    lowest = torch.finfo(torch.float64).min
    filled = many_heads(lambda s, m: s.masked_fill(m < 0, lowest))
    assert "Its other numbers count as well" in told(check_many_heads, filled)
    divided = many_heads(torch.add, late=True)
    assert "The mask is divided along with the scores" in told(check_many_heads, divided)
    assert check_many_heads(many_heads(torch.add)).passed


def test_who_compares_one_text_with_padding_at_its_end_is_told_what_slips_through():
    def keeps(attend):
        x, mask = np.random.default_rng(0).standard_normal((4, 3)), np.array([1, 1, 1, 0])
        padded, _ = attend(x, x, x, mask)
        alone, _ = attend(x[:3], x[:3], x[:3], np.ones(3))
        return np.allclose(padded[:3], alone)

    message = told(check_promises, keeps)
    assert "What if padding stands between two words" in message
    assert "Compare vectors" not in message


def test_a_library_may_count_the_ways():
    from scipy.stats import binomtest

    def mcnemar(truth, first, second):
        only = [((one == truth) & (two != truth)).sum() for one, two in
                ((first, second), (second, first))]  # fmt: skip
        return binomtest(int(only[0]), int(sum(only))).pvalue if sum(only) else 1.0

    assert check_mcnemar(mcnemar).passed
