"""A class is graded: right answers earn their points, failing ones cost the others nothing."""

import csv
import json
import shutil

import nbformat
import pytest
from effort import mostly_weekly
from readers_copy import readers_copy
from small_class import ATTENTION, CHAPTERS, CHECKED, RIGHT, SOFTMAX, WRONG, handed_in, replied

from berttools.grade.command import main
from berttools.grade.exercises import chapter_of, tasks_of, with_needs_of
from berttools.grade.sandbox import Limits, run_checker
from berttools.grade.submissions import code_for, submissions_in

ALL = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
OTHERS = [chapter for chapter in ALL if chapter != ATTENTION]


def first_exercise_only():
    """Write Chapter 2 up to the solution of its first exercise."""
    notebook = json.loads(ATTENTION.read_text(encoding="utf-8"))
    return json.dumps(notebook | {"cells": notebook["cells"][: SOFTMAX.cell + 2]})


# --- What is asked -------------------------------------------------------------------------------


@pytest.mark.slow
def test_every_exercise_that_a_chapter_checks_is_found():
    tasks = [task for chapter in ALL for task in tasks_of(chapter)]
    assert len({(task.chapter, task.name) for task in tasks}) == len(tasks) > 100
    for chapter in ALL:
        cells = nbformat.read(chapter, as_version=4).cells
        text = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
        asked = text.count("\nDifficulty ●") + text.startswith("Difficulty ●")
        found = {task.title.split(" ")[0] for task in tasks if task.chapter == chapter.stem}
        assert len(found) == asked, chapter.name


def test_points_are_the_dots_of_the_difficulty():
    points = {task.name: task.points for task in tasks_of(CHAPTERS / "09-the-layer.ipynb")}
    assert points["my_layer_norm"] == 1 and points["MyLayer"] == 3
    assert points["MyIntermediate"] == points["MyOutput"] == 1  # one exercise of two dots


# --- What the answer is --------------------------------------------------------------------------


def test_helpers_and_imports_come_along_and_nothing_else_runs(tmp_path):
    stub = f"""
import os.path as paths
SHIFT = 0.0
raise SystemExit
print("hello")
def unused(): return 1
def helper(scores): return paths and scores - SHIFT
def my_softmax(scores): return "an older try"
{RIGHT.replace("scores - scores.max", "helper(scores) - scores.max")}"""
    code = code_for(SOFTMAX, handed_in(tmp_path / "anna.ipynb", stub), ATTENTION)
    assert "SHIFT" in code and "import os.path as paths" in code and "def helper" in code
    assert not any(word in code for word in ("older", "SystemExit", "hello", "unused", "keep("))
    assert replied(code).passed


def test_a_helper_may_stand_below_and_one_of_the_page_above(tmp_path):
    below = RIGHT.replace("np.exp(", "powers_of(") + "\ndef powers_of(x): return np.exp(x)\n"
    path = handed_in(tmp_path / "anna.ipynb", below)
    assert replied(code_for(SOFTMAX, path, ATTENTION)).passed
    last = tasks_of(ATTENTION)[-1]
    needed = with_needs_of("def my_own(x): return attention_with_loops(x)", last, ATTENTION)
    assert "def attention_with_loops" in needed.above


def test_the_chapter_itself_answers_nothing():
    reply = replied(code_for(SOFTMAX, ATTENTION, ATTENTION))
    assert reply == (False, "my_softmax is not written yet.")


def test_a_notebook_is_known_by_its_cells(tmp_path):
    renamed = handed_in(tmp_path / "my homework (2).ipynb", RIGHT)
    assert chapter_of(renamed, ALL) == ATTENTION
    other = tmp_path / "other.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1")]), other)
    with pytest.raises(ValueError, match=r"other\.ipynb has no cell of any chapter"):
        chapter_of(other, ALL)


def test_whose_a_notebook_is(tmp_path):
    for name in ("anna/a.ipynb", "anna/week 2/b.ipynb", "ben.ipynb"):
        handed_in(tmp_path / name, RIGHT)
    (tmp_path / "anna" / ".ipynb_checkpoints").mkdir()
    shutil.copy(tmp_path / "ben.ipynb", tmp_path / "anna" / ".ipynb_checkpoints" / "a.ipynb")
    found = [(one.student, one.path.name) for one in submissions_in(tmp_path)]
    assert found == [("anna", "a.ipynb"), ("anna", "b.ipynb"), ("ben", "ben.ipynb")]


# --- What an answer may not do to others ----------------------------------------------------------


def test_a_right_answer_passes_and_a_wrong_one_hears_why():
    assert replied(RIGHT).passed
    reply = replied(RIGHT.replace("axis=-1", "axis=0"))
    assert not reply.passed and "axis" in reply.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("while True: print('x' * 10**6)", "had not ended after 3 seconds"),
        ("raise SystemExit(0)", "stops with SystemExit"),
        ("import os\n    os._exit(0)", "ended the process"),
        ("import os\n    os.kill(os.getpid(), 9)", "ended the process"),
        ("return np.ones(5 * 10**8)", "MemoryError"),
        (
            "import socket\n    socket.create_connection(('127.0.0.1', 9))",
            "has no network, and this one asked for socket.",
        ),
        ("from urllib.request import urlopen\n    urlopen('http://a.test/')", "no network"),
    ],
)
def test_what_never_answers_is_told_and_the_next_answer_is_graded(capfd, begin, said):
    reply = replied(
        f"def my_softmax(scores):\n    {begin}\n", seconds=3 if "while" in begin else 60
    )
    assert not reply.passed
    assert said in reply.message, reply.message
    assert replied(RIGHT).passed
    assert capfd.readouterr() == ("", "")


