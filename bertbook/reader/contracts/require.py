"""Whether a class can do what models ask of it, looked at before it plays. Chapter 8."""

import inspect

from torch import nn

from minibert.heads import linear_classifier

from .names import Part
from .parameter_shapes import parameters_of, shape_in_words
from .roles import ROLES


def require_replaceable(role: object) -> None:
    """Raise if it is no class or function that models ask for; say what they ask for."""
    if role not in ROLES:
        name = getattr(role, "__name__", repr(role))
        known = ", ".join(original.__name__ for original in ROLES)
        raise ValueError(f"no model asks for {name}; what can be replaced is {known}")


def require_contract(role: Part, replacement: object) -> None:
    """Raise if a class cannot do what models ask of it; a small model of sizes is built to see."""
    require_replaceable(role)
    terms = ROLES[role]
    replacement = inspect.unwrap(replacement) if callable(replacement) else replacement
    if not terms.built:
        _require_function(role, replacement)
        return
    if role is linear_classifier and replacement is inspect.unwrap(role):
        return  # the only part that is built by a function
    if not (isinstance(replacement, type) and issubclass(replacement, nn.Module)):
        is_class = isinstance(replacement, type)
        hint = "write class My…(nn.Module)" if is_class else "give the class itself"
        raise TypeError(
            f"{role.__name__} is replaced by a class derived from torch.nn.Module, not by "
            f"{replacement!r}; {hint}"
        )
    _require_call(role, replacement, "__init__", terms.built)
    _require_call(role, replacement, "forward", terms.called)
    if not getattr(replacement, "own_parameters", False):
        _require_parameters(role, replacement)


def _require_function(role: Part, replacement: object) -> None:
    if not callable(replacement):
        raise TypeError(f"{role.__name__} is replaced by a function, not by {replacement!r}")
    names = ROLES[role].called
    try:
        inspect.signature(replacement).bind(**dict.fromkeys(names))
    except TypeError as error:
        raise TypeError(
            f"{replacement.__name__} cannot replace {role.__name__}: it must take "
            f"{', '.join(names)} ({error})"
        ) from None


def _require_call(role: Part, replacement: type, method: str, arguments: tuple[str, ...]) -> None:
    signature = inspect.signature(getattr(replacement, method))
    try:
        signature.bind(None, *arguments)
    except TypeError:
        raise TypeError(
            f"{replacement.__name__} cannot replace {role.__name__}: {method}{signature} must take "
            f"(self, {', '.join(arguments)})"
        ) from None


def _require_parameters(role: Part, replacement: type) -> None:
    """Compare names and shapes of parameters, since the names are the keys of saved files."""
    expected, given = parameters_of(role, role), parameters_of(replacement, role)
    missing = [
        f"{name} ({shape_in_words(expected[name])})" for name in expected if name not in given
    ]
    extra = [name for name in given if name not in expected]
    other = [
        f"{name} has the shape {given[name]} instead of {shape}, ({shape_in_words(shape)})"
        for name, shape in expected.items()
        if given.get(name, shape) != shape
    ]
    if not (missing or extra or other):
        return
    faults = [f"it lacks {_first_three(missing)}"] if missing else []
    faults += [f"it has {_first_three(extra)}, which {role.__name__} has not"] if extra else []
    sizes = "Does each size come from config? " if other else ""
    raise ValueError(
        f"the parameters of {replacement.__name__} are not those of {role.__name__}: "
        f"{'; '.join([*faults, *other[:3]])}. {sizes}Saved weights are found by these names. If it "
        "is meant to be another network, say so in the class: own_parameters = True"
    )


def _first_three(names: list[str]) -> str:
    return ", ".join([*names[:3], *["…"] * (len(names) > 3)])
