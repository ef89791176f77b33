"""Where no HTML is shown, no figure is lost: three chapters as plain Markdown."""

import re
from xml.etree import ElementTree

import nbformat
import pytest
from built_book import BOOK
from myst_nb.core.render import get_mime_priority
from nbconvert import MarkdownExporter
from traitlets.config import Config

NUMBER = re.compile(r"Figure (\d+\.\d+)")
PLAIN = ["image/svg+xml", "text/markdown", "text/plain"]


def as_markdown(notebook) -> tuple[str, dict[str, bytes]]:
    """Convert a notebook as a viewer does that knows no HTML; give text and pictures."""
    settings = Config({"NbConvertBase": {"display_data_priority": PLAIN}})
    text, resources = MarkdownExporter(config=settings).from_notebook_node(notebook)
    return text, resources["outputs"]


def numbers_drawn(text: str, pictures: dict[str, bytes]) -> set[str]:
    """List the numbers of the figures whose picture is in the text and has something in it."""
    found = set()
    for name in re.findall(r"!\[\w*\]\(([^)]*)\)", text):
        root = ElementTree.fromstring(pictures[name])
        said = " ".join(t for node in root for t in node.itertext() if "title" not in node.tag)
        shapes = sum(node.tag.endswith(("path", "rect", "text", "circle")) for node in root.iter())
        if shapes > 3:
            found |= set(NUMBER.findall(said))
    return found


def numbers_shown(notebook) -> set[str]:
    """List the numbers of the figures that the page shows as HTML."""
    outputs = (output for cell in notebook.cells for output in cell.get("outputs", ()))
    shown = "".join(output.get("data", {}).get("text/html", "") for output in outputs)
    return {n for text in re.findall(r"<figcaption>.*?</figcaption>", shown, re.DOTALL)
            for n in NUMBER.findall(text[:30])}  # fmt: skip


@pytest.mark.parametrize("number", ["02", "08", "20"])
def test_every_figure_is_there_as_a_picture(number):
    (path,) = (BOOK / "chapters").glob(f"{number}-*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    expected = numbers_shown(notebook)
    assert len(expected) >= 4
    assert expected <= numbers_drawn(*as_markdown(notebook))


@pytest.mark.parametrize("builder", ["html", "singlehtml"])
def test_the_pages_show_the_html(builder):
    order = get_mime_priority(builder, ())
    assert order.index("text/html") < order.index("image/svg+xml")


def test_a_figure_that_is_only_html_is_missed():
    (path,) = (BOOK / "chapters").glob("02-*.ipynb")
    notebook = nbformat.read(path, as_version=4)
    figures = [
        output.data
        for cell in notebook.cells
        for output in cell.get("outputs", ())
        if "Figure 2.1." in output.get("data", {}).get("text/html", "")
    ]
    for data in figures:
        del data["image/svg+xml"]
    assert numbers_shown(notebook) - numbers_drawn(*as_markdown(notebook)) == {"2.1"}
