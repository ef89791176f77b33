"""A reader's class in each role: right ones pass, and wrong ones hear what is wrong."""

import ast
import copy
import dataclasses
import functools
import importlib.util
import re

import pytest
import torch
import wrong_modules
from accepted_styles import text_of
from effort import mostly_thorough, sampled
from solutions import file_of_solutions
from torch import nn
from torch.nn import functional

from bertbook.core.exercises.mistake import as_mistakes
from bertbook.core.exercises.verdict import LONGEST
from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import original_of
from bertbook.reader.module import check_module, examine
from bertbook.reader.module.mutants import MUTATIONS
from bertbook.reader.module.mutation import mutate
from bertbook.reader.module.pair import TEST_CONFIG
from bertbook.reader.module.properties import PROPERTIES
from bertbook.reader.module.smoke_checks import RAISED
from minibert.attention import BertSelfAttention, BertSelfOutput
from minibert.config import BertConfig
from minibert.fast import FAST_PARTS
from minibert.layer import BertLayer
from minibert.masking import corrupt_tokens
from minibert.model import BertEncoder, BertPooler
from minibert.parts import override, part, replaced

MODULES = [role for role, terms in ROLES.items() if terms.built]
PLANTED = [*wrong_modules.BROKEN, *wrong_modules.FAULTS]
OURS = [
    (role, mutation) for role, mutations in MUTATIONS.items() for mutation in as_mistakes(mutations)
]
pytestmark = pytest.mark.usefixtures("unchecked")


