"""Hold this project to a rule, and plant small projects with a fault to try the rule on."""

import textwrap
from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from book_tree import ROOT
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from normal_form import normalize, put_colab_cell_first, tagged_address


class Plot:
    """A folder in which a test plants a project, file by file and chapter by chapter."""

    def __init__(self, root: Path):
        self.root = root

    def file(self, name: str, text: str) -> Path:
        """Plant a text file."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text).lstrip("\n"), encoding="utf-8")
        return self.root

    def chapter(self, *cells, number: int = 2) -> Path:
        """Plant a chapter: text is prose; code cells come from `code`."""
        cells = [new_markdown_cell(textwrap.dedent(c).strip()) if isinstance(c, str) else c
                 for c in cells]  # fmt: skip
        notebook = new_notebook(cells=cells)
        put_colab_cell_first(notebook, tagged_address())
        path = self.root / "book" / "chapters" / f"{number:02}-a-chapter.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(normalize(notebook), path)
        return self.root


def code(source: str, printed: str = "", tags: tuple[str, ...] = (), **metadata):
    """Write a code cell and what it printed."""
    outputs = [new_output("stream", name="stdout", text=printed)] if printed else []
    metadata |= {"tags": list(tags)} if tags else {}
    return new_code_cell(textwrap.dedent(source).strip(), outputs=outputs, metadata=metadata)


def assert_kept(*rules: Callable[[Path], list[str]]) -> None:
    """Fail with the sentences that rules have to say of this project."""
    if sentences := [sentence for rule in rules for sentence in rule(ROOT)]:
        pytest.fail("\n".join(["", *sentences]), pytrace=False)


def says(found: list[str], sentence: str) -> None:
    """Fail unless a rule has said this one sentence; nothing at all if it is empty."""
    assert len(found) == bool(sentence), found
    assert sentence in "".join(found)
