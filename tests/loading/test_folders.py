"""What we save transformers opens, what it saves we open; nothing is random, decoders stay tied."""

import json
import re
from ast import literal_eval
from pathlib import Path

import pytest
import torch
import transformers
from bert_pairs import build, close, draw_batch, draw_config
from effort import mostly_slow
from odd_texts import odd_texts
from safetensors.torch import load_file
from saved_folders import (
    KINDS,
    TASKS,
    open_theirs,
    outputs,
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
from minibert.model import BertModel
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining
from minibert.tasks.inference import sentence_vectors

SEEDS = mostly_slow(range(3))
PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]
TYPES = [torch.float32, torch.float64, torch.float16, torch.bfloat16]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("saves", ["we save", "transformers saves", "in shards"])
def test_what_one_saves_the_other_opens(tmp_path, kind, dtype, atol, seed, saves):
    if saves == "we save":
        ours = build(draw_config(seed), seed, dtype, kind)
        save_pretrained(ours, tmp_path)
        theirs, complaints = open_theirs(tmp_path, kind)
        assert not complaints
        assert theirs.dtype == dtype
        assert config_from_fields(BertConfig, theirs.config.to_dict()) == ours.config
    else:
        options = {"max_shard_size": "1KB"} if saves == "in shards" else {}
        theirs = their_folder(tmp_path, kind, seed, dtype, **options)
        assert (tmp_path / "model.safetensors").exists() == (not options)
        ours = load_pretrained(kind, tmp_path)
    same_weights(ours, theirs)
    batch = draw_batch(ours.config, seed)
    for mine, yours in zip(outputs(ours, batch), outputs(theirs, batch), strict=True):
        close(mine, yours, atol)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", TYPES)
def test_there_and_back_bit_for_bit(tmp_path, kind, dtype):
    model = build(draw_config(1), 1, dtype, kind)
    save_pretrained(model, tmp_path)
    again = load_pretrained(kind, tmp_path)
    same_weights(again, model)
    assert again.config == model.config
    assert not again.training
    assert all(parameter.requires_grad for parameter in again.parameters())
    fields = json.loads((tmp_path / "config.json").read_text("utf-8"))
    assert fields["dtype"] == str(dtype).removeprefix("torch.")
    assert fields["architectures"] == [kind.__name__]


@pytest.mark.parametrize("kind", [BertForMaskedLM, BertForPreTraining])
def test_the_decoder_stays_tied(tmp_path, kind):
    small_folder(tmp_path, kind)
    model = load_pretrained(kind, tmp_path)
    head, table = model.cls.predictions, model.bert.embeddings.word_embeddings
    assert head.decoder.weight is table.weight
    assert head.decoder.bias is head.bias
    save_pretrained(model, tmp_path)
    assert not [name for name in load_file(tmp_path / "model.safetensors") if "decoder" in name]


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
    path = tmp_path / "model.safetensors"
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
        counted = torch.arange(config.max_position_embeddings)[None]
        self.register_buffer("position_ids", counted, persistent=False)
        self.one = torch.tensor(1.0)

    def forward(self, ids=None, segments=None, positions=None, vectors=None):
        if positions is None:
            positions = self.position_ids[:, : (vectors if ids is None else ids).shape[1]]
        return self.one * super().forward(ids, segments, positions, vectors)


class Hiding(BertModel):
    """Has tensors that its state dict does not name."""

    def state_dict(self, **named):
        tensors = super().state_dict(**named)
        return {name: t for name, t in tensors.items() if not name.startswith("pooler")}


def test_what_no_file_holds_is_made_draws_nothing_and_is_never_left_undefined(tmp_path):
    saved = small_folder(tmp_path, BertModel)
    plain = load_pretrained(BertModel, tmp_path)
    before = torch.get_rng_state()
    with override({BertEmbeddings: Counting}):
        model = load_pretrained(BertModel, tmp_path)
    assert torch.equal(torch.get_rng_state(), before)
    same_weights(model, saved)
    batch = draw_batch(model.config, seed=3)
    found, wanted = (one(**batch).last_hidden_state for one in (model, plain))
    torch.testing.assert_close(found, wanted)
    with pytest.raises(RuntimeError, match=r"no file can hold: pooler\.dense\.weight"):
        load_pretrained(Hiding, tmp_path, unused=("pooler",))


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
