"""Each card tells what its chapter borrows from bertbook, and that all of it may be skipped."""

import ast

import borrowed
import pytest
from api import chapters
from built_book import HTML
from definitions import chapter_code


def imported(page):
    """Find the names that a chapter imports from bertbook, by reading its cells anew."""
    cells = chapter_code(page.removeprefix("chapters/"))
    code = "\n".join(cell for cell in cells if "google.colab" not in cell)
    return {
        alias.name
        for node in ast.walk(ast.parse(code))
        if isinstance(node, ast.ImportFrom) and node.module.startswith("bertbook")
        for alias in node.names
    }


@pytest.mark.parametrize("number", chapters())
def test_every_name_has_its_clause(number):
    told = borrowed.borrowed(number)
    assert set(told) == imported(chapters()[number][0])
    assert all(len(clause.split()) > 3 for clause in told.values()), told


@pytest.mark.parametrize("number", [1, 12, 23])
def test_it_stands_folded_on_the_page(number):
    page = HTML / f"{chapters()[number][0]}.html"
    if not page.is_file():
        pytest.skip("the book has not been built: make book")
    before, _, after = page.read_text(encoding="utf-8").partition("Borrowed from")
    assert "<details" in before[-300:]
    assert "open" not in before.rpartition("<details")[2]
    assert "You may skip all of it" in after.partition("</details>")[0]
