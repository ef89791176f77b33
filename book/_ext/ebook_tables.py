"""Tables of an e-book: on a narrow screen each row of a wide one becomes a list.

Readers neither scroll a page sideways nor show what is beside it. The style of the e-book does it,
and needs the name of its column in each cell.
"""

from __future__ import annotations

import re

from bs4 import Tag

MOST = 49  # letters beside each other that have room on the screen of a phone
BETWEEN = 1.4  # columns, in letters
OF_CODE = 1.2  # a letter of code or of a formula, in other letters


def name_cells(article: Tag) -> None:
    """Mark the wide tables of a page, and say in each of their cells which column it is in."""
    for table in article.select("table:has(thead)"):
        if least_width(table) < MOST or table.select("[colspan], [rowspan]"):
            continue
        table["class"] = " ".join([*filter(None, table.get_attribute_list("class")), "wide"])
        names = [cell.get_text(" ", strip=True) for cell in table.select("thead tr:last-child > *")]
        for row in table.select("tbody tr"):
            for name, cell in zip(names, _cells(row)):
                if cell.get_text(strip=True):
                    cell["data-name"] = name


def least_width(table: Tag) -> float:
    """Estimate how many letters wide a table is if each line breaks wherever it can."""
    rows = [_cells(row) for row in table.select("tr")]
    columns = range(max(map(len, rows), default=0))
    return sum(max(_longest(row[n]) for row in rows if n < len(row)) + BETWEEN for n in columns)


def _cells(row: Tag) -> list[Tag]:
    return row.find_all(["th", "td"], recursive=False)


def _longest(cell: Tag) -> float:
    """Count the letters of the longest word in a cell; a formula is a word."""
    found = [float(len(word)) for word in cell.get_text(" ").split()]
    found += [OF_CODE * len(word) for code in cell("code") for word in code.get_text(" ").split()]
    for formula in cell("math"):
        shown = [text for text in formula.find_all(string=True) if text.parent.name != "annotation"]
        found.append(OF_CODE * len(re.sub(r"\s", "", "".join(shown))))
    return max(found, default=0.0)
