"""Plant small projects with a fault in them, to try the rules of the house on."""

from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from normal_form import normalize, put_colab_cell_first, tagged_address


def plant_chapter(root: Path, number: int, cells: list) -> None:
    """Plant a chapter: text is prose, and a table is what `code` takes."""
    notebook = new_notebook(
        cells=[new_markdown_cell(c) if isinstance(c, str) else code(**c) for c in cells]
    )
    put_colab_cell_first(notebook, tagged_address())
    path = root / "book" / "chapters" / f"{number:02}-a-chapter.ipynb"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(normalize(notebook), path)


def code(source: str, printed: str = "", tags=(), stream: str = "stdout", shown=None, **metadata):
    """Write a code cell, what it printed, and the data of what it showed."""
    outputs = [new_output("stream", name=stream, text=printed)] if printed else []
    outputs += [new_output("execute_result", shown)] if shown else []
    metadata |= {"tags": list(tags)} if tags else {}
    return new_code_cell(source, outputs=outputs, metadata=metadata)
