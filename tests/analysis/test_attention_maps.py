"""Measures of attention and silent heads, each against loops, scipy or a hook."""

import math

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from bertbook.core.attention_maps import (
    ablate_heads,
    attention_share,
    bootstrap_interval,
    offset_mask,
    patch_heads,
    rank_correlation,
    token_mask,
)
from minibert.config import BertConfig
from minibert.model import BertModel

MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
IDS = torch.tensor([[2, 7, 3, 7, 3], [2, 7, 3, 0, 0]])


def random_probs(seed=0):
    """Draw weights of 2 sequences and 3 heads that leave padding out."""
    scores = torch.randn(2, 3, 5, 5, generator=torch.Generator().manual_seed(seed))
    return scores.masked_fill(MASK[:, None, None] == 0, -math.inf).softmax(-1)


def by_loops(probs, wanted):
    """Compute the mean over queries with a target, token by token."""
    answer = torch.full(probs.shape[:2], math.nan)
    for b, h in np.ndindex(*answer.shape):
        real = [i for i in range(5) if MASK[b, i]]
        spent = []
        for i in real:
            targets = [j for j in real if wanted(b, i, j)]
            if targets:
                spent.append(sum(probs[b, h, i, j].item() for j in targets))
        if spent:
            answer[b, h] = sum(spent) / len(spent)
    return answer


@pytest.mark.parametrize("offset", [-2, 0, 3, None])
def test_share_on_a_fixed_offset_and_on_certain_tokens(offset):
    probs = random_probs()
    if offset is None:
        expected = by_loops(probs, lambda b, i, j: IDS[b, j].item() in (2, 3))
        targets = token_mask(IDS, (2, 3), MASK)
    else:
        expected = by_loops(probs, lambda b, i, j: j == i + offset)
        targets = offset_mask(MASK, offset)
    torch.testing.assert_close(attention_share(probs, targets), expected, equal_nan=True)
    nobody = torch.zeros(2, 5, 5).bool()
    assert attention_share(probs, nobody).isnan().all()


def test_the_interval_is_that_of_theory_where_there_is_one():
    values = np.random.default_rng(0).normal(3, 2, size=(400, 2))
    low, high = bootstrap_interval(values, rng=np.random.default_rng(1))
    error = values.std(axis=0) / math.sqrt(len(values))
    np.testing.assert_allclose(low, values.mean(axis=0) - 1.96 * error, atol=0.03)
    np.testing.assert_allclose(high, values.mean(axis=0) + 1.96 * error, atol=0.03)


def test_an_interval_needs_two_rows_and_a_correlation_equal_lists():
    with pytest.raises(ValueError, match="at least 2 rows, not 1"):
        bootstrap_interval(np.ones(1), rng=np.random.default_rng(0))
    with pytest.raises(ValueError, match="first has 2 numbers and second 3"):
        rank_correlation(np.ones(2), np.ones(3))


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=3, max_size=30))
def test_rank_correlation_equals_that_of_scipy(pairs):
    first, second = np.array(pairs, dtype=float).T
    if len(set(first)) == 1 or len(set(second)) == 1:
        assert math.isnan(rank_correlation(first, second))
        return
    expected = stats.spearmanr(first, second).statistic
    assert rank_correlation(first, second) == pytest.approx(expected, abs=1e-9)


@pytest.fixture
def model():
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=11, hidden_size=12, num_hidden_layers=2, num_attention_heads=3,
        intermediate_size=16, initializer_range=0.5,
    )  # fmt: skip
    return BertModel(config).double().eval()


@pytest.mark.parametrize(("layer", "head"), [(0, 0), (0, 2), (1, 1)])
def test_a_silent_head_adds_nothing(model, layer, head):
    """A hook zeroes the head's context on its way."""

    def zero(module, inputs, output):
        context, probs = output
        silent = torch.arange(12) // 4 == head
        return context.masked_fill(silent, 0), probs

    whole = model(IDS, MASK).last_hidden_state
    with ablate_heads(model, [(layer, head)]):
        silent = model(IDS, MASK).last_hidden_state
    hook = model.encoder.layer[layer].attention.self.register_forward_hook(zero)
    torch.testing.assert_close(silent, model(IDS, MASK).last_hidden_state, rtol=0, atol=1e-12)
    hook.remove()
    assert not torch.allclose(silent, whole)
    assert torch.equal(model(IDS, MASK).last_hidden_state, whole)


def test_the_weights_come_back_after_an_error_and_a_head_that_is_not_there_is_named(model):
    whole = model(IDS, MASK).last_hidden_state
    with pytest.raises(RuntimeError, match="stop"), ablate_heads(model, [(0, 0), (1, 2)]):
        raise RuntimeError("stop")
    for layer, head in ((0, 3), (2, 0), (0, -1)):
        named = rf"no head {head} in layer {layer}: .* 2 layers"
        with pytest.raises(ValueError, match=named), ablate_heads(model, [(layer, head)]):
            pass
    assert torch.equal(model(IDS, MASK).last_hidden_state, whole)


def contexts_of(model, layer, ids):
    kept = []
    output = model.encoder.layer[layer].attention.output
    hook = output.register_forward_pre_hook(lambda module, inputs: kept.append(inputs[0]))
    states = model(ids, MASK).last_hidden_state
    hook.remove()
    return states, kept[0]


def test_patches_of_all_heads_carry_the_other_text(model):
    """Only what reaches a layer beside its heads, the residual, is still of the first text."""
    other, contexts = contexts_of(model, 1, IDS.flip(1))
    patches = {(1, head): part for head, part in enumerate(contexts.split(4, dim=-1))}
    with patch_heads(model, patches):
        patched, found = contexts_of(model, 1, IDS)
    assert torch.equal(found, contexts)
    assert not torch.allclose(patched, other)
    block = model.encoder.layer[1]
    states = model(IDS, MASK, output_hidden_states=True).hidden_states[1]
    mixed = block.attention.output(contexts, states)
    expected = block.output(block.intermediate(mixed), mixed)
    torch.testing.assert_close(patched, expected, rtol=0, atol=1e-12)
    whole, contexts = contexts_of(model, 1, IDS)
    with patch_heads(model, {(1, 2): contexts[..., 8:]}):  # its own context changes nothing
        assert torch.equal(model(IDS, MASK).last_hidden_state, whole)
