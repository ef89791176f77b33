"""Whoever imports a model has every part that it asks for: its file brings them."""

import ast
from pathlib import Path

from planting import says
from python_code import calls, imported, modules, parse

BY_TORCH = {"classifier", "dropout", "layer_norm"}  # parts.py itself registers them


def roles_without_a_player(root: Path) -> list[str]:
    """Hold the roles that a file asks for to those that it and its imports register."""
    files = {name: path for name, path in modules(root).items() if name.startswith("minibert.")}
    brought = {name: _registered(path) for name, path in files.items()}
    others = {name: {other for _, other in imported(name, path)} for name, path in files.items()}
    found = []
    for name, path in files.items():
        reached, waiting = set(), {name}
        while waiting:
            reached |= waiting
            waiting = set().union(*(others.get(each, set()) for each in waiting)) - reached
        known = BY_TORCH.union(*(brought.get(each, set()) for each in reached))
        found += [
            f"{path.relative_to(root)}: asks for the part {role!r}, and neither it nor what it "
            f"imports registers one. Add register({role}=…) where its class is imported."
            for role in sorted(_asked(path) - known)
        ]
    return found


def _asked(path: Path) -> set[str]:
    asked = (call.args[0] for call in calls(parse(path), "part"))
    return {role.value for role in asked if isinstance(role, ast.Constant)}


def _registered(path: Path) -> set[str]:
    return {word.arg for call in calls(parse(path), "register") for word in call.keywords}


def test_every_part_that_is_asked_for_is_brought(this_project):
    this_project.keeps(roles_without_a_player)


LAYER = "from .attention import x\ndef build():\n    part('attention'), part('dropout')"


def test_a_part_that_an_import_brings_and_one_that_nobody_brings(plot):
    plot.file("minibert/attention.py", "register(attention=1)")
    assert roles_without_a_player(plot.file("minibert/layer.py", LAYER)) == []
    root = plot.file("minibert/attention.py", "register(self_attention=1)")
    told = "minibert/layer.py: asks for the part 'attention', and neither it nor"
    says(roles_without_a_player(root), told)
