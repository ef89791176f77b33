"""Twelve things that an encoder keeps or does not, whoever plays its parts. Chapter 10."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any

from torch import nn

from bertbook.core.exercises.verdict import Verdict
from bertbook.reader.contracts import Part
from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.parts import override, part, replaced

from .examination import IS_CALLED, each_answer, unchanged
from .trial import TRIAL_CONFIG, Trial

# Each line of the board, and the promises that it stands for.
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
    """What holds of the encoder that stands: for each line nothing, or what is wrong.

    Parameters
    ----------
    lines : dict from str to str
        For each of the twelve lines what is wrong; empty if it holds.
    """

    lines: dict[str, str]

    @property
    def verdict(self) -> Verdict:
        """Sum the board up."""
        green = [*self.lines.values()].count("")
        told = next(filter(None, self.lines.values()), "")
        return Verdict(not told, f"{green} of {len(self.lines)} hold. {told}".strip())

    def __repr__(self) -> str:
        marked = [f"{'✗' if told else '✓'} {line}" for line, told in self.lines.items()]
        return "\n".join([*marked, self.verdict.message])

    def _repr_html_(self) -> str:
        marks = {True: '<b style="color:#2a8f5b">✓</b>', False: '<b style="color:#c8681e">✗</b>'}
        rows = "".join(
            f"<li>{marks[not told]} {escape(line)}</li>" for line, told in self.lines.items()
        )
        style = "list-style:none;padding:0;columns:2 17em;margin:.4em 0"
        return f"<ol style='{style}'>{rows}</ol>{self.verdict._repr_html_()}"


def scoreboard(bert: type[nn.Module] | None = None) -> Scoreboard:
    """Examine the encoder that the parts make which play now, line by line.

    Parameters
    ----------
    bert : class, optional
        The whole model; by default what plays in the place of `BertModel` now.

    Returns
    -------
    Scoreboard
        Twelve lines; of the first that fails it says what is wrong.

    Examples
    --------
    >>> scoreboard().verdict
    12 of 12 hold.
    """
    players = {**replaced(), BertModel: bert or part(BertModel)}
    trial = Trial(_played_by(players, players.pop(BertModel)), BertModel, TRIAL_CONFIG)
    found: dict[str, str] = {}
    with unchanged():
        for claim, problem in each_answer(trial):
            found[claim] = found.get(claim) or problem
    return Scoreboard({line: _told(claims, found) for line, claims in LINES.items()})


def _played_by(players: dict[Part, Part], bert: Any) -> type[nn.Module]:
    """Derive a model that is built of these parts, whoever plays when it is built."""

    class Running(bert):
        def __init__(self, config: BertConfig, add_pooling_layer: bool = True) -> None:
            with override(players):
                super().__init__(config, add_pooling_layer)

    Running.__name__ = bert.__name__
    return Running


def _told(claims: tuple[str, ...], found: dict[str, str]) -> str:
    """Return what is wrong with the first of some claims that does not hold, or was not reached."""
    told = (found.get(claim, "It could not be asked yet.") for claim in claims)
    return next(filter(None, told), "")
