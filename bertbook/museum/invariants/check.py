"""Ask a model for every invariant, and tell what was found. Chapter 26."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from .harness import MORE, SEQ, Harness, ModelError, NotApplicable
from .learning import INVARIANTS


@dataclass(frozen=True)
class Finding:
    """One invariant: whether it holds (None: nothing to ask), and in a sentence what was seen."""

    name: str
    holds: bool | None
    sentence: str
    refused: bool = False


class Findings(tuple[Finding, ...]):
    """All findings about a model, in the order in which they were made.

    Args:
        iterable: One for each invariant.
    """

    @property
    def verdict(self) -> str:
        """One word: "holds", "broken", or "refuses" where no text could be asked about."""
        if any(finding.refused for finding in self):
            return "refuses"
        return "broken" if self.broken else "holds"

    @property
    def broken(self) -> list[str]:
        """The names of the invariants that fail."""
        return [finding.name for finding in self if finding.holds is False]

    def __repr__(self) -> str:
        if self.verdict == "refuses":
            return f"Nothing is known of this model: {self[0].sentence.partition('ask, ')[2]}"
        return "\n".join(finding.sentence for finding in self)


def check_invariants(model: nn.Module) -> Findings:
    """Check whether a model keeps each invariant of an encoder, and tell what was seen if not.

    An invariant holds for any weights, so that it finds a bug without a second implementation.
    Copies of the model are tried in float64 on random ids; the model stays as it is.

    Args:
        model: An encoder, or one with a head for words, pairs, texts or tokens, of ours or of
            transformers (with ``attn_implementation="eager"`` its attention weights are looked at,
            too). It has a `config` with vocab_size and takes input_ids and attention_mask.

    Returns:
        One finding for each invariant, with `name`, `holds` and `sentence`; `broken` lists the
        names of those that fail. `holds` is None if the model has no such part. `verdict` is
        "holds", "broken", or "refuses" where the model stops with an error at every text: then
        `broken` is empty because nothing could be asked.

    Raises:
        ValueError: If max_position_embeddings or vocab_size leaves no room for the texts.

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
        refused = _refused(Harness(model, exact))
        return Findings(_find(name, model, exact, refused) for name in INVARIANTS)


def _refused(harness: Harness) -> str:
    """Return the error with which a model stops at each text, the shortest too; or nothing."""
    error = ""
    for seq in (SEQ, 2, 1):
        for batch in (harness.inputs(harness.ids[:, :seq]), harness.inputs(harness.ids[:1, :seq])):
            try:
                harness.call(batch)
            except ModelError as refusal:
                error = error or str(refusal)
            else:
                return ""
    return error


def _find(name: str, model: nn.Module, exact: nn.Module, refused: str) -> Finding:
    """Ask for one invariant, of a fresh copy."""
    claim, check = INVARIANTS[name]
    if refused:
        sentence = f"{claim}: nothing to ask, it refuses plain texts: {refused}"
        return Finding(name, None, sentence, refused=True)
    try:
        seen = check(Harness(model, exact))
    except ModelError as error:  # whatever a model stops with, it breaks what was asked
        seen = str(error)
    except Exception as error:  # the check could not ask, which says nothing of the model
        seen = NotApplicable(f"the check stopped with {type(error).__name__}, {error}")
    if seen is None or isinstance(seen, NotApplicable):
        return Finding(name, None, f"{claim}: nothing to ask{f', {seen}' if seen else ''}")
    return Finding(name, not seen, f"{claim}: no, {seen}" if seen else f"{claim}: yes")
