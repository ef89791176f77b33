"""No padding, packed or between layers: the numbers and gradients of padded rows, nothing leaks."""

import math
import sys
from types import ModuleType

import pytest
import torch
from bert_pairs import PADDED, SMALL, build, close, draw, draw_batch
from torch._dynamo.testing import CompileCounter

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
from minibert.layer import BertLayer
from minibert.model import BertEncoder, BertModel
from minibert.parts import override
from minibert.pretraining import BertForMaskedLM, BertForPreTraining

SHAPE = PackedShape(tokens=40, sentences=9, labels=16, longest=9)
LENGTHS = (5, 1, 9, 3, 8)


def attend(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k):
    """Attend within each sentence, as PyTorch's kernel; no shape depends on an entry."""
    if not torch.compiler.is_compiling():
        assert cu_seq_q.dtype == cu_seq_k.dtype == torch.int32
        assert torch.equal(cu_seq_q, cu_seq_k) and max_q == max_k
        assert (cu_seq_q[0], cu_seq_q[-1]) == (0, len(query))
        assert cu_seq_q.diff().min() >= 0 and cu_seq_q.diff().max() <= max_q
    places = torch.arange(len(query))
    sentence = torch.searchsorted(cu_seq_q.long(), places, right=True)  # (tokens)
    apart = sentence[:, None] != sentence  # (tokens, tokens)
    query, key, value = (x.transpose(0, 1) for x in (query, key, value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    probs = scores.masked_fill(apart, -math.inf).softmax(-1)  # (heads, tokens, tokens)
    return (probs @ value).transpose(0, 1)  # (tokens, heads, head_size)


def play_kernel(monkeypatch):
    """Let unpadded attention go the way of a GPU, with the kernel above."""
    module = ModuleType("torch.nn.attention.varlen")
    module.varlen_attn = attend
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(UnpaddedSelfAttention, "_has_kernel", lambda self, query: True)


@pytest.fixture(params=["one by one", "all at once"])
def on_any_device(request, monkeypatch):
    """Take the way of a GPU on the CPU, too."""
    if request.param == "all at once":
        play_kernel(monkeypatch)


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


def padded(rows):
    """Pad rows to a batch of nine columns."""
    fillers = {"input_ids": 0, "labels": -100, "token_type_ids": 0, "attention_mask": 0}
    batch = {name: torch.full((len(rows), 9), x) for name, x in fillers.items()}
    for place, row in enumerate(rows):
        for name, values in (row | {"attention_mask": torch.ones_like(row["labels"])}).items():
            batch[name][place, : len(values)] = values
    return batch


def loss_and_gradient(model, batch, compiled=None):
    model.zero_grad()
    loss = (model if compiled is None else compiled)(**batch).loss
    loss.backward()
    return [loss, *(p.grad for p in model.parameters())]


def all_close(found, expected, atol=1e-10):
    for ours, theirs in zip(found, expected, strict=True):
        close(ours, theirs, atol=atol)


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
    tight = PackedShape(tokens=26, sentences=5, labels=12, longest=9)
    for shape, filler in ((SHAPE, 0), (SHAPE, 3), (tight, 0)):  # what fills up changes nothing
        batch = pack(rows, shape, filler)
        all_close(loss_and_gradient(packed_model({BertLayer: layer}), batch), expected)


def test_rows_are_packed_in_order_and_none_is_lost():
    rows = draw_rows(torch.randint(1, 10, (60,), generator=torch.Generator().manual_seed(1)))
    batches = [*packed_batches(rows, SHAPE)]
    assert len({tuple(x.shape for x in batch.values()) for batch in batches}) == 1
    real = [batch["input_ids"][batch["input_ids"] != 0] for batch in batches]
    assert torch.equal(torch.cat(real), torch.cat([row["input_ids"] for row in rows]))
    labels = torch.cat([batch["labels"] for batch in batches])
    expected = torch.cat([row["labels"] for row in rows])
    assert torch.equal(labels[labels != -100], expected[expected != -100])


@pytest.mark.parametrize("least", [{"tokens": 25}, {"sentences": 6}, {"labels": 4}])
def test_what_does_not_fit_is_refused(least):
    shape = SHAPE._replace(**least)
    with pytest.raises(ValueError, match=r"5 rows of 26 tokens with .* do not fit into"):
        pack(draw_rows(LENGTHS), shape)
    assert len([*packed_batches(draw_rows(LENGTHS), shape)]) > 1
    with pytest.raises(ValueError, match=r"a row of 9 tokens with .* does not fit .*; cut it"):
        next(packed_batches(draw_rows((9,)), shape._replace(longest=8)))
    for rows in ([], draw_rows((9,))):
        with pytest.raises(ValueError, match=rf"{len(rows)} rows of .* do not fit into"):
            pack(rows, SHAPE._replace(longest=8))
    with pytest.raises(ValueError, match="BertSelfAttention does not know where a sentence"):
        PackedMaskedLM(build(SMALL, kind=BertForMaskedLM))(**pack(draw_rows(LENGTHS), SHAPE))
    with pytest.raises(ValueError, match=r"at least 1 token, not \["):
        block_mask([3, 0])


@pytest.mark.usefixtures("unchecked")
def test_a_packed_step_is_one_graph_for_all_batches(monkeypatch):
    play_kernel(monkeypatch)
    torch._dynamo.reset()
    model, counter = packed_model(), CompileCounter()
    compiled = torch.compile(model, fullgraph=True, backend=counter)
    for seed, lengths in enumerate([LENGTHS, (9, 9, 9), (1, 2, 4, 3)]):
        batch = pack(draw_rows(lengths, seed), SHAPE)
        eager = loss_and_gradient(packed_model(), batch)
        all_close(loss_and_gradient(model, batch, compiled), eager)
    assert counter.frame_count == 1


BOTH = {BertEncoder: UnpaddedEncoder, BertSelfAttention: UnpaddedSelfAttention}
WAYS = {"lengths told": BOTH, "block mask": {BertEncoder: UnpaddedEncoder}}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("layer", [BertLayer, CheckpointedLayer])
@pytest.mark.parametrize("kind", [BertModel, BertForPreTraining])
def test_padded_and_unpadded_agree_in_value_and_gradient(kind, layer, way, on_any_device):
    batch, results = draw_batch(SMALL, seed=3), []
    real = batch["attention_mask"] == 1
    assert not real.all()
    for parts in ({}, WAYS[way] | {BertLayer: layer}):
        with override(parts):
            model = build(SMALL, kind=kind)
        values = [value for value in model(**batch) if isinstance(value, torch.Tensor)]
        values[0] = values[0][real] if values[0].dim() == 3 else values[0]
        sum(value.square().sum() for value in values).backward()
        grads = [p.grad for p in model.parameters() if p.grad is not None]
        results.append([*values, *grads])
    all_close(results[1], results[0])


STATES, PADDING = draw(3, 5, 12, seed=1), additive_mask(PADDED, torch.float64)


def encode(parts, mask, **wishes):
    with override(parts):
        encoder = build(SMALL).encoder
    return encoder(STATES, mask, **wishes), encoder


def test_what_comes_out_at_padding_is_zero_and_lengths_are_told_where_all_understand():
    output, encoder = encode(BOTH, PADDING, output_hidden_states=True)
    for states in output.hidden_states:
        assert (states[PADDED == 0] == 0).all()
        assert (states[PADDED == 1] != 0).any(dim=-1).all()
    _, other = encode({BertEncoder: UnpaddedEncoder}, PADDING)
    encoder.layer[1].attention.self = other.layer[1].attention.self
    found, plain = encoder(STATES, PADDING), encode({}, PADDING)[0]
    real = PADDED == 1
    close(found.last_hidden_state[real], plain.last_hidden_state[real], atol=1e-12)


PLAIN = {
    "none": (None, False),
    "nothing hidden": (torch.zeros_like(PADDING), False),
    "the future hidden": (causal_mask(5, torch.float64), False),
    "a sentence of padding": (additive_mask(PADDED * (PADDED[:, :1]), torch.float64), False),
    "attention weights wanted": (PADDING, True),
}


@pytest.mark.parametrize(("mask", "wanted"), PLAIN.values(), ids=PLAIN)
def test_what_cannot_be_packed_goes_the_plain_way(mask, wanted):
    plain, fast = (encode(each, mask, output_attentions=wanted)[0] for each in ({}, BOTH))
    close(fast.last_hidden_state, plain.last_hidden_state, atol=1e-12)
    all_close(fast.attentions or [], plain.attentions or [], atol=1e-12)
