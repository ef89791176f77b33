"""A class is graded: right answers earn their points, pranks earn nothing and harm nothing."""

import csv
import json
import shutil
import sys
from pathlib import Path

import nbformat
import pytest
from readers_copy import readers_copy

from berttools.grade.answers import code_for, submissions_in
from berttools.grade.command import main
from berttools.grade.exercises import chapter_of, tasks_of, with_needs_of
from berttools.grade.report import Mark, write_pages, write_table
from berttools.grade.trial import Limits, on_trial

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
ALL = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
ATTENTION = CHAPTERS / "02-self-attention-by-hand.ipynb"
SOFTMAX = tasks_of(ATTENTION)[0]
RIGHT = """
def my_softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""


def trial(code, **limits):
    return on_trial(SOFTMAX, code, CHAPTERS, Limits(**limits))


def handed_in(path, stub):
    """Write a copy of Chapter 2 whose first exercise says something."""
    notebook = nbformat.read(ATTENTION, as_version=4)
    cell = next(cell for cell in notebook.cells if "def my_softmax" in cell.source)
    cell.source = f"{stub}\n\nkeep(my_softmax, check_softmax(my_softmax))"
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


def first_exercise_only():
    """Write Chapter 2 up to the solution of its first exercise."""
    notebook = json.loads(ATTENTION.read_text(encoding="utf-8"))
    first = next(n for n, c in enumerate(notebook["cells"]) if "my_softmax" in "".join(c["source"]))
    return json.dumps(notebook | {"cells": notebook["cells"][: first + 2]})


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


# --- What is hers --------------------------------------------------------------------------------


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
    assert trial(code).passed


def test_a_helper_may_stand_below_and_one_of_the_page_above(tmp_path):
    below = RIGHT.replace("np.exp(", "powers_of(") + "\ndef powers_of(x): return np.exp(x)\n"
    path = handed_in(tmp_path / "anna.ipynb", below)
    assert trial(code_for(SOFTMAX, path, ATTENTION)).passed
    last = tasks_of(ATTENTION)[-1]
    needed = with_needs_of("def my_own(x): return attention_with_loops(x)", last, ATTENTION)
    assert "def attention_with_loops" in needed.above


def test_the_chapter_itself_answers_nothing():
    reply = trial(code_for(SOFTMAX, ATTENTION, ATTENTION))
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


# --- Pranks --------------------------------------------------------------------------------------


def test_a_right_answer_passes_and_a_wrong_one_hears_why():
    assert trial(RIGHT).passed
    reply = trial(RIGHT.replace("axis=-1", "axis=0"))
    assert not reply.passed and "axis" in reply.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "said"),
    [
        ("while True: pass", "had not ended after 3 seconds"),
        ("raise SystemExit(0)", "stops with SystemExit"),
        ("import os\n    os._exit(0)", "ended the process"),
        ("import os, signal\n    os.kill(os.getpid(), signal.SIGKILL)", "not write, start or send"),
        ("return np.ones(5 * 10**8)", "MemoryError"),
        ("import subprocess\n    subprocess.run(['true'])", "asked for subprocess.Popen"),
        (
            "import socket\n    socket.create_connection(('127.0.0.1', 9))",
            "asked for socket.connect",
        ),
        (f"return len(open({str(ATTENTION)!r}).read())", "asked for open"),
        ("import resource\n    resource.prlimit(0, resource.RLIMIT_CPU)", "asked for resource"),
    ],
)
def test_what_never_answers_earns_nothing(begin, said):
    reply = trial(f"def my_softmax(scores):\n    {begin}\n", seconds=3 if "while" in begin else 60)
    assert not reply.passed
    assert said in reply.message, reply.message


@pytest.mark.slow
@pytest.mark.parametrize(
    ("harm", "said"),
    [
        ("import os\n    os.remove(MARK)", "may not write"),
        ("open(MARK, 'w').close()", "may not write"),
        ("import os\n    os.symlink(MARK, 'here')\n    open('here', 'a').write('x')", "not write"),
        ("import os\n    os.remove('mark', dir_fd=os.open(os.path.dirname(MARK), 0))", "not write"),
        ("import os\n    os.chmod(os.open(MARK, 0), 0)", "may not write"),
        # What libraries write by themselves, only Linux sees.
        ("import torch\n    torch.save({}, MARK)", "ermission denied"),
        (
            "import torch\n    torch.from_file(MARK, shared=True, size=9).zero_()",
            "ermission denied",
        ),
    ],
)
def test_files_stay_as_they_are(tmp_path, harm, said):
    if "torch" in harm and sys.platform != "linux":
        pytest.skip("only Linux sees what libraries write")
    mark = tmp_path / "mark"
    mark.write_text("here", encoding="utf-8")
    body = f"def my_softmax(scores):\n    {harm}\n    return scores\n"
    reply = trial(body.replace("MARK", repr(str(mark))))
    assert not reply.passed and said in reply.message
    assert mark.read_text(encoding="utf-8") == "here" and [*tmp_path.iterdir()] == [mark]


def test_an_answer_writes_into_a_folder_of_its_own():
    use = (
        "    import os, tempfile\n    with tempfile.TemporaryDirectory() as folder:\n"
        "        np.save(f'{folder}/a.npy', scores)\n        open(os.devnull, 'w').close()\n"
    )
    assert trial(RIGHT.replace("):\n", f"):\n{use}", 1)).passed


def test_nobody_replies_in_place_of_the_checker():
    forged = (
        "    import sys\n    frame = sys._getframe()\n    while 'answer' not in frame.f_locals:\n"
        "        frame = frame.f_back\n"
        "    frame.f_locals['answer'].send_bytes(b'[true, \"Right.\"]')\n"
    )
    reply = trial(WRONG.replace("):\n", f"):\n{forged}", 1))
    assert not reply.passed and "only its checker replies" in reply.message


WRONG = "def my_softmax(scores):\n    return scores\n\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "name"),
    [
        ("Exercise.__call__ = lambda self, function: Verdict(True, 'Right')", "Exercise"),
        ("exercise._same.__code__ = (lambda *some: True).__code__", "_same"),
        ("np.allclose = lambda *some, **more: True", "numpy.allclose"),
        ("import sys\n        sys.modules['bertbook.core.exercises.exercise'] = None", "exercise"),
    ],
)
def test_who_changes_the_checker_earns_nothing(change, name):
    reply = trial(f"""
