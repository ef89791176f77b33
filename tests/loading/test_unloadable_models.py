"""A model that could not be loaded again is not saved, and nothing is left of the attempt."""

import pytest
import torch
from bert_pairs import build, draw_config
from saved_folders import in_our_words
from torch.nn.utils import parametrizations, parametrize, prune

from minibert.loading import load_pretrained, save_pretrained
from minibert.model import BertModel


def model_of():
    return build(draw_config(3), 0, torch.float32)


def query(model):
    return model.encoder.layer[0].attention.self.query


def refused(model, folder):
    """Return the message; the folder must be what it was."""
    before = sorted(folder.parent.rglob("*"))
    words = "Make them final|meta device|not finite|of one type"
    with pytest.raises(ValueError, match=words) as caught:
        save_pretrained(model, folder)
    assert sorted(folder.parent.rglob("*")) == before
    return in_our_words(caught.value)


def half(model):
    model.pooler.half()


def not_finite(model):
    model.pooler.dense.bias.data[1] = torch.nan


# What is done to a model, what the message says, and what makes it loadable again, if it says so.
UNLOADABLE = {
    "pruned": (
        lambda m: prune.l1_unstructured(query(m), "weight", amount=0.5),
        ["query.weight_mask can be read by no BERT", "prune.remove(module, 'weight')"],
        lambda m: prune.remove(query(m), "weight"),
    ),
    "a pruned bias": (
        lambda m: prune.random_unstructured(query(m), "bias", amount=1), ["query.bias_mask"], None,
    ),
    "a parametrization": (
        lambda m: parametrizations.weight_norm(query(m)),
        ["weight.original0, ", "parametrize.remove_parametrizations(module, 'weight')"],
        lambda m: parametrize.remove_parametrizations(query(m), "weight"),
    ),
    "weight_norm": (
        lambda m: torch.nn.utils.weight_norm(query(m)), ["torch.nn.utils.remove_weight_norm(mod"],
        lambda m: torch.nn.utils.remove_weight_norm(query(m)),
    ),
    "spectral_norm": (
        lambda m: torch.nn.utils.spectral_norm(query(m)), ["nn.utils.remove_spectral_norm(module)"],
        lambda m: torch.nn.utils.remove_spectral_norm(query(m)),
    ),
    "no number": (not_finite, ["pooler.dense.bias hold numbers that are not finite"], None),
    "several types": (half, ["pooler.dense.bias is torch.float16; convert the model"], None),
    "no numbers": (lambda m: m.to("meta"), ["are on the meta device, sizes without numb"], None),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:.*is deprecated:FutureWarning")
@pytest.mark.parametrize(("spoil", "words", "mend"), UNLOADABLE.values(), ids=UNLOADABLE)
def test_what_could_not_be_loaded_again_is_not_saved(tmp_path, spoil, words, mend):
    model = model_of()
    spoil(model)
    refusal = refused(model, tmp_path / "new")
    assert all(part in refusal for part in words)
    if mend:
        mend(model)
        save_pretrained(model, tmp_path)
        assert torch.equal(query(load_pretrained(BertModel, tmp_path)).weight, query(model).weight)


def test_a_compiled_model(tmp_path):
    model = torch.compile(model_of(), backend="eager")
    assert "model._orig_mod" in refused(model, tmp_path)
    save_pretrained(model._orig_mod, tmp_path)
