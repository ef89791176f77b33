"""The checkers of Chapter 26 that judge models: right answers pass, and slips are named."""

import copy
from dataclasses import replace

import pytest
import torch

from bertbook.core.exercises.mistake import as_mistakes, rewritten
from bertbook.museum.bug import SIZES
from bertbook.museum.invariants import check_invariants
from bertbook.museum.stepwise import Attention
from bertbook.topics.bugs import broken_models
from bertbook.topics.bugs.broken_models import check_renamed, check_unseen
from bertbook.topics.bugs.checks import check_falling
from minibert.attention import BertSelfAttention
from minibert.config import BertConfig
from minibert.model import BertModel, BertModelOutput
from minibert.parts import override

renamed, MISTAKES = broken_models._renamed, as_mistakes(broken_models._RENAMED)


def without_a_copy(model, *given):
    table = model.embeddings.word_embeddings.weight.data
    table[0] = table[1]
    return renamed(model, *given)


def ids_in_place(model, input_ids, one, other):
    answer = renamed(model, input_ids, one, other)
    input_ids[input_ids == one] = other
    return answer


@pytest.mark.slow
@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_usual_way_to_rename_words_wrongly_gets_its_hint(mistake):
    verdict = check_renamed(rewritten(renamed, mistake.wrong))
    assert verdict.message == f"Not yet. {mistake.hint}"


def test_renaming_words():
    assert check_renamed(renamed).passed
    assert len(MISTAKES) >= 17


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda model, *given: renamed(model.eval(), *given), "has changed, or its mode"),
        (without_a_copy, "Work on a deep copy"),
        (ids_in_place, "The ids that you were given have changed"),
        (lambda *given: renamed(*given) > 0.1, "Return one float"),
        (lambda *given: renamed(*given) + 1, "The changes are 1, "),
        (lambda model, ids, *words: ids[:, words].sum().item(), "no columns"),
        (lambda *given: None, "returns nothing yet"),
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


def gives_what_a_second_model_gives(model):
    other = BertModel(model.config).eval()
    other.load_state_dict(model.state_dict())
    with torch.no_grad():
        return torch.equal(*(m(torch.tensor([[3, 7, 12]]))[0] for m in (model, other)))


def spoils(model):
    model.embeddings.LayerNorm.bias.data.zero_()
    return model.embeddings.LayerNorm.weight.data.fill_(2).all()


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
        (louder, stays_below_a_bound, "Training changes biases"),
        (without_residuals, has_no_hooks, "fails on a good model"),
        (deaf, residuals_carry, "An invariant sees it: padding_changes_nothing"),
        (lambda kind: "a class", residuals_carry, "Return a class"),
        (without_residuals, lambda model: True, "holds of the changed model as well"),
        (without_residuals, lambda model: False, "fails on a good model; its weights have seed 0"),
        (without_residuals, lambda model: not residuals_carry(model), "the other way round"),
        (louder, lambda model: type(model).__name__ == "BertModel", "what its class is called"),
        (louder, gives_what_a_second_model_gives, "you ask a second program"),
        (louder, lambda model: spoils(model) and residuals_carry(model), "changes the model"),
        (louder, lambda model: "it holds", "Return True or False"),
        (not_built, residuals_carry, "Changed stopped with TypeError"),
    ],
)
def test_a_change_or_an_invariant_that_is_none(breaks, holds, hint):
    verdict = check_unseen(breaks, holds)
    assert not verdict.passed
    assert hint in verdict.message


@pytest.mark.slow
@pytest.mark.usefixtures("unchecked")
def test_what_fails_is_what_fails():
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
            with override({BertSelfAttention: Rootless}):
                super().__init__(config, add_pooling_layer)

    for name, model in {"mean": Mean, "root": Root, "sort": Sort}.items():
        torch.manual_seed(0)
        fallen = set(check_invariants(model(BertConfig(**SIZES), False)).broken)
        assert fallen == check_falling.right(name), name
