"""Whether a class can do what models ask of it, looked at before it plays. Chapter 8."""

from __future__ import annotations

import inspect

from torch import nn

from minibert.heads import linear_classifier

from .names import Part
from .roles import ROLES
from .trial_build import parameters_of, shape_in_words


def require_replaceable(role: object) -> None:
    """Raise if it is no class or function that models ask for; say what they ask for.

    Parameters
    ----------
    role : object
        A key of `ROLES`, or not.

    Raises
    ------
    ValueError
        If it is none; the message lists all.
    """
    if role not in ROLES:
        name = getattr(role, "__name__", repr(role))
        known = ", ".join(original.__name__ for original in ROLES)
        raise ValueError(f"no model asks for {name}; what can be replaced is {known}")


def require_contract(role: Part, player: object) -> None:
    """Raise if a class cannot do what models ask of it; a small model of sizes is built to see.

    Parameters
    ----------
    role : class or function
        What is to be replaced, a key of `ROLES`.
    player : object
        What is to replace it.

    Raises
    ------
    TypeError
        If it is of another kind, takes other arguments, or has other parameters than the part.
    ValueError
        If no model asks for `role`.
    """
    require_replaceable(role)
    terms = ROLES[role]
    player = inspect.unwrap(player) if callable(player) else player
    if not terms.built:
        _require_function(role, player)
        return
    if role is linear_classifier and player is inspect.unwrap(role):
        return  # the only one of ours that is built by a function
    if not (isinstance(player, type) and issubclass(player, nn.Module)):
        way = "write class My…(nn.Module)" if isinstance(player, type) else "give the class itself"
        raise TypeError(
            f"{role.__name__} is replaced by a class derived from torch.nn.Module, not by "
            f"{player!r}; {way}"
        )
    _require_call(role, player, "__init__", terms.built)
    _require_call(role, player, "forward", terms.called)
    if not getattr(player, "own_parameters", False):
        _require_parameters(role, player)


def _require_function(role: Part, player: object) -> None:
    if not callable(player):
        raise TypeError(f"{role.__name__} is replaced by a function, not by {player!r}")
    names = ROLES[role].called
    try:
        inspect.signature(player).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise TypeError(
            f"{player.__name__} cannot replace {role.__name__}: it must take "
            f"{', '.join(names)} ({error})"
        ) from None


def _require_call(role: Part, player: type, method: str, arguments: tuple[str, ...]) -> None:
    signature = inspect.signature(getattr(player, method))
    try:
        signature.bind(None, *arguments)
    except TypeError:
        raise TypeError(
            f"{player.__name__} cannot replace {role.__name__}: {method}{signature} must take "
            f"(self, {', '.join(arguments)})"
        ) from None


def _require_parameters(role: Part, player: type) -> None:
    """Compare names and shapes with ours, since the names are the keys of every saved file."""
    ours, theirs = parameters_of(role, role), parameters_of(player, role)
    missing = [f"{name} ({shape_in_words(ours[name])})" for name in ours if name not in theirs]
    extra = [name for name in theirs if name not in ours]
    other = [
        f"{name} has the shape {theirs[name]} instead of {shape}, ({shape_in_words(shape)})"
        for name, shape in ours.items()
        if theirs.get(name, shape) != shape
    ]
    if not (missing or extra or other):
        return
    faults = [f"it lacks {_first_three(missing)}"] if missing else []
    faults += [f"it has {_first_three(extra)}, which {role.__name__} has not"] if extra else []
    sizes = "Does each size come from config? " if other else ""
    raise ValueError(
        f"the parameters of {player.__name__} are not those of {role.__name__}: "
        f"{'; '.join([*faults, *other[:3]])}. {sizes}Saved weights are found by these names. If it "
        "is meant to be another network, say so in the class: own_parameters = True"
    )


def _first_three(names: list[str]) -> str:
    return ", ".join([*names[:3], *["…"] * (len(names) > 3)])