@functools.cache
def readers_file(old="", new=""):
    """Run the reader's file, with something else typed in a place or in two."""
    text = text_of()
    for was, typed in zip(old.split("|"), new.split("|"), strict=True):
        assert was in text, was
        text = text.replace(was, typed) if was else text
    spec = importlib.util.spec_from_loader("my_bert_sample", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(compile(text, "my_bert.py", "exec"), module.__dict__)
    return module


def in_class(name, old, new):
    """Take a class of the reader's file after a slip."""
    return getattr(readers_file(old, new), name)


@functools.cache
def told(name, old, new):
    return check_module(in_class(name, old, new), original_of(name))


@functools.cache
def solutions():
    return file_of_solutions()


@functools.cache
def told_of_a_solution(name, old="", new=""):
    """Check a class of the solutions, with something else typed in a place or in several.

    What stands between it and the class before, a function that it calls, belongs to it.
    """
    nodes = ast.parse(solutions()).body
    at = next(i for i, node in enumerate(nodes) if getattr(node, "name", "") == name)
    start = at - isinstance(nodes[at - 1], ast.FunctionDef)
    lines = solutions().splitlines(keepends=True)[nodes[start].lineno - 1 : nodes[at].end_lineno]
    right = wrong = "".join(lines)
    for was, typed in zip(old.split("|"), new.split("|"), strict=True):
        assert was in wrong, was
        wrong = wrong.replace(was, typed)
    space = {"__name__": "my_bert"}
    exec(compile(solutions().replace(right, wrong), "my_bert.py", "exec"), space)
    return check_module(space[name], original_of(name))


def planted(role, how):
    """Write our class as somebody does who makes a usual mistake."""
    reference = role

    class Planted(reference):
        @functools.wraps(reference.forward)
        def forward(self, *given, **named):
            spoiled = copy.deepcopy(self)
            spoiled.__class__ = reference
            with torch.no_grad():
                mutate(spoiled, how)
            return spoiled(*given, **named)

    return Planted


@pytest.mark.parametrize("role", MODULES)
def test_ours_passes(role):
    verdict = check_module(role, role)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize("role", [role for role in FAST_PARTS if role in MODULES])
def test_what_is_only_faster_passes(role):
    verdict = check_module(FAST_PARTS[role], role)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize("name", [name for name in dir(readers_file()) if name.startswith("My")])
def test_a_readers_class_passes(name):
    verdict = check_module(getattr(readers_file(), name), original_of(name))
    assert verdict.passed, verdict.message
    assert re.fullmatch(rf"Right: {name} keeps all \d+ promises of .*", verdict.message)


class OffAfterwards(BertEncoder):
    """Right, and then no gradient is recorded any more."""

    def forward(self, *args, **kwargs):
        """Encode, and switch gradients off for all that follows."""
        output = super().forward(*args, **kwargs)
        torch.set_grad_enabled(False)
        return output


def test_who_switches_gradients_off_for_good_is_told_and_nobody_else_suffers():
    verdict = check_module(OffAfterwards, BertEncoder)
    assert torch.is_grad_enabled()
    assert not verdict.passed and "set_grad_enabled(False) lasts" in verdict.message
    assert check_module(BertEncoder, BertEncoder).passed


class FusedSelfAttention(BertSelfAttention):
    """Right by another way: the fused function, unless the map is wanted."""

    def forward(self, x, mask=None, show=False):
        if show:
            return super().forward(x, mask, show)
        sides = (self.split_heads(f(x)) for f in (self.query, self.key, self.value))
        rate = self.dropout.p if self.training else 0.0
        fused = functional.scaled_dot_product_attention(*sides, attn_mask=mask, dropout_p=rate)
        return self.join_heads(fused), None


def test_another_right_way_passes():
    verdict = check_module(FusedSelfAttention, BertSelfAttention)
    assert verdict.passed, verdict.message


@pytest.mark.parametrize(("name", "old", "new", "hint"), sampled(PLANTED, often=4))
def test_a_slip_is_told(name, old, new, hint):
    verdict = told(name, old, new)
    assert not verdict.passed
    assert verdict.message.startswith(f"Not yet. {name} as {original_of(name).__name__}: ")
    assert any(way in verdict.message for way in hint.split("|")), verdict.message


@pytest.mark.parametrize(("name", "old", "new", "hint"), wrong_modules.LATER)
def test_what_a_later_chapter_cannot_run_is_told_before_it_is_kept(name, old, new, hint):
    verdict = told(name, old, new)
    assert not verdict.passed
    assert any(way in verdict.message for way in hint.split("|")), verdict.message


@pytest.mark.slow
@pytest.mark.parametrize(("name", "old", "new", "hint"), sampled(wrong_modules.SOLVED, often=4))
def test_a_slip_in_a_solution_is_told(name, old, new, hint):
    verdict = told_of_a_solution(name, old, new)
    assert not verdict.passed
    assert hint in verdict.message


def test_no_usual_slip_goes_by_mistake():
    assert len(OURS) >= 217


@pytest.mark.slow
@pytest.mark.parametrize(("role", "mutation"), sampled(OURS, often=8, seldom=4))
def test_a_usual_slip_in_ours_gets_its_hint(role, mutation):
    verdict = check_module(planted(role, mutation.wrong), role)
    assert not verdict.passed
    assert mutation.hint in verdict.message, verdict.message
    assert len(verdict.message) < LONGEST


@pytest.mark.thorough
@pytest.mark.weekly
def test_every_sentence_is_shown_by_some_slip():
    verdicts = [told(*mutation[:3]) for mutation in (*PLANTED, *wrong_modules.LATER)]
    verdicts += [told_of_a_solution(*mutation[:3]) for mutation in wrong_modules.SOLVED]
    assert max(len(verdict.message) for verdict in verdicts) < LONGEST
    messages = " ".join(verdict.message for verdict in verdicts)
    sentences = [*(each_property.hint for each_property in PROPERTIES), *RAISED.values()]
    assert [text for text in sentences if text not in messages] == []


@pytest.mark.slow
def test_a_slip_lies_where_it_was_made():
    wrong = readers_file(wrong_modules.SCALE, "math.sqrt(h)")
    for name in ("MySelfAttention", "MyAttention", "MyLayer", "MyEncoder", "MyBert"):
        assert "by √hidden" in check_module(getattr(wrong, name), original_of(name)).message
    assert check_module(wrong.MySelfOutput, BertSelfOutput).passed


def test_what_holds_is_counted():
    whole = examine(readers_file().MySelfAttention, BertSelfAttention)
    assert (whole.held, whole.problem) == (whole.total, "")
    wrong = in_class("MySelfAttention", wrong_modules.SCALE, "math.sqrt(h)")
    found = examine(wrong, BertSelfAttention)
    assert (found.held, found.total) == (
        whole.total - 3,
        whole.total,
    )  # numbers, gradients, training
    nothing = examine(nn.Linear, BertSelfAttention)
    assert (nothing.held, nothing.total) == (0, whole.total)


def test_another_network_is_held_to_its_promises_but_not_to_our_numbers():
    wrong = in_class("MySelfAttention", wrong_modules.SCALE, "math.sqrt(h)")
    other = type("MyOwn", (wrong,), {"own_parameters": True})
    assert check_module(other, BertSelfAttention).passed
    deaf = in_class("MySelfAttention", wrong_modules.ADDED, "scores")
    other = type("MyOwn", (deaf,), {"own_parameters": True})
    message = check_module(other, BertSelfAttention).message
    assert "changes the real tokens" in message
    assert "differs from ours" not in message


@pytest.mark.slow
@pytest.mark.parametrize("role", mostly_thorough(MODULES))
def test_a_configuration_of_ones_own(role):
    config = BertConfig.tiny(vocab_size=41)
    assert check_module(role, role, config).passed
    wide = dataclasses.replace(TEST_CONFIG, hidden_act="relu", num_attention_heads=1)
    assert check_module(role, role, wide).passed


def test_a_configuration_without_room():
    config = dataclasses.replace(TEST_CONFIG, max_position_embeddings=3)
    with pytest.raises(ValueError, match=r"5 tokens .* max_position_embeddings = 3 .* no room"):
        check_module(BertSelfAttention, BertSelfAttention, config)


def test_a_role_that_is_none_or_is_played_by_a_function():
    with pytest.raises(ValueError, match="no model asks for 'pools'"):
        check_module(BertSelfAttention, "pools")
    with pytest.raises(ValueError, match="corrupt_tokens is a function"):
        check_module(BertSelfAttention, corrupt_tokens)


def test_what_is_no_class_is_told_so():
    assert "by a class derived from torch.nn.Module" in check_module(len, BertPooler).message
    assert "give the class itself" in check_module(nn.Linear(2, 2), BertPooler).message
    forgotten = type("MyPooler", (), {})
    assert "MyPooler'>; write class My…(nn.Module)" in check_module(forgotten, BertPooler).message


def test_neither_chance_nor_the_cast_is_changed():
    submission = readers_file().MySelfAttention
    with override({BertSelfAttention: submission}):
        before = torch.get_rng_state()
        assert check_module(BertLayer, BertLayer).passed
        assert torch.equal(torch.get_rng_state(), before)
        assert part(BertSelfAttention) is submission
    assert replaced() == {}
