"""The checkers of Chapter 26 that judge models: right answers pass, and slips are named."""

import copy
from dataclasses import replace

import pytest
import torch

from bertbook.checks.broken_models import check_renamed, check_unseen
from bertbook.checks.bugs import check_falling
from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from bertbook.museum.stepwise import Attention
from minibert.config import BertConfig
from minibert.model import BertModel, BertModelOutput
from minibert.parts import use


def renamed(model, input_ids, one, other, rows=True, ids=True, change=copy.deepcopy, size=abs):
    again = change(model)
    table = again.embeddings.word_embeddings.weight.data
    if rows:
        table[[one, other]] = table[[other, one]]
    names = torch.arange(len(table))
    if ids:
        names[[one, other]] = names[[other, one]]
    with torch.no_grad():
        before = model(input_ids).last_hidden_state
        after = again(names[input_ids]).last_hidden_state
    return float(size(after - before).max())


def answering(**slips):
    def answer(model, input_ids, one, other):
        return renamed(model, input_ids, one, other, **slips)

    return answer


def one_by_one(model, input_ids, one, other):
    again = copy.deepcopy(model)
    table = again.embeddings.word_embeddings.weight.data
    table[[one, other]] = table[[other, one]]
    ids = input_ids.clone()
    ids[ids == one] = other
    ids[ids == other] = one
    with torch.no_grad():
        change = again(ids).last_hidden_state - model(input_ids).last_hidden_state
    return change.abs().max().item()


def by_views(model, input_ids, one, other):
    again = copy.deepcopy(model)
    table = again.embeddings.word_embeddings.weight.data
    table[one], table[other] = table[other], table[one]
    names = torch.arange(len(table))
    names[[one, other]] = names[[other, one]]
    with torch.no_grad():
        change = again(names[input_ids]).last_hidden_state - model(input_ids).last_hidden_state
    return change.abs().max().item()


def ids_in_place(model, input_ids, one, other):
    answer = answering()(model, input_ids, one, other)
    input_ids[input_ids == one] = other
    return answer


def in_evaluation(model, *given):
    return answering()(model.eval(), *given)


def both_after(model, input_ids, one, other):
    again = copy.deepcopy(model)
    table = again.embeddings.word_embeddings.weight.data
    table[[one, other]] = table[[other, one]]
    names = torch.arange(len(table))
    names[[one, other]] = names[[other, one]]
    with torch.no_grad():
        change = again(names[input_ids]).last_hidden_state - again(input_ids).last_hidden_state
    return change.abs().max().item()


def with_a_mask(model, input_ids, one, other):
    again, names = copy.deepcopy(model), torch.arange(31)
    names[[one, other]] = names[[other, one]]
    table = again.embeddings.word_embeddings.weight.data
    table[[one, other]] = table[[other, one]]
    ids = names[input_ids]
    with torch.no_grad():
        change = again(ids, (ids != 0).long())[0] - model(input_ids)[0]
    return change.abs().max().item()


def test_renaming_words():
    assert check_renamed(answering()).passed


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (answering(rows=False), "Exchange their rows in the table"),
        (answering(ids=False), "The ids in the text have to follow"),
        (one_by_one, "Exchange both at once"),
        (by_views, "A row is a view"),
        (in_evaluation, "has changed, or its mode"),
        (both_after, "Both calls read the exchanged table"),
        (lambda *given: float(answering()(*given) > 1e-6), "not how much"),
        (ids_in_place, "The ids that you were given have changed"),
        (answering(size=lambda change: change), "Without abs"),
        (answering(size=lambda change: change.abs().mean()), "the mean of all changes"),
        (answering(size=torch.linalg.vector_norm), "the length of all changes"),
        (answering(size=lambda change: change[0].abs()), "Look at all texts"),
        (answering(size=lambda change: change[:, 0].abs()), "and at all tokens"),
        (with_a_mask, "who said that it is padding"),
        (lambda *given: 0 * answering()(*given), "Your change is 0 for every model"),
        (answering(change=copy.copy), "Work on a deep copy"),
        (answering(change=lambda model: model), "Work on a deep copy"),
        (lambda *given: answering()(*given) > 0.1, "Return one float"),
        (lambda *given: answering()(*given) + 1, "The changes are 1, "),
        (lambda model, ids, *words: ids[:, words].sum().item(), "no columns"),
        (lambda *given: None, "returns nothing yet"),
        (lambda model: 1.0, "stopped with TypeError"),
    ],
)
def test_renaming_words_wrongly(function, hint):
    verdict = check_renamed(function)
    assert not verdict.passed
    assert hint in verdict.message


def without_residuals(kind):
    def alone(part):
        class Alone(part):
            def forward(self, hidden_states, input_tensor):
                return super().forward(hidden_states, torch.zeros_like(input_tensor))

        return Alone

    class Changed(kind):
        def __init__(self, config):
            super().__init__(config)
            for layer in self.encoder.layer:
                for part in (layer.attention.output, layer.output):
                    part.__class__ = alone(type(part))

    return Changed


def residuals_carry(model):
    model = copy.deepcopy(model)
    for name, parameter in model.named_parameters():
        if ".output.dense." in name:
            parameter.data.zero_()
    with torch.no_grad():
        states = model(torch.tensor([[3, 7, 12]])).last_hidden_state
    return bool((states[0, 0] - states[0, 1]).abs().max() > 1e-3)


