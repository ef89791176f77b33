"""What one saves the other opens, decoders stay tied, old files are repaired, labels are kept."""

import json
import re
from ast import literal_eval
from pathlib import Path

import pytest
import torch
import transformers
from bert_pairs import KINDS, TASKS, build, close, draw_batch, draw_config
from effort import mostly_slow
from odd_texts import odd_texts
from safetensors.torch import load_file
from saved_folders import (
    change_weights,
    open_theirs,
    outputs,
    refused,
    renamed,
    same_weights,
    small_folder,
    their_folder,
)
from torch import nn

from bertbook.corpus import hundred_sentences
from minibert.config import BertConfig
from minibert.embeddings import BertEmbeddings
from minibert.loading import load_pretrained, load_tokenizer, save_pretrained
from minibert.loading.config_file import config_from_fields
from minibert.loading.files import CONFIG, WEIGHTS
from minibert.model import BertModel
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import sentence_vectors
from minibert.tasks.labels import PROBLEM_TYPES

SEEDS = mostly_slow(range(3))
PRECISIONS = {torch.float64: 1e-10, torch.float32: 1e-5}
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("saves", ["we save", "transformers saves", "in shards"])
def test_what_one_saves_the_other_opens_bit_for_bit(tmp_path, kind, dtype, seed, saves):
    if saves == "we save":
        model = build(draw_config(seed), seed, dtype, kind)
        save_pretrained(model, tmp_path)
        theirs, complaints = open_theirs(tmp_path, kind)
        assert not complaints
        assert theirs.dtype == dtype
        assert config_from_fields(BertConfig, theirs.config.to_dict()) == model.config
        assert not [name for name in load_file(tmp_path / WEIGHTS) if "decoder" in name]
        fields = json.loads((tmp_path / CONFIG).read_text("utf-8"))
        assert fields["architectures"] == [kind.__name__]
        assert fields["dtype"] == str(dtype).removeprefix("torch.")
    else:
        options = {"max_shard_size": "1KB"} if saves == "in shards" else {}
        theirs = their_folder(tmp_path, kind, seed, dtype, **options)
        assert (tmp_path / WEIGHTS).exists() == (not options)
    ours = load_pretrained(kind, tmp_path)
    same_weights(ours, theirs)
    assert not ours.training
    assert all(parameter.requires_grad for parameter in ours.parameters())
    batch = draw_batch(ours.config, seed)
    if dtype in PRECISIONS:
        for mine, yours in zip(outputs(ours, batch), outputs(theirs, batch), strict=True):
            close(mine, yours, PRECISIONS[dtype])


Sequences, Tokens, Answers = TASKS

# What must be said when a folder of one class is loaded into another one.
PARTS = {
    (BertModel, BertForMaskedLM): {"new": ("cls",), "unused": ("bert.pooler",)},
    (BertForMaskedLM, BertModel): {"new": ("pooler",), "unused": ("cls",)},
    (BertForMaskedLM, BertForPreTraining): {"new": ("bert.pooler", "cls.seq_relationship")},
    (BertForPreTraining, BertForMaskedLM): {"unused": ("bert.pooler", "cls.seq_relationship")},
    (BertModel, Sequences): {"new": ("classifier",)},
    (BertForPreTraining, Tokens): {"new": ("classifier",), "unused": ("bert.pooler", "cls")},
    (Answers, Sequences): {"new": ("bert.pooler", "classifier"), "unused": ("qa_outputs",)},
}


@pytest.mark.parametrize(("source", "kind"), PARTS)
def test_one_class_into_another_only_in_so_many_words(tmp_path, source, kind):
    saved = small_folder(tmp_path, source).state_dict()
    wanted = PARTS[source, kind]
    with pytest.raises(ValueError, match="do not fit") as caught:
        load_pretrained(kind, tmp_path)
    advice = dict(re.findall(r"say (new|unused)=(\(.*\))\.", str(caught.value)))
    assert {word: literal_eval(parts) for word, parts in advice.items()} == wanted

    model = load_pretrained(kind, tmp_path, **wanted)
    read = 0
    for name, tensor in model.state_dict().items():
        assert tensor.isfinite().all()
        old = name if name in saved else name.removeprefix("bert.")
        old = old if old in saved else "bert." + name
        if not name.startswith(wanted.get("new", ())):
            assert torch.equal(tensor, saved[old]), name
            read += 1
    assert read >= 21  # embeddings and one layer


