"""The minutes on a chapter's card are those that its text takes."""

import re
from pathlib import Path

import nbformat
from book_tree import chapters
from planting import code
from reading import STEP, exercise_minutes, fill_card, reading_minutes

TOLD = re.compile(r"\*\*Cost\*\* \| about (\d+) minutes to read and (\d+) for the exercises; ")


def reading_time(root: Path) -> list[str]:
    """Hold the card of each chapter to its words, its code and its exercises, to one step."""
    found = []
    for chapter in chapters(root):
        notebook = nbformat.read(chapter.path, 4)
        computed = (reading_minutes(notebook), exercise_minutes(notebook))
        told = next((m for cell in notebook.cells if (m := TOLD.search(cell.source))), None)
        stored = tuple(map(int, told.groups())) if told else (0, 0)
        if any(abs(a - b) > STEP for a, b in zip(stored, computed)):
            found.append(
                f"{chapter.name}: its card says {stored[0]} minutes to read and {stored[1]} for "
                f"the exercises; its text makes {computed[0]} and {computed[1]}. Run "
                f"`make notebooks CHAPTERS={chapter.name}`."
            )
    return found


def test_cards_say_how_long_a_chapter_takes(this_project):
    this_project.keeps(reading_time)


CARD = "# T\n\n| This chapter | |\n| --- | --- |\n| **Cost** | less than 5 seconds |\n\n"


def test_a_card_without_its_minutes_and_with_them(plot):
    exercise = "Difficulty ●○○ · 10 minutes\n\n" * 2
    folded = code("x = 1\n" * 500, tags=("hide-input",))
    text = CARD + "word " * 1800 + "\n\n" + exercise + "$$" + "x " * 3000 + "$$"
    plot.chapter(text, code("x = 1\n" * 100), folded)
    (sentence,) = reading_time(plot.root)
    assert "says 0 minutes to read and 0 for the exercises; its text makes 20 and 20" in sentence
    (path,) = (plot.root / "book" / "chapters").iterdir()
    notebook = nbformat.read(path, 4)
    for _ in range(2):  # twice is as good as once
        fill_card(notebook)
    nbformat.write(notebook, path)
    assert reading_time(plot.root) == []
