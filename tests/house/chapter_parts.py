"""Every chapter has its parts: sections in one order, and exercises with a folded solution."""

import re
from collections.abc import Iterator
from pathlib import Path

from book_tree import Cell, Chapter, chapters
from prose import Block
from python_code import is_stub

SECTIONS = [
    "Predict first", "Find the bug", "Exercises", "Check yourself", "Summary", "In the real BERT",
    "References",
]  # fmt: skip
ROWS = ["You will be able to", "Completes", "You need", "Cost"]
SHOW_SOLUTION = {
    "tags": ["solution", "hide-input"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}
PROVED = r"(?m)^assert .*\bcheck_\w+\([^\n]*(_s|S)olution.*\.passed"
DIFFICULTY = re.compile(r"Difficulty (●○○|●●○|●●●) · \d+ minutes")


def parts(root: Path) -> list[str]:
    """Look for each part of each chapter."""
    return [
        f"{chapter.name}: {problem}"
        for chapter in chapters(root)
        for part in (_sections, _exercises)
        for problem in part(chapter)
    ]


def _sections(chapter: Chapter) -> Iterator[str]:
    """Hold the headings and the first table to the order that all chapters share."""
    headings = [block for block in chapter.blocks if block.kind == "heading"]
    if [block.level for block in headings].count(1) != 1 or headings[0].level != 1:
        yield "needs exactly one heading of level 1, `# Title`, and it comes first."
    names = [block.text for block in headings if block.level == 2]
    if [name for name in names if name in SECTIONS] != SECTIONS:
        yield f"needs each of these sections once, in this order: {', '.join(SECTIONS)}."
    opening = [block for block in chapter.blocks if block.section == "" and block.kind == "row"]
    if [row.columns[0] for row in opening] != ["This chapter", *(f"**{name}**" for name in ROWS)]:
        yield (
            "does not open with the table that every chapter has: a head `| This chapter | |` "
            f"and the rows {', '.join(f'**{name}**' for name in ROWS)}, in this order."
        )


def _exercises(chapter: Chapter) -> Iterator[str]:
    """Ask for a number, a stub, a checker and a solution that is folded and proved."""
    for number, (heading, prose, cells) in enumerate(_exercise_cells(chapter), start=1):
        name = heading.text
        if not re.fullmatch(rf"Exercise {chapter.number}\.{number} · \S.*", name):
            yield (
                f"calls an exercise {name!r}; name it `### Exercise {chapter.number}.{number} · "
                "Name`."
            )
        if not any(DIFFICULTY.fullmatch(block.text) for block in prose):
            yield f"{name}: has no line like `Difficulty ●●○ · 10 minutes`."
        solutions = [cell for cell in cells if "solution" in cell.tags]
        others = [cell for cell in cells if "solution" not in cell.tags]
        if not any(is_stub(node) for cell in others for node in cell.tree.body):
            yield f"{name}: has no stub, a function or a class with a method whose body is `...`."
        if not any(re.search(r"\bcheck_\w+\(", cell.source) for cell in others):
            yield f"{name}: has no checker; end the stub's cell with check_…(…)."
        if not solutions:
            yield f"{name}: has no solution, a cell tagged solution and hide-input."
        for cell in solutions:
            if {key: cell.metadata.get(key) for key in SHOW_SOLUTION} != SHOW_SOLUTION:
                yield f"{name}: the solution is not folded; give its cell metadata {SHOW_SOLUTION}."
            if not re.search(PROVED, cell.source):
                yield f"{name}: the solution is not proved; `assert check_…(…_solution).passed`."


def _exercise_cells(chapter: Chapter) -> list[tuple[Block, list[Block], list[Cell]]]:
    """List the heading, the prose and the code of each exercise, wherever it stands."""
    found, inside = [], False
    for cell in chapter.cells:
        for block in cell.blocks:
            if block.kind == "heading" and (block.level <= 3 or block.section == "Exercises"):
                in_place = block.section == "Exercises" or block.text.startswith("Exercise ")
                inside = in_place and block.level == 3
                found += [(block, [], [])] if inside else []
            elif inside:
                found[-1][1].append(block)
        if inside and cell.kind == "code":
            found[-1][2].append(cell)
    return found
