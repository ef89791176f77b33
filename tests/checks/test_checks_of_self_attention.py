"""Right answers to the exercises of Chapter 2, written in other ways, pass."""

import numpy as np
import pytest

from bertbook.checks.self_attention import (
    check_attention,
    check_query,
    check_softmax,
    check_streamed_attention,
)


def softmax(x, axis=-1):
    e = np.exp(x - x.max(axis=axis, keepdims=True))
    return e / e.sum(axis=axis, keepdims=True)


def softmax_differently(x):
    """Right, through logarithms."""
    shifted = x - np.max(x, -1)[..., None]
    return np.exp(shifted - np.log(np.exp(shifted).sum(-1))[..., None])


def attention(query, key, value, divisor, axis=-1):
    scores = np.einsum("...qd,...kd->...qk", query, key) / divisor
    return np.einsum("...qk,...kd->...qd", softmax(scores, axis), value)


def streamed(query, blocks):
    """Right, query by query."""
    top, total = np.full(len(query), -np.inf), np.zeros(len(query))
    mixed = None
    for key, value in blocks:
        mixed = np.zeros((len(query), value.shape[1])) if mixed is None else mixed
        for i, q in enumerate(query):
            scores = key @ q / key.shape[1] ** 0.5
            new = max(top[i], scores.max())
            e = np.exp(scores - new)
            total[i] = total[i] * np.exp(top[i] - new) + e.sum()
            mixed[i] = mixed[i] * np.exp(top[i] - new) + e @ value
            top[i] = new
    return mixed / total[:, None]


def all_at_once(query, blocks):
    keys, values = (np.concatenate(parts) for parts in zip(*blocks))
    return attention(query, keys, values, keys.shape[-1] ** 0.5)


def test_collecting_all_blocks_is_noticed():
    assert "uses concatenate" in check_streamed_attention(all_at_once).message


def test_blocks_can_be_gone_through_once():
    def twice(query, blocks):
        top = max((query @ key.T).max() for key, _ in blocks)
        total = sum(np.exp(query @ key.T - top).sum() for key, _ in blocks)
        return top / total

    assert not check_streamed_attention(twice).passed


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_softmax, softmax),
        (check_softmax, softmax_differently),
        (check_streamed_attention, streamed),
        (check_attention, lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5)),
    ],
)
def test_right_answers_pass_however_they_are_written(check, answer):
    verdict = check(answer)
    assert verdict.passed, verdict


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (None, "nothing yet"),
        ([1, 2], "three numbers"),
        (["a", "b", "c"], "three numbers"),
        ([np.inf, 0, 0], "not finite"),
        ([-2, -2, 2], "prefers cat"),
        ([0.5, 0.5, -0.5], "longer query"),
    ],
)
def test_wrong_query(query, hint):
    verdict = check_query(lambda: query)
    assert not verdict.passed
    assert hint in verdict.message


def test_a_query_that_raises_is_explained():
    verdict = check_query(lambda: 1 / 0)
    assert verdict.message.startswith("<lambda> stopped with ZeroDivisionError: division by zero.")


@pytest.mark.parametrize("query", [[2, 2, -2], (2.0, 2.0, -2.0), np.array([10.0, 10.0, -10.0])])
def test_right_query(query):
    assert check_query(lambda: query).passed
