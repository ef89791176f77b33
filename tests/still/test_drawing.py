"""The second form of a figure: the same words and numbers, in a drawing that stands alone."""

from xml.etree import ElementTree

import numpy as np
import pytest

from bertbook.core import html
from bertbook.core.html import matrix
from bertbook.core.static_svg.drawing import still
from bertbook.core.static_svg.writing import Style, width_of


def said(svg: str) -> list[str]:
    """Give the lines of a drawing that can be seen, from top to bottom."""
    root = ElementTree.fromstring(svg)
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


def test_a_table_keeps_its_words_numbers_and_colors():
    values = np.array([[1.0, -0.5], [0.25, 0.0]])
    svg = html(matrix(values, ["a<b", "c"], ["x", "y"]), "A caption")._repr_svg_()
    assert " ".join(said(svg)) == "x y a<b 1.00 −0.50 c 0.25 0.00 A caption"
    assert "rgba(47,126,196,0.50)" in svg and "rgba(200,104,30,0.25)" in svg


@pytest.mark.parametrize("width", [720, 300])
def test_no_word_is_left_out_and_none_is_longer_than_its_line(width):
    text = " ".join(f"word{n}" for n in range(200))
    lines = said(still(f"<p>{text}</p>", width=width))
    assert " ".join(lines) == text and len(lines) > 10
    assert all(width_of(line, Style()) <= width + 1 for line in lines)


@pytest.mark.parametrize("html", ["", "text", "<svg></svg>", "</p>", "<p>never closed"])
def test_odd_pieces_are_drawn(html):
    assert ElementTree.fromstring(still(html)).attrib["width"]