@pytest.mark.parametrize("dtype", TYPES)
def test_a_new_head_is_drawn_as_the_class_draws_it_in_the_type_of_the_file(tmp_path, dtype):
    sizes = {"hidden_size": 96, "num_attention_heads": 2, "vocab_size": 200}
    save_pretrained(build(draw_config(3, **sizes), 0, dtype), tmp_path)
    heads = []
    for seed in (0, 0, 1):
        torch.manual_seed(seed)
        model = load_pretrained(BertForPreTraining, tmp_path, new=("cls",))
        heads.append(model.cls.predictions.transform.dense.weight)
    assert {parameter.dtype for parameter in model.parameters()} == {dtype}
    assert torch.equal(heads[0], heads[1])
    assert not torch.equal(heads[0], heads[2])
    assert heads[0].float().std().item() == pytest.approx(0.02, rel=0.05)
    assert model.cls.predictions.bias.abs().max() == 0
    assert (model.cls.predictions.transform.LayerNorm.weight == 1).all()
    assert model.cls.predictions.decoder.weight is model.bert.embeddings.word_embeddings.weight


class WithOthers(nn.Module):
    """Has layers that BERT has not, a part that is frozen, and a buffer."""

    def __init__(self, config):
        super().__init__()
        self.config, self.bert = config, BertModel(config, add_pooling_layer=False)
        self.bert.requires_grad_(False)
        self.narrow, self.over = nn.Conv1d(config.hidden_size, 3, 1), nn.GRU(3, 5)
        self.register_buffer("weights", torch.arange(4.0))


def test_layers_that_bert_has_not_draw_themselves_and_what_is_frozen_stays_so(tmp_path):
    built = WithOthers(draw_config(3))
    save_pretrained(built, tmp_path)
    found = []
    for _ in range(2):
        torch.full((9_999,), 7.0)  # what fresh memory may hold
        torch.manual_seed(0)
        model = load_pretrained(WithOthers, tmp_path, new=("narrow", "over"))
        found.append([model.narrow.weight, model.over.weight_hh_l0])
    for one, other in zip(*found, strict=True):
        assert torch.equal(one, other) and 0 < one.abs().max() < 1
    loaded = load_pretrained(WithOthers, tmp_path)
    for name, parameter in built.named_parameters():
        assert loaded.get_parameter(name).requires_grad == parameter.requires_grad, name
    assert torch.equal(loaded.get_buffer("weights"), torch.arange(4.0))


def test_a_new_part_is_not_read_even_if_the_file_has_it_and_leaves_the_rest(tmp_path):
    saved = small_folder(tmp_path, BertForPreTraining)
    pairs, words = (
        load_pretrained(BertForPreTraining, tmp_path, new=(part,))
        for part in ("cls.seq_relationship", "bert.embeddings")
    )
    assert pairs.cls.seq_relationship.bias.abs().max() == 0
    assert saved.cls.seq_relationship.bias.abs().max() > 0
    table = words.bert.embeddings.word_embeddings.weight
    assert words.cls.predictions.decoder.weight is table
    assert not torch.equal(table, saved.bert.embeddings.word_embeddings.weight)
    for model in (pairs, words):
        assert torch.equal(model.cls.predictions.bias, saved.cls.predictions.bias)


def test_weights_are_mapped_and_the_file_is_never_written_through_them(tmp_path):
    small_folder(tmp_path)
    path = tmp_path / WEIGHTS
    before = path.read_bytes()
    model = load_pretrained(BertModel, tmp_path)
    if (maps := Path("/proc/self/maps")).exists():
        assert str(path) in maps.read_text()  # copies would not need the file any more
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.fill_(7)
    assert path.read_bytes() == before


class Counting(BertEmbeddings):
    """Counts once, as the library does, and keeps a number as a tensor."""

    def __init__(self, config):
        super().__init__(config)
        self.register_buffer("position_ids", torch.arange(5), persistent=False)
        self.one = torch.tensor(1.0)


class Hiding(BertModel):
    """Has tensors that its state dict does not name."""

    def state_dict(self, **named):
        tensors = super().state_dict(**named)
        return {name: t for name, t in tensors.items() if not name.startswith("pooler")}


