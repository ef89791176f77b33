"""A chapter has a size: at most so many words, visible lines of code, and fold buttons."""

from pathlib import Path

import nbformat
import pytest
from book_tree import chapters
from planting import code, says
from reading import fold_buttons, visible_lines, words

MOST = {
    words: (3600, "words", "Cut what is said twice, or what only a maintainer wants to know."),
    visible_lines: (330, "visible lines of code", "Move drawing and formatting to bertbook."),
    fold_buttons: (15, "fold buttons", "Give cells that only draw or import remove-input."),
}


def chapter_sizes(root: Path) -> list[str]:
    """Count what each chapter asks of its reader."""
    found = []
    for chapter in chapters(root):
        notebook = nbformat.read(chapter.path, 4)
        for count, (most, things, advice) in MOST.items():
            if (number := count(notebook)) > most:
                found.append(f"{chapter.name}: {number} {things}, more than {most}. {advice}")
    return found


def test_chapters_are_of_one_size(this_project):
    this_project.keeps(chapter_sizes)


FOLDS = [code("x = 1", tags=("hide-input",)) for _ in range(14)]
DETAILS = "<details><summary>A</summary>B</details>"
NOTE = ":::{note} A name\n:class: dropdown\nWords.\n:::"


@pytest.mark.parametrize(
    ("cells", "sentence"),
    [
        (["word " * 3599], ""),  # and its heading
        (["word " * 3600], "3601 words, more than 3600. Cut"),
        (["```\n" + "word " * 4000 + "\n```", "$$" + "x " * 4000 + "$$"], ""),
        ([code("x = 1\n\n" * 330), code("x = 1\n", tags=("hide-input",))], ""),
        ([code("x = 1\n" * 331)], "331 visible lines of code, more than 330. Move"),
        ([*FOLDS, DETAILS], ""),
        ([*FOLDS, "```{dropdown} A\nB\n```", NOTE], "16 fold buttons, more than 15. Give"),
    ],
)
def test_a_chapter_of_a_size(plot, cells, sentence):
    says(chapter_sizes(plot.chapter("# Heading", *cells)), sentence)
