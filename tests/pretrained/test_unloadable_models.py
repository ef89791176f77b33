"""A model that could not be loaded again is not saved, and nothing is left of the attempt."""

import os

import pytest
import torch
from bert_pairs import build, draw_config
from saved_folders import in_our_words
from torch.nn.utils import parametrizations, parametrize, prune

from minibert.model import BertModel
from minibert.pretrained import load_pretrained, save_pretrained, saving
from minibert.tasks import BertForSequenceClassification


def model_of(kind=BertModel):
    return build(draw_config(3), 0, torch.float32, kind)


def query(model):
    return getattr(model, "bert", model).encoder.layer[0].attention.self.query


def refused(model, folder):
    """Return the message; the folder must be what it was."""
    before = sorted(os.listdir(folder)) if folder.exists() else None
    words = "Make them final|meta device|not finite|of one type"
    with pytest.raises(ValueError, match=words) as caught:
        save_pretrained(model, folder)
    assert (sorted(os.listdir(folder)) if folder.exists() else None) == before
    return in_our_words(caught.value)


def test_pruning_that_is_still_on(tmp_path):
    model, head = model_of(), model_of(BertForSequenceClassification)
    prune.random_unstructured(head.classifier, "bias", amount=1)
    assert "classifier.bias_mask" in refused(head, tmp_path / "new")
    prune.l1_unstructured(query(model), "weight", amount=0.5)
    told = refused(model, tmp_path / "new")
    assert "encoder.layer.0.attention.self.query.weight_mask can be read by no BERT" in told
    assert "torch.nn.utils.prune.remove(module, 'weight')" in told
    prune.remove(query(model), "weight")
    save_pretrained(model, tmp_path)
    assert torch.equal(query(load_pretrained(BertModel, tmp_path)).weight, query(model).weight)


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.parametrize("way", ["parametrization", "weight_norm", "spectral_norm"])
def test_weights_that_are_computed(tmp_path, way):
    model = model_of()
    if way == "parametrization":
        parametrizations.weight_norm(query(model))
    else:
        getattr(torch.nn.utils, way)(query(model))
    told = refused(model, tmp_path)
    if way == "parametrization":
        assert "query.parametrizations.weight.original0, " in told
        assert "parametrize.remove_parametrizations(module, 'weight')" in told
        parametrize.remove_parametrizations(query(model), "weight")
    else:
        assert f"torch.nn.utils.remove_{way}(module)" in told
        getattr(torch.nn.utils, f"remove_{way}")(query(model))
    save_pretrained(model, tmp_path)
    load_pretrained(BertModel, tmp_path)


def test_a_compiled_model(tmp_path):
    model = model_of()
    assert "model._orig_mod" in refused(torch.compile(model, backend="eager"), tmp_path)
    save_pretrained(torch.compile(model, backend="eager")._orig_mod, tmp_path)
    load_pretrained(BertModel, tmp_path)


@pytest.mark.parametrize("number", [torch.nan, torch.inf, -torch.inf])
def test_weights_that_are_no_numbers(tmp_path, number):
    save_pretrained(model_of(), tmp_path)
    model = model_of()
    with torch.no_grad():
        model.pooler.dense.bias[1] = number
    assert "pooler.dense.bias hold numbers that are not finite" in refused(model, tmp_path)


def test_weights_of_several_types(tmp_path):
    model = model_of()
    model.pooler.half()
    wanted = "LayerNorm.bias is torch.float32, pooler.dense.bias is torch.float16; convert the mod"
    assert wanted in refused(model, tmp_path)


def test_a_model_without_numbers(tmp_path):
    with torch.device("meta"):
        model = BertModel(draw_config(3))
    told = refused(model, tmp_path / "new")
    assert "embeddings.word_embeddings.weight, " in told
    assert "are on the meta device, sizes without numbers; load or draw" in told


@pytest.mark.parametrize("error", [KeyboardInterrupt, NotImplementedError, MemoryError])
def test_whatever_goes_wrong_no_draft_stays(tmp_path, monkeypatch, error):
    save_pretrained(model_of(), tmp_path)
    before = sorted(os.listdir(tmp_path))

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(saving, "describe_model", fail)
    with pytest.raises(error):
        save_pretrained(model_of(), tmp_path)
    assert sorted(os.listdir(tmp_path)) == before
