"""The family equals transformers on random weights, with padding on either side of the batch."""

import dataclasses

import pytest
import torch
import transformers
from bert_pairs import close
from family_pairs import MEMBERS, build_pair, compute_in_64_bits, draw_batch, draw_labels

import bertfamily as family


@torch.no_grad()
def gradients(model):
    """Put each gradient in the place of its parameter, so that it goes by the saved name."""
    for parameter in model.parameters():
        parameter.copy_(torch.zeros(()) if parameter.grad is None else parameter.grad)
    return model.state_dict()


def same_gradients(pair):
    """Fail unless two models have learned the same, and something."""
    ours, theirs = map(gradients, pair)
    assert any(gradient.any() for gradient in theirs.values())
    for name, gradient in theirs.items():
        close(ours[name], gradient, 1e-9)


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize("member", MEMBERS.values(), ids=MEMBERS)
def test_every_hidden_state_and_the_gradient_of_every_parameter(member, side, monkeypatch):
    compute_in_64_bits(monkeypatch)
    pair = build_pair(member)
    batch = draw_batch(member, pair[0].config)
    batch = batch if side == "right" else {name: x.flip(1) for name, x in batch.items()}
    seen = batch["attention_mask"].bool()
    a, b = (model(**batch, output_hidden_states=True) for model in pair)
    assert torch.isfinite(a.last_hidden_state).all()
    assert torch.equal(a.hidden_states[-1], a.last_hidden_state)
    for one, other in zip(a.hidden_states, b.hidden_states, strict=True):
        close(one[seen], other[seen], 1e-10)
    if a.pooler_output is not None:
        close(a.pooler_output, b.pooler_output, 1e-10)
    hidden = pair[0].config.hidden_size
    weights = torch.randn(hidden, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for output in (a, b):
        (output.last_hidden_state[seen] @ weights).tanh().sum().backward()
    same_gradients(pair)


@pytest.mark.parametrize("head", ["ForQuestionAnswering", "ForMaskedLM"])
@pytest.mark.parametrize("name", [name for name in MEMBERS if not name.startswith("modernbert")])
def test_the_gradient_of_each_loss(name, head):
    """Answers are chosen among padding too, where ModernBERT's library has its own numbers."""
    pair = build_pair(MEMBERS[name], head)
    batch = draw_batch(MEMBERS[name], pair[0].config)
    one, other = (model(**batch, **draw_labels(head, batch)).loss for model in pair)
    close(one, other, 1e-10)
    one.backward()
    other.backward()
    same_gradients(pair)


@pytest.mark.parametrize("member", ["albert", "electra", "roberta", "distilbert"])
def test_the_defaults_are_those_of_transformers(member):
    name = MEMBERS[member].name
    ours = getattr(family, f"{name}Config")()
    theirs = getattr(transformers, f"{name}Config")()
    names = [field.name for field in dataclasses.fields(ours) if hasattr(theirs, field.name)]
    assert len(names) > 10
    for name in names:
        assert getattr(ours, name) == getattr(theirs, name), name
