"""How long a chapter takes a reader, by its words, its visible code and its exercises."""

import re
from collections.abc import Iterable

from nbformat import NotebookNode

WORDS_A_MINUTE, LINES_A_MINUTE = 180, 10
STEP = 5  # minutes; nobody reads by the minute

FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NO_PROSE = re.compile(
    r"^(```|~~~).*?^\1|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)", re.MULTILINE | re.DOTALL
)
WORD = re.compile(r"[^\W\d_][\w’'-]*")
EXERCISE = re.compile(r"^Difficulty [●○]+ · (\d+) minutes", re.MULTILINE)
CARD = re.compile(r"(?<=^\| \*\*Cost\*\* \| )(?:about \d+ .*?; to run, )?", re.MULTILINE)


def reading_minutes(notebook: NotebookNode) -> int:
    """Compute how long the prose and the code take that the page shows."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    words = len(WORD.findall(NO_PROSE.sub(" ", prose)))
    shown = (
        cell.source
        for cell in notebook.cells
        if cell.cell_type == "code" and not FOLDED & set(cell.metadata.get("tags", ()))
    )
    lines = sum(bool(line.strip()) for source in shown for line in source.splitlines())
    return to_step(words / WORDS_A_MINUTE + lines / LINES_A_MINUTE)


def exercise_minutes(notebook: NotebookNode) -> int:
    """Add up what the exercises say themselves."""
    sources = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    return sum(map(int, EXERCISE.findall(sources)))


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
