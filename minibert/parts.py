"""Which class plays which part of a BERT: ours, the reader's, or one that is faster.

A model is put together from parts, and each part has a role, under Hugging Face's word for it. The
models of this package never name a class; they ask ``part("self_attention")`` for whoever plays
that role now. ``use(self_attention=MySelfAttention)`` changes the answer. Chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable
from inspect import unwrap

from torch import nn

Validator = Callable[[str, Callable], None]

_defaults: dict[str, Callable] = {
    "classifier": nn.Linear,
    "dropout": nn.Dropout,
    "layer_norm": nn.LayerNorm,
}
_players: dict[str, Callable] = {}  # roles that somebody else than the default plays now
_validate: Validator | None = None


def register(**defaults: Callable) -> None:
    """Name who plays a role by default; a file does so for the roles that its models ask for."""
    _defaults.update(defaults)


def default_part(role: str) -> Callable:
    """Return the class or function that plays a role unless `use` names another.

    Parameters
    ----------
    role : str
        Such as "self_attention".

    Returns
    -------
    class or function
        Ours, or PyTorch's.
    """
    if role not in _defaults:
        raise ValueError(f"no role {role!r} in {[*_defaults]}; import minibert.pretraining for all")
    return _defaults[role]


def part(role: str) -> Callable:
    """Return the class or function that plays a role now.

    Parameters
    ----------
    role : str
        Such as "self_attention".

    Returns
    -------
    class or function
        The default, unless `use` has named another.

    Raises
    ------
    ValueError
        If there is no such role.

    Examples
    --------
    >>> import minibert.attention
    >>> part("self_attention").__name__
    'BertSelfAttention'
    """
    return _players.get(role, default_part(role))


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
        If a role is unknown, or the validator refuses a class: see `validate_with`.

    Examples
    --------
    >>> from minibert.attention import BertAttention, BertSelfAttention
    >>> from minibert.config import BertConfig
    >>> class Mine(BertSelfAttention):
    ...     pass
    >>> with use(self_attention=Mine):
    ...     BertAttention(BertConfig.tiny()).self.__class__.__name__
    'Mine'
    >>> part("self_attention").__name__
    'BertSelfAttention'
    """
    for role, player in players.items():
        if player is not default_part(role) and _validate is not None:
            _validate(role, player)
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
        """Name every role that is not played by its default."""
        players = {role: unwrap(player) for role, player in replaced().items()}
        named = [f"{r}: {who.__name__}" for r, who in players.items() if who is not _defaults[r]]
        return f"running on: {', '.join([*named, 'ours for the rest']) if named else 'our parts'}"


def replaced() -> dict[str, Callable]:
    """Return the roles that are not played by their defaults, with their players."""
    return {role: who for role, who in _players.items() if who is not _defaults[role]}


def validate_with(validator: Validator | None) -> None:
    """Let a function look at every player before `use` takes it, and raise if it cannot play.

    Without one, any class or function may play. Whoever imports this package may know more about
    their classes: bertbook builds each once and compares its weights with those of the default.
    """
    global _validate
    _validate = validator
