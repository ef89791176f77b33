"""Which class plays which part of a BERT: ours, the reader's, or one that is faster.

A model is put together from parts, and each part has a role, under Hugging Face's word for it. The
models of this package never name a class; they ask ``part("self_attention")`` for whoever plays
that role now. ``use(self_attention=MySelfAttention)`` changes the answer. Chapter 8.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable

from .contracts import ROLES, default_part, my_name, require_contract, require_role

_players: dict[str, Callable] = {}  # roles that somebody else than ours plays now
_sound: set[tuple[str, Callable]] = set()  # who was found to keep a contract; looked at once


def part(role: str) -> Callable:
    """Return the class or function that plays a role now.

    Parameters
    ----------
    role : str
        A key of `ROLES`.

    Returns
    -------
    class or function
        Ours, unless `use` has named another.

    Raises
    ------
    ValueError
        If there is no such role.

    Examples
    --------
    >>> part("self_attention").__name__
    'BertSelfAttention'
    """
    require_role(role)
    return _players.get(role) or default_part(role)


def use(**players: Callable) -> Cast:
    """Let other classes play parts: in all models that are built from here on, or in one block.

    Models that stand already keep the parts they were built with.

    Parameters
    ----------
    **players
        The class, or function, for each role: ``use(self_attention=MySelfAttention)``.

    Returns
    -------
    Cast
        Who plays what. As a context manager it ends with its block: afterwards everybody plays who
        played before.

    Raises
    ------
    TypeError, ValueError
        If a role is unknown, or a class does not keep the contract of its role: it cannot be built
        or called as models do it, or its parameters have other names or shapes.

    Examples
    --------
    >>> from minibert.attention import BertSelfAttention
    >>> from minibert.config import BertConfig
    >>> class Mine(BertSelfAttention):
    ...     pass
    >>> with use(self_attention=Mine):
    ...     part("layer")(BertConfig.tiny()).attention.self.__class__.__name__
    'Mine'
    >>> part("self_attention").__name__
    'BertSelfAttention'
    """
    for role, player in players.items():
        require_role(role)
        if player is not default_part(role) and (role, player) not in _sound:
            require_contract(role, player)
            _sound.add((role, player))
    before = dict(_players)
    _players.update(players)
    return Cast(before)


class Cast:
    """Who plays which part, and who played it before."""

    def __init__(self, before: dict[str, Callable]) -> None:
        self._before = before

    def __enter__(self) -> Cast:
        return self

    def __exit__(self, *_: object) -> None:
        _players.clear()
        _players.update(self._before)

    def __repr__(self) -> str:
        """Name every role that is not played by ours."""
        named = [f"{role}: {player.__name__}" for role, player in replaced().items()]
        return f"running on: {', '.join([*named, 'ours for the rest']) if named else 'our parts'}"


def replaced() -> dict[str, Callable]:
    """Return the roles that are not played by ours, with their players."""
    return {
        role: _players[role]
        for role in ROLES
        if role in _players and _players[role] is not default_part(role)
    }


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
