"""No padding, packed or between layers: the numbers and gradients of padded rows, nothing leaks."""

import inspect

import pytest
import torch
from bert_pairs import SMALL, build, close, draw_batch
from torch._dynamo.testing import CompileCounter
from varlen import attend, play_kernel

from minibert.attention import BertSelfAttention, additive_mask, causal_mask
from minibert.fast import (
    CheckpointedLayer,
    PackedMaskedLM,
    PackedShape,
    UnpaddedEncoder,
    UnpaddedSelfAttention,
    block_mask,
    pack,
    packed_batches,
)
from minibert.fast.unpadded import HAS_VARLEN
from minibert.layer import BertLayer
from minibert.model import BertEncoder, BertModel
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

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


BOTH = {BertEncoder: UnpaddedEncoder, BertSelfAttention: UnpaddedSelfAttention}
WAYS = {"lengths told": BOTH, "block mask": {BertEncoder: UnpaddedEncoder}}


def unpadded(parts, kind=BertModel, config=SMALL):
    with override(parts):
        return build(config, kind=kind)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layer", [BertLayer, CheckpointedLayer])
@pytest.mark.parametrize("kind", [BertModel, BertForPreTraining])
def test_padded_and_unpadded_agree_in_value_and_gradient(kind, layer, way, on_any_device):
    batch, results = draw_batch(SMALL, seed=3), []
    real = batch["attention_mask"] == 1
    assert not real.all()
    for parts in ({}, WAYS[way] | {BertLayer: layer}):
        model = unpadded(parts, kind)
        values = [value for value in model(**batch) if isinstance(value, torch.Tensor)]
        values[0] = values[0][real] if values[0].dim() == 3 else values[0]
        sum(value.square().sum() for value in values).backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        results.append([*values, *grads])
    for plain, fast in zip(*results, strict=True):
        close(fast, plain, atol=1e-10)


def encode(parts, mask, **wishes):
    states = torch.randn(3, 5, 12, generator=torch.Generator().manual_seed(1)).double()
    with override(parts):
        encoder = build(SMALL, kind=BertModel).encoder
    return encoder(states, mask, **wishes), encoder


PADDED = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0], [0, 1, 0, 1, 0]])


@pytest.fixture
def attended(monkeypatch):
    """Collect the lengths of the sentences that attention is told."""
    plain, seen = UnpaddedSelfAttention._one_by_one, []

    def one_by_one(self, parts, lengths):
        seen.append(lengths)
        return plain(self, parts, lengths)

    monkeypatch.setattr(UnpaddedSelfAttention, "_one_by_one", one_by_one)
    return seen


def test_what_comes_out_at_padding_is_zero(attended):
    output, _ = encode(BOTH, additive_mask(PADDED, torch.float64), output_hidden_states=True)
    assert attended == [[5, 3, 2]] * SMALL.num_hidden_layers
    for states in output.hidden_states:
        assert (states[PADDED == 0] == 0).all()
        assert (states[PADDED == 1] != 0).any(dim=-1).all()


PADDING = additive_mask(PADDED, torch.float64)
PLAIN = {
    "none": (None, False),
    "nothing hidden": (torch.zeros_like(PADDING), False),
    "the future hidden": (causal_mask(5, torch.float64), False),
    "a sentence of padding": (additive_mask(PADDED * (PADDED[:, :1]), torch.float64), False),
    "attention weights wanted": (PADDING, True),
}


@pytest.mark.parametrize(("mask", "wanted"), PLAIN.values(), ids=PLAIN)
def test_what_cannot_be_packed_goes_the_plain_way(mask, wanted, attended):
    plain, _ = encode({}, mask, output_attentions=wanted)
    fast, _ = encode(BOTH, mask, output_attentions=wanted)
    assert attended == []
    close(fast.last_hidden_state, plain.last_hidden_state, atol=1e-12)
    for ours, theirs in zip(fast.attentions or [], plain.attentions or [], strict=True):
        close(ours, theirs, atol=1e-12)


def test_lengths_are_told_only_where_every_layer_understands_them():
    mask = additive_mask(PADDED, torch.float64)
    plain, _ = encode({}, mask)
    _, mixed = encode(BOTH, mask)
    attention = encode({BertEncoder: UnpaddedEncoder}, mask)[1].layer[1].attention.self
    mixed.layer[1].attention.self = attention
    states = torch.randn(3, 5, 12, generator=torch.Generator().manual_seed(1)).double()
    found = mixed(states, mask).last_hidden_state
    close(found[PADDED == 1], plain.last_hidden_state[PADDED == 1], atol=1e-12)


@pytest.mark.usefixtures("unchecked")
def test_layers_that_run_again_hear_the_sentences_of_their_own_batch(on_any_device):
    """Two batches go forward before anything goes back; each has lengths of its own."""
    masks = [
        (torch.arange(5) < torch.tensor([[5], [second], [6 - second]])).long() for second in (2, 4)
    ]
    grads = []
    for parts in ({}, BOTH | {BertLayer: CheckpointedLayer}):
        with override(parts):
            encoder = build(SMALL, kind=BertModel).encoder
        states = torch.randn(3, 5, 12, generator=torch.Generator().manual_seed(1)).double()
        weight = torch.randn(3, 5, 12, generator=torch.Generator().manual_seed(2)).double()
        states.requires_grad_()
        outputs = [encoder(states, additive_mask(mask, torch.float64)) for mask in masks]
        losses = [
            (output.last_hidden_state * weight * mask[..., None]).sum()
            for output, mask in zip(outputs, masks)
        ]
        sum(losses).backward()
        grads.append([states.grad, *(weights.grad for weights in encoder.parameters())])
    for plain, fast in zip(*grads, strict=True):
        close(fast, plain, atol=1e-10)


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_a_sentence_has_a_token(lengths):
    with pytest.raises(ValueError, match=r"at least 1 token, not \["):
        block_mask(lengths)
