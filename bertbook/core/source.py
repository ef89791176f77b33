"""Show the package's own source, and start random numbers from a visible seed. Chapters 1 and 5."""

from __future__ import annotations

import ast
import inspect
import random
import re
import textwrap
from typing import Any

import numpy as np


class Source:
    """The source of a function or class, displayed as Python code.

    Args:
        code: Python.
    """

    def __init__(self, code: str):
        self.code = code

    def __repr__(self) -> str:
        return self.code

    def _repr_markdown_(self) -> str:
        return f"```python\n{self.code}\n```"


def show_source(thing: Any) -> Source:
    """Show the code of something the package defines, without its docstrings.

    ``help(thing)`` prints them. Notes to the type checker are left out, too.

    Args:
        thing: Something imported from minibert.

    Returns:
        Displayed as highlighted Python.

    >>> from minibert.attention import BertSelfAttention
    >>> show_source(BertSelfAttention.join_heads)
    def join_heads(
        self, x: Float[Tensor, "batch heads seq head_size"]
    ) -> Float[Tensor, "batch seq hidden"]:
        pieces = x.transpose(1, 2)  # (batch, seq, heads, head_size)
        return pieces.flatten(2)  # (batch, seq, hidden)
    """
    code = re.sub("  # pyright: .*", "", textwrap.dedent(inspect.getsource(thing)))
    lines = code.rstrip().splitlines()
    nodes = ast.walk(ast.parse(code))
    definitions = [node for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    for node in sorted(definitions, key=lambda node: -node.lineno):
        if ast.get_docstring(node) is not None:
            del lines[node.body[0].lineno - 1 : node.body[0].end_lineno]
    return Source("\n".join(lines))


def seed_everything(seed: int) -> None:
    """Seed the global random states that dropout and initialization read.

    Args:
        seed: Any whole number of at least 0.

    >>> seed_everything(0)
    >>> random.randint(1, 6), int(np.random.randint(1, 7))
    (4, 5)
    """
    import torch  # only here: the first chapters need no torch, and it takes seconds to import

    random.seed(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
