"""The second form of a figure: the same words and numbers, in a drawing that stands alone."""

import re
from xml.etree import ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest

from bertbook.show import explore, html, picture, quiz, right, wrong
from bertbook.show.html import Html, bars, matrix, token_row
from bertbook.still.drawing import still
from bertbook.still.writing import Style, width_of

NAME = "{http://www.w3.org/2000/svg}"


def said(svg: str) -> str:
    """Give all the words of a drawing that can be seen, from top to bottom."""
    root = ElementTree.fromstring(svg)
    return " ".join("".join(text.itertext()) for text in root.iter(f"{NAME}text"))


def size(svg: str) -> tuple[float, float]:
    root = ElementTree.fromstring(svg)
    return float(root.attrib["width"]), float(root.attrib["height"])


def test_a_table_keeps_its_words_numbers_and_colors():
    values = np.array([[1.0, -0.5], [0.25, 0.0]])
    svg = html(matrix(values, ["a<b", "c"], ["x", "y"]), "A caption")._repr_svg_()
    assert said(svg) == "x y a<b 1.00 −0.50 c 0.25 0.00 A caption"
    assert "rgba(47,126,196,0.50)" in svg
    assert "rgba(200,104,30,0.25)" in svg


def test_bars_are_as_long_as_their_values():
    svg = still(bars(["half", "whole"], [0.5, 1.0]))
    half, whole = (float(width) for width in re.findall(r'<rect width="([\d.]+)" height="15"', svg))
    assert 2 * half == whole


def test_tokens_that_do_not_fit_go_on_in_the_next_line():
    one, many = (still(token_row(["word"] * count)) for count in (1, 40))
    assert size(many)[1] > 3 * size(one)[1] - 40
    assert size(many)[0] <= 740
    assert said(many) == " ".join(["word"] * 40)


def test_a_picture_stands_alone_and_in_light_colors():
    _, ax = plt.subplots()
    ax.plot([0, 1], [1, 2])
    svg = picture(ax, alt="a < b", caption="Figure 1.")._repr_svg_()
    assert "currentColor" not in svg
    assert "var(" not in svg
    assert 'aria-label="a &lt; b"' in svg
    assert said(svg).endswith("Figure 1.")


def test_words_may_reach_over_the_edge_of_a_picture_and_curves_may_not():
    words = still('<svg viewBox="0 0 9 9"><text x="5">wide</text></svg>')
    curve = still('<svg viewBox="0 0 9 9"><g clip-path="url(#a)"><path d="M0 0V99"/></g></svg>')
    assert 'overflow="visible"' in words and "overflow" not in curve


def test_only_the_first_state_of_a_figure_with_controls_is_drawn(monkeypatch):
    monkeypatch.setenv("BOOK_STORED", "1")
    figure = explore(lambda n: f"<p>state {n}</p>", caption="Move it.", n=[1, 2, 3])
    assert isinstance(figure, Html)
    assert said(figure._repr_svg_()) == "n 1 state 1 Move it."


def test_a_question_has_its_answers_and_no_replies():
    svg = quiz("Why?", right("So.", "Yes, so."), wrong("Not so.", "No."))._repr_svg_()
    assert said(svg) == "Why? ○ So. ○ Not so."


def test_no_word_is_left_out_and_none_is_longer_than_its_line():
    text = " ".join(f"word{n}" for n in range(200))
    svg = still(f"<p>{text}</p>")
    assert said(svg) == text
    lines = [line.text or "" for line in ElementTree.fromstring(svg).iter(f"{NAME}text")]
    assert len(lines) > 10
    assert all(width_of(line, Style()) <= 721 for line in lines)


@pytest.mark.parametrize(
    "html",
    [
        *("", "<p></p>", "<table></table>", "text", "<p>a<br>b</p>", "<svg></svg>"),
        *("<p style='font-size:14px'>a</p>", "</p>", "<p>never closed", "<svg viewBox='0 0 1 1'>"),
    ],
)
def test_odd_pieces_are_drawn(html):
    assert size(still(html))[0] >= 20


def test_the_same_html_has_the_same_drawing():
    html = token_row(["a", "b"], [0.1, 0.9])
    assert still(html) == still(html)
