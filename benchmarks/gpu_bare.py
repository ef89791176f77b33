"""Lets ``benchmarks.gpu`` run from a copy of the tree where only PyTorch and transformers are.

`minibert` writes shapes into its signatures in the language of jaxtyping, and only tests check
them. Where it is missing, a module that ignores the shapes takes its place.
"""

import importlib.util
import sys
from types import ModuleType

SHAPES = ("Bool", "Float", "Int", "Num", "Shaped")  # what the packages import from jaxtyping
NEEDED = ("torch", "transformers", "pytest", "safetensors", "numpy")


class _Ignored:
    """``Float[Tensor, "batch seq"]`` is a Tensor."""

    def __class_getitem__(cls, given: tuple) -> object:
        return given[0]


def missing() -> list[str]:
    """List the modules that are needed and not there."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def ignore_shapes() -> None:
    """Take the place of jaxtyping if it is not there."""
    if "jaxtyping" not in sys.modules and importlib.util.find_spec("jaxtyping") is None:
        module = ModuleType("jaxtyping")
        for name in SHAPES:
            setattr(module, name, _Ignored)
        sys.modules["jaxtyping"] = module
