"""Every chapter asks: exercises that can be checked, questions that answer back."""

import ast
import copy
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import Cell, Chapter, chapters
from planting import GOOD_CHAPTER, QUIZ, SHOW_SOLUTION, mentions
from prose import Block
from python_code import calls

EXERCISES = 3
EXERCISE = re.compile(r"Exercise (\d+)\.(\d+) · \S.*")
DIFFICULTY = re.compile(r"Difficulty (●○○|●●○|●●●) · \d+ minutes")


def exercises(root: Path) -> list[str]:
    """Look at the exercises, quizzes and flashcards of each chapter."""
    return [
        f"{chapter.name}: {problem}"
        for chapter in chapters(root)
        for part in (_exercises, _quizzes)
        for problem in part(chapter)
    ]


def _exercises(chapter: Chapter) -> Iterator[str]:
    """Ask for exercises with a difficulty, a stub, a checker and a folded solution."""
    found = list(_exercise_cells(chapter))
    if len(found) < EXERCISES:
        yield f"has {len(found)} exercises; it needs at least {EXERCISES}."
    for number, (heading, prose, cells) in enumerate(found, start=1):
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
                is_exercise = in_place and block.level == 3
                current = (block, [], []) if is_exercise else None
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
    stubs = [n for cell in open_cells for n in cell.tree.body if _is_stub(n)]
    if not stubs:
        yield "has no stub, a function or a class with a method whose body is `...`."
    if not any(_checkers(cell) for cell in open_cells):
        yield "has no checker; end the stub's cell with check_…(…)."
    if not solutions:
        yield "has no solution, a cell tagged solution and hide-input."
    for cell in solutions:
        if {key: cell.metadata.get(key) for key in SHOW_SOLUTION} != SHOW_SOLUTION:
            yield (
                f"the solution is not folded; give its cell the tags {SHOW_SOLUTION['tags']} and "
                f"the metadata mystnb {SHOW_SOLUTION['mystnb']}."
            )
        nodes = [n for n in ast.walk(cell.tree) if isinstance(n, ast.FunctionDef | ast.ClassDef)]
        if not any(node.name.endswith(("_solution", "Solution")) for node in nodes):
            yield (
                "the solution defines no function whose name ends in _solution, and no class whose "
                "name ends in Solution."
            )
        if not any(map(_asserts_passed, cell.tree.body)):
            yield "the solution is not proved; add `assert check_…(…_solution).passed`."


def _is_stub(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef):
        return any(map(_is_stub, node.body))
    last = node.body[-1] if isinstance(node, ast.FunctionDef) else None
    return isinstance(last, ast.Expr) and getattr(last.value, "value", None) is Ellipsis


def _checkers(cell: Cell) -> list[str]:
    return re.findall(r"\bcheck_\w+(?=\()", cell.source)


def _asserts_passed(node: ast.stmt) -> bool:
    text = ast.unparse(node) if isinstance(node, ast.Assert) else ""
    return bool(re.fullmatch(r"assert check_\w+\(.*(_s|S)olution.*\)\.passed", text))


def _quizzes(chapter: Chapter) -> Iterator[str]:
    """Ask for questions in their places, with enough wrong answers and no pattern in the right."""
    asked = [(cell, call) for cell in chapter.code for call in calls(cell.tree, "quiz")]
    cards = [cell for cell in chapter.code if calls(cell.tree, "flashcards")]
    for section in ("Predict first", "Check yourself"):
        if not any(cell.section == section for cell, _ in asked):
            yield f"has no quiz in {section}."
    if not any(cell.section == "Check yourself" for cell in cards):
        yield "has no flashcards in Check yourself."
    places = []
    for cell, call in asked:
        kinds = [arg.func.id for arg in call.args[1:] if calls(arg, "right", "wrong")]
        if kinds.count("right") != 1 or kinds.count("wrong") < 2:
            yield f"{cell} asks with too few answers; one is right and at least two are wrong."
        replies = [arg.args[1:] for arg in call.args[1:] if isinstance(arg, ast.Call)]
        if any(not reply or not getattr(reply[0], "value", "") for reply in replies):
            yield f"{cell} has an answer without a reply. Say what is behind it."
        places.append(kinds.index("right") if "right" in kinds else -1)
    if len(places) > 2 and len(set(places)) == 1:
        yield f"has the right answer of every quiz in place {places[0] + 1}. Move some of them."


def test_every_chapter_asks(this_project):
    this_project.keeps(exercises)


OF_A_CLASS = [
    ("def my_sum(x):\n    ...", "class MySum:\n    def forward(self, x):\n        ..."),
    ("check_sum(my_sum)", "keep(MySum, check_module(MySum, 'sum'))"),
    ("def sum_solution(x):\n    return x", "class SumSolution:\n    size = 1"),
    ("check_sum(sum_solution)", "check_module(SumSolution, 'sum')"),
]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ([], ""),
        (OF_A_CLASS, ""),
        ([("### Exercise 2.3 · Name", "#### More")], "has 2 exercises; it needs at least 3"),
        ([("Exercise 2.3 · Name", "Exercise 3.3 · Name")], "calls an exercise 'Exercise 3.3"),
        ([("## One", "## One\n\n### Exercise 2.1 · Early")], "Exercise 2.1 · Early: has no stub"),
        ([("●○○ · 5 minutes", "●●● · some minutes")], "has no line like `Difficulty"),
        ([("    ...", "    return x")], "Exercise 2.1 · Name: has no stub"),
        ([("check_sum(my_sum)", "my_sum(1)")], "has no checker"),
        ([("def sum_solution", "def solve")], "defines no function whose name ends in _solution"),
        ([("assert check_sum(sum_solution).passed", "check_sum(sum_solution)")], "is not proved"),
        ([("quiz(", "ask(")], "has no quiz in Predict first"),
        ([("flashcards", "cards")], "has no flashcards in Check yourself"),
        ([('wrong("Third", "A reply.")', 'right("Third", "A reply.")')], "with too few answers"),
        ([('wrong("Third", "A reply.")', 'wrong("Third")')], "an answer without a reply"),
        ([(QUIZ.format(*kinds).strip(), QUIZ.format("right", "wrong", "wrong").strip()) for kinds
          in (("wrong", "right", "wrong"), ("wrong", "wrong", "right"))],
         "has the right answer of every quiz in place 1"),
    ],
)  # fmt: skip
def test_good_exercises_and_a_missing_part(plot, changes, problem):
    mentions(exercises(plot.good_chapter(*changes)), problem)


def test_a_solution_that_is_missing_or_not_folded(plot):
    cells = [copy.deepcopy(cell) for cell in GOOD_CHAPTER]
    solution = next(c for c in cells if not isinstance(c, str) and "_solution" in c.source)
    solution.metadata = {"tags": ["solution"]}
    problem = "Exercise 2.1 · Name: the solution is not folded; give its cell the tags"
    mentions(exercises(plot.chapter(*cells)), problem)
    cells.remove(solution)
    mentions(exercises(plot.chapter(*cells)), "Exercise 2.1 · Name: has no solution, a cell tagged")
