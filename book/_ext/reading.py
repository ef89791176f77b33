"""How large a chapter is: its words, its visible code, its folds, and the minutes they take."""

import re
from collections.abc import Iterable, Iterator

from nbformat import NotebookNode

WORDS_A_MINUTE, LINES_A_MINUTE = 180, 10
# Minutes for what is no prose: to predict, to compute by hand, to try a figure, to find a bug.
TO_ANSWER = {"quiz": 0.75, "ask": 2, "explore": 2, "which_line": 3}
TO_LOOK_AT = 0.5  # minutes for a figure or a table
TO_FOLLOW = 1  # minute for a formula that stands alone
STEP = 5  # minutes; nobody reads by the minute

FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NOT_READ = {*FOLDED, "one-line"}  # a line that draws a question is seen, and not studied
BUTTON = {"hide-input", "hide-cell", "hide-output"}
FOLD_IN_PROSE = re.compile(r"<details|^:class:.*\bdropdown\b|^[`:]{3,}\{dropdown\}", re.MULTILINE)
NO_PROSE = re.compile(
    r"^(```|~~~).*?^\1|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)", re.MULTILINE | re.DOTALL
)
WORD = re.compile(r"[^\W\d_][\w’'-]*")
FORMULA = re.compile(r"\$\$.*?\$\$", re.DOTALL)
CALL = re.compile(r"^(\w+)\(", re.MULTILINE)
EXERCISE = re.compile(r"^Difficulty [●○]+ · (\d+) minutes", re.MULTILINE)
CARD = re.compile(r"(?<=^\| \*\*Cost\*\* \| )(?:about \d+ .*?; to run, )?", re.MULTILINE)


def words(notebook: NotebookNode) -> int:
    """Count the words of the prose, without formulas, listings and addresses."""
    return len(WORD.findall(NO_PROSE.sub(" ", _prose(notebook))))


def visible_lines(notebook: NotebookNode) -> int:
    """Count the lines of code to read that the page shows unfolded, without the empty ones."""
    shown = (cell.source for cell, tags in _code(notebook) if not NOT_READ & tags)
    return sum(bool(line.strip()) for source in shown for line in source.splitlines())


def code_cells(notebook: NotebookNode) -> int:
    """Count the cells with code."""
    return sum(1 for _ in _code(notebook))


def hidden_cells(notebook: NotebookNode) -> int:
    """Count the cells whose code the page does not show at once."""
    return sum(bool(FOLDED & tags) for _, tags in _code(notebook))


def fold_buttons(notebook: NotebookNode) -> int:
    """Count what the page folds behind a button: code, results, and folds in the prose."""
    folds = sum(bool(BUTTON & tags) for _, tags in _code(notebook))
    return folds + len(FOLD_IN_PROSE.findall(_prose(notebook)))


def reading_minutes(notebook: NotebookNode) -> int:
    """Compute how long all takes that the page shows, but the exercises."""
    read = words(notebook) / WORDS_A_MINUTE + visible_lines(notebook) / LINES_A_MINUTE
    followed = TO_FOLLOW * len(FORMULA.findall(_prose(notebook)))
    return to_step(read + followed + _minutes_of_cells(notebook))


def _minutes_of_cells(notebook: NotebookNode) -> float:
    """Add up what is answered, and what is looked at."""
    total = 0.0
    for cell, tags in _code(notebook):
        if "remove-cell" in tags:
            continue
        calls = [name for name in CALL.findall(cell.source) if name in TO_ANSWER]
        drawn = any("text/html" in output.get("data", {}) for output in cell.outputs)
        total += sum(TO_ANSWER[name] for name in calls)
        total += TO_LOOK_AT * (drawn and not calls and "solution" not in tags)
    return total


def exercise_minutes(notebook: NotebookNode) -> int:
    """Add up what the exercises say themselves."""
    return sum(map(int, EXERCISE.findall(_prose(notebook))))


def to_step(minutes: float) -> int:
    """Round to the nearest step; nothing takes no time."""
    return max(STEP, STEP * round(minutes / STEP))


def fill_card(notebook: NotebookNode) -> None:
    """Write the minutes into the row for the cost, before what the machine needs."""
    told = (
        f"about {reading_minutes(notebook)} minutes to read and {exercise_minutes(notebook)} for "
        "the exercises; to run, "
    )
    for cell in notebook.cells:
        cell.source = CARD.sub(told, cell.source)


def spans(notebooks: Iterable[NotebookNode]) -> dict[str, str]:
    """Say from how many to how many minutes the chapters take to read, and their exercises."""
    notebooks = [*notebooks]
    read = sorted(map(reading_minutes, notebooks))
    done = sorted(to_step(exercise_minutes(notebook)) for notebook in notebooks)
    return {
        "minutes to read": f"{read[0]} to {read[-1]} minutes",
        "minutes for exercises": f"{done[0]} to {done[-1]} minutes",
    }


def _prose(notebook: NotebookNode) -> str:
    return "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def _code(notebook: NotebookNode) -> Iterator[tuple[NotebookNode, set[str]]]:
    """Yield the code cells with their tags."""
    cells = (cell for cell in notebook.cells if cell.cell_type == "code")
    yield from ((cell, set(cell.metadata.get("tags", ()))) for cell in cells)
