"""A class is graded: right answers earn their points, failing ones cost the others nothing."""

import csv
import re
import shutil
from html import unescape
from pathlib import Path

import nbformat
import pytest
from effort import mostly_weekly
from readers_copy import readers_copy

from berttools.grade.command import main
from berttools.grade.exercises import tasks_of, with_needs_of
from berttools.grade.report import Mark, write_results
from berttools.grade.sandbox import Limits, run_checker
from berttools.grade.submissions import code_for

CHAPTERS = Path(__file__).resolve().parents[2] / "book" / "chapters"
ALL = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
ATTENTION, MASKS = ALL[1:3]


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


def test_an_answer_may_use_what_the_page_defines_above():
    task = tasks_of(ATTENTION)[-1]
    needed = with_needs_of("def my_own(x): return attention_with_loops(x)", task, ATTENTION)
    assert "def attention_with_loops" in needed.above


# --- What is answered ----------------------------------------------------------------------------

RIGHT = """def my_softmax(scores):
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)
"""
OPEN = RIGHT.replace("keepdims=True))", "keepdims=True)", 1)
CHECKED = "\n\nkeep(my_softmax, check_softmax(my_softmax))"


def begun(line):
    return RIGHT.replace("\n", f"\n    {line}\n", 1)


HELPED = f"""%matplotlib inline
import os.path as paths
SHIFT = 0.0
raise SystemExit
print("hello")
def my_softmax(scores): return "an older try"
{RIGHT.replace("scores - scores.max", "helper(scores) - scores.max")}
def helper(scores): return paths and scores - SHIFT
"""
SELFISH = begun("np.save('a.npy', scores); np.exp, exp = None, np.exp")

# What a student has typed in the first exercise of Chapter 2, the points, and words of the reply.
ANSWERS = {
    "Änne <b>/week 2/homework (2)": (RIGHT, 1, "Right"),
    "aaron": (SELFISH.replace("powers = np.", "powers = "), 0, "TypeError"),
    "ben": (RIGHT.replace("axis=-1", "axis=0"), 0, "axis"),
    "cat": (begun("while True: print('x' * 10**6)"), 0, "had not ended after 3 seconds"),
    "dan": (begun("raise SystemExit(0)"), 0, "stops with SystemExit"),
    "eve": (begun("import os; os._exit(0)"), 0, "ended the process that ran it"),
    "flo": (begun("import os; os.kill(os.getpid(), 9)"), 0, "ended the process that ran it"),
    "gil": (begun("return np.ones(5 * 10**8)"), 0, "MemoryError"),
    "hal": (begun("import socket; socket.create_connection(('127.0.0.1', 9))"), 0, "no network"),
    "ida": (f"import nompy\nE = nompy.e\n{begun('E')}", 0, "cannot be defined: ModuleNotFoundErr"),
    "jan": (HELPED, 1, "Right"),
    "kim": (f"def check_softmax(f): return True\n{RIGHT.replace('powers /', '2 *')}", 0, "softmax"),
    "lea": (OPEN, 0, "my_softmax does not parse, line 2 of cell 37: '(' was never closed."),
    "max": (f"!ls\n{RIGHT}\nx = '", 0, "my_softmax does not parse, line 6 of cell 37: untermina"),
    "ned": ("def my_softmax(scores):\n    return scores\n", 0, "Where is the exponential?"),
    "ole": ("", 0, "my_softmax is not written yet."),
    "pia": (None, 0, "my_softmax is not there: pia.ipynb lacks its cell."),
    "quo": (f"{RIGHT}\nx = {'(' * 9**5}", 0, "my_softmax does not parse"),
}
FILES = {
    "rob.ipynb": (b"", "rob.ipynb is not a notebook: "),
    "sam/broken.ipynb": (b'{"cells":\n[1', "broken.ipynb is not a notebook: "),
    "tim.ipynb": ("{}é".encode("latin-1"), "tim.ipynb is not a notebook: "),
    "uli.ipynb": (b'{"cells": 3}', "uli.ipynb is not a notebook: "),
    "vic.ipynb": (b"[" * 100_000, "vic.ipynb is not a notebook: "),
    "wim.ipynb": (nbformat.writes(nbformat.v4.new_notebook()).encode(), "no cell of any chapter"),
    "zoe/readme.txt": (b"Tomorrow!", "There is no notebook (*.ipynb) here."),
}


