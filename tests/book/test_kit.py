"""The kit for teachers: the notebooks hold no answers, and run unanswered."""

import builtins
import json
import re

import kit as kits
import nbformat
import pytest
from nbclient import NotebookClient

IN_JUPYTER = {*dir(builtins), "get_ipython", "display"}
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")
RUN = re.compile(r"^%run -i (\S+)$", re.MULTILINE)


@pytest.fixture(scope="module")
def kit():
    return kits.kit()


@pytest.fixture(scope="module")
def folder(kit, tmp_path_factory):
    made = tmp_path_factory.mktemp("teacher") / kits.TOP
    kits.write(kit, made)
    return made


def notebooks(folder):
    """Read the notebooks of a folder of the kit, by the names of the chapters."""
    return {path.name: nbformat.read(path, as_version=4) for path in folder.glob("*.ipynb")}


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_students_get_every_chapter_without_results_and_solutions_and_all_links_lead(folder):
    students, solutions = (notebooks(folder / name) for name in (kits.STUDENTS, kits.SOLUTIONS))
    assert students.keys() == solutions.keys()
    for name, notebook in students.items():
        assert not any(cell.outputs or cell.execution_count for cell in code(notebook)), name
        assert not any(map(kits.is_solution, notebook.cells)), name
        sources = [cell.source for cell in code(notebook) if not RUN.search(cell.source)]
        assert not re.search(r"(?:def|class) \w+_?[sS]olution\b", "\n".join(sources)), name
    for name, notebook in solutions.items():
        stored = json.loads((kits.BOOK / "chapters" / name).read_bytes())["cells"]
        assert [c.source for c in notebook.cells] == ["".join(c["source"]) for c in stored]
        prose = [cell.source for cell in notebook.cells if cell.cell_type == "markdown"]
        for link in LINK.findall("\n".join(prose)):
            for place in (kits.STUDENTS, kits.SOLUTIONS):
                assert (folder / place / link).exists(), f"{name}: {link}"


def test_a_students_notebook_finds_every_name_and_is_lent_only_what_it_needs(kit, folder):
    used = set()
    for name, notebook in notebooks(folder / kits.STUDENTS).items():
        known, later = {*IN_JUPYTER}, set()
        for cell in code(notebook):
            lent = RUN.search(cell.source)
            used |= {f"{kits.STUDENTS}/{lent[1]}"} if lent else set()
            source = kit[f"{kits.STUDENTS}/{lent[1]}"].decode() if lent else cell.source
            at_once, when_called = kits.read_in(source)
            assert at_once <= known, f"{name}: {cell.id} reads {at_once - known}"
            known |= kits.made_in(source)
            later |= when_called
        assert later <= known, f"{name}: nobody makes {later - known}"
    assert used == {name for name in kit if name.startswith(f"{kits.STUDENTS}/{kits.LENT}/")}
    assert "check_" not in "".join(kit[name].decode() for name in used)


@pytest.mark.slow
@pytest.mark.parametrize("number", ["02", pytest.param("17", marks=pytest.mark.thorough)])
def test_an_unanswered_notebook_runs_from_top_to_bottom(folder, number, monkeypatch):
    monkeypatch.delenv("BOOK_STORED")  # as at a student's
    (path,) = (folder / kits.STUDENTS).glob(f"{number}-*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    place = {"metadata": {"path": path.parent}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=place).execute()
    assert all(cell.execution_count for cell in code(notebook))
