"""Which class plays which part of a BERT: ours, the reader's, or one that is faster.

A model is put together from parts, and each part has a role, under Hugging Face's word for it. The
models of this package never name a class; they ask ``part("self_attention")`` for whoever plays
that role now. There are two ways to change the answer: ``use(self_attention=MySelfAttention)`` for
good, in the whole process, and ``with override(self_attention=MySelfAttention):`` for the length of
a block. A block belongs to the thread or task that opened it; no other sees its parts. Chapter 8.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import unwrap

from torch import nn

Validator = Callable[[str, Callable], None]

_defaults: dict[str, Callable] = {
    "classifier": nn.Linear,
    "dropout": nn.Dropout,
    "layer_norm": nn.LayerNorm,
}
_for_good: dict[str, Callable] = {}  # roles that `use` has given to somebody, in every thread
# The blocks that are open in this thread or task, the innermost last, each with a key of its own.
_blocks: ContextVar[tuple[tuple[object, Mapping[str, Callable]], ...]] = ContextVar(
    "_blocks", default=()
)
_validate: Validator | None = None


def register(**defaults: Callable) -> None:
    """Name who plays a role by default; a file does so for the roles that its models ask for."""
    _defaults.update(defaults)


def default_part(role: str) -> Callable:
    """Return the class or function that plays a role unless it is replaced.

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
        That of the innermost block of `override` around this call, else of `use`, else the default.

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
    default = default_part(role)
    for _, players in reversed(_blocks.get()):
        if role in players:
            return players[role]
    return _for_good.get(role, default)


def use(**players: Callable) -> Cast:
    """Let other classes play parts for good: in all models that are built from here on.

    Models that stand already keep the parts they were built with. A block of `override` around the
    call gives up the same roles; the blocks of other threads keep them.

    Parameters
    ----------
    **players
        The class, or function, for each role: ``use(self_attention=MySelfAttention)``.

    Returns
    -------
    Cast
        Who plays what, to be printed.

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
    >>> use(self_attention=Mine)
    running on: self_attention: Mine, ours for the rest
    >>> BertAttention(BertConfig.tiny()).self.__class__.__name__
    'Mine'
    >>> use(self_attention=BertSelfAttention)
    running on: our parts
    """
    _check(players)
    _for_good.update(players)
    around = _blocks.get()
    _blocks.set(tuple((block, _without(inside, players)) for block, inside in around))
    return Cast()


@contextmanager
def override(**players: Callable) -> Iterator[Cast]:
    """Let other classes play parts in one block, of this thread or task alone.

    Blocks nest, and may end in any order.

    Parameters
    ----------
    **players
        The class, or function, for each role.

    Yields
    ------
    Cast
        Who plays what.

    Raises
    ------
    TypeError, ValueError
        As in `use`.

    Examples
    --------
    >>> from minibert.attention import BertAttention, BertSelfAttention
    >>> from minibert.config import BertConfig
    >>> class Mine(BertSelfAttention):
    ...     pass
    >>> with override(self_attention=Mine):
    ...     BertAttention(BertConfig.tiny()).self.__class__.__name__
    'Mine'
    >>> part("self_attention").__name__
    'BertSelfAttention'
    """
    _check(players)
    block = object()
    _blocks.set((*_blocks.get(), (block, players)))
    try:
        yield Cast()
    finally:
        _blocks.set(tuple(each for each in _blocks.get() if each[0] is not block))


def _without(inside: Mapping[str, Callable], gone: Collection[str]) -> dict[str, Callable]:
    """Return the players of a block but for some roles."""
    return {role: who for role, who in inside.items() if role not in gone}


def _check(players: Mapping[str, Callable]) -> None:
    """Raise if a role is unknown, or a class cannot play it."""
    for role, player in players.items():
        if player is not default_part(role) and _validate is not None:
            _validate(role, player)


class Cast:
    """Who plays which part: what `use` and `override` answer with, to be printed."""

    def __repr__(self) -> str:
        """Name every role that is not played by its default."""
        players = {role: unwrap(player) for role, player in replaced().items()}
        named = [f"{r}: {who.__name__}" for r, who in players.items() if who is not _defaults[r]]
        return f"running on: {', '.join([*named, 'ours for the rest']) if named else 'our parts'}"


def replaced() -> dict[str, Callable]:
    """Return the roles that are not played by their defaults, with their players."""
    changed = {*_for_good}.union(*(players for _, players in _blocks.get()))
    players = {role: part(role) for role in _defaults if role in changed}
    return {role: who for role, who in players.items() if who is not _defaults[role]}


def validate_with(validator: Validator | None) -> None:
    """Let a function look at every player before it plays, and raise if it cannot play.

    Without one, any class or function may play. Whoever imports this package may know more about
    their classes: bertbook builds each once and compares its weights with those of the default.
    """
    global _validate
    _validate = validator