from bertbook.core.exercises import exercise
from bertbook.core.exercises.exercise import Exercise
from bertbook.core.exercises.verdict import Verdict
def changed():
        {change}
DONE = changed()
def my_softmax(scores):
    DONE
    return scores
""")
    assert not reply.passed
    assert name in reply.message, reply.message


def test_a_checker_of_her_own_is_not_asked(tmp_path):
    stub = f"def check_softmax(function):\n    return True\n\n{WRONG}"
    code = code_for(SOFTMAX, handed_in(tmp_path / "eve.ipynb", stub), ATTENTION)
    assert not trial(code).passed
    assert not trial(f"def check_softmax(function):\n    return True\n\n{WRONG}").passed


# --- The command ---------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_class_gets_its_table_and_its_pages(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(CHAPTERS.parents[1])
    folder, out, short = tmp_path / "class", tmp_path / "grades", tmp_path / "chapters"
    handed_in(folder / "Änne <b>" / "chapter.ipynb", RIGHT)
    handed_in(folder / "eve.ipynb", WRONG.replace("return", "print('x\\n' * 10**6)\n    return"))
    harm = f"import shutil\n    shutil.rmtree({str(folder)!r})\n    return"
    handed_in(folder / "joe.ipynb", WRONG.replace("return", harm))
    (folder / "max").mkdir()
    (folder / "max" / "broken.ipynb").write_text("{", encoding="utf-8")
    before = {path: path.read_bytes() for path in folder.rglob("*.ipynb")}
    short.mkdir()
    (short / ATTENTION.name).write_text(first_exercise_only(), encoding="utf-8")
    arguments = [str(folder), "--out", str(out), "--chapters", str(short)]
    assert main(arguments) == 0
    assert {path: path.read_bytes() for path in folder.rglob("*.ipynb")} == before
    with (out / "grades.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    points = {name: row["points"] for name, row in rows.items()}
    assert points == {"Änne <b>": "1", "eve": "0", "joe": "0", "max": "0"}
    assert "may not write" in rows["joe"]["reply"]
    assert "broken.ipynb is not a notebook" in rows["max"]["reply"]
    assert rows["max"]["chapter"] == rows["max"]["exercise"] == ""
    page = (out / "pages" / "anne-b.html").read_text(encoding="utf-8")
    assert "Änne &lt;b&gt;" in page and "<b>" not in page and "1 of 1 points" in page
    told = capfd.readouterr().out.splitlines()
    assert len(told) == len(before) + 1  # no line of theirs
    assert f"max: {rows['max']['reply']}" in told
    first = (out / "grades.csv").read_bytes()
    assert main(arguments) == 0
    assert (out / "grades.csv").read_bytes() == first


def test_no_cell_is_computed_by_a_spreadsheet(tmp_path):
    write_table([Mark("=1+1", "@a.ipynb", "", "", 0, 1, "-1 is wrong")], tmp_path / "grades.csv")
    (_, cells) = csv.reader((tmp_path / "grades.csv").read_text(encoding="utf-8").splitlines())
    assert cells == ["'=1+1", "'@a.ipynb", "", "", "0", "1", "'-1 is wrong"]


def test_what_is_missing_is_said(tmp_path, capsys):
    assert main([str(tmp_path / "none"), "--chapters", str(CHAPTERS)]) == 2
    assert "none is no folder" in capsys.readouterr().err
    assert main([str(tmp_path), "--chapters", str(CHAPTERS)]) == 2
    assert "no notebooks (*.ipynb)" in capsys.readouterr().err
    (tmp_path / "grades").write_text("mine", encoding="utf-8")
    assert main([str(tmp_path), "--out", str(tmp_path / "grades")]) == 2
    assert "grades is a file; name a folder" in capsys.readouterr().err
    assert (tmp_path / "grades").read_text(encoding="utf-8") == "mine"
    with pytest.raises(SystemExit):
        main([str(tmp_path), "--seconds", "soon"])
    assert "'soon' is no whole number above 0" in capsys.readouterr().err


def test_a_table_computes_nothing_and_names_do_not_collide(tmp_path):
    marks = [
        Mark(name, "a.ipynb", "02", "2.1", 1, 1, "=HYPERLINK(1)") for name in ("Zoé", "Zoe", "李")
    ]
    write_table(marks, tmp_path / "grades.csv")
    assert "'=HYPERLINK(1)" in (tmp_path / "grades.csv").read_text(encoding="utf-8")
    pages = write_pages(marks, tmp_path / "pages")
    assert [page.name for page in pages.values()] == ["zoe.html", "zoe-2.html", "student.html"]


@pytest.mark.thorough
@pytest.mark.parametrize("chapter", ALL, ids=lambda path: path.stem)
def test_every_solution_earns_its_points(chapter, tmp_path):
    path = tmp_path / chapter.name
    nbformat.write(readers_copy(nbformat.read(chapter, as_version=4)), path)
    for task in tasks_of(chapter):
        code = code_for(task, path, chapter)
        reply = on_trial(task, code, chapter.parent, Limits(seconds=300))
        assert reply.passed, f"{task.name}: {reply.message}"
