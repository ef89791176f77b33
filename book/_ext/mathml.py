"""Formulas as MathML, which the pages hold inside of what their screen shows."""

from __future__ import annotations

from bs4 import Tag

FORMULA = "[data-tex]"
NAMESPACE = "http://www.w3.org/1998/Math/MathML"


def set_formulas(article: Tag) -> None:
    """Keep only the MathML of each formula, with its TeX for those who cannot see it."""
    for element in article.select(FORMULA):
        container = element.select_one("mjx-container")
        if container is None or container.math is None:
            raise ValueError(f"no MathML in the formula {element['data-tex']!r}: run `make book`")
        made = container.math.extract()
        made["xmlns"], made["alttext"] = NAMESPACE, str(element["data-tex"])
        for table in made.select("mtable[columnalign]"):
            _align(table)
        container.replace_with(made)


def _align(table: Tag) -> None:
    """Say in each cell of a formula how it is aligned; browsers know no other way."""
    columns = str(table["columnalign"]).split()
    for row in table.find_all("mtr", recursive=False):
        for i, cell in enumerate(row.find_all("mtd", recursive=False)):
            cell["style"] = f"text-align:{columns[i % len(columns)]}"