def louder(kind):
    class Changed(kind):
        def forward(self, *given, **named):
            output = super().forward(*given, **named)
            return output._replace(last_hidden_state=output.last_hidden_state * 2)

    return Changed


def deaf(kind):
    class Changed(kind):
        def forward(self, input_ids, attention_mask=None, **named):
            return super().forward(input_ids, None, **named)

    return Changed


def has_length_of_layer_norm(model):
    with torch.no_grad():
        states = model(torch.tensor([[3, 7, 12]])).last_hidden_state
    return torch.allclose(states.std(-1, correction=0), torch.ones(1, 3), atol=1e-3)


def gives_what_a_second_model_gives(model):
    other = BertModel(model.config).eval()
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        return torch.equal(*(m(torch.tensor([[3, 7, 12]]))[0] for m in (model, other)))


def spoils(model):
    model.embeddings.LayerNorm.bias.data.zero_()
    return model.embeddings.LayerNorm.weight.data.fill_(2).all()


def says_how_much(model):
    return torch.tensor(0.0) if residuals_carry(model) else torch.tensor(1.0)


def stays_below_a_bound(model):
    with torch.no_grad():
        return bool(model(torch.tensor([[3, 7, 12]])).last_hidden_state.abs().sum() < 50)


def has_no_hooks(model):
    return not any(part._forward_hooks for part in model.modules())


def other_weights(kind):
    class Changed(kind):
        def __init__(self, config):
            super().__init__(config)
            for parameter in self.parameters():
                parameter.data.mul_(2)

    return Changed


def other_sizes(kind):
    class Changed(without_residuals(kind)):
        def __init__(self, config):
            super().__init__(replace(config, intermediate_size=20))

    return Changed


def not_built(kind):
    class Changed(kind):
        def __init__(self):
            super().__init__()

    return Changed


def a_table(kind):
    class Changed(kind):
        def forward(self, *given, **named):
            return super().forward(*given, **named)[0] * 2

    return Changed


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
def test_a_change_that_no_invariant_sees():
    assert check_unseen(without_residuals, residuals_carry).passed
    assert check_unseen(other_sizes, residuals_carry).passed


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("breaks", "holds", "hint"),
    [
        (lambda kind: kind, residuals_carry, "The vectors are the same as before"),
        (other_weights, residuals_carry, "Change what is done with the weights"),
        (louder, says_how_much, "Return True or False"),
        (louder, stays_below_a_bound, "Training changes biases"),
        (without_residuals, has_no_hooks, "falls on a good model"),
        (deaf, residuals_carry, "An invariant sees it: padding_changes_nothing"),
        (lambda kind: "a class", residuals_carry, "Return a class"),
        (lambda kind: None, residuals_carry, "returns nothing yet"),
        (without_residuals, lambda model: True, "holds of the changed model as well"),
        (without_residuals, lambda model: False, "falls on a good model; its weights have seed 0"),
        (louder, residuals_carry, "holds of the changed model as well"),
        (louder, lambda model: not residuals_carry(model), "falls on a good model"),
        (without_residuals, lambda model: not residuals_carry(model), "the other way round"),
        (louder, lambda model: type(model).__name__ == "BertModel", "what its class is called"),
        (louder, has_length_of_layer_norm, "Training changes biases"),
        (louder, gives_what_a_second_model_gives, "you ask a second program"),
        (louder, lambda model: spoils(model) and residuals_carry(model), "changes the model"),
        (louder, lambda model: "it holds", "Return True or False"),
        (louder, lambda model: torch.ones(3) > 0, "Return True or False"),
        (not_built, residuals_carry, "Changed stopped with TypeError"),
        (a_table, residuals_carry, "Changed stopped with AttributeError"),
    ],
)
def test_a_change_or_an_invariant_that_is_none(breaks, holds, hint):
    verdict = check_unseen(breaks, holds)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.slow  # the one that meets the checks of shapes, too
def test_a_change_that_is_seen():
    class Causal(BertModel):
        def forward(self, input_ids, attention_mask=None, **named):
            output = super().forward(input_ids, attention_mask, **named)
            return output._replace(last_hidden_state=output.last_hidden_state.cumsum(dim=0))

    verdict = check_unseen(lambda kind: Causal, residuals_carry)
    assert "An invariant sees it: batch_mates_do_not_matter" in verdict.message


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
def test_what_falls_is_what_falls():
    """The three changes of the first exercise, as they are described, break what is said."""

    class Mean(BertModel):
        def forward(self, *given, **named):
            output = super().forward(*given, **named)
            return output._replace(pooler_output=output.last_hidden_state.mean(dim=1))

    class Sort(BertModel):
        def forward(self, input_ids, attention_mask=None, token_type_ids=None):
            order = (input_ids != 0).sum(dim=1).argsort(stable=True)
            mask = None if attention_mask is None else attention_mask[order]
            types = None if token_type_ids is None else token_type_ids[order]
            output = super().forward(input_ids[order], mask, types)
            return BertModelOutput(output.last_hidden_state)

    class Rootless(Attention):
        def weigh(self, scores, mask):
            return super().weigh(scores * self.head_size**0.5, mask)

    class Root(BertModel):
        def __init__(self, config, add_pooling_layer=True):
            with use(self_attention=Rootless):
                super().__init__(config, add_pooling_layer)

    for name, model in {"mean": Mean, "root": Root, "sort": Sort}.items():
        torch.manual_seed(0)
        fallen = set(check_invariants(model(BertConfig(**SIZES), False)).broken)
        assert fallen == check_falling.right(name), name
