"""The names by which what a reader writes finds its role. Chapter 8."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from .roles import ROLES


def my_name(role: str) -> str:
    """Write the name that a reader's class or function for a role has."""
    title = role.title().replace("_", "").replace("Pretrain", "PreTrain")
    return f"My{title}" if ROLES[role].built else f"my_{role}"


def role_of(name: str) -> str:
    """Return the role that a class or function of the reader's is meant for, by its name."""
    bare = re.sub(r"^(My|my_)", "", name).replace("_", "").lower()
    roles = {role.replace("_", ""): role for role in ROLES}
    if bare not in roles:
        near = difflib.get_close_matches(bare, roles, n=1, cutoff=0)[0]
        raise ValueError(
            f"{name} is named after no role; call it My and the name of its role, as in "
            f"{my_name(roles[near])}"
        )
    return roles[bare]


def players_of(things: dict[str, Callable]) -> tuple[dict[str, Callable], list[str]]:
    """Return what is named after a role, by role, and a sentence for each class that is not.

    A function such as ``my_attention`` plays no class's part.
    """
    players, nameless = {}, []
    for name, thing in things.items():
        is_class = isinstance(thing, type)
        try:
            role = role_of(name)
        except ValueError as error:
            nameless += [str(error)] if is_class else []
        else:
            players |= {role: thing} if is_class == bool(ROLES[role].built) else {}
    return {role: players[role] for role in ROLES if role in players}, nameless
