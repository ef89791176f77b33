"""The kit for teachers: `make kit` writes it as a folder and as a zip.

It holds the chapters as students get them, without results and without solutions, and once more
with the solutions, on which ``minibert grade`` judges. Cells below an exercise may need
an answer to it. So that a notebook runs before anything is answered, such a cell takes the book's
from a file in `lent`, where the solution would stand: a student's own takes its place once kept.
"""

import ast
import copy
import json
import re
import shutil
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from packing import packed

from berttools.grade.names import names_from_outside, names_made_by
from minibert import __version__
from minibert.disk import atomic_write

BOOK = Path(__file__).resolve().parents[1]
PROJECT = BOOK.parent
TOP = "bert-by-hand-kit"
STUDENTS, SOLUTIONS, LENT = "book/chapters", "book/solutions", "lent"
WITH_IT = ("constraints.txt", "LICENSE", "LICENSE-text", "LICENSE-unicode")
PAGE = re.compile(r"\]\(\.\./([\w-]+\.md)[#)]")
BORROWED = "# Cells below need an answer to this exercise. Here is the book's.\n%run -i {}"
READ_ME = """\
# BERT by Hand, the kit for teachers

Version {version}.

| Here | there is |
| --- | --- |
| `book/chapters` | the notebooks for students: no results, no solutions |
| `book/chapters/lent` | answers that later cells of a notebook need |
| `book/solutions` | the same notebooks with the solutions: for you, and for the grader |

Give students all but `book/solutions`. The published pages show every solution folded, so nothing
here is secret; what students say about their results is what only they can write.

Everybody needs Python 3.10 or newer and the wheel of the same version, which is published with
this kit. Put it into this folder, and here:

    python -m venv .venv
    .venv/bin/pip install -c constraints.txt \\
      "./bert_by_hand-{version}-py3-none-any.whl[lab,models]"
    .venv/bin/jupyter lab book/chapters

Collect the notebooks in a folder that has a folder for each student, or one notebook for each:

    .venv/bin/minibert grade submissions --chapters book/solutions --out grades

`grades/overview.html` shows the class on one page, with the replies that most students got;
`grades/grades.csv` has a line for each exercise of each notebook. Every answer runs in a process of
its own, with limits of time and memory. For people you do not know, run it in a container.

The page *For teachers* of the book has plans with hours and says what each exercise asks.
"""


def kit(book: Path = BOOK) -> dict[str, bytes]:
    """Make all files of the kit, by their names in its folder."""
    files = {name: (PROJECT / name).read_bytes() for name in WITH_IT}
    files["README.md"] = READ_ME.format(version=__version__).encode()
    for path in sorted((book / "chapters").glob("[0-9][0-9]-*.ipynb")):
        whole = without_results(path)
        for_students, lent = without_solutions(whole, path.name[:2])
        files[f"{SOLUTIONS}/{path.name}"] = as_bytes(whole)
        files[f"{STUDENTS}/{path.name}"] = as_bytes(for_students)
        files |= {f"{STUDENTS}/{name}": code.encode() for name, code in lent.items()}
        files |= {f"book/{name}": (book / name).read_bytes() for name in pages_named_in(whole)}
    return files


def without_results(path: Path) -> NotebookNode:
    """Read a notebook without what its cells have printed."""
    stored = json.loads(path.read_bytes())
    for cell in stored["cells"]:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
        cell["source"] = "".join(cell["source"])
    return nbformat.from_dict(stored)


def without_solutions(notebook: NotebookNode, number: str) -> tuple[NotebookNode, dict[str, str]]:
    """Take the solutions out of a notebook; those that later cells need become files, by name."""
    copied, lent = copy.deepcopy(notebook), {}
    needed = needed_solutions(copied)
    for cell in [cell for cell in copied.cells if is_solution(cell)]:
        if cell.id not in needed:
            copied.cells.remove(cell)
            continue
        name = f"{LENT}/{number}-{_what_it_solves(cell.source)}.py"
        lent[name] = unproved(cell.source)
        cell.source, cell.metadata = BORROWED.format(name), NotebookNode()
    return copied, lent


def needed_solutions(notebook: NotebookNode) -> set[str]:
    """Name the cells with solutions that a cell below them needs, or another needed solution."""
    needed: set[str] = set()
    while True:
        solved, more = {}, set()
        for cell in _code(notebook):
            made = made_in(cell.source)
            if is_solution(cell) and cell.id not in needed:
                solved |= dict.fromkeys(made, cell.id)
                continue
            more |= {solved[name] for name in set().union(*read_in(cell.source)) & solved.keys()}
            solved = {name: home for name, home in solved.items() if name not in made}
        if not more - needed:
            return needed
        needed |= more


@cache
def made_in(code: str) -> frozenset[str]:
    """Name what the statements of a cell make."""
    return frozenset(name for node in ast.parse(code).body for name in _made_by(node))


def _made_by(node: ast.stmt) -> Iterator[str]:
    yield from names_made_by(node)
    handlers = (part for part in ast.walk(node) if isinstance(part, ast.ExceptHandler))
    yield from (part.name for part in handlers if part.name)


@cache
def read_in(code: str) -> tuple[frozenset[str], frozenset[str]]:
    """Name what a cell reads and has not made: at once, and when its definitions are called."""
    made, at_once, later = set(), set(), set()
    for node in ast.parse(code).body:
        own, outside = {*_made_by(node)}, names_from_outside(ast.unparse(node))
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            later |= outside
        elif isinstance(node, ast.Assign | ast.AugAssign):
            at_once |= outside - made
        else:  # what a loop, a block or an assignment inside an expression makes, it uses itself
            at_once |= outside - made - own
        made |= own
    return frozenset(at_once), frozenset(later - made)


def unproved(solution: str) -> str:
    """Leave out of a solution the lines that call its checker."""
    lines, kept, end = solution.splitlines(), [], 0
    for node in ast.parse(solution).body:
        is_proof = isinstance(node, ast.Assert | ast.Expr) and "check_" in ast.unparse(node)
        if not is_proof:
            kept += lines[end : node.end_lineno]
        end = node.end_lineno or 0
    return "\n".join(kept).strip("\n") + "\n"


def is_solution(cell: NotebookNode) -> bool:
    """Say whether a cell holds the solution of an exercise."""
    return "solution" in cell.metadata.get("tags", ())


def pages_named_in(notebook: NotebookNode) -> set[str]:
    """Name the pages beside the chapters to which a notebook links."""
    return {page for cell in notebook.cells for page in PAGE.findall(cell.source)}


def as_bytes(notebook: NotebookNode) -> bytes:
    """Write a notebook as text."""
    return (nbformat.writes(notebook) + "\n").encode()


def write(files: dict[str, bytes], folder: Path) -> Path:
    """Write the kit anew as a folder, and as a zip beside it; return the zip."""
    shutil.rmtree(folder, ignore_errors=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    target = folder.with_name(f"{folder.name}.zip")
    with atomic_write(target) as draft:
        draft.write_bytes(packed({f"{TOP}/{name}": content for name, content in files.items()}))
    return target


def _what_it_solves(code: str) -> str:
    """Name the last thing that a solution defines."""
    definitions: Iterable = (n for n in ast.parse(code).body if hasattr(n, "name"))
    return [node.name for node in definitions][-1]


def _code(notebook: NotebookNode) -> list[NotebookNode]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


if __name__ == "__main__":
    made = kit()
    written = write(made, BOOK / "_build" / TOP)
    print(
        f"{written.relative_to(PROJECT)}: {len(made)} files, {written.stat().st_size / 1e6:.1f} MB"
    )
