"""What masks promise, as properties of any sentence; and mutants that each break a promise.

Every property takes the two mask functions as arguments. So it can be run on the real ones, where
it must hold, and on mutants with one typical mistake, which some property must catch.
"""

import numpy as np
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st

from minibert.reference import additive_mask, attention, attention_backward, causal_mask, softmax

LOWEST = np.finfo(np.float64).min
SENTENCES = {
    "seed": st.integers(0, 2**32 - 1),
    "words": st.integers(1, 12),
    "padding": st.integers(1, 12),
    "size": st.integers(1, 9),
}
check_many = examples(60)


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


def padding_changes_no_bit(additive, causal, seed, words, padding, size):
    """Add padding, whatever stands in it: every real token's output keeps its bits."""
    query, key, value, seen = draw(seed, words, padding, size)
    alone, _ = attention_in_order(query[:words], key[:words], value[:words])
    padded, _ = attention_in_order(query, key, value, additive(seen))
    np.testing.assert_array_equal(padded[:words], alone)


def hidden_content_changes_no_bit(additive, causal, seed, words, padding, size):
    """Keep the bits of the package's own attention, whatever the padding holds."""
    query, key, value, seen = draw(seed, words, padding, size)
    other_key, other_value = key.copy(), value.copy()
    other_key[words:] = other_key[words:] * 100 + 7
    other_value[words:] = 1e6
    context, probs = attention(query, key, value, additive(seen))
    other, _ = attention(query, other_key, other_value, additive(seen))
    np.testing.assert_array_equal(other, context)
    assert not probs[:, words:].any(), "padding has a share"
    np.testing.assert_allclose(probs.sum(axis=-1), 1, rtol=1e-12)


def nothing_padded_nothing_changed(additive, causal, seed, words, padding, size):
    """Turn a mask of ones into an additive mask that changes no bit of any score."""
    query, key, value, _ = draw(seed, words, padding, size)
    mask = additive(np.ones(words + padding, dtype=int))
    context, probs = attention(query, key, value, mask)
    plain_context, plain_probs = attention(query, key, value)
    np.testing.assert_array_equal(probs, plain_probs)
    np.testing.assert_array_equal(context, plain_context)
    assert not mask.any()


def future_leaks_nothing(additive, causal, seed, words, padding, size):
    """Change the future: the outputs up to here keep their bits, and their gradient is 0."""
    query, key, value, _ = draw(seed, words, padding, size)
    changed = [np.vstack([x[:words], 100 - x[words:]]) for x in (query, key, value)]
    context, probs = attention(query, key, value, causal(words + padding))
    other, _ = attention(*changed, causal(words + padding))
    np.testing.assert_array_equal(other[:words], context[:words])
    grad_context = np.ones_like(context)
    grad_context[words:] = 0
    for grad in attention_backward(grad_context, query, key, value, probs):
        assert not grad[words:].any(), "a gradient flows from the past into the future"


def past_and_present_stay_open(additive, causal, seed, words, padding, size):
    """Share attention equally among the tokens up to each one, when all scores are equal."""
    seq = words + padding
    probs = softmax(np.zeros((seq, seq)) + causal(seq))
    expected = np.tri(seq) / np.arange(1, seq + 1)[:, None]
    np.testing.assert_allclose(probs, expected, rtol=1e-12, atol=0)


def hidden_row_is_an_average(additive, causal, seed, words, padding, size):
    """Give a row with nothing to see the plain average of all values: finite, free of scores."""
    query, key, value, seen = draw(seed, words, padding, size)
    context, probs = attention(query, key, value, additive(np.zeros_like(seen)))
    np.testing.assert_allclose(probs, 1 / len(seen), rtol=1e-12)
    average = np.broadcast_to(value.mean(axis=0), value.shape)
    np.testing.assert_allclose(context, average, rtol=1e-9, atol=1e-9)
    for grad in attention_backward(np.ones_like(context), query, key, value, probs):
        assert np.isfinite(grad).all()


def minimum_closes_what_either_closes(additive, causal, seed, words, padding, size):
    """Hide a key as soon as one of both masks does, with a finite number."""
    _, _, _, seen = draw(seed, words, padding, size)
    seen = np.stack([seen, seen[::-1]])  # padding on the right, and on the left
    together = np.minimum(additive(seen), causal(seen.shape[-1]))
    open_cells = np.tri(seen.shape[-1]) * seen[:, None, :] == 1
    np.testing.assert_array_equal(together, np.where(open_cells, 0.0, LOWEST))


PROPERTIES = [
    padding_changes_no_bit, hidden_content_changes_no_bit, nothing_padded_nothing_changed,
    future_leaks_nothing, past_and_present_stay_open, hidden_row_is_an_average,
    minimum_closes_what_either_closes,
]  # fmt: skip


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
@given(**SENTENCES)
@check_many
def test_property(holds, seed, words, padding, size):
    holds(additive_mask, causal_mask, seed, words, padding, size)


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


# --- Mutants: each has one typical mistake, and some property must notice ----------------------


def _triangle(number, first=1):
    return lambda seq: np.where(np.tri(seq, k=first - 1) == 1, 0.0, number)


def _padding(number, shown=1):
    return lambda seen: np.where(seen[..., None, :] == shown, 0.0, number)


def _of_queries(seen):
    return np.repeat(np.where(seen[..., :, None] == 1, 0.0, LOWEST), seen.shape[-1], axis=-1)


MUTANTS = {
    "padding mask inverted": (_padding(LOWEST, shown=0), causal_mask),
    "padding mask of minus infinity": (_padding(-np.inf), causal_mask),
    "padding mask of -10": (_padding(-10.0), causal_mask),
    "padding mask of float32": (_padding(float(np.finfo(np.float32).min)), causal_mask),
    "padding hidden as query": (_of_queries, causal_mask),
    "causal mask that hides the token itself": (additive_mask, _triangle(LOWEST, first=0)),
    "causal mask one token late": (additive_mask, _triangle(LOWEST, first=2)),
    "causal mask transposed": (additive_mask, lambda seq: causal_mask(seq).T),
    "causal mask of minus infinity": (additive_mask, _triangle(-np.inf)),
}


def _notices(holds, mutant):
    """Say whether a property fails on a mutant for one of a few fixed sentences."""
    with np.errstate(all="ignore"):
        try:
            for seed in range(5):
                holds(*MUTANTS[mutant], seed, words=3, padding=2, size=4)
        except AssertionError:
            return True
    return False


@pytest.mark.parametrize("mutant", MUTANTS)
def test_every_mutant_is_noticed_by_a_property(mutant):
    assert any(_notices(holds, mutant) for holds in PROPERTIES)


@pytest.mark.parametrize("holds", PROPERTIES, ids=lambda holds: holds.__name__)
def test_every_property_notices_a_mutant(holds):
    assert any(_notices(holds, mutant) for mutant in MUTANTS), "a property that never fails is idle"
