"""This project keeps every rule of the house, and each rule finds the faults that are planted.

`planted.toml` has small projects for each rule: files and chapters, and the words of the sentence
that it must say of them; no words stand for a project without a fault.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from book_tree import ROOT, tomllib
from chapter_parts import parts
from draw_packages import PAGE, picture
from drift import one_definition
from glossary_terms import glossary_form, terms_in_order
from held_by_asserts import witnesses
from how_we_know import cheapest_rivals, how_we_know, plus_minus
from import_order import import_order
from link_targets import front_door, links
from notebook_files import ignored_cells, second_forms, stored_runs
from planting import plant_chapter
from witnessed_numbers import numbers, numbers_of_the_pages

HERE = Path(__file__).parent
RULES = [
    parts, one_definition, witnesses, glossary_form, terms_in_order, how_we_know, plus_minus,
    cheapest_rivals, import_order, front_door, links, ignored_cells, stored_runs, numbers,
    numbers_of_the_pages,
]  # fmt: skip
BY_NAME = {rule.__name__: rule for rule in [*RULES, second_forms]}
PLANTED = tomllib.loads((HERE / "planted.toml").read_text(encoding="utf-8"))
NOT_HERE = re.compile(
    "|".join((HERE / "not_here.txt").read_text(encoding="utf-8").split("\n")[:-1])
)
TEXT = PAGE.read_text(encoding="utf-8")
WALKS = "import walks; print(walks.written(walks.PAGE.read_text('utf-8')), end='')"
HEAVY = ("torch", "matplotlib", "IPython", "ipywidgets")


@pytest.mark.usefixtures("unchecked")  # checks of types would take most of the time
@pytest.mark.parametrize("rule", [*RULES, pytest.param(second_forms, marks=pytest.mark.slow)])
def test_this_project_keeps(rule):
    if sentences := rule(ROOT):
        pytest.fail("\n".join(["", *sentences]), pytrace=False)


def plant(root, files=(), chapters=(), spoiled=(), **_):
    """Write files and chapters, and a real chapter with the first match of a pattern replaced."""
    for name, text in dict(files).items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for number, cells in dict(chapters).items():
        plant_chapter(root, int(number), cells)
    for number, (old, new) in dict(spoiled).items():
        (path,) = (ROOT / "book" / "chapters").glob(f"{number}-*.ipynb")
        text, count = re.subn(old, new, path.read_text(encoding="utf-8"), count=1)
        assert count
        plant(root, {f"book/chapters/{path.name}": text})


def test_each_rule_has_planted_faults_and_no_other_name_has():
    assert PLANTED.keys() == BY_NAME.keys()


CASES = [
    pytest.param(rule, project, case, id=f"{name}-{case['says'] or 'nothing'}")
    for name, rule in BY_NAME.items()  # each has one at least
    for project in PLANTED[name]
    for case in project["case"]
]


@pytest.mark.parametrize(("rule", "project", "case"), CASES)
def test_a_rule_finds_what_is_planted(tmp_path, rule, project, case):
    plant(tmp_path, **project)
    plant(tmp_path, **case)
    found = rule(tmp_path)
    assert bool(found) == bool(case["says"]), found
    assert any(case["says"] in sentence for sentence in found) or not found, found


def forbidden(path):
    """List hosts of registries, paths of one machine, and words on who wrote a text."""
    data = path.read_bytes() if path.is_file() else b"\0"
    text = "" if b"\0" in data else data.decode("utf-8").lower()
    return [f"{path}: {match[0]}" for match in NOT_HERE.finditer(text)]


def test_text_is_clean(tmp_path):
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    assert [line for name in listed.splitlines() for line in forbidden(ROOT / name)] == []
    for text in ("https://pyp{}i.org/simple", "cd /wo{}rk/main", "as the AI assis{}tant said"):
        plant(tmp_path, {"notes.md": "# Notes\n\n" + text.format("")})
        assert len(forbidden(tmp_path / "notes.md")) == 1


@pytest.mark.parametrize("package", ["minibert", "berttools", "bertbook"])
def test_importing_a_package_loads_nothing_slow(package):
    program = f"import sys, {package}\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("\n", "")


def test_the_picture_of_the_packages_is_that_of_the_imports():
    assert picture(ROOT) in TEXT, "run: python tests/house/draw_packages.py"


@pytest.mark.slow
def test_the_walks_are_those_of_the_code():
    # In a process of its own: the checks of types that these tests add are no stations.
    folders = os.pathsep.join([str(ROOT), str(HERE)])
    done = subprocess.run(
        [sys.executable, "-c", WALKS],
        env=os.environ | {"PYTHONPATH": folders}, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert done.stdout == TEXT, "run: python tests/house/walks.py"


def test_ids_become_vectors_in_a_few_functions():
    batch = TEXT.partition("<!-- walk: batch -->")[2].partition("<!-- end -->")[0]
    encoder = batch.partition("2. `")[2].partition("`BertPooler.forward`")[0]
    files = re.findall(r"`(minibert/\w+\.py)` · ", f"`{encoder}")
    assert len(files) <= 20
    assert len({*files}) <= 6
