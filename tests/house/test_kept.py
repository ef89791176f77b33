"""What a reader keeps goes to work: a later cell runs on it, or it plays a part of a BERT."""

from pathlib import Path

import pytest
from book_tree import chapters
from planting import code
from python_code import calls

from bertbook.contracts import role_of


def kept_for_nothing(root: Path) -> list[str]:
    """Look for a use of every function and class that a chapter asks to keep."""
    kept, used = [], set()
    for chapter in chapters(root):
        for cell in chapter.code:
            kept += [(chapter.name, call.args[0].id) for call in calls(cell.tree, "keep")]
            for call in calls(cell.tree, "running_on"):
                used |= {f"my_{keyword.arg}" for keyword in call.keywords}
    return [
        f"{chapter}: asks to keep {name}, and no chapter runs on it. Let one take it with "
        f"running_on({name.removeprefix('my_')}=…), or leave keep out."
        for chapter, name in kept
        if name not in used and not _plays_a_part(name)
    ]


def _plays_a_part(name: str) -> bool:
    try:
        return bool(role_of(name))
    except ValueError:
        return False


def test_what_is_kept_is_used(this_project):
    this_project.keeps(kept_for_nothing)


@pytest.mark.parametrize(("name", "used"), [("my_sum", "sum"), ("MyLayer", "max")])
def test_a_use_in_another_chapter(plot, name, used):
    plot.chapter("# One", code(f"keep({name}, check({name}))"), number=1)
    assert kept_for_nothing(plot.chapter("# Two", code(f"my = running_on({used}=1)"))) == []


def test_a_function_that_nobody_runs_on(plot):
    root = plot.chapter("# Two", code("keep(my_sum, check(my_sum))\nrunning_on(max=max)"))
    (sentence,) = kept_for_nothing(root)
    assert "02-a-chapter.ipynb: asks to keep my_sum, and no chapter runs on it" in sentence