def handed_in(path, source, before=""):
    """Write a copy of Chapter 2 whose first exercise says something; None leaves its cell out."""
    notebook = nbformat.read(ATTENTION, as_version=4)
    place = next(n for n, c in enumerate(notebook.cells) if "def my_softmax" in c.source)
    cell = notebook.cells[place]
    new = [nbformat.v4.new_code_cell(before)] if before else []
    notebook.cells[place : place + 1] = [*new, *([] if source is None else [cell])]
    cell.source = source and source + CHECKED
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)


@pytest.mark.slow
def test_each_student_earns_what_the_answer_is_worth(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    for name, (source, *_) in ANSWERS.items():
        handed_in(Path("class", f"{name}.ipynb"), source)
    handed_in(Path("class", "yve.ipynb"), OPEN, before=RIGHT)  # the older answer counts
    kept = Path("class", "Änne <b>", ".ipynb_checkpoints")
    kept.mkdir()
    shutil.copy("class/ben.ipynb", kept / "homework.ipynb")
    for name, (content, _) in FILES.items():
        Path("class", name).parent.mkdir(exist_ok=True)
        Path("class", name).write_bytes(content)
    Path("chapters").mkdir()
    shutil.copy(MASKS, "chapters")
    chapter = nbformat.read(ATTENTION, as_version=4)
    chapter.cells = chapter.cells[: tasks_of(ATTENTION)[0].cell + 2]  # up to its first solution
    nbformat.write(chapter, Path("chapters", ATTENTION.name))
    before = {path: path.read_bytes() for path in Path("class").rglob("*.ipynb")}

    assert main(["class", "--chapters", "chapters", "--seconds", "3"]) == 0

    told, complained = capfd.readouterr()
    assert "had not ended" not in complained and len(told) < 10**5  # no line of theirs
    assert {path: path.read_bytes() for path in Path("class").rglob("*.ipynb")} == before
    assert sorted(path.name for path in tmp_path.iterdir()) == ["chapters", "class", "grades"]
    with open("grades/grades.csv", encoding="utf-8", newline="") as file:
        rows = {row["student"]: row for row in csv.DictReader(file)}
    assert len(rows) == len(ANSWERS) + 1 + len(FILES)
    for name, (_, points, words) in ANSWERS.items():
        row = rows[name.partition("/")[0]]
        assert row["points"] == f"{points}" and words in row["reply"], row
    assert rows["yve"]["points"] == "1" and rows["yve"]["chapter"] == ATTENTION.stem
    for name, (_, words) in FILES.items():
        row = rows[re.split("[/.]", name)[0]]
        assert row["points"] == "0" and words in row["reply"] and not row["exercise"], row
    page = Path("grades/overview.html").read_text(encoding="utf-8")
    assert "Änne &lt;b&gt;: 1 of 1 points" in page and "<b>" not in page
    assert main(["class", "--chapters", "chapters"]) == 2  # these may be of another class
    assert "'grades' is not empty (it holds 'grades.csv')" in capfd.readouterr()[1]
    assert Path("grades/overview.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
@pytest.mark.parametrize(
    "chapter",
    [
        pytest.param(ATTENTION, id=ATTENTION.stem),
        *mostly_weekly((chapter for chapter in ALL if chapter != ATTENTION), some={1, 9}),
    ],
)
def test_every_solution_earns_its_points(chapter, tmp_path):
    path = tmp_path / chapter.name
    nbformat.write(readers_copy(nbformat.read(chapter, as_version=4)), path)
    for task in tasks_of(chapter):
        code = code_for(task, path, chapter)
        reply = run_checker(task, code, chapter.parent, Limits(seconds=300))
        assert reply.passed, f"{task.name}: {reply.message}"


# --- What is written -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "file", "told"),
    [
        ("none", "", "there are no notebooks (*.ipynb) in a folder none"),
        ("empty", "empty/a.txt", "there are no notebooks (*.ipynb) in a folder empty"),
        ("class", "", "there are no chapters in book/chapters, and their checkers and solutions"),
        (f"class --chapters {CHAPTERS} --out mine", "mine", "'mine' is a file"),
        (f"class --chapters {CHAPTERS} --out mine", "mine/grades.csv", "'mine' is not empty"),
        (f"class --chapters {CHAPTERS} --out mine", "mine/model.bin", "'mine' is not empty"),
    ],
)
def test_what_cannot_begin_is_told_and_nothing_is_lost(
    tmp_path, monkeypatch, capsys, words, file, told
):
    monkeypatch.chdir(tmp_path)  # which is outside of the project
    handed_in(Path("class", "anna.ipynb"), RIGHT)
    if file:
        Path(file).parent.mkdir(exist_ok=True)
        Path(file).write_text("my own", encoding="utf-8")
    assert main(words.split()) == 2
    assert capsys.readouterr().err.startswith(f"error: {told}")
    assert not file or Path(file).read_text(encoding="utf-8") == "my own"


TWO, EIGHT = "02-self-attention-by-hand", "08-many-heads"
MARKS = [
    Mark("Zoë <b>", "a.ipynb", TWO, "2.1 · A softmax", 0, 1, "Not yet. Along which axis?"),
    Mark("ben", "a.ipynb", TWO, "2.1 · A softmax", 0, 1, "Not yet. Along which axis?"),
    Mark("=anna", "a.ipynb", TWO, "2.1 · A softmax", 1, 1, "Right."),
    Mark("ben", "a.ipynb", TWO, "2.3 · Attention", 2, 2, "Right."),
    Mark("=anna", "a.ipynb", TWO, "2.3 · Attention", 0, 2, "my_a does not parse, line 3 of cell 4"),
    Mark("Zoë <b>", "a.ipynb", TWO, "2.3 · Attention", 0, 2, "my_a does not parse, line 7 of cell"),
    Mark("ben", "b.ipynb", EIGHT, "8.2 · Heads", 0, 3, "MySelfAttention is not written yet."),
    Mark("ben", "c.ipynb", EIGHT, "8.2 · Heads", 3, 3, "Right."),
    Mark("Zoe b", "@broken.ipynb", "", "", 0, 0, "-1 is no notebook."),
]


def test_the_table_computes_nothing_and_the_page_counts_the_better_answer(tmp_path):
    write_results(MARKS, tmp_path)
    text = (tmp_path / "grades.csv").read_text(encoding="utf-8")
    head, *rows, last = csv.reader(text.splitlines())
    assert (head, len(rows), rows[2][0]) == ([*Mark._fields], 8, "'=anna")
    assert last == ["Zoe b", "'@broken.ipynb", "", "", "0", "0", "'-1 is no notebook."]
    page = (tmp_path / "overview.html").read_text(encoding="utf-8")
    lines = [re.split(r"</t[hd]>", row) for row in re.findall("<tr>(.*?)</tr>", page, re.DOTALL)]
    found = [[unescape(re.sub("<[^>]*>", "", cell)).strip() for cell in row[:-1]] for row in lines]
    assert found[:9] == [
        ["Student", "Chapter 2", "Chapter 8", "Total"],
        ["=anna", "1", "–", "1"],
        ["ben", "2", "3", "5"],
        ["Zoe b", "–", "–", "–"],
        ["Zoë <b>", "0", "–", "0"],
        ["Exercise", "Points", "Right", "Most common reply"],
        ["2.1 · A softmax", "1 of 3", "1 of 3", "Not yet. Along which axis? (2)"],
        ["2.3 · Attention", "2 of 6", "1 of 3", "my_a does not parse (2)"],
        ["8.2 · Heads", "3 of 3", "1 of 1", ""],
    ]
    assert page.count("<caption>") == page.count("<table") == page.count("<details") + 2 == 5
    assert "Zoe b: -1 is no notebook." in page and "ben: 5 of 6 points" in page
    assert "<script" not in page and "http" not in page and '<html lang="en">' in page
    assert page.count("<th ") == page.count('<th scope="') and "@media print" in page
