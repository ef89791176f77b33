"""Notebooks are stored as one clean run on a fresh kernel leaves them."""

import ast
import re
import warnings
from collections.abc import Iterator
from pathlib import Path

import nbformat
import pytest
from book_tree import CHAPTER_FILE, Cell, Chapter, chapters, is_colab, name_of
from normal_form import folded
from planting import KERNEL, code, says

LARGEST = 1_500_000  # bytes
MOST_IGNORED = 3
IGNORED = {"nbval-ignore-output", "nbval-skip"}
TAGS = IGNORED | {
    "hide-cell", "hide-input", "hide-output", "raises-exception", "remove-cell", "remove-input",
    "solution",
}  # fmt: skip
CELL_METADATA = {"tags", "reason", "mystnb", "jupyter"}
PROMPTS = {"code_prompt_show", "code_prompt_hide"}
NOTEBOOK_METADATA = {"cost", "kernelspec", "language_info"}
# A path that begins at the root of some computer. (Written so that it does not match itself.)
MACHINE_PATH = re.compile(
    r"(?<![\w.~/-])/(?:home|Users|tmp|root|work|private|mnt)/[\w.-]+"
    r"|\b[A-Z]:\\\\?(?:Users|Temp|Windows|Program)[\w.\\-]*"
)


def names(root: Path) -> list[str]:
    """Ask for names that say the order: two digits, words, hyphens."""
    return [
        f"{name_of(path, root)}: a chapter is a notebook named NN-words-of-the-title"
        ".ipynb. Rename it, or move it where it belongs."
        for path in sorted((root / "book" / "chapters").glob("*"))
        if not CHAPTER_FILE.fullmatch(path.name) and not path.name.startswith((".", "_"))
    ]


def stored_runs(root: Path) -> list[str]:
    """Hold every notebook to the form in which a fresh run is stored."""
    return [
        f"{chapter.name}: {problem}" for chapter in chapters(root) for problem in _problems(chapter)
    ]


