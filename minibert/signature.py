"""How a model with a head is called: as the encoder, and with labels. Chapter 12."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

Result = TypeVar("Result")
Forward = Callable[..., Result]
HANDED_ON = "    *inputs: As the encoder takes them.\n"


def called_as(encode: Callable[..., Any]) -> Callable[[Forward[Result]], Forward[Result]]:
    """Let a ``forward(self, *inputs, labels=None)`` be called with the arguments of `encode`, too.

    In the order of Hugging Face's models: what the encoder is given, labels, and what is wanted
    besides. `inputs` are all that `encode` takes, by their places, but for `return_dict`.
    """
    _, *taken = inspect.signature(encode).parameters.values()
    given = [each for each in taken if not each.name.startswith(("output_", "return_"))]
    inputs = [each for each in taken if each.name != "return_dict"]

    def complete(forward: Forward[Result]) -> Forward[Result]:
        own = inspect.signature(forward)
        itself, *labels = (each for each in own.parameters.values() if each.kind.name[:3] != "VAR")
        labels = [each.replace(kind=each.POSITIONAL_OR_KEYWORD) for each in labels]
        all_taken = [*given, *labels, *taken[len(given) :]]
        names = [each.name for each in all_taken]

        @wraps(forward)
        def call(self: Any, *by_place: Any, **by_name: Any) -> Result:
            if len(by_place) > len(names):
                raise TypeError(f"forward takes {', '.join(names)}, not {len(by_place)} arguments")
            arguments = dict(**dict(zip(names, by_place, strict=False)), **by_name)
            arguments.pop("return_dict", None)
            values = [arguments.pop(each.name, each.default) for each in inputs]
            return forward(self, *values, **arguments)

        call.__signature__ = own.replace(parameters=[itself, *all_taken])  # pyright: ignore[reportAttributeAccessIssue]
        call.__doc__ = _described(forward.__doc__, encode.__doc__)
        return call

    return complete


def _described(forward: str | None, encode: str | None) -> str | None:
    """Put what `encode` says of its arguments in the place of "as the encoder takes them"."""
    if not forward or not encode:  # no docstrings with python -OO
        return forward
    arguments = inspect.cleandoc(encode).partition("Args:\n")[2].partition("\nReturns:\n")[0]
    given, output, wished = arguments.partition("    output_")
    summary, _, own = inspect.cleandoc(forward).partition(HANDED_ON)
    labels, returns, result = own.partition("\n\nReturns:\n")
    return f"{summary}{given}{labels}\n{output}{wished}{returns[1:]}{result}"
