"""Everything fast at once: the same numbers, the draws of weights, and who keeps a part."""

import pytest
import torch
from bert_pairs import build, close, draw_batch
from torch import nn

from minibert.config import BertConfig
from minibert.fast import FAST_PARTS, NoRandomWeights, switch_on
from minibert.model import BertModel, BertPooler
from minibert.parts import part, replaced, use
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks import (
    BertForQuestionAnswering,
    BertForSequenceClassification,
    BertForTokenClassification,
)

SIZES = {"vocab_size": 19, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20}
SMALL = BertConfig(**SIZES, num_hidden_layers=2, max_position_embeddings=16)
MODELS = [
    BertModel,
    BertForMaskedLM,
    BertForPreTraining,
    BertForSequenceClassification,
    BertForTokenClassification,
    BertForQuestionAnswering,
]


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("padded", [True, False])
def test_every_model_gives_the_same_numbers_and_gradients(kind, padded):
    batch = draw_batch(SMALL, seed=3)
    if not padded:
        batch["attention_mask"] = torch.ones_like(batch["attention_mask"])
    outputs, grads = [], []
    for scope in (use, switch_on):
        with scope():
            model = build(SMALL, kind=kind)
        output = [x for x in model(**batch) if isinstance(x, torch.Tensor)]
        sum(x.square().sum() for x in output).backward()
        outputs.append(output)
        grads.append([p.grad for p in model.parameters() if p.grad is not None])
    for plain, fast in zip(outputs[0] + grads[0], outputs[1] + grads[1], strict=True):
        close(fast, plain, atol=1e-10)


@pytest.mark.parametrize("kind", MODELS)
def test_every_fast_part_plays(kind):
    with switch_on():
        held = {type(module) for module in kind(SMALL).modules()}
    fast = set(FAST_PARTS.values())
    plain = {BertPooler, nn.Dropout, *(k for k in held if k.__name__ == "BertSelfAttention")}
    assert len(held & fast) >= 4
    assert not held & plain


def test_a_part_of_the_readers_is_left_to_her():
    mine = type("Mine", (nn.Dropout,), {})
    with use(dropout=mine):
        with switch_on():
            assert part("dropout") is mine
            assert part("encoder") is FAST_PARTS["encoder"]
        assert replaced() == {"dropout": mine}
    assert replaced() == {}


def test_a_mask_that_hides_nothing_is_not_added(monkeypatch):
    seen = []
    with switch_on():
        model = BertModel(SMALL).eval()
    monkeypatch.setattr(
        type(model.encoder.layer[0]),
        "forward",
        lambda self, x, mask, *_: seen.append(mask) or (x, None),
    )
    batch = draw_batch(SMALL, seed=3)
    model(**batch)
    model(**batch | {"attention_mask": torch.ones_like(batch["attention_mask"])})
    assert [mask is None for mask in seen] == [False, False, True, True]


# --- Weights are drawn once ----------------------------------------------------------------------


@pytest.mark.parametrize("kind", MODELS)
def test_building_draws_no_weight_twice(kind):
    """As many draws as weights: drawn in one go, they leave the generator in the same state."""
    with switch_on():
        torch.manual_seed(0)
        model = kind(SMALL)
        after = torch.get_rng_state()
    torch.manual_seed(0)
    for layer in model.modules():
        tied = isinstance(layer, nn.Linear) and layer.weight.shape[0] == SMALL.vocab_size
        if isinstance(layer, nn.Linear | nn.Embedding) and not tied:
            torch.empty_like(layer.weight).normal_()
    assert torch.equal(torch.get_rng_state(), after)


@pytest.mark.parametrize("kind", MODELS)
def test_nothing_at_all_is_drawn_without_random_weights(kind):
    before = torch.get_rng_state()
    with NoRandomWeights():
        kind(SMALL)
    assert torch.equal(torch.get_rng_state(), before)


def test_nothing_else_changes_without_random_weights():
    torch.manual_seed(0)
    with NoRandomWeights():
        whole = torch.zeros(2, dtype=torch.int64)
        drawn = torch.randn(2)
        left = torch.nn.init.normal_(whole.double())
        kept = torch.nn.init.uniform_(tensor=drawn.clone(), a=5.0, b=6.0)
        assert whole.sum(dim=0).item() == 0
    assert whole.dtype == torch.int64
    assert drawn.any()
    assert (left == 0).all()
    assert torch.equal(kept, drawn)
