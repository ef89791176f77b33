"""Ask a model for every invariant, and tell what was found. Chapter 26."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .lessons import INVARIANTS
from .trial import MORE, SEQ, Nothing, Trial


@dataclass(frozen=True)
class Finding:
    """One invariant: whether it holds (None: nothing to ask), and in a sentence what was seen."""

    name: str
    holds: bool | None
    sentence: str


class Findings(tuple[Finding, ...]):
    """All findings about a model, in the order in which they were made.

    Parameters
    ----------
    iterable : iterable of Finding, default ()
        One for each invariant.
    """

    @property
    def broken(self) -> list[str]:
        """The names of the invariants that fail."""
        return [finding.name for finding in self if finding.holds is False]

    def __repr__(self) -> str:
        return "\n".join(finding.sentence for finding in self)


def check_invariants(model: nn.Module) -> Findings:
    """Check whether a model keeps each invariant of an encoder, and tell what was seen if not.

    An invariant holds for any weights, so that it finds a bug without a second implementation.
    Copies of the model are tried in float64 on random ids; the model stays as it is.

    Parameters
    ----------
    model : nn.Module
        An encoder, or one with a head for words, pairs, texts or tokens, of ours or of transformers
        (with ``attn_implementation="eager"`` its attention weights are looked at, too). It has a
        `config` with vocab_size and takes input_ids and attention_mask.

    Returns
    -------
    Findings
        One finding for each invariant, with `name`, `holds` and `sentence`; `broken` lists the
        names of those that fail. `holds` is None if the model has no such part.

    Raises
    ------
    ValueError
        If max_position_embeddings or vocab_size leaves no room for the texts.

    Examples
    --------
    >>> from minibert.config import BertConfig
    >>> from minibert.model import BertModel
    >>> findings = check_invariants(BertModel(BertConfig.tiny(vocab_size=89)))
    >>> findings.broken
    []
    >>> findings[0].sentence
    'Evaluation twice gives the same numbers: yes'
    """
    places: Any = getattr(model.config, "max_position_embeddings", None) or SEQ + MORE
    if places < SEQ + MORE:
        raise ValueError(
            f"max_position_embeddings ({places}) is too small; texts of the check have up to "
            f"{SEQ + MORE} tokens"
        )
    with torch.random.fork_rng(devices=[]):
        exact = copy.deepcopy(model).cpu().double()
        refused = _refused(Trial(model, exact))
        return Findings(_find(name, model, exact, refused) for name in INVARIANTS)


def _refused(trial: Trial) -> Nothing | None:
    """Return why nothing can be asked of a model that refuses plain texts in its own words."""
    try:
        trial.call(trial.inputs(trial.ids))
    except (AssertionError, ValueError) as error:
        return Nothing(f"it refuses plain texts: {error}")
    except Exception:  # each invariant will tell
        return None
    return None


def _find(name: str, model: nn.Module, exact: nn.Module, refused: Nothing | None) -> Finding:
    """Ask for one invariant, of a fresh copy."""
    claim, look = INVARIANTS[name]
    try:
        seen = refused or look(Trial(model, exact))
    except Exception as error:  # whatever a model stops with, it breaks what was asked
        seen = f"{type(error).__name__}, {error}"
    if seen is None or isinstance(seen, Nothing):
        return Finding(name, None, f"{claim}: nothing to ask{f', {seen}' if seen else ''}")
    return Finding(name, not seen, f"{claim}: no, {seen}" if seen else f"{claim}: yes")
