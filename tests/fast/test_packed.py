"""Packed batches: their layout, and the loss and gradient of padded ones, of every row alone."""

import inspect

import pytest
import torch
from bert_pairs import build, close
from torch._dynamo.testing import CompileCounter
from varlen import attend, play_kernel

from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.fast import (
    CheckpointedLayer,
    PackedMaskedLM,
    PackedShape,
    UnpaddedSelfAttention,
    pack,
    packed_batches,
)
from minibert.fast.unpadded import HAS_VARLEN
from minibert.layer import BertLayer
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM

SIZES = {"vocab_size": 19, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20}
SMALL = BertConfig(**SIZES, num_hidden_layers=2, max_position_embeddings=9)
SHAPE = PackedShape(tokens=40, sentences=9, labels=16, longest=9)


def draw_rows(lengths, seed=0):
    """Draw rows with at least one label each, the segment 1 in their second half."""
    generator = torch.Generator().manual_seed(seed)
    rows = []
    for length in lengths:
        ids = torch.randint(1, 19, (length,), generator=generator)
        labels = torch.where(torch.rand(length, generator=generator) < 0.2, ids, -100)
        labels[length // 2] = 7
        segments = (torch.arange(length) > length // 2).long()
        rows.append({"input_ids": ids, "labels": labels, "token_type_ids": segments})
    return rows


LENGTHS = (5, 1, 9, 3, 8)


def padded(rows):
    """Pad rows to a batch."""
    fillers = {"input_ids": 0, "labels": -100, "token_type_ids": 0, "attention_mask": 0}
    batch = {name: torch.full((len(rows), 9), x) for name, x in fillers.items()}
    for place, row in enumerate(rows):
        for name, values in (row | {"attention_mask": torch.ones_like(row["labels"])}).items():
            batch[name][place, : len(values)] = values
    return batch


def loss_and_gradient(model, batch):
    model.zero_grad()
    loss = model(**batch).loss
    loss.backward()
    return [loss, *(p.grad for p in model.parameters())]


@pytest.fixture(params=["one by one", "all at once"])
def on_any_device(request, monkeypatch):
    """Take the way of a GPU on the CPU, too."""
    if request.param == "all at once":
        play_kernel(monkeypatch)


def packed_model(parts=()):
    with override({BertSelfAttention: UnpaddedSelfAttention, **dict(parts)}):
        return PackedMaskedLM(build(SMALL, kind=BertForMaskedLM))


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("layer", [BertLayer, CheckpointedLayer])
@pytest.mark.parametrize("segments", [True, False])
def test_packed_and_padded_agree_in_loss_and_gradient(layer, segments, on_any_device):
    rows = draw_rows(LENGTHS)
    if not segments:
        rows = [{name: row[name] for name in ("input_ids", "labels")} for row in rows]
    expected = loss_and_gradient(build(SMALL, kind=BertForMaskedLM), padded(rows))
    found = loss_and_gradient(packed_model({BertLayer: layer}), pack(rows, SHAPE))
    for ours, theirs in zip(found, expected, strict=True):
        close(ours, theirs, atol=1e-10)


def test_what_fills_up_changes_nothing():
    rows = draw_rows(LENGTHS)
    tight = PackedShape(tokens=26, sentences=5, labels=12, longest=9)
    found = [loss_and_gradient(packed_model(), pack(rows, shape, 3)) for shape in (tight, SHAPE)]
    for ours, theirs in zip(*found, strict=True):
        close(ours, theirs, atol=1e-10)


def test_every_position_belongs_to_a_sentence():
    rows = draw_rows((2, 4))
    batch = pack(rows, PackedShape(tokens=17, sentences=6, labels=6, longest=9), filler=18)
    assert batch["offsets"].tolist() == [0, 2, 6, 15, 17, 17, 17]
    assert batch["position_ids"].tolist() == [[0, 1, *range(4), *range(9), 0, 1]]
    assert batch["input_ids"][0, :6].tolist() == [*rows[0]["input_ids"], *rows[1]["input_ids"]]
    assert (batch["input_ids"][0, 6:] == 18).all()
    labels = torch.cat([row["labels"] for row in rows])
    places = (labels != -100).nonzero()[:, 0].tolist()
    assert batch["places"].tolist() == places + [0] * (6 - len(places))
    assert batch["labels"].tolist() == labels[places].tolist() + [-100] * (6 - len(places))


def test_rows_are_packed_in_order_and_none_is_lost():
    rows = draw_rows(torch.randint(1, 10, (60,), generator=torch.Generator().manual_seed(1)))
    batches = [*packed_batches(rows, SHAPE)]
    assert len({tuple(x.shape for x in batch.values()) for batch in batches}) == 1
    real = [batch["input_ids"][batch["input_ids"] != 0] for batch in batches]
    assert torch.equal(torch.cat(real), torch.cat([row["input_ids"] for row in rows]))
    labels = torch.cat([batch["labels"] for batch in batches])
    expected = torch.cat([row["labels"] for row in rows])
    assert torch.equal(labels[labels != -100], expected[expected != -100])


@pytest.mark.parametrize(
    "shape",
    [SHAPE._replace(tokens=25), SHAPE._replace(sentences=6), SHAPE._replace(labels=4)],
)
def test_what_does_not_fit_is_refused(shape):
    with pytest.raises(ValueError, match=r"5 rows of 26 tokens with .* do not fit into"):
        pack(draw_rows(LENGTHS), shape)
    assert len([*packed_batches(draw_rows(LENGTHS), shape)]) > 1
    with pytest.raises(ValueError, match=r"a row of 9 tokens with .* does not fit .*; cut it"):
        next(packed_batches(draw_rows((9,)), shape._replace(longest=8)))


def test_attention_has_to_know_the_offsets():
    with pytest.raises(ValueError, match="BertSelfAttention does not know where a sentence"):
        PackedMaskedLM(build(SMALL, kind=BertForMaskedLM))(**pack(draw_rows(LENGTHS), SHAPE))


def test_full_rows_need_no_offsets():
    rows = draw_rows((9, 9, 9))
    expected = loss_and_gradient(build(SMALL, kind=BertForMaskedLM), padded(rows))
    batch = pack(rows, PackedShape(tokens=27, sentences=3, labels=12, longest=9))
    del batch["offsets"], batch["position_ids"]
    for name in ("input_ids", "token_type_ids"):
        batch[name] = batch[name].view(3, 9)
    found = loss_and_gradient(PackedMaskedLM(build(SMALL, kind=BertForMaskedLM)), batch)
    for ours, theirs in zip(found, expected, strict=True):
        close(ours, theirs, atol=1e-10)


@pytest.mark.usefixtures("unchecked")
def test_a_packed_step_is_one_graph_for_all_batches(monkeypatch):
    play_kernel(monkeypatch)
    torch._dynamo.reset()
    model, counter = packed_model(), CompileCounter()
    compiled = torch.compile(model, fullgraph=True, backend=counter)
    for seed, lengths in enumerate([LENGTHS, (9, 9, 9), (1, 2, 4, 3)]):
        batch = pack(draw_rows(lengths, seed), SHAPE)
        eager = loss_and_gradient(packed_model(), batch)
        model.zero_grad()
        loss = compiled(**batch).loss
        loss.backward()
        found = [loss, *(p.grad for p in model.parameters())]
        for ours, theirs in zip(found, eager, strict=True):
            close(ours, theirs, atol=1e-10)
    assert counter.frame_count == 1


def test_the_kernel_of_the_tests_is_called_as_pytorchs():
    if not HAS_VARLEN:
        pytest.skip("PyTorch has varlen_attn from 2.10 on")
    from torch.nn.attention.varlen import varlen_attn

    theirs = list(inspect.signature(varlen_attn).parameters)
    assert theirs[:7] == list(inspect.signature(attend).parameters)
