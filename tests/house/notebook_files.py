"""Notebooks are stored as one clean run on a fresh kernel leaves them, each figure in two forms."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import nbformat
from book_tree import Cell, Chapter, chapters
from normal_form import normalize, put_colab_cell_first, tagged_address
from stills import SVG, figures, second_form

MOST_IGNORED = 3
EMPTY_HEADER = re.compile(r"<th\b[^>]*>\s*</th>")
IGNORED = {"nbval-ignore-output", "nbval-skip"}
TAGS = IGNORED | {
    "hide-cell", "hide-input", "hide-output", "one-line", "raises-exception", "remove-cell",
    "remove-input", "solution",
}  # fmt: skip


def stored_runs(root: Path) -> list[str]:
    """Hold every notebook to the form in which a fresh run is stored."""
    return [
        f"{chapter.name}: {problem}" for chapter in chapters(root) for problem in _problems(chapter)
    ]


def _problems(chapter: Chapter) -> Iterator[str]:
    text = chapter.path.read_text(encoding="utf-8")
    normal = nbformat.reads(text, as_version=4)
    kept = {key: normal.metadata[key] for key in ("cost",) if key in normal.metadata}
    put_colab_cell_first(normal, tagged_address())
    normalize(normal).metadata |= kept
    if text != nbformat.writes(normal) + "\n":
        yield (
            "is not stored as a run from top to bottom leaves it: kernel, metadata, numbers, ids "
            "and folds of cells, and the first cell for Colab. Run `make notebooks`."
        )
    yield from (f"{cell} {problem}" for cell in chapter.cells for problem in _cell(cell))


def _cell(cell: Cell) -> Iterator[str]:
    if unknown := cell.tags - TAGS:
        yield f"has the tag {_listed(unknown)}. Known tags are {_listed(TAGS)}."
    if cell.tags & IGNORED and not str(cell.metadata.get("reason", "")).strip():
        yield (
            f"is not compared ({_listed(cell.tags & IGNORED)}) and does not say why. Give it a "
            "metadata `reason`; better, print only what is the same on every machine."
        )
    if "one-line" in cell.tags and "\n" in cell.source:
        yield "has the tag one-line and more lines. Let a function of bertbook draw it."
    if cell.kind != "code" or "raises-exception" in cell.tags:
        return
    try:
        ast.parse(cell.source)
    except SyntaxError as error:
        yield f"is not plain Python ({error.msg}). Leave out magics and shell commands."
    for output in cell.outputs:
        if output.get("name") == "stderr":
            line = "".join(output["text"]).strip().splitlines()[0]
            yield f"wrote to stderr: {line!r}. Remove the cause of the warning."
        if EMPTY_HEADER.search("".join(output.get("data", {}).get("text/html", ""))):
            yield "shows a table with an empty header, which a screen reader cannot name. Name it."


def _listed(words: set[str]) -> str:
    return ", ".join(sorted(words))


def ignored_cells(root: Path) -> list[str]:
    """Cap the number of cells whose output is not compared, over the whole book."""
    ignored = [
        f"{chapter.name}: {cell}"
        for chapter in chapters(root)
        for cell in chapter.cells
        if cell.tags & IGNORED
    ]
    sentence = (
        f"{len(ignored)} cells are not compared, more than {MOST_IGNORED}: {'; '.join(ignored)}. "
        "Print only what is the same on every machine, and assert the rest with a tolerance."
    )
    return [sentence] if len(ignored) > MOST_IGNORED else []


def second_forms(root: Path) -> list[str]:
    """Hold the drawing of every figure to the HTML beside it, letter by letter."""
    return [
        f"{chapter.name}: the drawing of {data['text/plain'][:60]!r} is missing, or not that of "
        "its HTML; it is shown in print. Run `python book/_ext/stills.py`."
        for chapter in chapters(root)
        for data in figures(nbformat.read(chapter.path, as_version=4))
        if data.get(SVG) != second_form(data)
    ]
