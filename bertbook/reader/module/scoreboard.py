"""Twelve properties of an encoder, whichever classes it is built of. Chapter 10."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from torch import nn

from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.contracts.names import Part
from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.parts import override, part, replaced

from .examination import IS_CALLED, each_result, isolated
from .pair import TEST_CONFIG, ModulePair

# Each line of the board, and the properties behind it.
LINES = {
    "Ids go in, one vector per token comes out": (IS_CALLED,),
    "Weights start at random, and small": ("weights start small",),
    "The same call gives the same numbers": ("evaluation twice gives the same",),
    "Every token depends on the others": ("every token counts in BERT",),
    "Segments count": ("segments count", "segments are 0 by default"),
    "Positions count": ("positions count", "positions are 0, 1, 2, … by default"),
    "Padding changes nothing": ("padding changes nothing", "padding gets no attention"),
    "A batch is its sentences": ("the sentences of a batch are strangers",),
    "Rows of attention sum to 1": (
        "rows of the map sum to 1",
        "asking for the map changes nothing",
    ),
    "Equal to ours: all outputs": ("the same numbers",),
    "Equal to ours: all gradients": ("the same gradients",),
    "Equal to ours: in training": ("the same in training",),
}


@dataclass(frozen=True)
class Scoreboard:
    """The twelve lines of an encoder, each with what is wrong, if anything.

    Args:
        lines: For each of the twelve lines what is wrong; empty if it holds.
    """

    lines: dict[str, str]

    @property
    def verdict(self) -> Verdict:
        """Count the lines that hold, and give the first problem."""
        green = [*self.lines.values()].count("")
        problem = next(filter(None, self.lines.values()), "")
        return Verdict(not problem, f"{green} of {len(self.lines)} hold. {problem}".strip())

    def __repr__(self) -> str:
        marked = [f"{'✗' if problem else '✓'} {line}" for line, problem in self.lines.items()]
        return "\n".join([*marked, self.verdict.message])

    def _repr_html_(self) -> str:
        marks = {True: '<b style="color:#2a8f5b">✓</b>', False: '<b style="color:#c8681e">✗</b>'}
        rows = "".join(
            f"<li>{marks[not problem]} {escape(line)}</li>" for line, problem in self.lines.items()
        )
        style = "list-style:none;padding:0;columns:2 17em;margin:.4em 0"
        return f"<ol style='{style}'>{rows}</ol>{self.verdict._repr_html_()}"


def scoreboard(bert: type[nn.Module] | None = None) -> Scoreboard:
    """Check the encoder that is built of the current parts, line by line.

    Args:
        bert: The whole model; by default what replaces `BertModel` now.

    Returns:
        Twelve lines; of the first that fails it says what is wrong.

    >>> scoreboard().verdict
    12 of 12 hold.
    """
    replacements = {**replaced(), BertModel: bert or part(BertModel)}
    pair = ModulePair(
        _built_with(replacements, replacements.pop(BertModel)), BertModel, TEST_CONFIG
    )
    problems: dict[str, str] = {}
    with isolated():
        for claim, problem in each_result(pair):
            problems[claim] = problems.get(claim) or problem
    return Scoreboard({line: _first_problem(claims, problems) for line, claims in LINES.items()})


def _built_with(replacements: dict[Part, Part], bert: Any) -> type[nn.Module]:
    """Derive a model that is built of these parts, whatever else is replaced by then."""

    class Running(bert):
        def __init__(self, config: BertConfig, add_pooling_layer: bool = True) -> None:
            with override(replacements):
                super().__init__(config, add_pooling_layer)

    Running.__name__ = bert.__name__
    return Running


def _first_problem(claims: tuple[str, ...], problems: dict[str, str]) -> str:
    """Return the problem of the first claim that does not hold, or was not reached."""
    listed = (problems.get(claim, "It could not be asked yet.") for claim in claims)
    return next(filter(None, listed), "")
