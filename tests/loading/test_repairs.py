"""What old files say is repaired, and nothing else is."""

import re

import pytest
import torch
from safetensors.torch import load_file, save_file
from saved_folders import change_weights, same_weights, small_folder

from minibert.loading import load_pretrained
from minibert.model import BertModel
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

POSITIONS = "bert.embeddings.position_ids"


def renamed(old, new):
    def change(tensors):
        for name in [name for name in tensors if old in name]:
            tensors[name.replace(old, new)] = tensors.pop(name)

    return change


def extra(name, *shape):
    return lambda tensors: tensors.update({name: torch.ones(shape)})


def age(tensors):
    """Make a file as the first releases had it."""
    renamed("LayerNorm.weight", "LayerNorm.gamma")(tensors)
    renamed("LayerNorm.bias", "LayerNorm.beta")(tensors)
    longest = len(tensors["bert.embeddings.position_embeddings.weight"])
    tensors[POSITIONS] = torch.arange(longest)[None]


def test_gamma_beta_and_position_ids(tmp_path):
    model = small_folder(tmp_path, BertForPreTraining)
    change_weights(tmp_path, age)
    same_weights(load_pretrained(BertForPreTraining, tmp_path), model)
    same_weights(load_pretrained(BertModel, tmp_path, unused=("cls",)), model.bert)


def test_an_encoder_without_prefix_beside_its_head(tmp_path):
    model = small_folder(tmp_path, BertForMaskedLM)
    change_weights(tmp_path, renamed("bert.", ""))
    same_weights(load_pretrained(BertForMaskedLM, tmp_path), model)


@pytest.mark.parametrize("kind", [BertModel, BertForMaskedLM])
def test_every_tensor_is_needed(tmp_path, kind):
    names = [n for n in small_folder(tmp_path, kind).state_dict() if ".decoder." not in n]
    for name in names:
        folder = tmp_path / name
        small_folder(folder, kind)
        change_weights(folder, lambda tensors, name=name: tensors.pop(name))
        with pytest.raises(ValueError, match=r"1 missing|config\.json gives") as caught:
            load_pretrained(kind, folder)
        refusal = str(caught.value)
        assert f"1 missing: {name} (" in refusal or "no tensor of the weights has a side" in refusal


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
def test_a_decoder_in_the_file_must_be_the_table(tmp_path, kind):
    model = small_folder(tmp_path, kind)
    written_out = {
        name: model.state_dict()[name].clone()
        for name in ("cls.predictions.decoder.weight", "cls.predictions.decoder.bias")
    }
    change_weights(tmp_path, lambda tensors: tensors.update(written_out))
    again = load_pretrained(kind, tmp_path)
    same_weights(again, model)
    assert again.cls.predictions.decoder.weight is again.bert.embeddings.word_embeddings.weight
    change_weights(tmp_path, lambda t: t["cls.predictions.decoder.weight"][3, 0].add_(1e-3))
    message = r"decoder\.weight and bert\.embeddings\.word_embeddings\.weight are one tensor"
    with pytest.raises(ValueError, match=message):
        load_pretrained(kind, tmp_path)


TIED = {
    "cls.predictions.bias": "cls.predictions.decoder.bias",
    "bert.embeddings.word_embeddings.weight": "cls.predictions.decoder.weight",
}


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
@pytest.mark.parametrize("names", [[*TIED][:1], [*TIED][1:], [*TIED]])
def test_one_tensor_may_stand_under_its_other_name(tmp_path, kind, names):
    model = small_folder(tmp_path, kind)
    change_weights(tmp_path, lambda t: t.update({TIED[name]: t.pop(name) for name in names}))
    again = load_pretrained(kind, tmp_path)
    same_weights(again, model)
    assert again.cls.predictions.decoder.weight is again.bert.embeddings.word_embeddings.weight


@pytest.mark.parametrize("wrapper", ["module.", "model.", "_orig_mod.", "module._orig_mod.model."])
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
    with pytest.raises(ValueError, match=r"begin with 'model\.' come from a trainer") as caught:
        load_pretrained(BertModel, tmp_path)
    program = re.search(r"save_file\(.*, path\)", str(caught.value))[0]
    names = {"save_file": save_file, "load_file": load_file, "path": tmp_path / "model.safetensors"}
    exec(program, names)
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


def changed(name, change):
    return lambda tensors: tensors.update({name: change(tensors[name]).contiguous()})


def positions(*numbers):
    return lambda tensors: tensors.update({POSITIONS: torch.tensor([numbers])})


BIAS, WORDS = "pooler.dense.bias", "embeddings.word_embeddings.weight"


@pytest.mark.parametrize(
    ("kind", "change", "message"),
    [
        (BertModel, extra("encoder.scale", 2, 3), r"1 unknown: encoder\.scale \(2"),
        (BertModel, extra("x.y", 2), r"say unused=\('x',\)"),
        (BertModel, renamed("LayerNorm.weight", "LayerNorm.Gamma"), "3 missing"),
        (BertModel, renamed("embeddings.", "model.embeddings."), r"begin with 'model\.' come from"),
        (BertModel, renamed("embeddings.", "table."), "encoder itself is not whole"),
        (BertModel, extra(BIAS, 2), r"shape: pooler\S+ \(2,\)"),
        (BertModel, renamed(BIAS, "pooler.dense"), r"unused=\('pooler\.dense',\)"),
        (BertModel, extra("embeddings.LayerNorm.gamma", 2), r"embeddings\.LayerNorm\.weight twice"),
        (BertModel, extra("bert." + BIAS, 2), r"pooler\.dense\.bias twice"),
        (BertModel, positions(1, 0, 2, 3), "does not count 0, 1, 2, … 3;"),
        (BertModel, positions(0.0, 1.0, 2.0, 3.0), "does not count 0, 1, 2, … 3;"),
        (BertForMaskedLM, renamed("bert." + WORDS, WORDS), r"1 unknown: embeddings\.word_embe"),
        (BertModel, changed("encoder.layer.0.intermediate.dense.weight", torch.t),
         r"1 of another shape(?s:(?!new=).)*$"),
        (BertModel, changed(BIAS, torch.Tensor.bool), r"pooler\.dense\.bias is torch\.bool"),
        (BertModel, lambda t: t.update({n: t[n].long() for n in t}), r"is torch\.int64; convert"),
    ],
)  # fmt: skip
def test_nothing_else_is_repaired(tmp_path, kind, change, message):
    small_folder(tmp_path, kind)
    change_weights(tmp_path, change)
    with pytest.raises(ValueError, match=message):
        load_pretrained(kind, tmp_path)


def test_many_names_are_listed_with_an_end(tmp_path):
    small_folder(tmp_path)
    change_weights(tmp_path, lambda t: t.update({f"x{n}": torch.ones(1) for n in range(300)}))
    with pytest.raises(ValueError, match="300 unknown") as caught:
        load_pretrained(BertModel, tmp_path)
    refusal = str(caught.value)
    assert (
        "x115 (1,) and 280 more.\nTo leave these parts of the file out, name them (300)." in refusal
    )
