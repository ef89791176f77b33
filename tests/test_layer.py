"""The feed-forward half of a layer, and the head of masked words, against the numpy twins."""

import pytest
import torch
from bert_pairs import SIZES, TINY, arrays, close, draw, equal, scatter_weights, scattered
from torch import nn

from minibert import reference
from minibert.config import BertConfig
from minibert.heads import BertLMPredictionHead
from minibert.layer import BertIntermediate, BertLayer


def feed_forward_by_numpy(weights, x):
    """Widen, bend, narrow, add and normalize with the reference; keep what the gradient needs."""
    first, second, norm = (
        (weights[f"{part}.weight"], weights[f"{part}.bias"])
        for part in ("intermediate.dense", "output.dense", "output.LayerNorm")
    )
    wide = reference.linear(x, *first)
    bent = reference.gelu(wide)
    summed = x + reference.linear(bent, *second)
    return reference.layer_norm(summed, *norm), wide, bent, summed


def test_the_feed_forward_half_and_every_gradient_equal_those_by_hand():
    layer = scattered(BertLayer(TINY))
    x, grad_output = draw(2, 5, 6).requires_grad_(), draw(2, 5, 6, seed=1)
    assert layer(x)[1] is None and layer.attention(x)[1] is None  # weights only on request
    out = layer.output(layer.intermediate(x), x)
    out.backward(grad_output)

    weights, twin_x = arrays(layer), x.detach().numpy()
    twin, wide, bent, summed = feed_forward_by_numpy(weights, twin_x)
    equal(out, twin)
    grads = {}
    grad_summed, grads["output.LayerNorm.weight"], grads["output.LayerNorm.bias"] = (
        reference.layer_norm_backward(
            grad_output.numpy(), summed, weights["output.LayerNorm.weight"]
        )
    )
    grad_bent, grads["output.dense.weight"], grads["output.dense.bias"] = reference.linear_backward(
        grad_summed, bent, weights["output.dense.weight"]
    )
    grad_wide = reference.gelu_backward(grad_bent, wide)
    grad_x, grads["intermediate.dense.weight"], grads["intermediate.dense.bias"] = (
        reference.linear_backward(grad_wide, twin_x, weights["intermediate.dense.weight"])
    )
    equal(x.grad, grad_summed + grad_x)
    parameters = dict(layer.named_parameters())
    for name, grad in grads.items():
        equal(parameters[name].grad, grad, 1e-11)


FORMULAS = {
    "gelu": lambda x: x * (1 + torch.erf(x / 2**0.5)) / 2,
    "gelu_new": lambda x: x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3))) / 2,
    "relu": lambda x: torch.where(x > 0, x, 0.0),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_the_activation_is_the_configured_one(name):
    intermediate = scattered(BertIntermediate(BertConfig(**SIZES, hidden_act=name)))
    x = 3 * draw(2, 5, 6)
    close(intermediate(x), FORMULAS[name](intermediate.dense(x)))


def transform_by_numpy(weights, x):
    """Mix, bend and normalize with the reference; keep what the gradient needs."""
    dense = reference.linear(x, weights["transform.dense.weight"], weights["transform.dense.bias"])
    bent = reference.gelu(dense)
    norm = weights["transform.LayerNorm.weight"], weights["transform.LayerNorm.bias"]
    return reference.layer_norm(bent, *norm), dense, bent


def test_scores_and_every_gradient_of_the_head_equal_those_by_hand():
    table = nn.Embedding(9, 6)
    scatter_weights(table, seed=1)
    head = scattered(BertLMPredictionHead(BertConfig(**SIZES), table))
    x, labels = draw(2, 5, 6).requires_grad_(), torch.tensor([[3, -100, 8, 0, -100]] * 2)
    logits = head(x)
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()

    weights, grads = arrays(head), {}
    refined, dense, bent = transform_by_numpy(weights, x.detach().numpy())
    twin_logits = reference.tied_logits(refined, weights["decoder.weight"], weights["bias"])
    equal(logits, twin_logits)
    grad_refined, grads["decoder.weight"], grads["bias"] = reference.tied_logits_backward(
        reference.cross_entropy_backward(twin_logits, labels.numpy()),
        refined,
        weights["decoder.weight"],
    )
    grad_bent, grads["transform.LayerNorm.weight"], grads["transform.LayerNorm.bias"] = (
        reference.layer_norm_backward(grad_refined, bent, weights["transform.LayerNorm.weight"])
    )
    grad_x, grads["transform.dense.weight"], grads["transform.dense.bias"] = (
        reference.linear_backward(
            reference.gelu_backward(grad_bent, dense),
            x.detach().numpy(),
            weights["transform.dense.weight"],
        )
    )
    equal(x.grad, grad_x, 1e-11)
    parameters = dict(head.named_parameters())
    assert parameters.keys() == grads.keys()
    for name, grad in grads.items():
        equal(parameters[name].grad, grad, 1e-11)
