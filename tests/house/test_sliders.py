"""The controls of figures, as the book stores them: numbers rise, and people can read them."""

import itertools
import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from book_tree import chapters
from planting import code

SLIDER = re.compile(r'data-names="([^"]*)"')
BUTTONS = re.compile(r'<fieldset data-size="\d+">(.*?)</fieldset>')
BUTTON = re.compile(r'<label><input type="radio"[^>]*> ([^<]*)</label>')
AS_PEOPLE_WRITE = re.compile(r"−?(\d{1,4}|\d{2,3}(,\d{3})+|\d(,\d{3}){2,})(\.\d+)?")


def number(name: str) -> float | None:
    """Read a number, in whichever way it is written."""
    try:
        return float(name.replace("−", "-").replace(",", ""))
    except ValueError:
        return None


def faults_of(output: str) -> Iterator[str]:
    """Look at the sliders and the radio buttons of an output."""
    sliders = [json.loads(unescape(names)) for names in SLIDER.findall(output)]
    for names in sliders + [BUTTON.findall(one) for one in BUTTONS.findall(output)]:
        numbers = [*map(number, names)]
        if None not in numbers and numbers != sorted(numbers):
            yield f"offers {names}, which does not rise. Run `make notebooks`, which sorts it."
    for name in itertools.chain(*sliders):
        if number(name) is not None and not AS_PEOPLE_WRITE.fullmatch(name):
            yield f"offers {name!r}. Write it as the text does, for example −0.5 or 1,048,576."


def controls_that_nobody_expects(root: Path) -> list[str]:
    """Let numbers rise from left to right, written as the text writes them."""
    return [
        f"{chapter.name}: {cell} {fault}"
        for chapter in chapters(root)
        for cell in chapter.code
        for text in cell.texts
        for fault in faults_of(text)
    ]


def test_controls_rise_and_can_be_read(this_project):
    this_project.keeps(controls_that_nobody_expects)


def stored(*names: str):
    """Write a slider as a notebook stores it."""
    listed = json.dumps(names).replace('"', "&quot;")
    return code("explore(draw, x=[1])", f'<input type="range" data-names="{listed}">')


def buttons(*names: str):
    """Write radio buttons as a notebook stores them."""
    labels = "".join(f'<label><input type="radio" name="a"> {name}</label>' for name in names)
    return code("explore(draw, x=[1])", f'<fieldset data-size="2">{labels}</fieldset>')


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        (stored("5", "2", "10"), r"offers \['5', '2', '10'\], which does not rise"),
        (stored("8000", "10,000", "9000"), "does not rise"),
        (stored("−1", "−2"), "does not rise"),
        (buttons("0.003", "0.001"), "does not rise"),
        (stored("1", "1e+06"), "offers '1e[+]06'. Write it as the text does"),
        (stored("1", "100000"), "offers '100000'"),
        (stored("1", "2,048"), "offers '2,048'"),
        (stored("-1", "2"), "offers '-1'"),
    ],
)
def test_other_controls_are_found(plot, cell, words):
    (sentence,) = controls_that_nobody_expects(plot.chapter("# T", cell))
    assert re.search(words, sentence)


@pytest.mark.parametrize(
    "cell",
    [
        stored("−2", "0", "0.05", "1", "2048", "16,384", "1,048,576"),
        stored("all", "2", "1"),
        buttons("b", "a"),
        buttons("lowest", "−10000", "−2"),
    ],
)
def test_good_controls_are_let_pass(plot, cell):
    assert not controls_that_nobody_expects(plot.chapter("# T", cell))
