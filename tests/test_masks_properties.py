"""What masks promise, as properties of any sentence."""

import numpy as np
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.reference import additive_mask, attention, attention_backward, causal_mask, softmax

LOWEST = np.finfo(np.float64).min


def of_any_sentence(test):
    """Draw sentences of all sizes, with padding."""
    sizes = {
        name: st.integers(1, most) for name, most in {"words": 12, "padding": 12, "size": 9}.items()
    }
    return examples(60)(given(seed=st.integers(0, 2**32 - 1), **sizes)(test))


def draw(seed, words, padding, size):
    """Draw query, key and value of a padded sentence, and its attention mask."""
    rng = np.random.default_rng(seed)
    query, key, value = rng.normal(scale=3, size=(3, words + padding, size))
    return query, key, value, np.repeat([1, 0], [words, padding])


def add_in_order(x, axis):
    """Add up from left to right: zeros at the end then change no bit, on any processor."""
    return np.add.accumulate(x, axis=axis).take([-1], axis=axis)


def attention_in_order(query, key, value, mask=0.0):
    """Compute attention with every sum in reading order, unlike a matrix product."""
    products = query[:, None, :] * key[None, :, :]
    scores = add_in_order(products, -1)[..., 0] / np.sqrt(key.shape[-1]) + mask
    exponentials = np.exp(scores - scores.max(axis=-1, keepdims=True))
    probs = exponentials / add_in_order(exponentials, -1)
    return add_in_order(probs[:, :, None] * value[None], 1)[:, 0], probs


@of_any_sentence
def test_padding_changes_no_bit(seed, words, padding, size):
    """Add padding, whatever stands in it: every real token's output keeps its bits."""
    query, key, value, seen = draw(seed, words, padding, size)
    alone, _ = attention_in_order(query[:words], key[:words], value[:words])
    padded, _ = attention_in_order(query, key, value, additive_mask(seen))
    np.testing.assert_array_equal(padded[:words], alone)


@of_any_sentence
def test_hidden_content_changes_no_bit(seed, words, padding, size):
    """Keep the bits of the package's own attention, whatever the padding holds."""
    query, key, value, seen = draw(seed, words, padding, size)
    other_key, other_value = key.copy(), value.copy()
    other_key[words:] = other_key[words:] * 100 + 7
    other_value[words:] = 1e6
    context, probs = attention(query, key, value, additive_mask(seen))
    other, _ = attention(query, other_key, other_value, additive_mask(seen))
    np.testing.assert_array_equal(other, context)
    assert not probs[:, words:].any(), "padding has a share"
    np.testing.assert_allclose(probs.sum(axis=-1), 1, rtol=1e-12)


@of_any_sentence
def test_nothing_padded_nothing_changed(seed, words, padding, size):
    """Turn a mask of ones into an additive mask that changes no bit of any score."""
    query, key, value, _ = draw(seed, words, padding, size)
    mask = additive_mask(np.ones(words + padding, dtype=int))
    context, probs = attention(query, key, value, mask)
    plain_context, plain_probs = attention(query, key, value)
    np.testing.assert_array_equal(probs, plain_probs)
    np.testing.assert_array_equal(context, plain_context)
    assert not mask.any()


@of_any_sentence
def test_future_leaks_nothing(seed, words, padding, size):
    """Change the future: the outputs up to here keep their bits, and their gradient is 0."""
    query, key, value, _ = draw(seed, words, padding, size)
    changed = [np.vstack([x[:words], 100 - x[words:]]) for x in (query, key, value)]
    context, probs = attention(query, key, value, causal_mask(words + padding))
    other, _ = attention(*changed, causal_mask(words + padding))
    np.testing.assert_array_equal(other[:words], context[:words])
    grad_context = np.ones_like(context)
    grad_context[words:] = 0
    for grad in attention_backward(grad_context, query, key, value, probs):
        assert not grad[words:].any(), "a gradient flows from the past into the future"


@of_any_sentence
def test_past_and_present_stay_open(seed, words, padding, size):
    """Share attention equally among the tokens up to each one, when all scores are equal."""
    seq = words + padding
    probs = softmax(np.zeros((seq, seq)) + causal_mask(seq))
    expected = np.tri(seq) / np.arange(1, seq + 1)[:, None]
    np.testing.assert_allclose(probs, expected, rtol=1e-12, atol=0)


@of_any_sentence
def test_hidden_row_is_an_average(seed, words, padding, size):
    """Give a row with nothing to see the plain average of all values: finite, free of scores."""
    query, key, value, seen = draw(seed, words, padding, size)
    context, probs = attention(query, key, value, additive_mask(np.zeros_like(seen)))
    np.testing.assert_allclose(probs, 1 / len(seen), rtol=1e-12)
    average = np.broadcast_to(value.mean(axis=0), value.shape)
    np.testing.assert_allclose(context, average, rtol=1e-9, atol=1e-9)
    for grad in attention_backward(np.ones_like(context), query, key, value, probs):
        assert np.isfinite(grad).all()


@of_any_sentence
def test_minimum_closes_what_either_closes(seed, words, padding, size):
    """Hide a key as soon as one of both masks does, with a finite number."""
    _, _, _, seen = draw(seed, words, padding, size)
    seen = np.stack([seen, seen[::-1]])  # padding on the right, and on the left
    together = np.minimum(additive_mask(seen), causal_mask(seen.shape[-1]))
    open_cells = np.tri(seen.shape[-1]) * seen[:, None, :] == 1
    np.testing.assert_array_equal(together, np.where(open_cells, 0.0, LOWEST))


def test_a_zero_of_the_additive_mask_is_negative_and_keeps_even_the_sign_of_a_zero_score():
    mask = additive_mask(np.ones(3))
    assert np.signbit(mask).all()
    scores = np.array([[-0.0, 0.0, 2.5]])
    assert (scores + mask).tobytes() == scores.tobytes()
    assert (scores + 0.0).tobytes() != scores.tobytes()


def test_one_mask_twice_makes_a_hidden_row_nan_and_two_masks_by_minimum_do_not():
    key = np.eye(3)
    nothing = additive_mask(np.zeros(3))
    with np.errstate(over="ignore", invalid="ignore"):
        _, twice = attention(key, key, key, nothing + nothing)
    assert np.isnan(twice).all()
    _, once = attention(key, key, key, np.minimum(nothing, causal_mask(3)))
    np.testing.assert_allclose(once, 1 / 3)
