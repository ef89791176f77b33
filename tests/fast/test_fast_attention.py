"""The fused attention: the same numbers as the plain one, and only where it is faster and right."""

import pytest
import torch
from bert_pairs import PADDED, SIZES, TINY, draw, scattered
from torch.nn import functional

from minibert.attention import BertSelfAttention, additive_mask, causal_mask
from minibert.config import BertConfig
from minibert.fast.attention import FastSelfAttention

LOWEST = torch.finfo(torch.float64).min


CAUSAL, PADDING = causal_mask(5, torch.float64), additive_mask(PADDED, torch.float64)
MASKS = {
    "none": None,
    "padding": PADDING,
    "causal": CAUSAL,
    "both": torch.minimum(CAUSAL, PADDING),
    "a sentence of padding": additive_mask(PADDED * torch.tensor([[1], [0], [1]]), torch.float64),
    "one per head": LOWEST * (draw(3, 3, 5, 5) > 1).double(),
}


@pytest.mark.parametrize("mask", MASKS.values(), ids=MASKS)
@pytest.mark.parametrize("output_attentions", [True, False])
def test_plain_and_fast_agree_in_value_and_gradient(mask, output_attentions):
    results = []
    for kind in (BertSelfAttention, FastSelfAttention):
        attention = scattered(kind(TINY))
        x = draw(3, 5, 6).requires_grad_()
        context, probs = attention(x, mask, output_attentions)
        (context * draw(3, 5, 6, seed=2)).sum().backward()
        seen = [probs] if output_attentions else []
        results.append([context, x.grad, *seen, *(p.grad for p in attention.parameters())])
    for plain, fast in zip(*results, strict=True):
        assert plain.isfinite().all()
        torch.testing.assert_close(plain, fast, rtol=0, atol=1e-12)


@pytest.fixture
def fused_calls(monkeypatch):
    """Collect the dropout rate of every call of SDPA."""
    rates, fused = [], functional.scaled_dot_product_attention

    def watched(query, key, value, attn_mask=None, dropout_p=0.0):
        rates.append(dropout_p)
        return fused(query, key, value, attn_mask, dropout_p)

    monkeypatch.setattr(functional, "scaled_dot_product_attention", watched)
    return rates


HIDING = additive_mask(torch.tensor([[1, 1, 0], [0, 0, 0]]), torch.float64)


@pytest.mark.parametrize(
    ("mask", "rate", "training", "gradient", "fused"),
    [
        (None, 0.5, False, True, True), (None, 0.5, False, False, True),
        (None, 0.5, True, True, False), (None, 0.5, True, False, False),
        (None, 0.0, True, True, True), (HIDING[:1], 0.5, False, True, True),
        (HIDING[:1], 0.0, True, True, True), (HIDING, 0.5, False, True, False),
        (HIDING, 0.5, False, False, True), (causal_mask(3), 0.5, False, True, True),
    ],
)  # fmt: skip
def test_attention_is_fused_where_it_pays(fused_calls, mask, rate, training, gradient, fused):
    config = BertConfig(**SIZES, attention_probs_dropout_prob=rate)
    attention = scattered(FastSelfAttention(config)).train(training)
    with torch.set_grad_enabled(gradient):
        attention(draw(2, 3, 6), mask)
    assert fused_calls == ([0.0] if fused else [])


@pytest.mark.parametrize(("training", "rate"), [(True, 0.5), (False, 0.0)])
def test_elsewhere_than_on_a_cpu_sdpa_drops_by_itself(fused_calls, training, rate):
    config = BertConfig(**SIZES, attention_probs_dropout_prob=0.5)
    attention = FastSelfAttention(config).to("meta").train(training)
    attention(torch.zeros(2, 3, 6, device="meta"), HIDING.float().to("meta"))
    assert fused_calls == [rate]
