"""What old files say is repaired."""

import re

import pytest
import torch
from safetensors.torch import load_file, save_file
from saved_folders import WEIGHTS, change_weights, refused, renamed, same_weights, small_folder

from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

TABLE, BIAS = "bert.embeddings.word_embeddings.weight", "cls.predictions.bias"
DECODER = {TABLE: "cls.predictions.decoder.weight", BIAS: "cls.predictions.decoder.bias"}


def age(tensors):
    """Make a file as the first releases had it."""
    renamed("LayerNorm.weight", "LayerNorm.gamma")(tensors)
    renamed("LayerNorm.bias", "LayerNorm.beta")(tensors)
    longest = len(tensors["bert.embeddings.position_embeddings.weight"])
    tensors["bert.embeddings.position_ids"] = torch.arange(longest)[None]


def write_out(tensors):
    tensors.update({other: tensors[name].clone() for name, other in DECODER.items()})


def under_other_names(*names):
    return lambda tensors: tensors.update({DECODER[name]: tensors.pop(name) for name in names})


REPAIRED = {
    "gamma, beta and positions": age,
    "an encoder without prefix": renamed("bert.", ""),
    "the decoder written out": write_out,
    "another name of the table": under_other_names(TABLE),
    "another name of the bias": under_other_names(BIAS),
    "other names of both": under_other_names(TABLE, BIAS),
}


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
@pytest.mark.parametrize("change", REPAIRED.values(), ids=REPAIRED)
def test_an_old_file_holds_the_same_model(tmp_path, kind, change):
    model = small_folder(tmp_path, kind)
    change_weights(tmp_path, change)
    again = load_pretrained(kind, tmp_path)
    same_weights(again, model)
    assert again.cls.predictions.decoder.weight is again.bert.embeddings.word_embeddings.weight


def test_the_encoder_of_an_old_file_and_a_decoder_that_is_not_the_table(tmp_path):
    model = small_folder(tmp_path, BertForPreTraining)
    change_weights(tmp_path, age)
    same_weights(load_pretrained(BertModel, tmp_path, unused=("cls",)), model.bert)
    change_weights(tmp_path, write_out)
    change_weights(tmp_path, lambda t: t[DECODER[TABLE]][3, 0].add_(1e-3))
    assert f"{DECODER[TABLE]} and {TABLE} are one tensor" in refused(tmp_path, BertForPreTraining)


@pytest.mark.parametrize("wrapper", ["module.", "module._orig_mod.model."])
@pytest.mark.parametrize("kind", [BertModel, BertForPreTraining])
def test_the_name_of_a_wrapper_is_taken_off_with_a_word(tmp_path, kind, wrapper):
    model = small_folder(tmp_path, kind)
    change_weights(tmp_path, lambda t: t.update({wrapper + name: t.pop(name) for name in [*t]}))
    with pytest.warns(UserWarning, match=f"tensors begin with '{re.escape(wrapper)}'"):
        again = load_pretrained(kind, tmp_path)
    same_weights(again, model)


def test_what_is_told_of_a_wrapper_beside_other_tensors_can_be_typed(tmp_path):
    model = small_folder(tmp_path)
    change_weights(tmp_path, lambda t: t.update({"model." + name: t.pop(name) for name in [*t]}))
    change_weights(tmp_path, lambda t: t.update({"loss.weight": torch.ones(2)}))
    message = refused(tmp_path)
    assert "begin with 'model.' come from a trainer" in message
    program = re.search(r"save_file\(.*, path\)", message)[0]
    exec(program, {"save_file": save_file, "load_file": load_file, "path": tmp_path / WEIGHTS})
    same_weights(load_pretrained(BertModel, tmp_path), model)


@pytest.mark.parametrize(
    "missing", ["pooler.dense.bias", "encoder.layer.0.output.LayerNorm.weight"]
)
def test_a_single_tensor_can_be_new(tmp_path, missing):
    model = small_folder(tmp_path)
    change_weights(tmp_path, lambda tensors: tensors.pop(missing))
    again = load_pretrained(BertModel, tmp_path, new=(missing,))
    weights, before = again.state_dict(), model.state_dict()
    assert (weights.pop(missing) == (0 if "bias" in missing else 1)).all()
    assert all(torch.equal(tensor, before[name]) for name, tensor in weights.items())


def test_half_weights_beside_whole_ones_are_read_without_loss(tmp_path):
    model = small_folder(tmp_path)
    halves = [name for name in model.state_dict() if "LayerNorm" not in name]
    change_weights(tmp_path, lambda t: t.update({name: t[name].half() for name in halves}))
    again = load_pretrained(BertModel, tmp_path)
    for name, tensor in model.state_dict().items():
        expected = tensor.half().float() if name in halves else tensor
        assert torch.equal(again.state_dict()[name], expected)
