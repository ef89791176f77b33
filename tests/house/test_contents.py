"""README names every chapter by its title, and modules and tests that are there."""

import re
from pathlib import Path

import pytest
from book_tree import chapters
from planting import says
from prose import blocks
from python_code import PACKAGES

CODE = re.compile(r"`([^`]+)`")
PLACES = ("tests/", *(f"{name}/" for name in PACKAGES))


def front_door(root: Path) -> list[str]:
    """Compare the README's table with the chapters: titles, and paths of modules and tests."""
    rows = [b for b in blocks((root / "README.md").read_text(encoding="utf-8")) if b.kind == "row"]
    found = []
    for chapter in chapters(root):
        row = next((row for row in rows if chapter.name in row.links), None)
        if row is None or chapter.title not in row.text:
            found.append(
                f"README.md: its table has no row with a link to {chapter.name} that calls it "
                f"{chapter.title!r}. Add the chapter, its module and its tests."
            )
    named = {span for row in rows for span in [*CODE.findall(row.text), *row.links]}
    return found + [
        f"README.md: names {place}, which does not exist. Correct the path."
        for place in sorted(named)
        if place.startswith(PLACES) and not (root / place).exists()
    ]


def test_readme_agrees_with_the_chapters(this_project):
    this_project.keeps(front_door)


README = """
| | chapter | module | tests |
| --- | --- | --- | --- |
| 2 | [One sum](book/chapters/02-a-chapter.ipynb) | `minibert.reference` | `tests/sums/` |
"""


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ("", "", ""),
        ("[One sum]", "[A sum]", "02-a-chapter.ipynb that calls it 'One sum'"),
        ("tests/sums/", "tests/sum/", "names tests/sum/, which does not exist"),
    ],
)
def test_a_readme_that_agrees_or_does_not(plot, old, new, problem):
    plot.file("tests/sums/test_layers.py", "")
    plot.file("README.md", README.replace(old, new, 1))
    says(front_door(plot.chapter("# One sum")), problem)
