"""The Sphinx extension of the exercises: how they stand in a page, which can run and check some.

An exercise of the first chapters needs Python, numpy and some files of ours. Python comes from
the package pyodide, for numpy there is a stand-in in ``book/live/python``, and this module gathers
the files, with the part of each chapter that stands above an exercise. It all goes into scripts,
because a page that is opened from the disk may load nothing else.
"""

import ast
import base64
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

from docutils import nodes
from packing import packed
from sphinx.application import Sphinx

from bertbook.core.html import Html
from bertbook.core.live import LIVE_STYLE
from bertbook.core.live_scripts import as_json
from berttools.grade.names import names_from_outside, statements_above

BOOK = Path(__file__).resolve().parents[1]
PROJECT = BOOK.parent
PYTHON = BOOK / "live" / "python"
CHAPTERS = (1, 2, 3, 4, 5, 6)
CHECKERS = (
    *("neighbors.checks", "neighbors.new_sentences", "self_attention.checks"),
    *("self_attention.two_counts", "masks.checks", "gradients.checks", "gradients.layers"),
    *("gradients.softmax", "gradients.tape", "toy.checks", "toy.corpus"),
    *("word_pieces.checks", "word_pieces.cuts"),
)
CHECK = re.compile(r"\bcheck_\w+")
DRAWING = ("bertbook.core.html", "bertbook.core.arrows")
TEXTS = (
    *("bertbook/core/static/figure.css", "bertbook/corpus/toy/sentences.txt"),
    "minibert/unicode8.txt",
)
OF_THE_PAGE = ("bertbook.core", "bertbook.reader")  # the page has its own


def exercises(path: Path) -> dict[str, tuple[int, str]]:
    """Find what runs in the page: by the name of the function, the cell and its code.

    An exercise that needs PyTorch does not: its checker is none of those that are packed.
    """
    found = {}
    for number, cell in enumerate(_cells(path)):
        if "def my_" in cell and _checkers() & {*CHECK.findall(cell)} and "\n    ...\n" in cell:
            name = ast.parse(cell).body[0].name
            found[f"{path.name[:2]}_{name}"] = (number, cell)
    return found


@cache
def _checkers() -> frozenset[str]:
    """Name the checkers that are packed."""
    files = (_file(f"bertbook.topics.{name}") for name in CHECKERS)
    return frozenset(
        name for path in files if path for name in CHECK.findall(path.read_text(encoding="utf-8"))
    )


@cache
def _cells(path: Path) -> list[str]:
    """List the code of all cells; those without code are empty."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    return [
        "".join(cell["source"]) if cell["cell_type"] == "code" else "" for cell in notebook["cells"]
    ]


def above(path: Path, number: int) -> str:
    """Take what an exercise can use from the cells above it.

    These are all imports, and whatever the exercise or its solution asks for, with what that asks
    for in turn.
    """
    cells = _cells(path)
    wanted = names_from_outside("\n".join(cells[number : number + 2]))
    return "\n".join(statements_above(cells[:number], wanted)) + "\n"


def package_files() -> Iterator[Path]:
    """Follow the imports of the checkers through the package."""
    waiting = [*(f"bertbook.topics.{name}" for name in CHECKERS), *DRAWING, "minibert.text"]
    seen = set()
    while waiting:
        name = waiting.pop()
        path = _file(name)
        if path is None or path in seen:
            continue
        seen.add(path)
        yield path
        waiting += [".".join(name.split(".")[:i]) for i in range(1, name.count(".") + 1)]
        waiting += _imported(path, name)


def _file(name: str) -> Path | None:
    """Find the file of a module of ours."""
    if (
        not name.startswith(("minibert", "bertfamily", "berttools", "bertbook"))
        or name in OF_THE_PAGE
    ):
        return None
    stem = PROJECT.joinpath(*name.split("."))
    ways = (stem / "__init__.py", stem.parent / f"{stem.name}.py")
    return next((path for path in ways if path.is_file()), None)


def _imported(path: Path, name: str) -> Iterator[str]:
    """Name the modules that a file imports when it is imported itself."""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*start, *filter(None, [node.module])])
            yield from (module, *(f"{module}.{one.name}" for one in node.names))


def archive() -> bytes:
    """Pack the files of ours, the stand-in for numpy, and what stands above the exercises."""
    files = {p.relative_to(PROJECT).as_posix(): p.read_bytes() for p in package_files()}
    files |= {name: (PROJECT / name).read_bytes() for name in TEXTS}
    files |= {p.relative_to(PYTHON).as_posix(): p.read_bytes() for p in PYTHON.rglob("*.py")}
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        if int(path.name[:2]) in CHAPTERS:
            for name, (number, _) in exercises(path).items():
                files[f"above/{name}.py"] = above(path, number).encode()
    return packed(files)


def archive_script() -> str:
    """Write the archive as a script that hands it to the page."""
    return f'minibert.receive("exercises", {as_json(base64.b64encode(archive()).decode())});\n'


def leave_out_replies(app: Sphinx, document: nodes.document) -> None:
    """Leave out what a checker says to a skeleton: of use with a kernel only, it scolds a reader.

    An exercise is the cell before its solution.
    """
    cells = [each for each in document.findall(nodes.container) if _is_code_cell(each)]
    for exercise, solution in pairwise(cells):
        if "tag_solution" in solution["classes"]:
            for part in [*exercise.findall(nodes.container)]:
                if part.get("nb_element") == "cell_code_output":
                    exercise.remove(part)


def add_figures(app: Sphinx, document: nodes.document) -> None:
    """Put into the cell of each exercise the figure in which it can be written and checked."""
    path = Path(document["source"])
    if path.suffix != ".ipynb" or int(path.name[:2]) not in CHAPTERS:
        return
    found = {number: (name, code) for name, (number, code) in exercises(path).items()}
    for cell in document.findall(nodes.container):
        if _is_code_cell(cell) and cell.get("cell_index") in found:
            cell += _figure(*found[cell["cell_index"]])


def _is_code_cell(node: nodes.container) -> bool:
    return node.get("nb_element") == "cell_code"


def _figure(name: str, code: str) -> nodes.raw:
    """Write the figure: a button, and the data for the script, without which it stays hidden."""
    content = (
        f'<figure class="mb-figure mb-live mb-exercise" data-live="exercise" hidden>'
        f'<script type="application/json">{as_json({"name": name, "code": code})}</script></figure>'
    )
    return nodes.raw("", Html(content, style=LIVE_STYLE)._repr_html_(), format="html")


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx."""
    app.connect("doctree-read", leave_out_replies)
    app.connect("doctree-read", add_figures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
