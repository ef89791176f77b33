"""The head of masked words against the numpy twins, in value and gradient."""

import torch
from bert_pairs import SIZES, arrays, draw, equal, scatter_weights, scattered
from torch import nn

from minibert import reference
from minibert.config import BertConfig
from minibert.heads import BertLMPredictionHead


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