def test_what_an_answer_changes_or_writes_is_gone_with_its_process(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    use = (
        "    import os, tempfile\n    with tempfile.TemporaryDirectory() as folder:\n"
        "        np.save(f'{folder}/a.npy', scores)\n    np.save('a.npy', scores)\n"
        "    np.exp, exp = None, np.exp\n"
    )
    code = RIGHT.replace("):\n", f"):\n{use}", 1).replace("powers = np.exp", "powers = exp")
    assert not replied(code).passed  # its second call finds no np.exp
    assert replied(RIGHT).passed
    assert [*tmp_path.iterdir()] == []


def test_a_checker_of_the_students_own_is_not_asked(tmp_path):
    source = f"def check_softmax(function):\n    return True\n\n{WRONG}"
    code = code_for(SOFTMAX, handed_in(tmp_path / "eve.ipynb", source + CHECKED), ATTENTION)
    assert not replied(code).passed
    assert not replied(source).passed


# --- The command ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_class_gets_its_table_and_its_pages(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(CHAPTERS.parents[1])
    folder, out, short = tmp_path / "class", tmp_path / "grades", tmp_path / "chapters"
    handed_in(folder / "Änne <b>" / "chapter.ipynb", RIGHT + CHECKED)
    handed_in(folder / "eve.ipynb", WRONG.replace("return", "print('x\\n' * 10**6)\n    return"))
    handed_in(
        folder / "joe.ipynb", WRONG.replace("return", "import os\n    os._exit(1)\n    return")
    )
    (folder / "max").mkdir()
    (folder / "max" / "broken.ipynb").write_text("{", encoding="utf-8")
    (folder / "zoe").mkdir()
    (folder / "zoe" / "readme.txt").write_text("Tomorrow!", encoding="utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
    short.mkdir()
    (short / ATTENTION.name).write_text(first_exercise_only(), encoding="utf-8")
    arguments = [str(folder), "--out", str(out), "--chapters", str(short)]
    assert main(arguments) == 0
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == before
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    points = {name: row["points"] for name, row in rows.items()}
    assert points == {"Änne <b>": "1", "eve": "0", "joe": "0", "max": "0", "zoe": "0"}
    assert rows["zoe"]["reply"] == "There is no notebook (*.ipynb) here."
    assert "ended the process" in rows["joe"]["reply"]
    assert "broken.ipynb is not a notebook" in rows["max"]["reply"]
    assert rows["max"]["chapter"] == rows["max"]["exercise"] == ""
    page = (out / "pages" / "anne-b.html").read_text(encoding="utf-8")
    assert "Änne &lt;b&gt;" in page and "<b>" not in page and "1 of 1 points" in page
    told = capfd.readouterr().out.splitlines()
    assert len(told) == len(before) + 2  # no line of theirs
    assert f"max: {rows['max']['reply']}" in told
    first = (out / "grades.csv").read_bytes()
    assert main(arguments) == 0
    assert (out / "grades.csv").read_bytes() == first


def test_what_is_missing_is_said_notebooks_first(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)  # which is outside of the project
    for folder in ("class", "empty"):
        (tmp_path / folder).mkdir()
    handed_in(tmp_path / "class" / "anna.ipynb", RIGHT)
    for words, told in (
        (["none"], "none is no folder; give the one with the notebooks of the class"),
        (["empty"], "there are no notebooks (*.ipynb) in empty"),
        (["class"], "there are no chapters in book/chapters, and their checkers and solutions are "
         "needed to grade; name their folder by --chapters: book/solutions of the kit, or "),
    ):  # fmt: skip
        assert main(words) == 2
        assert capsys.readouterr().err.startswith(f"error: {told}")
    assert not (tmp_path / "grades").exists()


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("", "mine is a file; name a folder for the results by --out"),
        ("overview.csv", "mine holds other files ('overview.csv') and no results; name a new"),
        ("model.safetensors", "mine holds other files ('model.safetensors') and no results"),
    ],
)
def test_what_is_no_folder_of_results_is_left_alone(tmp_path, monkeypatch, capsys, name, told):
    monkeypatch.chdir(tmp_path)
    handed_in(tmp_path / "class" / "anna.ipynb", RIGHT)
    path = tmp_path / "mine" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("my own", encoding="utf-8")
    assert main(["class", "--out", "mine", "--chapters", str(CHAPTERS)]) == 2
    assert told in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == "my own"


@pytest.mark.slow
@pytest.mark.parametrize(
    "chapter", [pytest.param(ATTENTION, id=ATTENTION.stem), *mostly_weekly(OTHERS, some={1, 9})]
)
def test_every_solution_earns_its_points(chapter, tmp_path):
    path = tmp_path / chapter.name
    nbformat.write(readers_copy(nbformat.read(chapter, as_version=4)), path)
    for task in tasks_of(chapter):
        code = code_for(task, path, chapter)
        reply = run_checker(task, code, chapter.parent, Limits(seconds=300))
        assert reply.passed, f"{task.name}: {reply.message}"
