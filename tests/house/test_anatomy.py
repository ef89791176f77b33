"""Every chapter is built the same way, so that readers always know where they are."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Cell, Chapter, chapters
from planting import mentions
from python_code import calls

BEFORE = ["Predict first"]
AFTER = [
    "Find the bug", "Exercises", "Check yourself", "Summary", "In the real BERT", "References",
]  # fmt: skip
OWN_SECTIONS = 2
ROWS = ["You will be able to", "Completes", "You need", "Cost"]
FIGURES = (
    *("picture", "explore", "html", "machine", "game", "stepwise", "walk_layer"),
    *("type_ahead", "fill_in", "next_sentence", "train_toy"),
    *("see_heads", "follow_shapes", "swap_heads", "weigh_words"),
    *("family_grid", "encoders_grid", "exhibits_grid"),
)
MOVING = ("explore", "stepwise")
FIGURE = re.compile(r"Figure (\d+)\.(\d+)\. \S")


def anatomy(root: Path) -> list[str]:
    """Look for each part of each chapter."""
    parts = (_headings, _opening, _figures)
    return [
        f"{chapter.name}: {problem}"
        for chapter in chapters(root)
        for part in parts
        for problem in part(chapter)
    ]


def _headings(chapter: Chapter) -> Iterator[str]:
    """Hold the headings to the order that all chapters share."""
    headings = [b for b in chapter.blocks if b.kind == "heading"]
    if [b.level for b in headings[:1]] != [1] or sum(b.level == 1 for b in headings) != 1:
        yield "needs exactly one heading of level 1, `# Title`, and it comes first."
    names = [b.text for b in headings if b.level == 2]
    for name in [*BEFORE, *AFTER]:
        if names.count(name) != 1:
            yield f"needs the section `## {name}` once; it has it {names.count(name)} times."
    known = [name for name in names if name in {*BEFORE, *AFTER}]
    if known != [name for name in [*BEFORE, *AFTER] if name in known]:
        yield f"has its sections in another order than {', '.join([*BEFORE, *AFTER])}."
    elif names[:1] != known[:1] or (AFTER[0] in names and names[-len(AFTER) :] != AFTER):
        yield (
            f"has sections of its own before {BEFORE[0]} or after {AFTER[0]}. They stand between "
            "these two; there, a heading of level 3 can divide a section."
        )
    if len(names) - len(known) < OWN_SECTIONS:
        yield f"needs at least {OWN_SECTIONS} sections of its own, which tell its story."


def _opening(chapter: Chapter) -> Iterator[str]:
    """Ask for the table that says what the chapter gives and costs."""
    opening = [b for b in chapter.blocks if b.section == ""]
    rows = [block.columns for block in opening if block.kind == "row"]
    if [row[0] for row in rows] != ["This chapter", *(f"**{name}**" for name in ROWS)]:
        yield (
            "does not open with the table that every chapter has: a head `| This chapter | |` "
            f"and the rows {', '.join(f'**{name}**' for name in ROWS)}, in this order."
        )
    elif empty := [row[0] for row in rows[1:] if row[1] in ("", "…")]:
        yield (
            f"leaves {' and '.join(empty)} open in its first table. `make notebooks` fills the "
            "cost; where there is nothing to say, write a dash."
        )
    if not any(b.kind == "paragraph" for b in opening):
        yield "opens without a word. Say in two or three paragraphs what question it answers."


def _figures(chapter: Chapter) -> Iterator[str]:
    """Ask for a picture, for a figure that moves, and for words with each."""
    drawn = [(cell, call) for cell in chapter.code for call in calls(cell.tree, "picture")]
    moving = [(cell, call) for cell in chapter.code for call in calls(cell.tree, *MOVING)]
    if not drawn:
        yield "has no picture made by code. Draw one and show it with picture(…)."
    if not moving:
        yield "has no interactive figure. Show one idea with explore(…) or stepwise(…)."
    for cell, call in drawn:
        if not _text(call, "alt"):
            yield f"{cell} shows a picture without alt. Say in a sentence what it shows."
        if not (_text(call, "caption") or _is_inside_function(call, cell)):
            yield f"{cell} shows a picture without caption. Say what to look at."
    for cell, call in moving:
        if not _text(call, "caption"):
            yield f"{cell} lets readers explore without caption. Say what to try."
    shown = (call for cell in chapter.code for call in calls(cell.tree, *FIGURES))
    captions = [text for call in shown if (text := _text(call, "caption")).startswith("Figure")]
    numbers = [FIGURE.match(text) for text in captions]
    told = [match and (int(match[1]), int(match[2])) for match in numbers]
    if told != [(chapter.number, i + 1) for i in range(len(told))]:
        yield (
            f"numbers its figures otherwise than Figure {chapter.number}.1., Figure "
            f"{chapter.number}.2. and so on, in the order of reading."
        )


def _text(call: ast.Call, name: str) -> str:
    """Read an argument that is text; of text that is computed only the code can be told."""
    value = next((k.value for k in call.keywords if k.arg == name), None)
    if isinstance(value, ast.Constant):
        return str(value.value).strip()
    return "" if value is None else ast.unparse(value)


def _is_inside_function(call: ast.Call, cell: Cell) -> bool:
    """Say whether a call draws a frame of an interactive figure, which has its own caption."""
    functions = [n for n in ast.walk(cell.tree) if isinstance(n, ast.FunctionDef | ast.Lambda)]
    return any(call in ast.walk(function) for function in functions)


def test_every_chapter_has_every_part(this_project):
    this_project.keeps(anatomy)


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("", "", ""),
        ("## One", "# One", "exactly one heading of level 1"),
        ("## Summary", "## In short", "needs the section `## Summary` once; it has it 0 times"),
        ("## Summary", "## More\n\n## Summary", "or after Find the bug"),
        ("## Summary\n\n## In the real BERT", "## In the real BERT\n\n## Summary", "another order"),
        ("## One", "### One", "at least 2 sections of its own"),
        ("| **You need** | nothing |\n", "", "does not open with the table"),
        ("| **Cost** | 1 second |", "| **Cost** | … |", "leaves **Cost** open in its first table"),
        ("A question.\n\n", "", "opens without a word"),
        ("alt='A line.'", "alt=' '", "shows a picture without alt"),
        (", caption='Figure 2.1. A line.'", "", "shows a picture without caption"),
        ("caption='Figure 2.2. Move it.', ", "", "lets readers explore without caption"),
        ("Figure 2.2.", "Figure 2.3.", "numbers its figures otherwise than Figure 2.1."),
        ("explore(", "tour(", "has no interactive figure"),
        ("picture(axes", "print(axes", "Figure 2.1."),
    ],
)
def test_a_good_chapter_and_a_missing_part(plot, old, new, problem):
    mentions(anatomy(plot.good_chapter((old, new))), problem)
