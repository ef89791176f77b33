"""What a reader sees of the code: short cells that compute, and bugs that are really hunted."""

import ast
import math
import re
from pathlib import Path

import pytest
from book_tree import Cell, Chapter, chapters
from planting import code, says
from python_code import called, calls

MOST_LINES, MOST_ASSERTS = 25, 1
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
CLUE = re.compile(
    r"#.*\b(?:bugs?|wrong|mistake)\b|(?:def|class) \w*(?:(?<!de)bug|broken|wrong|faulty|mistaken)",
    re.IGNORECASE,
)
HUNT = "Find the bug"


def visible(chapter: Chapter) -> list[Cell]:
    """List the code cells that the page shows unfolded."""
    return [cell for cell in chapter.code if not cell.tags & FOLDED]


def long_cells(root: Path) -> list[str]:
    """Limit the lines and the asserts of what is shown."""
    found = []
    for chapter in chapters(root):
        for cell in visible(chapter):
            lines = len(cell.source.splitlines())
            asserts = sum(isinstance(node, ast.Assert) for node in ast.walk(cell.tree))
            if lines > MOST_LINES:
                found.append(
                    f"{chapter.name}: {cell} shows {lines} lines, more than {MOST_LINES}. Divide "
                    "it, or fold what the reader need not read with the tag hide-input."
                )
            if asserts > MOST_ASSERTS:
                found.append(
                    f"{chapter.name}: {cell} shows {asserts} asserts, more than {MOST_ASSERTS}. "
                    "Print the number that the reader wants, and move witnesses to a folded cell."
                )
    return found


def told_bugs(root: Path) -> list[str]:
    """Refuse code of a hunt that points at the bug, in a comment or with a name."""
    return [
        f"{chapter.name}: {cell} tells where the bug is: {clue[0]!r}. Let the reader find it: show "
        "the property that fails, ask with which_line, and fold the answer."
        for chapter in chapters(root)
        for cell in visible(chapter)
        if cell.section == HUNT
        for clue in CLUE.finditer(cell.source)
    ]


def long_right_answers(root: Path) -> list[str]:
    """Let nobody pass a quiz by choosing the longest option: chance must do as well."""
    found = []
    for chapter in chapters(root):
        sizes = [_sizes(call) for cell in chapter.code for call in calls(cell.tree, "quiz")]
        sizes = [(right, wrong) for right, wrong in sizes if right and wrong]
        longest = sum(right > max(wrong) for right, wrong in sizes)
        chance = sum(1 / (1 + len(wrong)) for _, wrong in sizes)
        if longest > math.ceil(chance):
            found.append(
                f"{chapter.name}: in {longest} of {len(sizes)} questions the right answer is the "
                f"longest; by chance it would be {chance:.1f}. Move the reason into the reply."
            )
    return found


def _sizes(question: ast.Call) -> tuple[int, list[int]]:
    """Measure the right answer of a question and the wrong ones."""
    sizes: dict[str, list[int]] = {"right": [], "wrong": []}
    for answer in question.args:
        if isinstance(answer, ast.Call) and called(answer) in sizes and answer.args:
            text = answer.args[0]
            if isinstance(text, ast.Constant) and isinstance(text.value, str):
                sizes[called(answer)].append(len(text.value))
    return sum(sizes["right"]), sizes["wrong"]


@pytest.mark.parametrize("rule", [long_cells, told_bugs, long_right_answers])
def test_chapters_show_what_a_reader_needs(this_project, rule):
    this_project.keeps(rule)


def asked(right: str, *wrong: str):
    answers = [f"right({right!r}, 'r')", *(f"wrong({text!r}, 'r')" for text in wrong)]
    return code(f"quiz('q?', {', '.join(answers)})")


SHORT, LONG = ("a", "bb", "cc"), ("aaa", "b", "c")
HUNTED = "# T\n\n## Find the bug"


@pytest.mark.parametrize(
    ("rule", "cells", "sentence"),
    [
        (long_cells, [code("x = 1\n" * 25), code("assert 1\n")], ""),
        (long_cells, [code("y = 1\n" * 26)], "'y = 1' shows 26 lines, more than 25"),
        (long_cells, [code("assert 1\nassert 2\n")], "shows 2 asserts, more than 1"),
        (told_bugs, [code("x = y.T  # the bug: .T")], "tells where the bug is: '# the bug'"),
        (told_bugs, [code("class MyBrokenLayer:\n    pass")], "bug is: 'class MyBroken'"),
        (told_bugs, [code("x = y.T  # the bug: .T", tags=["hide-input"])], ""),
        (told_bugs, [code("def debug_mean(x):\n    return x  # a mean")], ""),
        (long_right_answers, [asked(*SHORT), asked(*SHORT), asked(*LONG)], ""),
        (long_right_answers, [asked(*SHORT), asked(*LONG), asked(*LONG)], "in 2 of 3"),
    ],
)
def test_a_fault(plot, rule, cells, sentence):
    says(rule(plot.chapter(HUNTED, *cells)), sentence)
