"""Whoever imports a model has every part that it asks for: its file brings them."""

import ast
from pathlib import Path

from planting import says
from python_code import calls, imported, modules, parse

BY_TORCH = {"classifier", "dropout", "layer_norm"}  # parts.py itself registers them


def roles_without_a_player(root: Path) -> list[str]:
    """Hold the roles that a file asks for to those that it and its imports register."""
    files = {name: path for name, path in modules(root).items() if name.startswith("minibert.")}
    return [
        f"{path.relative_to(root)}: asks for the part {role!r}, and neither it nor what it imports "
        f"registers one. Add register({role}=…) where the class that plays it is imported."
        for name, path in files.items()
        for role in sorted(_asked(path) - _registered(name, files, set()) - BY_TORCH)
    ]


def _asked(path: Path) -> set[str]:
    return {
        call.args[0].value
        for call in calls(parse(path), "part")
        if isinstance(call.args[0], ast.Constant)
    }


def _registered(name: str, files: dict[str, Path], visited: set[str]) -> set[str]:
    """Collect the roles that a module and all that it imports register."""
    if name in visited or name not in files:
        return set()
    visited.add(name)
    own = {word.arg for call in calls(parse(files[name]), "register") for word in call.keywords}
    others = (_registered(other, files, visited) for _, other in imported(name, files[name]))
    return own.union(*others)


def test_every_part_that_is_asked_for_is_brought(this_project):
    this_project.keeps(roles_without_a_player)


LAYER = "from .attention import x\ndef build():\n    part('attention'), part('dropout')"


def test_a_part_that_an_import_brings_and_one_that_nobody_brings(plot):
    plot.file("minibert/attention.py", "register(attention=1)")
    assert roles_without_a_player(plot.file("minibert/layer.py", LAYER)) == []
    root = plot.file("minibert/attention.py", "register(self_attention=1)")
    told = "minibert/layer.py: asks for the part 'attention', and neither it nor"
    says(roles_without_a_player(root), told)