def _problems(chapter: Chapter) -> Iterator[str]:
    """Say what is wrong with one notebook."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            nbformat.validate(nbformat.read(chapter.path, as_version=4))
    except (nbformat.ValidationError, Warning) as error:
        yield f"is not a valid notebook ({str(error).splitlines()[0]}). Run `make notebooks`."
    if chapter.path.stat().st_size > LARGEST:
        size = chapter.path.stat().st_size / 1e6
        yield (
            f"has {size:.1f} MB, more than {LARGEST / 1e6} MB. Draw figures with fewer points, and "
            "explore with fewer frames."
        )
    if chapter.metadata.get("kernelspec") != KERNEL:
        yield f"was not saved with the kernel {KERNEL['name']}. Run `make notebooks`."
    if extra := set(chapter.metadata) - NOTEBOOK_METADATA:
        yield f"has metadata that depends on a machine: {_listed(extra)}. Run `make notebooks`."
    run = [cell for cell in chapter.cells if cell.kind == "code"]
    if not run or not is_colab(run[0]) or "google.colab" not in run[0].source:
        yield "does not begin with the cell that installs minibert in Colab. Run `make notebooks`."
    elif again := {str(c) for c in run[1:] if "google.colab" in c.source}:
        yield f"installs minibert in Colab a second time: {_listed(again)}. Delete that cell."
    if [cell.count for cell in run] != list(range(1, len(run) + 1)):
        yield (
            "was not run from top to bottom: its cells are not numbered 1, 2, 3 and so on. Run "
            "`make notebooks`."
        )
    yield from (f"{cell} {problem}" for cell in chapter.cells for problem in _cell(cell))


def _cell(cell: Cell) -> Iterator[str]:
    """Say what is wrong with one cell."""
    if not cell.source.strip():
        yield "holds nothing. Remove it."
    if unknown := cell.tags - TAGS:
        yield f"has the tag {_listed(unknown)}. Known tags are {_listed(TAGS)}."
    if extra := set(cell.metadata) - CELL_METADATA | set(cell.metadata.get("mystnb", ())) - PROMPTS:
        yield f"has the metadata {_listed(extra)}. Run `make notebooks`, which removes it."
    if cell.tags & IGNORED and not str(cell.metadata.get("reason", "")).strip():
        yield (
            f"is not compared ({_listed(cell.tags & IGNORED)}) and does not say why. Give it a "
            "metadata `reason`; better, print only what is the same on every machine."
        )
    if cell.kind == "code":
        yield from _code(cell)
    for text in [cell.source, *cell.texts]:
        if path := MACHINE_PATH.search(text):
            yield f"names a path of one computer, {path.group()}. Write a path inside the project."


def _code(cell: Cell) -> Iterator[str]:
    """Say what is wrong with one code cell."""
    if "raises-exception" not in cell.tags:
        try:
            ast.parse(cell.source)
        except SyntaxError as error:
            yield f"is not plain Python ({error.msg}). Leave out magics and shell commands."
    for output in cell.outputs:
        if output["output_type"] == "error" and "raises-exception" not in cell.tags:
            yield (
                f"ended with {output['ename']}. Repair it; if the error is the point, catch it and "
                "print its message, or tag the cell raises-exception."
            )
        if output.get("name") == "stderr":
            line = "".join(output["text"]).strip().splitlines()[0]
            yield f"wrote to stderr: {line!r}. Remove the cause of the warning."


def unfolded_cells(root: Path) -> list[str]:
    """Ask that Jupyter folds all that the page folds, in chapters stored since it folds anything.

    Otherwise a solution or an answer stands open there.
    """
    return [
        f"{chapter.name}: {cell} is not folded in Jupyter as its tags fold it on the page. Run "
        "`python book/_ext/reading.py`."
        for chapter in chapters(root)
        if any("jupyter" in cell.metadata for cell in chapter.cells if not is_colab(cell))
        for cell in chapter.cells
        if cell.metadata.get("jupyter") != folded(cell.tags).get("jupyter")
    ]


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


def _listed(words: set[str]) -> str:
    return ", ".join(sorted(words))


@pytest.mark.parametrize("rule", [names, stored_runs, ignored_cells, unfolded_cells])
def test_this_project_keeps_it(this_project, rule):
    this_project.keeps(rule)


def test_an_answer_that_stands_open_in_jupyter(plot):
    both = [code(f"x = {n}", tags=("solution",), **folded(["solution"])) for n in range(2)]
    assert unfolded_cells(plot.chapter("# A", *both)) == []
    del both[1].metadata["jupyter"]
    (sentence,) = unfolded_cells(plot.chapter("# A", *both))
    assert "'x = 1' is not folded in Jupyter as its tags fold it on the page" in sentence


def test_a_wrong_name(plot):
    assert names(plot.chapter("# A", name="07-good-name.ipynb")) == []
    (sentence,) = names(plot.chapter("# A", name="7_Bad.ipynb"))
    assert "book/chapters/7_Bad.ipynb: a chapter is a notebook named NN-" in sentence


def test_a_clean_run(plot):
    shown = code("print(3 / 2)", "1.5\n", tags=("hide-input",))
    ignored = code("print(time())", "3\n", tags=("nbval-ignore-output",), reason="a clock")
    assert stored_runs(plot.chapter("# A", shown, ignored)) == []


def change(root: Path, old: str, new: str) -> Path:
    """Change the text of the planted notebook."""
    (path,) = (root / "book" / "chapters").glob("*")
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return root


@pytest.mark.parametrize(
    ("old", "new", "problem"),
    [
        ('"nbformat": 4', '"nbformat": 4, "sections": 1', "is not a valid notebook"),
        ("second", "install-in-colab", "is not a valid notebook (Non-unique cell id 'install-in-"),
        ("# A", "y" * 1_500_000, "has 1.5 MB, more than 1.5 MB. Draw figures with fewer points"),
        ('"python3"', '"my-venv"', "was not saved with the kernel python3"),
        ('"language_info"', '"widgets": {}, "language_info"', "has metadata that depends on a ma"),
        ("install-in-colab", "something", "does not begin with the cell that installs minibert"),
        ("x = 1", "google.colab", "installs minibert in Colab a second time: "),
        ('"execution_count": 2', '"execution_count": 3', "was not run from top to bottom"),
    ],
)
def test_a_fault_of_a_notebook(plot, old, new, problem):
    cell = code("x = 1")
    cell.id = "second"
    root = change(plot.chapter("# A", cell), old, new)
    says(stored_runs(root), f"book/chapters/02-a-chapter.ipynb: {problem}")


def error(name: str) -> dict:
    return {"output_type": "error", "ename": name, "evalue": "", "traceback": []}


def with_output(source: str, output: dict, **options):
    cell = code(source, **options)
    cell.outputs.append(nbformat.from_dict(output))
    return cell


WARNING = {"output_type": "stream", "name": "stderr", "text": "UserWarning: old\n  f()\n"}


@pytest.mark.parametrize(
    ("cell", "problem"),
    [
        (code(""), "an empty cell holds nothing"),
        (code("x = 1", tags=("skip-this",)), "has the tag skip-this. Known tags are hide-cell"),
        (code("x = 1", collapsed=True), "has the metadata collapsed"),
        (code("x = 1", tags=("nbval-ignore-output",), reason=" "), "does not say why"),
        (code("%timeit x"), "is not plain Python"),
        (with_output("f()", error("KeyError")), "ended with KeyError"),
        (with_output("f()", WARNING), "wrote to stderr: 'UserWarning: old'"),
        (code("f()", "see C:\\Us" + "ers\\ann"), "names a path of one computer, C:"),
        (code("f()", "File /t" + "mp/x.py"), "names a path of one computer, /t" + "mp/x.py"),
    ],
)
def test_a_fault_of_a_cell(plot, cell, problem):
    (sentence,) = stored_runs(plot.chapter("# A", cell))
    assert "cell" in sentence
    assert problem in sentence


def test_an_error_that_is_the_point(plot):
    cell = with_output("f(", error("SyntaxError"), tags=("raises-exception",))
    assert stored_runs(plot.chapter("# A", cell)) == []


def test_too_many_ignored_cells(plot):
    cells = [code(f"print({i})", tags=("nbval-ignore-output",), reason="why") for i in range(4)]
    assert ignored_cells(plot.chapter("# A", *cells[:3])) == []
    (sentence,) = ignored_cells(plot.chapter("# A", *cells))
    assert "4 cells are not compared, more than 3: book/chapters/02-a-chapter.ipynb" in sentence
