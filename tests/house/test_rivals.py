"""A table of methods that has a fine-tuned encoder has the cheapest rival of the chapter, too."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import ROOT

CHEAPEST = {  # by chapter: how a row of the encoder begins, and what stands beside it
    "16-classify": (r"fine-tuned|MiniLM full", ("counted words", "naive Bayes")),
    "19-your-own-data": (r"fine-tuned", ("counted words",)),
}


def first_cells(shown: str) -> Iterator[list[str]]:
    """Yield the first cell of each row, table by table."""
    for table in re.findall(r"<table.*?</table>", shown, re.DOTALL):
        rows = re.findall(r"<tr>\s*<t[hd][^>]*>(.*?)</t[hd]>", table, re.DOTALL)
        yield [re.sub(r"<[^>]+>", " ", row).strip() for row in rows]


def without_rival(shown: str, chapter: str) -> list[list[str]]:
    """List the tables that compare an encoder with others, and leave out the cheapest one."""
    encoder, cheapest = CHEAPEST[chapter]
    return [
        rows
        for rows in first_cells(shown)
        if any(re.match(encoder, " ".join(row.split())) for row in rows)
        and not any(name in " ".join(row.split()) for row in rows for name in cheapest)
    ]


@pytest.mark.parametrize("chapter", CHEAPEST)
def test_the_cheapest_rival_competes(chapter):
    notebook = json.loads(Path(ROOT, f"book/chapters/{chapter}.ipynb").read_text("utf-8"))
    shown = "".join(
        "".join(output.get("data", {}).get("text/html", ""))
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
    )
    encoder, _ = CHEAPEST[chapter]
    assert any(re.match(encoder, row) for rows in first_cells(shown) for row in rows)
    assert not without_rival(shown, chapter), "put counted words, or what costs least, beside it"


def test_a_table_without_it_is_found():
    table = "<table><tr><th>fine-tuned, weights</th></tr><tr><th>fixed, plain</th></tr></table>"
    assert without_rival(table, "19-your-own-data") == [["fine-tuned, weights", "fixed, plain"]]
    better = table.replace("fixed, plain", "counted words")
    assert not without_rival(better, "19-your-own-data")