def test_what_no_file_holds_is_made_draws_nothing_and_is_never_left_undefined(tmp_path):
    saved = small_folder(tmp_path, BertModel)
    before = torch.get_rng_state()
    with override({BertEmbeddings: Counting}):
        model = load_pretrained(BertModel, tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    same_weights(model, saved)
    assert (model.embeddings.one, model.embeddings.position_ids.tolist()) == (1, [0, 1, 2, 3, 4])
    with pytest.raises(RuntimeError, match=r"no file can hold: pooler\.dense\.weight"):
        load_pretrained(Hiding, tmp_path, unused=("pooler",))


# Old files are repaired

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
    head = again.cls.predictions
    assert head.decoder.weight is again.bert.embeddings.word_embeddings.weight
    assert head.decoder.bias is head.bias


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


# Labels

NAMES = {0: "Hardware", 1: "Software", 2: "Billing"}
NAMED = [Sequences, Tokens]


@pytest.mark.parametrize(
    ("kind", "problem_type"), [(NAMED[1], None), *((NAMED[0], each) for each in PROBLEM_TYPES)]
)
def test_names_and_problem_go_to_transformers_and_back(tmp_path, kind, problem_type):
    problem = {"problem_type": problem_type} if problem_type else {}
    ours = build(draw_config(1), 1, kind=kind, id2label=NAMES, **problem)
    save_pretrained(ours, tmp_path / "ours")
    theirs, complaints = open_theirs(tmp_path / "ours", kind)
    assert not complaints
    assert theirs.config.id2label == NAMES
    assert theirs.config.label2id == {name: number for number, name in NAMES.items()}
    assert theirs.config.problem_type == problem_type
    theirs.save_pretrained(tmp_path / "theirs")
    for folder in ("ours", "theirs"):
        again = load_pretrained(kind, tmp_path / folder)
        assert again.label_fields == ours.label_fields
        same_weights(again, ours)


def five_labels(folder, kind, fields=None):
    """Save a model with five labels; let only these fields tell of them, if any are given."""
    names = {number: f"topic {number}" for number in range(5)}
    task = {"problem_type": "multi_label_classification"} if kind is NAMED[0] else {}
    model = build(draw_config(3), kind=kind, id2label=names, **task)
    save_pretrained(model, folder)
    if fields is not None:
        path = folder / CONFIG
        said = json.loads(path.read_text("utf-8"))
        kept = {key: value for key, value in said.items() if "label" not in key}
        path.write_text(json.dumps(kept | fields), encoding="utf-8")
    return model


def test_another_number_of_labels_needs_a_new_classifier(tmp_path):
    kind = Sequences
    model = five_labels(tmp_path, kind)
    with pytest.raises(ValueError, match="2 of another shape") as caught:
        load_pretrained(kind, tmp_path, num_labels=3)
    assert "classifier.bias (5,), here (3,)" in str(caught.value)
    assert "say new=('classifier',)." in str(caught.value)
    again = load_pretrained(kind, tmp_path, id2label=NAMES, new=("classifier",))
    assert again.id2label == NAMES
    assert again.problem_type is None  # that of the old labels
    same_weights(again.bert, model.bert)


CONTRADICTIONS = [
    {"num_labels": 5, "id2label": {"0": "a", "1": "b"}},
    {"_num_labels": 5, "id2label": {"0": "a", "1": "b"}, "label2id": {"a": 0, "b": 1}},
    {"num_labels": None, "id2label": {"0": "a", "1": "b"}},
    {},
]


@pytest.mark.parametrize("fields", CONTRADICTIONS)
@pytest.mark.parametrize("kind", NAMED)
def test_a_config_that_has_another_number_of_labels_than_the_weights(tmp_path, fields, kind):
    model = five_labels(tmp_path, kind, fields)
    with pytest.raises(ValueError, match=r"has 5 in the weights\. Say num_labels=5 ") as caught:
        load_pretrained(kind, tmp_path)
    assert "new=" not in str(caught.value)
    assert all(key in str(caught.value) for key, value in fields.items() if value is not None)
    same_weights(load_pretrained(kind, tmp_path, num_labels=5), model)


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({"label2id": {"b": 1, "a": 0, "c": 2, "e": 4, "d": 3}}, "abcde"),
        ({"_num_labels": 5}, [f"LABEL_{n}" for n in range(5)]),
    ],
)
def test_other_fields_that_tell_of_labels(tmp_path, fields, names):
    model = five_labels(tmp_path, NAMED[0], fields)
    again = load_pretrained(NAMED[0], tmp_path)
    assert list(again.id2label.values()) == list(names)
    same_weights(again, model)


# A real encoder


@pytest.mark.slow
def test_every_layer_and_every_sentence_vector(minilm):
    ours = load_pretrained(BertModel, minilm)
    theirs, complaints = open_theirs(minilm, BertModel, dtype=torch.float32)
    assert not complaints
    tokenizer = load_tokenizer(minilm)
    reference = transformers.BertTokenizer.from_pretrained(minilm)
    options = {"padding": True, "truncation": True, "max_length": 32}
    varied = sorted([*hundred_sentences(), *odd_texts(100, seed=5)], key=len)
    for texts in (varied[start : start + 25] for start in range(0, 200, 25)):
        mine, yours = tokenizer(texts, **options), reference(texts, return_tensors="pt", **options)
        assert torch.equal(mine["input_ids"], yours["input_ids"])
        with torch.no_grad():
            states = ours(**mine, output_hidden_states=True).hidden_states
            output = theirs(**yours, output_hidden_states=True)
        assert len(states) == len(output.hidden_states) == 7
        real = mine["attention_mask"].bool()
        for state, witness in zip(states, output.hidden_states):
            close(state[real], witness[real], 1e-5)
        # Average over the tokens, then scale to length 1, as the folder's modules.json says.
        weights = yours["attention_mask"][..., None].float()
        means = (output.last_hidden_state * weights).sum(1) / weights.sum(1)
        vectors = sentence_vectors(ours, tokenizer, texts, max_length=32)
        close(vectors, torch.nn.functional.normalize(means, dim=1), 1e-5)
