"""A reader's class in each role: right ones pass, and wrong ones hear what is wrong.

A section of `wrong_classes.txt` has, of each wrong class, what stands in the reader's file or in
the solutions and is typed otherwise, and words of the reply.
"""

import ast
import copy
import dataclasses
import functools
import importlib.util
import re
from pathlib import Path

import pytest
import torch
from accepted_styles import text_of
from effort import mostly_thorough, sampled
from solutions import file_of_solutions
from test_answers import changed
from torch import nn

from bertbook.core.exercises.mistake import as_mistakes
from bertbook.core.exercises.verdict import LONGEST
from bertbook.reader.contracts import ROLES
from bertbook.reader.contracts.names import original_of
from bertbook.reader.module import check_module, examine, scoreboard
from bertbook.reader.module.comparison import COMPARISONS
from bertbook.reader.module.examination import IS_CALLED
from bertbook.reader.module.mutants import MUTATIONS
from bertbook.reader.module.mutation import mutate
from bertbook.reader.module.pair import TEST_CONFIG
from bertbook.reader.module.properties import PROPERTIES
from bertbook.reader.module.scoreboard import LINES
from bertbook.reader.module.smoke_checks import RAISED
from minibert.attention import BertSelfAttention, BertSelfOutput
from minibert.config import BertConfig
from minibert.fast import FAST_PARTS
from minibert.layer import BertIntermediate, BertLayer
from minibert.masking import corrupt_tokens
from minibert.model import BertModel
from minibert.parts import override, part, replaced

MODULES = [role for role, terms in ROLES.items() if terms.built]
SECTIONS = Path(__file__).with_name("wrong_classes.txt").read_text("utf-8").strip().split("\n\n")
BROKEN, FAULTS, LATER, SOLVED = (
    [re.fullmatch(r"(\w+): (.*)  ::  (.*)", line).groups() for line in section.splitlines()[1:]]
    for section in SECTIONS
)
OURS = [(role, mistake) for role, ways in MUTATIONS.items() for mistake in as_mistakes(ways)]
ROOT_OF_ALL = "math.sqrt(h // self.heads) → math.sqrt(h)"
pytestmark = pytest.mark.usefixtures("unchecked")


@functools.cache
def readers_file(change=""):
    """Run the reader's file, with something else typed in a place or in two."""
    text = text_of()
    spec = importlib.util.spec_from_loader("my_bert_sample", loader=None)
    module = importlib.util.module_from_spec(spec)
    exec(compile(changed(text, change), "my_bert.py", "exec"), module.__dict__)
    return module


@functools.cache
def told(name, change):
    return check_module(getattr(readers_file(change), name), original_of(name))


solutions = functools.cache(file_of_solutions)


@functools.cache
def told_of_a_solution(name, change):
    """Check a class of the solutions, with something else typed in a place or in several.

    What stands between it and the class before, a function that it calls, belongs to it.
    """
    nodes = ast.parse(solutions()).body
    at = next(i for i, node in enumerate(nodes) if getattr(node, "name", "") == name)
    start = at - isinstance(nodes[at - 1], ast.FunctionDef)
    lines = solutions().splitlines(keepends=True)[nodes[start].lineno - 1 : nodes[at].end_lineno]
    right = "".join(lines)
    space = {"__name__": "my_bert"}
    exec(compile(solutions().replace(right, changed(right, change)), "my_bert.py", "exec"), space)
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


RIGHT = [
    *((role, role) for role in MODULES),
    *((FAST_PARTS[role], role) for role in FAST_PARTS if role in MODULES),
    *((kind, original_of(n)) for n, kind in vars(readers_file()).items() if n.startswith("My")),
]


@pytest.mark.parametrize(("kind", "role"), RIGHT, ids=lambda value: value.__name__)
def test_a_right_class_passes(kind, role):
    """Ours, what is only faster, and those of a reader."""
    verdict = check_module(kind, role)
    assert verdict.passed, verdict.message
    assert re.fullmatch(rf"Right: {kind.__name__} keeps all \d+ promises of .*", verdict.message)


@pytest.mark.parametrize(("name", "change", "hint"), [*sampled(BROKEN + FAULTS, often=4), *LATER])
def test_a_slip_is_told(name, change, hint):
    """Also what a later chapter cannot run, before it is kept."""
    verdict = told(name, change)
    assert not verdict.passed
    assert verdict.message.startswith(f"Not yet. {name} as {original_of(name).__name__}: ")
    assert any(way in verdict.message for way in hint.split("|")), verdict.message


