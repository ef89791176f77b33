"""A chapter runs from the installed package alone, in an empty folder, as in Colab or from a kit.

A wheel is built from a copy of the tracked files and unpacked; the kernel finds the packages there
and nothing else of the project. The wheel is compared with the files of the packages, and a few
chapters run from it; every week all do.
"""

import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import nbformat
import pytest
from effort import mostly_weekly
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from notebooks import BOOK, QUIET, chapters, kernel_environment

ROOT = BOOK.parent
OFTEN, SOME = {25}, {1, 3, 7, 8, 10, 11, 13, 15, 18, 20, 21, 26}  # two of each part
PACKAGES = ("minibert", "bertfamily", "berttools", "bertbook")
FIRST = """
from pathlib import Path
import bertbook, minibert
print(*{str(Path(package.__file__).parents[1]) for package in (bertbook, minibert)})
print(*Path().iterdir())
"""


@pytest.fixture(scope="session")
def tracked(tmp_path_factory) -> Path:
    """Copy the files that git tracks, and the new ones it would: what a release is built from."""
    command = ["git", "ls-files", "-co", "--exclude-standard", *PACKAGES, "pyproject.toml"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("this is no checkout")
    folder = tmp_path_factory.mktemp("tracked")
    names = ("README.md", "LICENSE", "LICENSE-text", "LICENSE-unicode")
    for name in (*listed.stdout.splitlines(), *names):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    return folder


@pytest.fixture(scope="session")
def installed(tracked, tmp_path_factory) -> Path:
    """Build the wheel and unpack it: the folder that a kernel imports from."""
    made, home = tmp_path_factory.mktemp("wheel"), tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "wheel", "-qq", "--no-deps", "--no-build-isolation"]
    subprocess.run([*pip, "--wheel-dir", str(made), str(tracked)], check=True)
    (wheel,) = made.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(home)
    return home.resolve()


def test_the_wheel_holds_every_file_of_the_packages(tracked, installed):
    for package in PACKAGES:
        wanted = {p.relative_to(tracked) for p in (tracked / package).rglob("*") if p.is_file()}
        there = {p.relative_to(installed) for p in (installed / package).rglob("*") if p.is_file()}
        assert there == wanted


@pytest.mark.parametrize("chapter", mostly_weekly(chapters(BOOK), SOME, OFTEN))
def test_a_chapter_runs_from_it_in_an_empty_folder_and_each_cell_again_at_once(
    chapter, installed, tmp_path
):
    """A reader runs a cell, changes a number, and runs it again: no cell stops the second time."""
    notebook = nbformat.read(chapter, as_version=4)
    notebook.cells.insert(0, nbformat.v4.new_code_cell(FIRST))
    here = {"BOOK_STORED", "BOOK_MINE"}  # a reader's kernel has neither
    env = {**os.environ, **kernel_environment(), "PYTHONPATH": str(installed)}
    client = NotebookClient(
        notebook,
        timeout=1200,
        kernel_name="python3",
        extra_arguments=QUIET,
        resources={"metadata": {"path": str(tmp_path)}},
    )
    stopped = []
    with client.setup_kernel(env={name: env[name] for name in env.keys() - here}):
        for index, cell in enumerate(notebook.cells):
            if cell.cell_type == "code":
                client.execute_cell(cell, index)
                if index == 0:
                    assert cell.outputs[0].text.splitlines() == [str(installed), ""]
                try:
                    client.execute_cell(cell, index)
                except CellExecutionError as error:
                    stopped.append(f"cell {index}: {error.ename}: {error.evalue}")
    assert not stopped, "\n".join(stopped)
