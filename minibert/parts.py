"""Which class plays in the place of which: ours, the reader's, or one that is faster. Chapter 8.

A class names its parts where it builds them, ``self.attention = part(BertAttention)(config)``;
`part` returns what plays in that place now, by default the class itself. ``use({BertAttention:
MyAttention})`` changes it for good, ``with override({BertAttention: MyAttention}):`` for a block of
this thread or task. They need two names: a call cannot know whether a ``with`` stands before it.
"""

from collections.abc import Callable, Iterator, Mapping
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


class Replaced(dict[Callable[..., Any], Callable[..., Any]]):
    """What plays in the place of what; printed by the names."""

    def __repr__(self) -> str:
        """Write each pair as a reader would write it for `use`."""
        pairs = ((unwrap(original), unwrap(new)) for original, new in self.items())
        # A `functools.partial` has no name of its own.
        named = (f"{a.__name__}: {getattr(b, '__name__', b)}" for a, b in pairs if a is not b)
        return f"{{{', '.join(named)}}}"


def part(original: Original) -> Original:
    """Return the class or function that plays in the place of `original` now.

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
    """Replace parts for good, in all models that are built from here on; return what is replaced.

    A block of `override` around the call gives up the same parts; the blocks of other threads keep
    them. A part that is replaced by itself is in its old place again. `replacements` lead from each
    class, or function, to that which plays in its place.

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
    _blocks.set(
        tuple(
            (block, {old: new for old, new in inside.items() if old not in replacements})
            for block, inside in _blocks.get()
        )
    )
    return replaced()


@contextmanager
def override(replacements: Replacements) -> Iterator[Replaced]:
    """Replace parts in one block, of this thread or task alone; blocks may end in any order.

    `replacements` are as `use` takes them.

    Yields:
        All that is replaced now.

    >>> with override({nn.Dropout: nn.Identity}):
    ...     part(nn.Dropout).__name__
    'Identity'
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

    bertbook knows which classes models ask for, and compares the weights of each replacement.
    """
    global _validate
    _validate = validator


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