@pytest.mark.slow
@pytest.mark.parametrize(("name", "change", "hint"), sampled(SOLVED, often=4))
def test_a_slip_in_a_solution_is_told(name, change, hint):
    verdict = told_of_a_solution(name, change)
    assert not verdict.passed
    assert hint in verdict.message


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
    assert len(OURS) >= 217, "none goes by mistake"
    verdicts = [told(*slip[:2]) for slip in BROKEN + FAULTS + LATER]
    verdicts += [told_of_a_solution(*slip[:2]) for slip in SOLVED]
    assert max(len(verdict.message) for verdict in verdicts) < LONGEST
    messages = " ".join(verdict.message for verdict in verdicts)
    sentences = [*(each_property.hint for each_property in PROPERTIES), *RAISED.values()]
    assert [text for text in sentences if text not in messages] == []


@pytest.mark.slow
def test_a_slip_lies_where_it_was_made():
    wrong = readers_file(ROOT_OF_ALL)
    for name in ("MySelfAttention", "MyAttention", "MyLayer", "MyEncoder", "MyBert"):
        assert "by √hidden" in check_module(getattr(wrong, name), original_of(name)).message
    assert check_module(wrong.MySelfOutput, BertSelfOutput).passed


def test_what_holds_is_counted():
    whole, found, nothing = (
        examine(kind, BertSelfAttention)
        for kind in (BertSelfAttention, readers_file(ROOT_OF_ALL).MySelfAttention, nn.Linear)
    )
    assert (whole.held, whole.problem, nothing.held) == (whole.total, "", 0)
    assert found.held == whole.total - 3, "numbers, gradients, training"


def test_another_network_is_held_to_its_promises_but_not_to_our_numbers():
    deaf = "scores if mask is None else scores + mask → scores"
    own, deaf = (
        type("MyOwn", (readers_file(change).MySelfAttention,), {"own_parameters": True})
        for change in (ROOT_OF_ALL, deaf)
    )
    assert check_module(own, BertSelfAttention).passed
    assert "changes the real tokens" in check_module(deaf, BertSelfAttention).message


@pytest.mark.slow
@pytest.mark.parametrize("role", mostly_thorough(MODULES))
def test_a_configuration_of_ones_own(role):
    config = BertConfig.tiny(vocab_size=41)
    assert check_module(role, role, config).passed
    wide = dataclasses.replace(TEST_CONFIG, hidden_act="relu", num_attention_heads=1)
    assert check_module(role, role, wide).passed


def test_what_cannot_be_checked_is_refused():
    config = dataclasses.replace(TEST_CONFIG, max_position_embeddings=3)
    with pytest.raises(ValueError, match=r"5 tokens .* max_position_embeddings = 3 .* no room"):
        check_module(BertSelfAttention, BertSelfAttention, config)
    with pytest.raises(ValueError, match="no model asks for 'pools'"):
        check_module(BertSelfAttention, "pools")
    with pytest.raises(ValueError, match="corrupt_tokens is a function"):
        check_module(BertSelfAttention, corrupt_tokens)


def test_neither_chance_nor_the_cast_is_changed():
    submission = readers_file().MySelfAttention
    with override({BertSelfAttention: submission}):
        before = torch.get_rng_state()
        assert check_module(BertLayer, BertLayer).passed
        assert torch.equal(torch.get_rng_state(), before)
        assert part(BertSelfAttention) is submission
    assert replaced() == {}


def red(board):
    return [line for line, problem in board.lines.items() if problem]


def test_every_line_of_the_scoreboard_stands_for_promises_that_there_are():
    claims = {IS_CALLED, *(p.claim for p in PROPERTIES if BertModel in p.roles), *dict(COMPARISONS)}
    assert len(LINES) == 12
    assert {claim for claims in LINES.values() for claim in claims} <= claims


def test_the_scoreboard_is_of_the_parts_that_play():
    """Green for a reader's parts; red where one is wrong, and where a line was not reached."""

    class Fixed(BertIntermediate):
        def __init__(self, config):
            super().__init__(config)
            self.activation = nn.GELU()

    class Empty(nn.Module):
        def __init__(self, config, add_pooling_layer=True):
            super().__init__()

        def forward(self, *given):
            return None

    with override({BertLayer: readers_file().MyLayer}):
        assert scoreboard(readers_file().MyBert).verdict.message == "12 of 12 hold."
        assert [*replaced()] == [BertLayer]
    with override({BertIntermediate: Fixed}):
        board = scoreboard()
    assert red(board) == ["Equal to ours: all outputs"]
    assert str(board).splitlines()[-1].startswith("11 of 12 hold. ")
    assert board._repr_html_().count("✗") == 1
    assert len(red(scoreboard(Empty))) == 12
