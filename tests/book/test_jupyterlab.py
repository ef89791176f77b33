"""Figures in JupyterLab: as they are stored, with controls, and with fields that need no kernel."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.error import URLError
from urllib.request import urlopen

import nbformat
import pytest
from built_book import BOOK, DESKTOP
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook
from playwright.sync_api import expect

SECONDS_TO_START = 60
CELL = """\
from bertbook.core import bars, explore, slider, typed

def draw(size, way, text):
    if not text:
        raise ValueError("there is no text; type a word")
    return bars([text], [size])

explore(draw, caption="Move it.", size=slider(0, 1, stored=[0.5, 1]),
        way=["by the mean of all that is not padding", "by CLS", "by SEP", "by chance", "by hand"],
        text=("Your text", typed(stored=["pie", "cream"])))"""
TOLD = re.compile(r"Right\.|Not this one\.|mat; barks; stars")
FIELD = """from bertbook.core.fields import answer_field
answer_field("How many?", 3, why="Count.")"""


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """Start JupyterLab on three notebooks, in folders of its own, and give their address."""
    home = tmp_path_factory.mktemp("lab")
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    cells = [new_code_cell(CELL), new_code_cell(FIELD)]
    nbformat.write(new_notebook(cells=cells, metadata={"kernelspec": kernel}), home / "a.ipynb")
    nbformat.write(new_notebook(cells=[*asking()]), home / "asking.ipynb")
    (chapter,) = (BOOK / "chapters").glob("01-*.ipynb")
    shutil.copy(chapter, home / "trusted.ipynb")
    places = {f"JUPYTER_{name}_DIR": str(home / name) for name in ("CONFIG", "RUNTIME", "DATA")}
    environment = {**os.environ, **places, "PYTHONPATH": str(BOOK.parent)}
    del environment["BOOK_STORED"]
    trust = [sys.executable, "-m", "jupyter", "trust", "trusted.ipynb"]  # as `make lab` does
    subprocess.run(trust, cwd=home, env=environment, check=True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with (home / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
             f"--port={port}", "--IdentityProvider.token=", f"--ServerApp.root_dir={home}",
             "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate"],
            env=environment, stdout=log, stderr=log,
        )  # fmt: skip
        wait_for(f"http://127.0.0.1:{port}/api", server, home / "log")
        yield f"http://127.0.0.1:{port}/doc/tree/"
        server.terminate()
        server.wait(20)


def asking() -> Iterator[NotebookNode]:
    """Take from the chapters one output of each kind that asks something."""
    left = {"mb-quiz", "mb-lines", "mb-stepwise", "mb-game", "mb-ask"}
    for path in sorted((BOOK / "chapters").glob("*.ipynb")):
        for cell in nbformat.read(path, 4).cells:
            for output in cell.get("outputs", ()):
                html = output.get("data", {}).get("text/html", "")
                if found := {kind for kind in left if f'"{kind}' in html or f" {kind}" in html}:
                    left -= found
                    yield new_code_cell(" ".join(found), outputs=[output])
    assert not left


def wait_for(address, server, log):
    """Wait until the server answers, or say what it has written."""
    end = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < end and server.poll() is None:
        try:
            return urlopen(address).close()
        except URLError:
            time.sleep(0.2)
    server.kill()
    return pytest.fail(f"JupyterLab did not start:\n{log.read_text()}")


@pytest.fixture
def opened(browser, lab):
    """Open a notebook in JupyterLab."""

    def open_page(name):
        page.goto(f"{lab}{name}.ipynb")
        return page

    with browser.new_context(viewport=DESKTOP) as context:
        page = context.new_page()
        yield open_page


def test_a_figure_is_drawn_again_in_jupyterlab(opened):
    page = opened("a")
    # A cell that runs before the kernel is known to be idle finds no front end for its controls.
    expect(page.get_by_text("| Idle")).to_be_visible(timeout=60_000)
    page.locator(".jp-CodeCell .cm-content").first.click()
    for _ in range(2):
        page.keyboard.press("Shift+Enter")
    bar = page.locator(".mb-moving .mb-bar + td")
    expect(bar).to_have_text("0.50", timeout=30_000)
    page.get_by_role("slider").first.press("ArrowRight")
    expect(bar).to_have_text("0.51")
    for text, place, told in (
        ("a word", ".mb-moving tbody th", "a word"),
        ("", ".mb-sentence", "there is no text; type a word"),
    ):
        page.get_by_label("Your text").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(place)).to_have_text(told)
    page.get_by_label("Your answer").focus()
    page.keyboard.type("2 + √(1/4) · log2(8) / 1.5 words")
    page.keyboard.press("Enter")
    expect(page.locator(".mb-reply")).to_have_text("Right. Count.")


def test_what_is_stored_is_shown_before_a_cell_runs(opened):
    page = opened("trusted")
    expect(page.locator(".mb-quiz p").first).to_be_attached(timeout=60_000)
    assert page.locator(".mb-figure svg").first.is_visible()


def test_no_reply_is_told_where_styles_and_scripts_are_not_trusted(opened):
    outputs = opened("asking").locator(".jp-OutputArea-output")
    expect(outputs.nth(4)).to_be_attached(timeout=60_000)
    for output in outputs.all():
        output.scroll_into_view_if_needed()
        words = output.inner_text()
        assert words.strip() and not TOLD.search(words), words
