"""Lookup, tied logits and cross-entropy against hand values and PyTorch."""

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

TIGHT = 1e-12
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


# ---------------------------------------------------------------------------- lookup


def test_embedding_lookup_copies_the_rows_asked_for():
    vectors = embedding_lookup(np.array([[2, 0], [0, 1]]), TABLE)
    np.testing.assert_array_equal(vectors, [[[5, 6], [1, 2]], [[1, 2], [3, 4]]])
    vectors[:] = 0
    assert TABLE[2, 1] == 6


def test_a_word_that_occurs_twice_collects_both_gradients():
    grad = embedding_lookup_backward(np.array([[1.0], [10], [100]]), np.array([1, 0, 1]), 4)
    np.testing.assert_array_equal(grad, [[10], [101], [0], [0]])


@a_few
@given(seeds, st.sampled_from([(), (4,), (2, 3)]))
def test_embedding_lookup_backward_equals_autograd(autograd, assert_close, seed, leading):
    rng = np.random.default_rng(seed)
    table, grad = rng.normal(size=(5, 7)), rng.normal(size=(*leading, 7))
    ids = rng.integers(0, 3, size=leading)
    torch_ids = torch.tensor(ids)
    (expected,) = autograd(lambda table: table[torch_ids], [table], grad)
    assert_close(embedding_lookup_backward(grad, np.asarray(ids), 5), expected, TIGHT)


@pytest.mark.parametrize("strange", [3, -1])
def test_an_id_without_a_row_is_refused_and_ids_must_be_integers(strange):
    words = f"id {strange} is outside the vocabulary of 3 words: ids run from 0 to 2"
    with pytest.raises(ValueError, match=words):
        embedding_lookup(np.array([0, strange]), TABLE)
    with pytest.raises(ValueError, match=words):
        embedding_lookup_backward(np.zeros((2, 2)), np.array([0, strange]), 3)
    with pytest.raises(TypeError, match="input_ids must be integers, not float64"):
        embedding_lookup(np.array([0.0, 1.0]), TABLE)


# ----------------------------------------------------------------------- tied logits


def test_tied_logits_compare_a_vector_with_every_word():
    logits = tied_logits(np.array([[1.0, -1], [0, 2]]), TABLE, np.array([0.0, 10, 0]))
    np.testing.assert_array_equal(logits, [[-1, 9, -1], [4, 18, 12]])


@a_few
@given(seeds, leading_shapes)
def test_tied_logits_and_their_gradients_equal_torch(autograd, assert_close, seed, leading):
    rng = np.random.default_rng(seed)
    states, table, bias = (rng.normal(size=shape) for shape in [(*leading, 7), (5, 7), (5,)])
    grad = rng.normal(size=(*leading, 5))
    expected = torch.nn.functional.linear(*map(torch.tensor, (states, table, bias)))
    assert_close(tied_logits(states, table, bias), expected.numpy(), TIGHT)
    grads = autograd(torch.nn.functional.linear, [states, table, bias], grad)
    for hand, auto in zip(tied_logits_backward(grad, states, table), grads, strict=True):
        assert_close(hand, auto, TIGHT)


@a_few
@given(seeds)
def test_a_tied_table_needs_both_of_its_gradients(autograd, assert_close, seed):
    rng = np.random.default_rng(seed)
    table, bias, ids, labels = rng.normal(size=(5, 3)), np.zeros(5), np.array([1, 4]), [2, -100]
    states = embedding_lookup(ids, table)
    grad_logits = cross_entropy_backward(tied_logits(states, table, bias), np.array(labels))
    grad_states, from_head, _ = tied_logits_backward(grad_logits, states, table)
    from_lookup = embedding_lookup_backward(grad_states, ids, 5)

    def by_torch(table):
        return torch_loss(table[torch.tensor(ids)] @ table.T, labels)

    (expected,) = autograd(by_torch, [table], 1.0)
    assert_close(from_head + from_lookup, expected, TIGHT)
    for one_of_two in (from_head, from_lookup):
        assert np.abs(one_of_two - expected).max() > 1e-6


# --------------------------------------------------------------------- cross-entropy


def test_cross_entropy_is_minus_the_log_of_the_probability_of_the_right_word():
    logits = np.log(np.array([[0.5, 0.25, 0.25], [0.1, 0.8, 0.1]]))
    loss = cross_entropy(logits, np.array([1, 1]))
    assert loss == pytest.approx((np.log(4) + np.log(1.25)) / 2, rel=1e-14)
    assert isinstance(loss, float)


@a_few
@given(seeds, leading_shapes)
def test_cross_entropy_and_its_gradient_equal_torch(autograd, assert_close, seed, leading):
    logits, labels = random_prediction(seed, leading)
    expected = torch_loss(torch.tensor(logits), labels).item()
    assert cross_entropy(logits, labels) == pytest.approx(expected, rel=1e-12)
    ours = cross_entropy_backward(logits, labels)  # first: it must leave the logits alone
    (grad,) = autograd(lambda logits: torch_loss(logits, labels), [logits], 1.0)
    assert_close(ours, grad, TIGHT)


def test_positions_without_a_label_get_no_gradient_and_no_say_in_the_loss():
    logits, labels = random_prediction(3, (4,))
    without = labels != -100
    assert not cross_entropy_backward(logits, labels)[~without].any()
    assert cross_entropy(logits, labels) == cross_entropy(logits[without], labels[without])


def test_a_labeled_position_with_loss_zero_counts_and_a_hopeless_answer_is_not_infinite():
    logits = np.array([[1000.0, 0, 0], [0, 0, 0]])
    assert cross_entropy(logits, np.array([0, 1])) == pytest.approx(np.log(3) / 2, rel=1e-14)
    hopeless = np.array([[1000.0, 0]]), np.array([1])
    assert cross_entropy(*hopeless) == 1000
    np.testing.assert_array_equal(cross_entropy_backward(*hopeless), [[1, -1]])


def test_one_position_alone_needs_no_leading_dimension():
    assert cross_entropy(np.zeros(4), np.array(2)) == pytest.approx(np.log(4))
    slopes = cross_entropy_backward(np.zeros(4), np.array(2))
    np.testing.assert_array_equal(slopes, [0.25, 0.25, -0.75, 0.25])


def test_another_ignore_index_may_be_chosen():
    logits, labels = np.array([[0.0, 0, 0], [1, 2, 3]]), np.array([0, 2])
    assert cross_entropy(logits, labels, ignore_index=0) == cross_entropy(logits[1:], labels[1:])
    assert not cross_entropy_backward(logits, labels, ignore_index=0)[0].any()


@pytest.mark.parametrize("function", [cross_entropy, cross_entropy_backward])
@pytest.mark.parametrize(
    ("labels", "error", "words"),
    [
        ([0, 3], ValueError, "label 3 is outside the vocabulary of 3 words: .* from 0 to 2, or"),
        ([0, -1], ValueError, "label -1 is outside"),
        ([-100, -100], ValueError, "no position is labeled: all 2 labels are -100"),
        ([0.0, 1.0], TypeError, "labels must be integers, not float64"),
        ([0, 1, 2], ValueError, r"logits of shape \(2, 3\) need labels of shape \(2,\), not"),
    ],
)
def test_labels_that_make_no_sense_are_refused_in_words(function, labels, error, words):
    with pytest.raises(error, match=words):
        unwrap(function)(np.zeros((2, 3)), np.array(labels))
