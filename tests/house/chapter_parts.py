"""Every chapter has its parts: sections in one order, and exercises with a folded solution."""

import ast
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
EXERCISE = re.compile(r"Exercise (\d+)\.(\d+) · \S.*")
SHOW_SOLUTION = {
    "tags": ["solution", "hide-input"],
    "mystnb": {"code_prompt_show": "Show the solution", "code_prompt_hide": "Hide the solution"},
}
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
        match = EXERCISE.fullmatch(heading.text)
        if not match or (int(match[1]), int(match[2])) != (chapter.number, number):
            yield (
                f"calls an exercise {heading.text!r}; name it `### Exercise {chapter.number}."
                f"{number} · Name`."
            )
        if not any(DIFFICULTY.fullmatch(block.text) for block in prose):
            yield f"{heading.text}: has no line like `Difficulty ●●○ · 10 minutes`."
        yield from (f"{heading.text}: {problem}" for problem in _exercise(cells))


def _exercise_cells(chapter: Chapter) -> Iterator[tuple[Block, list[Block], list[Cell]]]:
    """Yield the heading, the prose and the code of each exercise, wherever it stands."""
    current: tuple[Block, list[Block], list[Cell]] | None = None
    for cell in chapter.cells:
        for block in cell.blocks if cell.kind == "markdown" else []:
            if block.kind == "heading" and (block.level <= 3 or block.section == "Exercises"):
                if current:
                    yield current
                in_place = block.section == "Exercises" or block.text.startswith("Exercise ")
                current = (block, [], []) if in_place and block.level == 3 else None
            elif current:
                current[1].append(block)
        if current and cell.kind == "code":
            current[2].append(cell)
    if current:
        yield current


def _exercise(cells: list[Cell]) -> Iterator[str]:
    """Say what is missing among the cells of one exercise."""
    open_cells = [cell for cell in cells if "solution" not in cell.tags]
    solutions = [cell for cell in cells if "solution" in cell.tags]
    if not any(is_stub(node) for cell in open_cells for node in cell.tree.body):
        yield "has no stub, a function or a class with a method whose body is `...`."
    if not any(re.search(r"\bcheck_\w+\(", cell.source) for cell in open_cells):
        yield "has no checker; end the stub's cell with check_…(…)."
    if not solutions:
        yield "has no solution, a cell tagged solution and hide-input."
    for cell in solutions:
        if {key: cell.metadata.get(key) for key in SHOW_SOLUTION} != SHOW_SOLUTION:
            yield (
                f"the solution is not folded; give its cell the tags {SHOW_SOLUTION['tags']} and "
                f"the metadata mystnb {SHOW_SOLUTION['mystnb']}."
            )
        if not _is_proved(cell):
            yield "the solution is not proved; add `assert check_…(…_solution).passed`."


def _is_proved(cell: Cell) -> bool:
    """Say whether a checker is asked for a solution, and an assert for its verdict."""
    asserts = (ast.unparse(node) for node in cell.tree.body if isinstance(node, ast.Assert))
    checks = re.search(r"\bcheck_\w+\([^\n]*(_s|S)olution", cell.source)
    return bool(checks) and any(".passed" in text for text in asserts)
