"""Everything fast at once: the same numbers, the draws of weights, and who keeps a part."""

import io
from contextlib import ExitStack

import pytest
import torch
from bert_pairs import KINDS as MODELS
from bert_pairs import SMALL, build, close, draw_batch
from torch import nn

from minibert.attention import BertAttention, BertSelfAttention, BertSelfOutput
from minibert.fast import FAST_PARTS, fast_parts, switch_on
from minibert.model import BertPooler
from minibert.parts import override, part, replaced, use
from minibert.pretraining import BertForPreTraining

REPLACED = {BertSelfAttention, nn.Dropout}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("padded", [True, False])
def test_every_model_gives_the_same_numbers_and_gradients(kind, padded):
    batch = draw_batch(SMALL, seed=3)
    if not padded:
        batch["attention_mask"] = torch.ones_like(batch["attention_mask"])
    outputs, grads = [], []
    for players in ({}, fast_parts()):
        with override(players):
            model = build(SMALL, kind=kind)
        held = {type(module) for module in model.modules()}
        assert held & REPLACED == (set() if players else REPLACED)
        output = [x for x in model(**batch) if isinstance(x, torch.Tensor)]
        sum(x.square().sum() for x in output).backward()
        outputs.append(output)
        grads.append([p.grad for p in model.parameters() if p.grad is not None])
    for plain, fast in zip(outputs[0] + grads[0], outputs[1] + grads[1], strict=True):
        close(fast, plain, atol=1e-10)


def test_a_part_of_the_readers_is_left_to_her():
    mine = type("Mine", (nn.Dropout,), {})
    with override({nn.Dropout: mine}):
        with override(fast_parts()):
            assert part(nn.Dropout) is mine
            assert type(part(BertSelfAttention)(SMALL)) is FAST_PARTS[BertSelfAttention]
        assert replaced() == {nn.Dropout: mine}
    assert replaced() == {}


@pytest.mark.parametrize("kind", MODELS)
def test_building_draws_no_weight_twice(kind):
    """As many draws as weights: drawn in one go, they leave the generator in the same state."""
    with override(fast_parts()):
        torch.manual_seed(0)
        model = kind(SMALL)
        after = torch.get_rng_state()
    torch.manual_seed(0)
    for layer in model.modules():
        tied = isinstance(layer, nn.Linear) and layer.weight.shape[0] == SMALL.vocab_size
        if isinstance(layer, nn.Linear | nn.Embedding) and not tied:
            torch.empty_like(layer.weight).normal_()
    assert torch.equal(torch.get_rng_state(), after)


class MyAttention(nn.Module):
    """A reader's class: ours inside, and a plain dropout."""

    def __init__(self, config):
        super().__init__()
        self.self = BertSelfAttention(config)
        self.output = part(BertSelfOutput)(config)
        self.late = nn.Sequential(nn.Dropout(0.3))

    def forward(self, x, mask=None, output_attentions=False):
        context, probs = self.self(x, mask, output_attentions)
        return self.late(self.output(context, x)), probs


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("times", [1, 2])
def test_a_readers_parts_draw_what_ours_draw(kind, times):
    models, mine = [], type("MyPooler", (BertPooler,), {})
    for players in ({}, {BertAttention: MyAttention, BertPooler: mine}):
        with ExitStack() as stack:
            stack.enter_context(override(players))
            for _ in range(times):
                stack.enter_context(override(fast_parts()))
            torch.manual_seed(0)
            models.append(kind(SMALL))
    ours, theirs = (model.state_dict() for model in models)
    assert list(ours) == list(theirs)
    assert all(torch.equal(ours[name], theirs[name]) for name in ours)
    held = {type(module) for module in models[1].modules()}
    assert MyAttention in held
    assert (mine in held) == any(type(m) is BertPooler for m in models[0].modules())
    late = [part.late[0] for part in models[1].modules() if type(part) is MyAttention]
    assert {(type(dropout), dropout.p) for dropout in late} == {(FAST_PARTS[nn.Dropout], 0.3)}


def test_a_whole_model_can_be_stored():
    with override(fast_parts()):
        model = BertForPreTraining(SMALL)
    stored = io.BytesIO()
    torch.save(model, stored)
    stored.seek(0)
    again = torch.load(stored, weights_only=False)
    assert type(again.bert.pooler) is type(model.bert.pooler) is BertPooler


def test_switched_on_they_play_until_somebody_else_does():
    try:
        switch_on()
        assert FAST_PARTS.items() <= replaced().items()
    finally:
        use({role: role for role in replaced()})
    assert replaced() == {}
