"""Lookup, tied logits and cross-entropy against PyTorch, in value and gradient."""

from inspect import unwrap

import numpy as np
import pytest
import torch
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.reference import (
    cross_entropy,
    cross_entropy_backward,
    embedding_lookup,
    embedding_lookup_backward,
    tied_logits,
    tied_logits_backward,
)

seeds = st.integers(0, 2**32 - 1)
leading_shapes = st.sampled_from([(4,), (2, 3)])
a_few = examples(20)
TABLE = np.array([[1.0, 2], [3, 4], [5, 6]])


def torch_loss(logits, labels):
    """Compute the loss with PyTorch, which wants all positions in one row."""
    flat = logits.reshape(-1, logits.shape[-1])
    return torch.nn.functional.cross_entropy(flat, torch.tensor(labels).reshape(-1))


def random_prediction(seed, leading, vocab=5):
    """Draw logits and labels, at least one position labeled and one not."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, vocab, size=leading)
    labels[rng.random(size=leading) < 0.4] = -100
    labels.flat[0], labels.flat[-1] = vocab - 1, -100
    return rng.normal(size=(*leading, vocab), scale=3), labels


@a_few
@given(seeds, st.sampled_from([(), (4,), (2, 3)]))
def test_a_lookup_copies_rows_and_collects_every_gradient(equal_torch, seed, leading):
    rng = np.random.default_rng(seed)
    table, grad = rng.normal(size=(5, 7)), rng.normal(size=(*leading, 7))
    ids = np.asarray(rng.integers(0, 3, size=leading))
    torch_ids, before = torch.tensor(ids), table.copy()
    vectors, by_hand = embedding_lookup(ids, table), embedding_lookup_backward(grad, ids, 5)
    equal_torch(vectors, [by_hand], lambda table: table[torch_ids], [table], grad)
    vectors[:] = 0
    np.testing.assert_array_equal(table, before)


@pytest.mark.parametrize("strange", [3, -1])
def test_an_id_without_a_row_is_refused_and_ids_must_be_integers(strange):
    words = f"id {strange} is outside the vocabulary of 3 words: ids run from 0 to 2"
    with pytest.raises(ValueError, match=words):
        embedding_lookup(np.array([0, strange]), TABLE)
    with pytest.raises(ValueError, match=words):
        embedding_lookup_backward(np.zeros((2, 2)), np.array([0, strange]), 3)
    with pytest.raises(TypeError, match="input_ids must be integers, not float64"):
        embedding_lookup(np.array([0.0, 1.0]), TABLE)


@a_few
@given(seeds, leading_shapes)
def test_tied_logits_and_their_gradients_equal_torch(equal_torch, seed, leading):
    rng = np.random.default_rng(seed)
    states, table, bias = (rng.normal(size=shape) for shape in [(*leading, 7), (5, 7), (5,)])
    grad = rng.normal(size=(*leading, 5))
    ours, by_hand = tied_logits(states, table, bias), tied_logits_backward(grad, states, table)
    equal_torch(ours, by_hand, torch.nn.functional.linear, [states, table, bias], grad)


@a_few
@given(seeds, leading_shapes)
def test_cross_entropy_and_its_gradient_equal_torch(equal_torch, seed, leading):
    logits, labels = random_prediction(seed, leading)
    by_hand = cross_entropy_backward(logits, labels)  # first: it must leave the logits alone
    loss = cross_entropy(logits, labels)
    equal_torch(loss, [by_hand], lambda logits: torch_loss(logits, labels), [logits])


def test_another_ignore_index_may_be_chosen():
    logits, labels = np.array([[0.0, 0, 0], [1, 2, 3]]), np.array([0, 2])
    assert cross_entropy(logits, labels, ignore_index=0) == cross_entropy(logits[1:], labels[1:])
    assert not cross_entropy_backward(logits, labels, ignore_index=0)[0].any()


def test_a_labeled_position_with_loss_zero_counts_and_a_hopeless_answer_is_not_infinite():
    logits = np.array([[1000.0, 0, 0], [0, 0, 0]])
    assert cross_entropy(logits, np.array([0, 1])) == pytest.approx(np.log(3) / 2, rel=1e-14)
    hopeless = np.array([1000.0, 0]), np.array(1)  # one position, without a leading dimension
    assert cross_entropy(*hopeless) == 1000
    np.testing.assert_array_equal(cross_entropy_backward(*hopeless), [1, -1])


@pytest.mark.parametrize("function", [cross_entropy, cross_entropy_backward])
@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        ([0, 3], ValueError, "label 3 is outside the vocabulary of 3 words"),
        ([-100, -100], ValueError, "no position is labeled"),
        ([0.0, 1.0], TypeError, "labels must be integers, not float64"),
        ([0, 1, 2], ValueError, r"need labels of shape \(2,\)"),
    ],
)
def test_labels_that_make_no_sense_are_refused_in_words(function, labels, error, words):
    with pytest.raises(error, match=words):
        unwrap(function)(np.zeros((2, 3)), np.array(labels))
