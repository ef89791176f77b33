"""The exercises of the first chapters run in the page: code, checkers and figures."""

import json
import os
import re
import subprocess
import sys
import zipfile
from io import BytesIO

import exercises
import pytest

CHAPTERS = [
    path
    for path in sorted((exercises.BOOK / "chapters").glob("[0-9][0-9]-*.ipynb"))
    if int(path.name[:2]) in exercises.CHAPTERS
]
FOUND = {
    name: (path, *found) for path in CHAPTERS for name, found in exercises.exercises(path).items()
}
WITH_TORCH = {"05_my_encode", "05_my_train_epoch"}  # the page has no PyTorch
# Runs each cell as the page does: first the skeleton, then the solution in its place.
PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
import in_the_page
for name, cells in json.loads(sys.stdin.read()).items():
    in_the_page.begin(name)
    print(json.dumps([name, *(json.loads(in_the_page.run(cell)) for cell in cells)]))
"""
WAIT = 240_000  # milliseconds, for a machine that has much else to do
RIGHT = """def my_softmax(x):
    exponentials = np.exp(x - x.max(axis=-1, keepdims=True))
    return exponentials / exponentials.sum(axis=-1, keepdims=True)


keep(my_softmax, check_softmax(my_softmax))"""


def with_solution(path, number, code):
    """Put a chapter's own solution into the cell of an exercise."""
    solution = exercises._cells(path)[number + 1].split("\nassert")[0]
    head, _, call = code.partition("    ...\n")
    mine = re.search(r"def (\w+)", head)[1]
    return re.sub(r"\b\w+_solution\b", mine, solution) + call


def test_the_chapters_have_their_exercises():
    asked = [path.read_text(encoding="utf-8").count('"    ...\\n"') for path in CHAPTERS]
    assert sum(asked) == len(FOUND) + len(WITH_TORCH)
    assert not FOUND.keys() & WITH_TORCH
    assert exercises.archive() == exercises.archive()  # the same bytes


@pytest.mark.parametrize("flag", ["-S", "-s"])  # with -S there is no other numpy than its own
def test_each_solution_passes_after_what_stands_above_it(tmp_path, flag):
    cells = {
        name: [code, with_solution(path, number, code)]
        for name, (path, number, code) in FOUND.items()
    }
    zipfile.ZipFile(BytesIO(exercises.archive())).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, flag, "-c", PROGRAM, str(tmp_path)],
        input=json.dumps(cells), capture_output=True, text=True, cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, *_ in answers] == [*FOUND]
    for name, skeleton, solution in answers:
        assert not skeleton["passed"] and "nothing" in str(skeleton["shown"]), name
        assert solution["passed"], (name, solution)


# In the place of Python: it answers with what stands in the field, and never to other code.
ECHO = """
window.Worker = class {
  postMessage({ begin, code }) {
    const isAnswer = begin || code.startsWith("{");
    const data = begin ? { ready: true } : isAnswer && JSON.parse(code);
    if (isAnswer) setTimeout(() => this.onmessage({ data }));
  }
  terminate() {}
};
"""


@pytest.fixture
def figure(reader):
    """Open the editor of the first exercise of Chapter 2, with an echo for Python."""
    page = reader.open("chapters/02-self-attention-by-hand.html")
    page.wait_for_load_state("networkidle")  # what is still on its way would fail at the reload
    page.clock.install()
    page.add_init_script(ECHO)
    page.reload()
    figure = page.locator("[data-live=exercise]").first
    figure.get_by_role("button", name="Write and check it here").click()
    figure.get_by_text("Python is ready.").wait_for()
    figure.get_by_label("Keep my code").check()
    return figure


def run(figure, kind, content, passed=False):
    answer = json.dumps({"shown": [[kind, content]], "passed": passed})
    figure.get_by_label("Your code").fill(answer)
    figure.get_by_role("button", name="Run").click()
    figure.get_by_role("button", name="Stop", disabled=True).wait_for()


def test_printed_text_stays_text_and_wrong_code_is_not_solved(figure):
    cells = figure.page.locator(".cell:has([data-live=exercise]) .cell_input").all()
    assert [cell.is_visible() for cell in cells[:2]] == [False, True], "code stands there twice"
    assert figure.get_by_text("NumPy here is a small one").is_visible()
    text = "<b class=bold>Not yet.</b>"
    run(figure, "text", text)
    assert figure.get_by_text(text).is_visible() and figure.locator(".bold").count() == 0
    done = "Object.keys(JSON.parse(localStorage.getItem('bert-by-hand')).done)"
    assert figure.page.evaluate(done) == []
    run(figure, "html", "<b class=bold>Right.</b>", passed=True)
    assert figure.locator("b.bold").inner_text() == "Right."
    assert figure.page.evaluate(done) == ["02_my_softmax"]


def test_a_loop_without_end_is_stopped_and_takes_the_old_verdict_along(figure):
    verdict = figure.get_by_text("Right.")
    run(figure, "text", "Right.", passed=True)
    figure.get_by_label("Your code").fill("while True:\n    pass")
    figure.get_by_role("button", name="Run").click()
    figure.get_by_text("It runs …").wait_for()
    assert not verdict.is_visible()
    figure.page.clock.fast_forward("00:29")
    assert figure.get_by_text("It runs …").is_visible()
    figure.page.clock.fast_forward("00:02")
    figure.get_by_text("Stopped after 30 seconds.").wait_for()
    run(figure, "text", "Right.", passed=True)
    assert verdict.is_visible()


def test_a_reader_writes_runs_stops_and_keeps_an_exercise(reader):
    page = reader.open("chapters/02-self-attention-by-hand.html", from_disk=True)
    figure = page.locator("[data-live=exercise]").first
    figure.get_by_role("button", name=re.compile(r"loads Python, 8\.\d MB")).click()
    field = figure.get_by_label("Your code")
    assert field.input_value().startswith("def my_softmax(x):\n    ...")
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Tab")
    assert field.input_value().count("    ") == 2
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    figure.get_by_label("Keep my code").check()
    field.fill(RIGHT.replace("x.max(axis=-1, keepdims=True)", "0"))
    page.keyboard.press("Control+Enter")
    figure.get_by_text("Not yet.").wait_for(timeout=WAIT)
    field.fill(RIGHT)
    page.keyboard.press("Control+Enter")
    figure.get_by_text("Right: my_softmax gives the right answer in all 6 cases.").wait_for()
    assert figure.get_by_role("table").count() == 1
    kept = json.loads(page.evaluate("localStorage.getItem('bert-by-hand')"))
    assert kept["code"]["02_my_softmax"] == RIGHT
    assert [*kept["done"]] == ["02_my_softmax"]
    field.fill("while True:\n    pass")
    page.keyboard.press("Control+Enter")
    figure.get_by_role("button", name="Stop").click()
    figure.get_by_text("Stopped.").wait_for()
    field.fill("print('again')\n1 / 0")
    page.keyboard.press("Control+Enter")
    figure.get_by_text("ZeroDivisionError").wait_for(timeout=WAIT)
    shown = figure.locator(".mb-shown").inner_text()
    assert "again" in shown and "line 2" in shown
    page.reload()
    page.get_by_text("Solved.").wait_for()
