"""What a reader sees of the code: short cells that compute, and bugs that are really hunted."""

import ast
import io
import math
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Cell, Chapter, chapters
from planting import code
from python_code import Function, called, calls
from still_to_do import apart_from_those

MOST_LINES, MOST_ASSERTS = 25, 1
FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
MARK = re.compile(r"\bbugs?\b|\bwrong\b|\bmistake\b", re.IGNORECASE)
TELLING = {"bug", "buggy", "broken", "wrong", "wrongly", "faulty", "mistaken"}
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
        f"{chapter.name}: {cell} tells where the bug is: {clue!r}. Let the reader find it: show "
        "the property that fails, ask with which_line, and fold the answer."
        for chapter in chapters(root)
        for cell in visible(chapter)
        if cell.section == HUNT
        for clue in _clues(cell)
    ]


def _clues(cell: Cell) -> Iterator[str]:
    """Yield the comments and the names of a cell that give the bug away."""
    words = tokenize.generate_tokens(io.StringIO(cell.source).readline)
    yield from (w.string for w in words if w.type == tokenize.COMMENT and MARK.search(w.string))
    for node in ast.walk(cell.tree):
        if isinstance(node, Function | ast.ClassDef):
            parts = re.findall(r"[A-Z]?[a-z]+", node.name)
            yield from [node.name] * bool(TELLING & {part.lower() for part in parts})


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
    this_project.keeps(apart_from_those(rule))


def test_a_cell_that_is_too_long_or_asserts_too_much(plot):
    plot.chapter("# T", code("x = 1\n" * 25), code("assert 1\n"), code("y = 1\n" * 26))
    (long,) = long_cells(plot.root)
    assert "'y = 1' shows 26 lines, more than 25" in long
    plot.chapter("# T", code("assert 1\nassert 2\n"), code("z = 1\n" * 26, tags=["hide-input"]))
    (asserts,) = long_cells(plot.root)
    assert "shows 2 asserts, more than 1" in asserts


@pytest.mark.parametrize(
    ("source", "clue"),
    [
        ("x = y.T  # the bug: transposed", "# the bug: transposed"),
        ("def buggy_mean(x):\n    return x", "buggy_mean"),
        ("class BrokenLayer:\n    pass", "BrokenLayer"),
    ],
)
def test_a_bug_that_is_told(plot, source, clue):
    plot.chapter("# T\n\n## Find the bug", code(source), code(source, tags=["hide-input"]))
    (sentence,) = told_bugs(plot.root)
    assert f"tells where the bug is: {clue!r}" in sentence


def test_a_bug_that_is_hunted(plot):
    plot.chapter("# T\n\n## Find the bug", code("def debug_mean(x):\n    return x  # a mean"))
    assert told_bugs(plot.root) == []


def _question(right: str, *wrong: str):
    answers = [f"right({right!r}, 'r')", *(f"wrong({text!r}, 'r')" for text in wrong)]
    return code(f"quiz('q?', {', '.join(answers)})")


def test_right_answers_that_are_the_longest(plot):
    short, long = ("a", "bb", "cc"), ("aaa", "b", "c")
    plot.chapter("# T", *(_question(*answers) for answers in (short, short, long)))
    assert long_right_answers(plot.root) == []
    plot.chapter("# T", *(_question(*answers) for answers in (short, long, long)))
    (sentence,) = long_right_answers(plot.root)
    assert "in 2 of 3 questions the right answer is the longest; by chance" in sentence
    assert "1.0" in sentence


def test_a_list_that_does_not_shrink(plot):
    plot.chapter("# T", code("y = 1\n" * 26), number=2)
    plot.chapter("# T", code("y = 1\n"), number=3)
    rule = apart_from_those(long_cells)
    assert rule(plot.root, {2: {"long_cells"}}) == []
    assert len(rule(plot.root, {2: {"told_bugs"}})) == 1
    (sentence,) = rule(plot.root, {2: {"long_cells"}, 3: {"long_cells"}})
    assert "Chapter 3 holds the rule 'long_cells' now." in sentence
