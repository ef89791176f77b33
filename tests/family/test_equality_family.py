"""The family equals transformers on random weights, with padding in the batch."""

import dataclasses

import pytest
import torch
import transformers
from bert_pairs import close
from family_pairs import (
    MEMBERS,
    build,
    build_pair,
    build_theirs,
    compute_in_64_bits,
    draw_batch,
)

from minibert import family
from minibert.pretrained.config_file import config_from_fields

PRECISIONS = [(torch.float64, 1e-10), (torch.float32, 1e-5)]
every_member = pytest.mark.parametrize("member", MEMBERS.values(), ids=MEMBERS)


@every_member
@pytest.mark.parametrize(("dtype", "atol"), PRECISIONS)
def test_every_hidden_state(member, dtype, atol, monkeypatch):
    if dtype == torch.float64:
        compute_in_64_bits(monkeypatch)
    ours, theirs = build_pair(member, dtype)
    batch = draw_batch(member, ours.config)
    seen = batch["attention_mask"].bool()
    with torch.no_grad():
        a = ours(**batch, output_hidden_states=True)
        b = theirs(**batch, output_hidden_states=True)
    assert torch.isfinite(a.last_hidden_state).all()
    # ModernBERT's library lists the last vectors after the last LayerNorm.
    states = [*a.hidden_states[:-1], a.last_hidden_state]
    assert len(states) == len(b.hidden_states)
    for one, other in zip(states, b.hidden_states):
        close(one[seen], other[seen], atol)
    if a.pooler_output is not None:
        close(a.pooler_output, b.pooler_output, atol)


@torch.no_grad()
def gradients(model):
    """Put each gradient in the place of its parameter, so that it goes by the saved name."""
    for parameter in model.parameters():
        parameter.copy_(torch.zeros(()) if parameter.grad is None else parameter.grad)
    return model.state_dict()


@every_member
def test_the_gradient_of_every_parameter(member, monkeypatch):
    compute_in_64_bits(monkeypatch)
    pair = build_pair(member)
    batch = draw_batch(member, pair[0].config)
    seen = batch["attention_mask"].bool()
    hidden = pair[0].config.hidden_size
    weights = torch.randn(hidden, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    for model in pair:
        (model(**batch).last_hidden_state[seen] @ weights).tanh().sum().backward()
    ours, theirs = map(gradients, pair)
    assert any(gradient.any() for gradient in theirs.values())
    for name, gradient in theirs.items():
        close(ours[name], gradient, 1e-9)


@every_member
def test_their_weights_go_into_ours_and_back(member):
    ours, theirs = build_pair(member)
    shapes = [{n: p.shape for n, p in model.state_dict().items()} for model in (ours, theirs)]
    assert shapes[0] == shapes[1]
    assert str(theirs.load_state_dict(ours.state_dict(), strict=True)).startswith("<All keys")


@every_member
def test_their_configuration_makes_ours(member):
    fields = getattr(transformers, f"{member.name}Config")(**member.fields).to_dict()
    config_class = getattr(family, f"{member.name}Config")
    config = config_from_fields(config_class, fields)
    for name, value in member.fields.items():
        ours = getattr(config, name)
        assert list(ours) == value if isinstance(value, list) else ours == value, name
    assert dataclasses.is_dataclass(config)


@pytest.mark.parametrize("member", ["albert", "electra", "roberta", "distilbert"])
def test_the_defaults_are_those_of_transformers(member):
    name = MEMBERS[member].name
    ours = getattr(family, f"{name}Config")()
    theirs = getattr(transformers, f"{name}Config")()
    names = [field.name for field in dataclasses.fields(ours) if hasattr(theirs, field.name)]
    assert len(names) > 10
    for name in names:
        assert getattr(ours, name) == getattr(theirs, name), name


@every_member
def test_batch_mates_do_not_matter(member):
    model = build(member).double().eval()
    batch = draw_batch(member, model.config)
    together = model(**batch).last_hidden_state
    for row, length in enumerate(batch["attention_mask"].sum(dim=1).tolist()):
        alone = {name: ids[row : row + 1, :length] for name, ids in batch.items()}
        close(model(**alone).last_hidden_state[0], together[row, :length], 1e-10)


@pytest.mark.parametrize("said", ["by two names", "by kind of layer"])
def test_global_and_local_layers_turn_by_angles_of_their_own(said, monkeypatch):
    compute_in_64_bits(monkeypatch)
    thetas = {"full_attention": 500.0, "sliding_attention": 20.0}
    fields = {kind: {"rope_type": "default", "rope_theta": x} for kind, x in thetas.items()}
    member = MEMBERS["modernbert"]
    theirs = build_theirs(member, torch.float64, rope_parameters=fields)
    named = {"global_rope_theta": 500.0, "local_rope_theta": 20.0}
    names = named if said == "by two names" else {"rope_parameters": fields}
    other = {"global_rope_theta": 20.0, "local_rope_theta": 500.0}
    found = []
    for changes in (names, other):
        ours = build(member, **changes).double().eval()
        ours.load_state_dict(theirs.state_dict(), strict=True)
        batch = draw_batch(member, ours.config)
        with torch.no_grad():
            one, two = (model(**batch).last_hidden_state for model in (ours, theirs))
        found.append((one - two)[batch["attention_mask"].bool()].abs().max().item())
    assert found[0] < 1e-10
    assert found[1] > 1e-3
