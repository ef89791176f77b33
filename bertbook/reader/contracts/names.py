"""The names that say which part a reader's class or function replaces. Chapter 8."""

import difflib
import re
from collections.abc import Callable
from typing import Any

from .roles import ROLES

Part = Callable[..., Any]


def my_name(original: Part) -> str:
    """Write the name that the reader's own has: MySelfAttention, for BertSelfAttention."""
    bare = original.__name__.removeprefix("Bert")
    return ROLES[original].own_name or (f"My{bare}" if ROLES[original].built else f"my_{bare}")


def spoken_name(original: Part) -> str:
    """Write that name as words: self attention."""
    bare = re.sub(r"^(My|my_)", "", my_name(original)).replace("PreTraining", "Pretraining")
    return re.sub(r"(?<=[a-z])(?=[A-Z])|_", " ", bare).lower()


def original_of(name: str) -> Part:
    """Return what a class or function of the reader's is meant to replace, by its name."""
    by_name = {_bare(my_name(original)): original for original in ROLES}
    if _bare(name) not in by_name:
        near = difflib.get_close_matches(_bare(name), by_name, n=1, cutoff=0)[0]
        raise ValueError(
            f"{name} is named after no part of a BERT; call it My and the name of the part, as in "
            f"{my_name(by_name[near])}"
        )
    return by_name[_bare(name)]


def replacements_of(things: dict[str, Part]) -> tuple[dict[Part, Part], list[str]]:
    """Return what is named after a part, by that part, and a sentence for each class that is not.

    A function such as ``my_attention`` replaces no class.
    """
    found, unknown = {}, []
    for name, thing in things.items():
        is_class = isinstance(thing, type)
        try:
            original = original_of(name)
        except ValueError as error:
            unknown += [str(error)] if is_class else []
        else:
            found |= {original: thing} if is_class == bool(ROLES[original].built) else {}
    return {original: found[original] for original in ROLES if original in found}, unknown


def _bare(name: str) -> str:
    """Return a name without My, underscores and capitals."""
    return re.sub(r"^(My|my_)", "", name).replace("_", "").lower()
