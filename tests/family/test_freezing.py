"""A frozen encoder gives fixed features, whatever the member and the head."""

import dataclasses

import pytest
import torch
from effort import mostly_slow
from family_pairs import build_with_head

from minibert.tasks import train_from_top

IDS = torch.tensor([[8, 11, 30, 9, 14], [9, 12, 31, 7, 7]])
MASK = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 1, 0, 0]])
PLACES = torch.tensor([1, 2])
EACH = torch.tensor([[1, 0, 1, 1, -100], [0, 1, -100, -100, -100]])
HEADS = {
    "ForMaskedLM": {"labels": EACH},
    "ForSequenceClassification": {"labels": torch.tensor([1, 0])},
    "ForTokenClassification": {"labels": EACH},
    "ForQuestionAnswering": {"start_positions": PLACES, "end_positions": PLACES},
}
DEFAULT = ["roberta", "distilbert", "albert", "deberta v3", "deberta v2, all apart", "electra"]
CASES = [(name, head) for name in ["bert", *DEFAULT, "modernbert"] for head in HEADS]
CASES += [("electra", "ForPreTraining"), ("bert", "ForPreTraining")]


@pytest.mark.parametrize(("name", "head"), mostly_slow(CASES, quick=len(CASES)))
def test_the_features_do_not_move_and_the_head_does(name, head):
    model, labels = build_with_head(name, head), HEADS.get(head, {"labels": EACH})
    if head == "ForPreTraining" and name == "electra":
        labels = {"labels": EACH.clamp(min=0)}
    train_from_top(model, 0)

    def features():
        with torch.no_grad():
            return model.bert(IDS, MASK, output_hidden_states=True).hidden_states

    def head_weights():
        own = (p for n, p in model.named_parameters() if p.requires_grad)
        return torch.cat([p.detach().flatten() for p in own])

    before, weights = features(), head_weights()
    learning = [p for p in model.parameters() if p.requires_grad]
    optimizer = torch.optim.SGD(learning, lr=0.5)
    for _ in range(3):
        optimizer.zero_grad()
        model(IDS, MASK, **labels).loss.backward()
        optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(before, features(), strict=True))
    assert not torch.equal(head_weights(), weights)


@pytest.mark.parametrize("name", [*DEFAULT, "modernbert"])
def test_what_all_layers_read_learns_last_and_what_stands_above_them_first(name):
    model = build_with_head(name, "ForTokenClassification")
    layers = len(model.bert.encoder.layer)
    own = {
        n: p
        for n, p in model.bert.encoder.named_parameters()
        if not n.startswith(("layer.", "albert_layer_groups."))
    }
    expected = {"albert": 2, "deberta v3": 3, "deberta v2, all apart": 1, "modernbert": 1}
    assert len(own) == expected.get(name, 0)
    for groups in range(layers + 2):
        train_from_top(model, groups)
        for place, parameter in own.items():
            first = 1 if "final_norm" in place else layers + 1
            assert parameter.requires_grad == (groups >= first), (place, groups)
        learning = {id(p) for p in model.parameters() if p.requires_grad}
        for number, layer in enumerate(model.bert.encoder.layer):
            if number < layers - groups:
                assert not any(id(p) in learning for p in layer.parameters())
    assert all(parameter.requires_grad for parameter in model.parameters())
    assert dataclasses.is_dataclass(model.config)
