"""No padding: the same numbers and gradients as with it, and nothing leaks between sentences."""

import pytest
import torch
from bert_pairs import build, close, draw_batch
from varlen import play_kernel

from minibert.attention import BertSelfAttention, additive_mask, causal_mask
from minibert.config import BertConfig
from minibert.fast import CheckpointedLayer, UnpaddedEncoder, UnpaddedSelfAttention, block_mask
from minibert.layer import BertLayer
from minibert.model import BertEncoder, BertModel
from minibert.parts import override
from minibert.pretraining import BertForPreTraining

SIZES = {"vocab_size": 19, "hidden_size": 12, "num_attention_heads": 3, "intermediate_size": 20}
SMALL = BertConfig(**SIZES, num_hidden_layers=2, max_position_embeddings=16)
BOTH = {BertEncoder: UnpaddedEncoder, BertSelfAttention: UnpaddedSelfAttention}
WAYS = {"lengths told": BOTH, "block mask": {BertEncoder: UnpaddedEncoder}}


@pytest.fixture(params=["one by one", "all at once"])
def on_any_device(request, monkeypatch):
    """Take the way of a GPU on the CPU, too."""
    if request.param == "all at once":
        play_kernel(monkeypatch)


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


def test_the_lengths_of_one_batch_are_forgotten_in_the_next():
    with override(BOTH):
        model = build(SMALL)
    batch = draw_batch(SMALL, seed=3)
    whole = batch | {"attention_mask": torch.ones_like(batch["attention_mask"])}
    model(**batch)
    close(model(**whole)[0], build(SMALL)(**whole)[0], atol=1e-12)


@pytest.mark.parametrize("lengths", [[], [3, 0]])
def test_a_sentence_has_a_token(lengths):
    with pytest.raises(ValueError, match=r"at least 1 token, not \["):
        block_mask(lengths)
