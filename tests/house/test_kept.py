"""What a reader keeps goes to work: a later cell runs on it, or it plays a part of a BERT."""

from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import code, says
from python_code import calls

from bertbook.contracts import my_name, role_of


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


def not_run_at_once(root: Path) -> list[str]:
    """Ask that what is kept goes to work in its own chapter, in a cell further down."""
    return [
        f"{chapter.name}: {name} is kept, and nothing below runs on it. Let a cell call "
        f"{_call(name)}, and what follows be built of what is kept."
        for chapter in chapters(root)
        if chapter.is_held
        for place, cell in enumerate(chapter.code)
        for call in calls(cell.tree, "keep")
        if (name := call.args[0].id) not in _run_below(chapter, place)
        and not (_plays_a_part(name) and "" in _run_below(chapter, place))
    ]


def _call(name: str) -> str:
    short = name.removeprefix("my_")
    return "running_on()" if _plays_a_part(name) else f"running_on({short}=…)"


def _run_below(chapter: Chapter, place: int) -> set[str]:
    """Name what the cells below one run on; the empty name stands for all parts of a model."""
    found = (call for cell in chapter.code[place + 1 :] for call in calls(cell.tree, "running_on"))
    names = ([f"my_{keyword.arg}" for keyword in call.keywords] or [""] for call in found)
    return {name for some in names for name in some}


def _plays_a_part(name: str) -> bool:
    try:
        return my_name(role_of(name)) == name  # my_attention is a function of numpy's
    except ValueError:
        return False


@pytest.mark.parametrize("rule", [kept_for_nothing, not_run_at_once])
def test_what_is_kept_is_used(this_project, rule):
    this_project.keeps(rule)


@pytest.mark.parametrize(
    ("name", "used", "sentence"),
    [
        ("my_sum", "sum", ""),
        ("MyLayer", "max", ""),
        ("my_sum", "max", "01-a-chapter.ipynb: asks to keep my_sum, and no chapter runs on it"),
    ],
)
def test_a_use_in_another_chapter(plot, name, used, sentence):
    plot.chapter("# One", code(f"keep({name}, check({name}))"), number=1)
    says(kept_for_nothing(plot.chapter("# Two", code(f"my = running_on({used}=1)"))), sentence)


@pytest.mark.parametrize(
    ("name", "below", "advice"),
    [
        ("MyLayer", "running_on()", ""),
        ("MyLayer", "my = running_on(layer=layer)", "running_on()"),
        ("MyLayer", "print()", "running_on()"),
        ("my_sum", "my = running_on(sum=sum)", ""),
        ("my_sum", "running_on()", "running_on(sum=…)"),
        ("my_attention", "running_on()", "running_on(attention=…)"),
        ("my_corrupt_tokens", "running_on()", ""),
    ],
)
def test_a_use_further_down(plot, monkeypatch, name, below, advice):
    kept = code(f"keep({name}, check({name}))")
    found = not_run_at_once(plot.chapter("# Two", code(below), kept, code(below)))
    says(found, advice and f"Let a cell call {advice}, and")
    assert len(not_run_at_once(plot.chapter("# Two", code(below), kept))) == 1
    monkeypatch.setattr("book_tree.NOT_YET_HELD", {2})
    assert not_run_at_once(plot.chapter("# Two", kept)) == []
