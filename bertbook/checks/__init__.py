"""The reader's exercise checkers, one module a chapter: your function in, a helpful verdict out.

`check_module` looks at a whole class of the reader's, `check_invariants` at a whole model. They are
fetched when they are asked for, since the checkers of the first chapters need no PyTorch.
"""

from typing import Any


def __getattr__(name: str) -> Any:
    if name == "check_module":
        from .module import check_module

        return check_module
    if name == "check_invariants":
        from .invariants import check_invariants

        return check_invariants
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
