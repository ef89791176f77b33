"""Which class plays in the place of which: ours, the reader's, or one that is faster.

A class names its parts where it builds them, ``self.attention = part(BertAttention)(config)``;
`part` returns what plays in that place now, by default the class itself. There are two ways to
change the answer: ``use({BertAttention: MyAttention})`` for good, in the whole process, and
``with override({BertAttention: MyAttention}):`` for the length of a block. Chapter 8.

The two need two names: a call cannot know whether a ``with`` stands before it, so that one function
for both would have to take effect in all threads before the block could take it back. A block
belongs to the thread or task that opened it, and no other sees what it replaces.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from inspect import unwrap
from typing import Any, TypeVar, cast

from torch import nn

Original = TypeVar("Original", bound=Callable[..., Any])
Replacements = Mapping[Callable[..., Any], Callable[..., Any]]
Validator = Callable[[Callable[..., Any], Callable[..., Any]], None]

_for_good: dict[Callable[..., Any], Callable[..., Any]] = {}  # what `use` has replaced
# The blocks that are open in this thread or task, the innermost last, each with a key of its own.
_blocks: ContextVar[tuple[tuple[object, Replacements], ...]] = ContextVar("_blocks", default=())
_validate: Validator | None = None


HOMES = ("minibert", "bertfamily", "torch")  # what models ask for is defined here


def _name(new: Callable[..., Any]) -> str:
    """Name a class or function; a `functools.partial` has no name of its own."""
    return getattr(new, "__name__", repr(new))


class Replaced(dict[Callable[..., Any], Callable[..., Any]]):
    """What plays in the place of what; printed by the names."""

    def __repr__(self) -> str:
        """Write each pair as a reader would write it for `use`."""
        pairs = ((unwrap(original), unwrap(new)) for original, new in self.items())
        named = (f"{old.__name__}: {_name(new)}" for old, new in pairs if old is not new)
        return f"{{{', '.join(named)}}}"


def part(original: Original) -> Original:
    """Return the class or function that plays in the place of one now.

    Args:
        original: What plays unless it is replaced, such as `BertSelfAttention`.

    Returns:
        That of the innermost block of `override` around this call, else of `use`, else `original`.

    >>> from minibert.attention import BertSelfAttention
    >>> part(BertSelfAttention).__name__
    'BertSelfAttention'
    """
    for _, replacements in reversed(_blocks.get()):
        if original in replacements:
            return cast(Original, replacements[original])
    return cast(Original, _for_good.get(original, original))


def use(replacements: Replacements) -> Replaced:
    """Replace parts for good: in all models that are built from here on.

    Models that stand already keep the parts they were built with. A block of `override` around the
    call gives up the same parts; the blocks of other threads keep them. A part that is replaced by
    itself is in its old place again.

    Args:
        replacements: From each class, or function, to that which plays in its place:
            ``use({BertSelfAttention: MySelfAttention})``.

    Returns:
        All that is replaced now, as `replaced` returns it.

    >>> from minibert.attention import BertAttention, BertSelfAttention
    >>> from minibert.config import BertConfig
    >>> class Mine(BertSelfAttention):
    ...     pass
    >>> use({BertSelfAttention: Mine})
    {BertSelfAttention: Mine}
    >>> BertAttention(BertConfig.tiny()).self.__class__.__name__
    'Mine'
    >>> use({BertSelfAttention: BertSelfAttention})
    {}
    """
    _check(replacements)
    _for_good.update(replacements)
    around = _blocks.get()
    _blocks.set(tuple((block, _without(inside, replacements)) for block, inside in around))
    return replaced()


@contextmanager
def override(replacements: Replacements) -> Iterator[Replaced]:
    """Replace parts in one block, of this thread or task alone.

    Blocks nest, and may end in any order.

    Args:
        replacements: From each class, or function, to that which plays in its place.

    Yields:
        All that is replaced now.

    >>> from minibert.attention import BertAttention, BertSelfAttention
    >>> from minibert.config import BertConfig
    >>> class Mine(BertSelfAttention):
    ...     pass
    >>> with override({BertSelfAttention: Mine}):
    ...     BertAttention(BertConfig.tiny()).self.__class__.__name__
    'Mine'
    >>> part(BertSelfAttention).__name__
    'BertSelfAttention'
    """
    _check(replacements)
    block = object()
    _blocks.set((*_blocks.get(), (block, dict(replacements))))
    try:
        yield replaced()
    finally:
        _blocks.set(tuple(each for each in _blocks.get() if each[0] is not block))


def replaced() -> Replaced:
    """Return what is replaced now, and by what."""
    inside = [original for _, replacements in _blocks.get() for original in replacements]
    now = {original: part(original) for original in [*_for_good, *inside]}
    return Replaced({old: new for old, new in now.items() if new is not old})


def validate_with(validator: Validator | None) -> None:
    """Let a function look at every replacement first, and raise if it cannot play.

    Without one, any class or function may play. Whoever imports this package may know more about
    their classes: bertbook knows which classes the models ask for, builds each replacement once
    and compares its weights with those of the original.
    """
    global _validate
    _validate = validator


def _without(inside: Replacements, gone: Collection[object]) -> Replacements:
    """Return the replacements of a block but for some."""
    return {original: new for original, new in inside.items() if original not in gone}


def _check(replacements: object) -> None:
    """Raise if something is no class or function, or cannot play in the place of another."""
    if not isinstance(replacements, Mapping):
        raise TypeError(
            f"give a dictionary, {{BertSelfAttention: MySelfAttention}}, not {replacements!r}"
        )
    for original, new in replacements.items():
        if not callable(original):
            raise TypeError(
                f"{original!r} is no class or function; name what is replaced by itself, as in "
                "{BertSelfAttention: MySelfAttention}"
            )
        if new is original:
            continue
        if _validate is not None:
            _validate(original, new)
        elif original.__module__.partition(".")[0] not in HOMES:
            raise ValueError(
                f"no model asks for {original.__name__}; name a class or function of minibert, or "
                "nn.Dropout or nn.LayerNorm, before the colon, and what replaces it behind"
            )
        elif isinstance(new, nn.Module) or not callable(new):
            raise TypeError(
                f"{original.__name__} is replaced by a class or function itself, not by {new!r}"
            )
