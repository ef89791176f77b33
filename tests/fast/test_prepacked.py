"""Prepacked weights: the same numbers, a copy that only answers, and a refusal in words."""

import copy

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch
from torch import nn

from minibert.fast import prepack
from minibert.fast.prepacked import PrepackedLinear
from minibert.loading import save_pretrained
from minibert.pretraining import BertForPreTraining

NEEDS_ONEDNN = pytest.mark.skipif(
    not torch.backends.mkldnn.is_available(), reason="this PyTorch was built without oneDNN"
)


def linears(model, kind):
    return sum(isinstance(part, kind) for part in model.modules())


@NEEDS_ONEDNN
@pytest.mark.parametrize("bias", [True, False])
def test_a_prepacked_layer_is_the_layer(bias):
    torch.manual_seed(0)
    linear = nn.Linear(5, 7, bias=bias)
    inputs = torch.randn(2, 3, 5), torch.randn(5), torch.randn(2, 5, 3).mT, torch.ones(0, 5)
    with torch.no_grad():
        for x in inputs:
            close(PrepackedLinear(linear)(x), linear(x), atol=1e-6)


@NEEDS_ONEDNN
def test_a_prepacked_model_is_a_copy_that_gives_the_same():
    model = build(SMALL, kind=BertForPreTraining, dtype=torch.float32).train()
    before = copy.deepcopy(model.state_dict())
    packed, batch = prepack(model), draw_batch(SMALL, seed=3)
    assert linears(packed, PrepackedLinear) == linears(model, nn.Linear) > 0
    assert linears(packed, nn.Linear) == 0
    assert model.training
    assert not any(part.training for part in packed.modules())
    assert all(torch.equal(model.state_dict()[name], x) for name, x in before.items())
    expected = model.eval()(**batch)
    for again in (packed, copy.deepcopy(packed)):  # what was copied works as well
        close(again(**batch).prediction_logits, expected.prediction_logits, atol=1e-5)
    nn.init.zeros_(model.cls.predictions.transform.dense.weight)  # the copy has its own weights
    close(packed(**batch).prediction_logits, expected.prediction_logits, atol=1e-5)
    with pytest.raises(RuntimeError, match="does not require grad"):
        packed(**batch).prediction_logits.sum().backward()


def test_what_cannot_be_prepacked_stays_and_gives_the_same(monkeypatch):
    """Another precision, or a PyTorch without oneDNN."""
    model, batch = build(SMALL, dtype=torch.float64), draw_batch(SMALL, seed=3)
    same = prepack(model)
    assert linears(same, nn.Linear) == linears(model, nn.Linear)
    close(same(**batch).last_hidden_state, model(**batch).last_hidden_state)
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert linears(prepack(build(SMALL, dtype=torch.float32)), PrepackedLinear) == 0


@NEEDS_ONEDNN
def test_what_is_prepacked_is_not_saved(tmp_path):
    packed = prepack(BertForPreTraining(SMALL).float())
    if linears(packed, PrepackedLinear):
        with pytest.raises(ValueError, match="save the model that was prepacked"):
            save_pretrained(packed, tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_another_precision_is_refused_in_words():
    with pytest.raises(TypeError, match=r"take float32 on a CPU, not torch.float64 on cpu"):
        prepack(build(SMALL, dtype=torch.float32)).double()(**draw_batch(SMALL, seed=3))
