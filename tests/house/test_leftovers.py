"""No drawers for odds and ends, and nothing left for later. Sizes: see tests/sizes.py."""

import re
from pathlib import Path

import pytest
from book_tree import files, name_of, text_of
from planting import says

DRAWERS = {"utils", "common", "helpers", "misc", "scripts"}
LATER = re.compile(r"\b(TO[D]O|FIX[M]E|X[X]X)\b")


def drawers(root: Path) -> list[str]:
    """Refuse names that say nothing about what is inside."""
    return [
        f"{name_of(path, root)}: a file or folder called {part!r} collects what has no home. Name "
        "it after what it holds."
        for path in files(root)
        for part in sorted({Path(part).stem for part in path.relative_to(root).parts} & DRAWERS)
    ]


def left_for_later(root: Path) -> list[str]:
    """Refuse marks of unfinished work, in every file."""
    found = []
    for path in files(root):
        text = text_of(path)
        for mark in LATER.finditer(text):
            line = text.count("\n", 0, mark.start()) + 1
            found.append(
                f"{name_of(path, root)}:{line}: {mark.group()} marks unfinished work. Finish it, "
                "or open an issue and remove the mark."
            )
    return found


@pytest.mark.parametrize("rule", [drawers, left_for_later])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


@pytest.mark.parametrize(
    ("rule", "file", "text", "sentence"),
    [
        (drawers, "minibert/utils.py", "", "a file or folder called 'utils' collects"),
        (left_for_later, "a.py", "x\n# TO" + "DO: more\n", "a.py:2: TO" + "DO marks"),
    ],
)
def test_a_fault(plot, rule, file, text, sentence):
    says(rule(plot.file(file, text)), sentence)
