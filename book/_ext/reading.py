"""How long a chapter takes a reader: computed from its words, its visible code and its exercises.

Run as a program, it fills the cards of all chapters and the sentence of the landing page.
"""

import re
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from normal_form import folded

BOOK = Path(__file__).resolve().parents[1]
WORDS_A_MINUTE, LINES_A_MINUTE = 180, 10
STEP = 5  # minutes; nobody reads by the minute

FOLDED = {"hide-input", "hide-cell", "remove-input", "remove-cell"}
NO_PROSE = re.compile(
    r"^(```|~~~).*?^\1|\$\$.*?\$\$|\$[^$]*\$|\]\([^)]*\)", re.MULTILINE | re.DOTALL
)
WORD = re.compile(r"[^\W\d_][\w’'-]*")
EXERCISE = re.compile(r"^Difficulty [●○]+ · (\d+) minutes", re.MULTILINE)
CARD = re.compile(r"(?<=^\| \*\*Cost\*\* \| )(?:about \d+ .*?; to run, )?", re.MULTILINE)
SPAN = re.compile(r"takes \d+ to \d+ minutes to read with its code, and its exercises \d+ to \d+ ")


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


def fill_landing_page(text: str, notebooks: list[NotebookNode]) -> str:
    """Write into the landing page from how many to how many minutes the chapters take."""
    read, done = (
        sorted(map(minutes, notebooks)) for minutes in (reading_minutes, exercise_minutes)
    )
    span = (
        f"takes {read[0]} to {read[-1]} minutes to read with its code, "
        f"and its exercises {to_step(done[0])} to {to_step(done[-1])} "
    )
    return SPAN.sub(span, text)


def main(book: Path = BOOK) -> None:
    """Fill every card, and the landing page, and fold in Jupyter what the page folds."""
    notebooks = {path: nbformat.read(path, 4) for path in (book / "chapters").glob("*.ipynb")}
    for path, notebook in notebooks.items():
        fill_card(notebook)
        for cell in notebook.cells:
            cell.metadata |= folded(cell.metadata.get("tags", ()))
        path.write_text(nbformat.writes(notebook).rstrip("\n") + "\n", encoding="utf-8")
    page = book / "index.md"
    text = fill_landing_page(page.read_text(encoding="utf-8"), [*notebooks.values()])
    page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
