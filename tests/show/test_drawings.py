"""Small drawings: what they show is where its number says, escaped, and told in words."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bertbook.core import arrow_map, bars, html, matrix, small_map, token_row

PIECE = re.compile(r"M(\d+) (\d+)h(\d+)")


def texts(content):
    return list(ElementTree.fromstring(content).itertext())


def test_arrows_end_where_their_numbers_say_and_what_has_turned_is_bold():
    axes = ("across", "up")
    svg = arrow_map({"a&b": [2, 2]}, {"here": [2.2, 1.2]}, alt="A < B.", axes=axes, notes=["1.00"])
    found = re.findall(r'd="M62 300L([\d.]+) ([\d.]+)M', svg)
    assert [((float(x) - 62) / 50, (300 - float(y)) / 50) for x, y in found] == [(2, 2), (2.2, 1.2)]
    assert re.search(r'font-weight="600">here<', svg)
    assert not re.search(r'font-weight="600">a&amp;b<', svg)
    assert all(f">{text}<" in svg for text in ("a&amp;b", *axes, "1.00"))
    assert 'aria-label="A &lt; B."' in svg


def painted(content, shape):
    """Paint the paths of a map back into an array of opacities."""
    canvas = np.zeros(shape)
    for path in next(ElementTree.fromstring(content).iter("g")):
        for column, row, length in PIECE.findall(path.get("d")):
            part = canvas[int(row), int(column) : int(column) + int(length)]
            assert not part.any(), "two lines on one cell"
            part[:] = float(path.get("opacity"))
    return canvas


def test_a_map_is_the_array_in_ten_steps_and_rows_are_not_columns():
    probs = np.random.default_rng(0).dirichlet(np.ones(7) / 2, size=7)
    canvas = painted(small_map(probs, "some shares"), probs.shape)
    np.testing.assert_allclose(canvas / 0.8, probs, rtol=0, atol=0.0501)


def test_a_map_is_small_with_labels_that_fit_and_an_alt_text():
    content = small_map(np.eye(2), 'the "diagonal"', ["<b>", "cat"], ["one", "two"])
    root = ElementTree.fromstring(content)
    assert [t for t in root.itertext() if t] == ["<b>", "cat", "one", "two"]
    assert (root.get("role"), root.get("aria-label")) == ("img", 'the "diagonal"')
    probs = np.random.default_rng(1).dirichlet(np.ones(13) / 3, size=13)
    assert len(small_map(probs, "a sentence", ["token"] * 13, ["token"] * 13)) < 2800
    with pytest.raises(ValueError, match="needs an alt text"):
        small_map(np.eye(2), " ")
    with pytest.raises(ValueError, match=r"\(2, 2\).*3 row labels and 2 column"):
        small_map(np.eye(2), "labels", ["a", "b", "c"], ["a", "b"])


def test_tokens_have_their_notes_and_equal_ones_equal_colors():
    content = token_row(["<b>", "cat", "<b>"], [0.0, 1.0, 0.0], ["1 %", "", "2 %"])
    assert texts(content) == ["<b>", "1 %", "cat", "<b>", "2 %"]
    chips = ElementTree.fromstring(token_row(["a", "b", "a"], colors={"b": "#123456"}))
    assert chips[0].attrib["style"] == chips[2].attrib["style"]
    assert "#123456" in chips[1].attrib["style"]


def test_bars_never_leave_their_box_and_a_figure_has_its_caption_as_text():
    content = bars(["a", "b"], [0.5, 3.0], digits=1)
    assert texts(content) == ["a", "0.5", "b", "3.0"]
    assert "width:50.0%" in content and "width:100.0%" in content
    figure = html(content, "One & only")
    assert repr(figure) == "One & only"
    assert "One &amp; only" in figure._repr_html_()


def test_a_matrix_writes_numbers_as_people_do_and_tints_them_by_size_and_sign():
    values = np.array([[-1.0, -0.001, -np.inf], [np.nan, np.finfo(float).min, 0.5]])
    content = matrix(values, ["x", "y"], ["a", "b", "c"], name="scores")
    assert texts(content)[:8] == ["scores", "a", "b", "c", "x", "−1.00", "0.00", "−∞"]
    assert texts(content)[8:] == ["y", "nan", "−1.8e308", "0.50"]
    assert "nan)" not in content
    content = matrix(np.array([[4.0, -2.0]]), ["x"], ["a", "b"])
    assert "rgba(47,126,196,0.50)" in content and "rgba(200,104,30,0.25)" in content
    assert "0.00)" in matrix(np.zeros((1, 1)), ["x"], ["a"])
