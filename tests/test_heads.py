"""The heads of pre-training against the numpy twins, in value and gradient, and their names."""

import numpy as np
import pytest
import torch
from bert_pairs import FORMULAS, SIZES, arrays, draw, draw_config, equal, scatter_weights, scattered
from torch import nn

from minibert import reference
from minibert.config import BertConfig
from minibert.heads import (
    BertLMPredictionHead,
    BertOnlyMLMHead,
    BertPredictionHeadTransform,
    BertPreTrainingHeads,
)


def build(kind=BertLMPredictionHead, seed=0, **changes):
    config = BertConfig(**SIZES | changes)
    tied = () if kind is BertPredictionHeadTransform else (_table(config, seed),)
    return scattered(kind(config, *tied), seed)


def _table(config, seed):
    table = nn.Embedding(config.vocab_size, config.hidden_size)
    scatter_weights(table, seed + 1)
    return table


def transform_by_numpy(weights, x, eps=1e-12):
    """Mix, bend and normalize with the reference; keep what the gradient needs."""
    dense = reference.linear(x, weights["transform.dense.weight"], weights["transform.dense.bias"])
    bent = reference.gelu(dense)
    norm = weights["transform.LayerNorm.weight"], weights["transform.LayerNorm.bias"]
    return reference.layer_norm(bent, *norm, eps), dense, bent


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shape", [(6,), (4, 6), (2, 5, 6)])
def test_the_scores_of_words_equal_the_numpy_twins(seed, shape):
    head = build(seed=seed)
    x = draw(*shape, seed=seed)
    weights = arrays(head)
    refined = transform_by_numpy(weights, x.numpy())[0]
    equal(head.transform(x), refined)
    equal(head(x), reference.tied_logits(refined, weights["decoder.weight"], weights["bias"]))


def test_every_gradient_of_the_head_equals_the_one_by_hand():
    head = build()
    x, labels = draw(2, 5, 6).requires_grad_(), torch.tensor([[3, -100, 8, 0, -100]] * 2)
    logits = head(x)
    torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels.flatten()).backward()

    weights, grads = arrays(head), {}
    refined, dense, bent = transform_by_numpy(weights, x.detach().numpy())
    twin_logits = reference.tied_logits(refined, weights["decoder.weight"], weights["bias"])
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


def test_the_scores_of_pairs_are_linear():
    heads = build(BertPreTrainingHeads)
    pooled = draw(4, 6)
    weights = arrays(heads)
    twin = reference.linear(
        pooled.numpy(), weights["seq_relationship.weight"], weights["seq_relationship.bias"]
    )
    equal(heads(draw(4, 5, 6), pooled)[1], twin)


def test_both_heads_at_once_are_the_two_heads_and_the_only_head_is_the_head():
    heads, only = build(BertPreTrainingHeads), build(BertOnlyMLMHead)
    x, pooled = draw(4, 5, 6), draw(4, 6)
    words, pairs = heads(x, pooled)
    assert torch.equal(words, heads.predictions(x))
    assert torch.equal(pairs, heads.seq_relationship(pooled))
    assert torch.equal(only(x), only.predictions(x))


@pytest.mark.parametrize("name", FORMULAS)
def test_the_activation_is_the_configured_one(name):
    transform = build(BertPredictionHeadTransform, hidden_act=name)
    x = 3 * draw(2, 5, 6)
    bent, norm = FORMULAS[name](transform.dense(x)).detach().numpy(), arrays(transform)
    twin = reference.layer_norm(bent, norm["LayerNorm.weight"], norm["LayerNorm.bias"])
    equal(transform(x), twin, 1e-11)


@pytest.mark.parametrize("eps", [1e-12, 10.0])
def test_epsilon_is_the_configured_one(eps):
    head = build(layer_norm_eps=eps)
    x = draw(2, 5, 6)
    equal(head.transform(x), transform_by_numpy(arrays(head), x.numpy(), eps)[0])


def test_the_normalization_comes_last():
    transform = build(BertPredictionHeadTransform)
    with torch.no_grad():
        transform.LayerNorm.weight.fill_(1.0)
        transform.LayerNorm.bias.zero_()
    refined = transform(100 * draw(2, 5, 6))
    equal(refined.mean(dim=-1), np.zeros((2, 5)))
    equal(refined.var(dim=-1, unbiased=False), np.ones((2, 5)), 1e-9)


def test_the_decoder_is_the_table_and_its_bias_the_heads():
    table = nn.Embedding(9, 6)
    head = BertLMPredictionHead(BertConfig(**SIZES), table)
    assert head.decoder.weight is table.weight
    assert head.decoder.bias is head.bias
    assert (head.bias == 0).all()
    assert sum(p.numel() for p in head.parameters()) == 9 * 6 + 9 + 6 * 6 + 6 + 2 * 6


def test_a_head_can_be_tied_to_another_table():
    head, table = build(), nn.Embedding(9, 6)
    head.decoder.bias = nn.Parameter(torch.ones(9))
    head.tie(table)
    assert head.decoder.weight is table.weight
    assert head.decoder.bias is head.bias


def test_a_table_that_does_not_fit():
    vectors = torch.zeros(2, 6)
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(2x6 and 5x9\)"):
        BertLMPredictionHead(BertConfig(**SIZES), nn.Embedding(9, 5))(vectors)
    head = build()
    head.tie(nn.Embedding(8, 6).double())
    with pytest.raises(RuntimeError, match=r"size .*\b9\b"):
        head(vectors.double())


@pytest.mark.parametrize("seed", range(4))
def test_every_size_comes_from_the_configuration(seed):
    config = draw_config(seed)
    table = nn.Embedding(config.vocab_size, config.hidden_size)
    heads = BertPreTrainingHeads(config, table)
    hidden, vocab = config.hidden_size, config.vocab_size
    assert {name: tuple(value.shape) for name, value in heads.state_dict().items()} == {
        "predictions.bias": (vocab,),
        "predictions.transform.dense.weight": (hidden, hidden),
        "predictions.transform.dense.bias": (hidden,),
        "predictions.transform.LayerNorm.weight": (hidden,),
        "predictions.transform.LayerNorm.bias": (hidden,),
        "predictions.decoder.weight": (vocab, hidden),
        "predictions.decoder.bias": (vocab,),
        "seq_relationship.weight": (2, hidden),
        "seq_relationship.bias": (2,),
    }
