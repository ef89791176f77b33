"""What is on the plate beside an exhibit, and how it is built into a small model. Chapter 26."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import nn

from minibert.config import BertConfig
from minibert.model import BertModel
from minibert.parts import override

SIZES: dict[str, Any] = {
    "vocab_size": 31,
    "hidden_size": 12,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "intermediate_size": 16,
    "max_position_embeddings": 16,
}


class Bug(NamedTuple):
    """One bug, named after the program that had it, so that the name does not give it away.

    `thing` is a model, or what replaces the part `role` in one. Without a source the bug is made
    up: for an invariant that no other bug breaks, or after a chapter of the book.

    Args:
        thing: The model with the bug, or what replaces the part `role` in one.
        wrong: What is wrong, in a sentence.
        repair: What repairs it.
        source: The program that had it, with an address; empty if it is made up.
        role: The part that `thing` replaces.
        config: The class of its configuration.
    """

    thing: Callable
    wrong: str
    repair: str = ""
    source: str = ""
    role: Callable | None = None
    config: Callable = BertConfig

    @property
    def name(self) -> str:
        """The name of its class."""
        return self.thing.__name__.lstrip("_")


def broken_model(bug: Bug) -> nn.Module:
    """Build a small model with one bug of the museum, its weights drawn with seed 0.

    Args:
        bug: An entry of the museum.

    Returns:
        An encoder, or a model for masked words where the bug sits in the loss.

    >>> from bertbook.museum.invariants import check_invariants
    >>> from bertbook.museum import ROOMS
    >>> check_invariants(broken_model(ROOMS["loading"][0])).broken
    ['calls_stay_apart']
    """
    torch.manual_seed(0)
    kind = _with_part(bug.thing, bug.role) if bug.role else bug.thing
    return kind(bug.config(**SIZES))


def _with_part(thing: Callable, role: Callable) -> type[BertModel]:
    """Name the model that always builds itself with this part."""

    class Broken(BertModel):
        def __init__(self, config: BertConfig) -> None:
            with override({role: thing}):
                super().__init__(config)

    return Broken
