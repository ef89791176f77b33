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


def collected(query, blocks):
    """Go through the blocks three times, out of a list of one's own."""
    blocks = [*blocks]
    top = np.max([(query @ key.T).max(axis=1) for key, _ in blocks], axis=0)[:, None]
    size = query.shape[1] ** 0.5
    powers = [np.exp((query @ key.T - top) / size) for key, _ in blocks]
    mixed = sum(p @ value for p, (_, value) in zip(powers, blocks, strict=True))
    return mixed / sum(p.sum(axis=1, keepdims=True) for p in powers)


def twice(query, blocks):
    top = max((query @ key.T).max() for key, _ in blocks)
    powers = [(np.exp(query @ key.T - top), value) for key, value in blocks]
    return sum(p @ value for p, value in powers) / sum(p.sum() for p, _ in powers)


def one_maximum(query, blocks):
    """Right while no query is far below another."""
    top, total, mixed = -np.inf, 0.0, 0.0
    for key, value in blocks:
        scores = query @ key.T / key.shape[1] ** 0.5
        new = max(top, scores.max())
        powers = np.exp(scores - new)
        total = total * np.exp(top - new) + powers.sum(axis=1, keepdims=True)
        mixed = mixed * np.exp(top - new) + powers @ value
        top = new
    return mixed / total


def by(highest):
    """Write a softmax that subtracts something else."""

    def softmax(x):
        powers = np.exp(x - highest(x))
        return powers / powers.sum(axis=-1, keepdims=True)

    return softmax


def in_long_numbers(x):
    """Stand for numpy's longdouble, which not every machine has: exp(11356) is its largest."""
    near = softmax(x)
    return np.where(np.abs(x).max(axis=-1, keepdims=True) > 11356, np.nan, near)


@pytest.mark.parametrize(
    ("check", "answer", "told"),
    [
        (check_softmax, in_long_numbers, "What keeps scores from overflowing"),
        (check_softmax, by(lambda x: np.abs(x).max(-1, keepdims=True)), "A row of negative"),
        (check_softmax, by(np.max), "A row far below it underflows. Each"),
        (check_softmax, by(lambda x: 1000.0), "One number for all scores? Subtract"),
        (check_softmax, lambda x: softmax(x) * np.exp(x.max(-1)[..., None]), "Divide by the sum"),
        (
            check_attention,
            lambda q, k, v: attention(q, v, k, k.shape[-1] ** 0.5),
            "A query meets the keys",
        ),
        (
            check_attention,
            lambda q, k, v: attention(q, k, v, len(k)),
            "A dot product grows with the",
        ),
        (check_streamed_attention, one_maximum, "Each query has a maximum of"),
        (check_streamed_attention, collected, "Each block is gone when the"),
        (check_streamed_attention, all_at_once, "Each block is gone when the"),
        (check_streamed_attention, twice, "The blocks come once."),
    ],
)
def test_answers_that_readers_gave_are_understood(check, answer, told):
    verdict = check(answer)
    assert not verdict.passed
    assert told in verdict.message


@pytest.mark.parametrize(
    ("check", "answer"),
    [
        (check_softmax, softmax),
        (check_softmax, softmax_differently),
        (check_streamed_attention, streamed),
        (check_attention, lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5)),
        (check_softmax, lambda x: softmax(x).astype(np.float32)),
        (
            check_attention,
            lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5).astype(np.float32),
        ),
        (check_attention, lambda q, k, v: attention(q, k, v, k.shape[-1] ** 0.5).tolist()),
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
        ([2, [2], -2], "yours is [2, [2], -2]"),
        ([0, 0, 0], "Both keys get the same score"),
        ([0, 100, 100], "Both keys get the same score"),
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
