"""The exercises of the first chapters run in the page: code, checkers and figures."""

import json
import os
import re
import subprocess
import sys
import zipfile
from io import BytesIO

import exercises

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


def test_each_solution_passes_after_what_stands_above_it(tmp_path):
    cells = {
        name: [code, with_solution(path, number, code)]
        for name, (path, number, code) in FOUND.items()
    }
    zipfile.ZipFile(BytesIO(exercises.archive())).extractall(tmp_path)
    done = subprocess.run(
        [sys.executable, "-S", "-c", PROGRAM, str(tmp_path)],  # no other numpy than its own
        input=json.dumps(cells), capture_output=True, text=True, cwd=tmp_path,
        env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [name for name, *_ in answers] == [*FOUND] and not FOUND.keys() & WITH_TORCH
    for name, skeleton, solution in answers:
        assert not skeleton["passed"] and "nothing" in str(skeleton["shown"]), name
        assert solution["passed"], (name, solution)


def test_a_reader_writes_runs_stops_and_keeps_an_exercise(reader):
    page = reader.open("chapters/02-self-attention-by-hand.html", from_disk=True)
    page.clock.install()
    page.reload()
    figure = page.locator("[data-live=exercise]").first
    figure.get_by_role("button", name=re.compile(r"loads Python, 8\.\d MB")).click()
    field, shown = figure.get_by_label("Your code"), figure.locator(".mb-shown")
    assert field.input_value().startswith("def my_softmax(x):\n    ...")
    cells = page.locator(".cell:has([data-live=exercise]) .cell_input").all()
    assert [cell.is_visible() for cell in cells[:2]] == [False, True], "code stands there twice"
    assert page.evaluate("document.activeElement.tagName") == "TEXTAREA"
    page.keyboard.press("Tab")
    assert field.input_value().count("    ") == 2
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Run"
    figure.get_by_label("Keep my code").check()

    def run(code, reply):
        field.fill(code)
        page.keyboard.press("Control+Enter")
        figure.get_by_text(reply).wait_for(timeout=WAIT)

    def kept():
        return json.loads(page.evaluate("localStorage.getItem('bert-by-hand')"))

    run(RIGHT.replace("x.max(axis=-1, keepdims=True)", "0"), "Not yet.")
    assert kept()["done"] == {}
    run(RIGHT, "Right: my_softmax gives the right answer in all 6 cases.")
    assert figure.get_by_role("table").count() == 1
    assert kept()["code"]["02_my_softmax"] == RIGHT and [*kept()["done"]] == ["02_my_softmax"]
    run("while True:\n    pass", "It runs …")
    assert figure.get_by_text("Right:").count() == 0
    figure.get_by_role("button", name="Stop").click()
    figure.get_by_text("Stopped.").wait_for()
    run("print('<b class=bold>again</b>')\n1 / 0", "ZeroDivisionError")
    assert "<b class=bold>again</b>" in shown.inner_text() and "line 2" in shown.inner_text()
    run("while True:\n    pass", "It runs …")
    page.clock.fast_forward("00:31")
    figure.get_by_text("Stopped after 30 seconds.").wait_for()
    page.reload()
    page.get_by_text("Solved.").wait_for()
