"""What a reader keeps goes to work: a later cell runs on it, or it plays a part of a BERT."""

from pathlib import Path

import pytest
from book_tree import Chapter, chapters
from planting import code, says
from python_code import calls

from bertbook.reader.contracts import my_name, original_of


def not_run_at_once(root: Path) -> list[str]:
    """Ask that what is kept goes to work in its own chapter, in a cell further down."""
    return [
        f"{chapter.name}: {name} is kept, and nothing below runs on it. Let a cell call "
        f"{_call(name)}, and what follows be built of what is kept."
        for chapter in chapters(root)
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
        return my_name(original_of(name)) == name  # my_attention is a function of numpy's
    except ValueError:
        return False


def test_what_is_kept_is_used(this_project):
    this_project.keeps(not_run_at_once)


@pytest.mark.parametrize(
    ("name", "below", "advice"),
    [
        ("MyLayer", "running_on()", ""),
        ("MyLayer", "print()", "running_on()"),
        ("my_sum", "my = running_on(sum=sum)", ""),
        ("my_attention", "running_on()", "running_on(attention=…)"),
        ("my_corrupt_tokens", "running_on()", ""),
    ],
)
def test_a_use_further_down(plot, name, below, advice):
    kept = code(f"keep({name}, check({name}))")
    found = not_run_at_once(plot.chapter("# Two", code(below), kept, code(below)))
    says(found, advice and f"Let a cell call {advice}, and")
    assert len(not_run_at_once(plot.chapter("# Two", code(below), kept))) == 1
