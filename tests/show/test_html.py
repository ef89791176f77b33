"""Small pieces of HTML: escaped, complete, and tinted by size."""

import xml.etree.ElementTree as ElementTree

import numpy as np

from bertbook.show import bars, html, matrix, token_row


def texts(content):
    return list(ElementTree.fromstring(content).itertext())


def test_token_row_has_tokens_and_notes_and_escapes_them():
    assert texts(token_row(["<b>", "cat"], [0.0, 1.0], ["1 %", ""])) == ["<b>", "1 %", "cat"]


def test_equal_tokens_have_equal_colors_and_given_colors_win():
    content = token_row(["the", "cat", "the"], colors={"cat": "#123456"})
    chips = ElementTree.fromstring(content)
    assert chips[0].attrib["style"] == chips[2].attrib["style"]
    assert "#123456" in chips[1].attrib["style"]


def test_bars_show_label_and_number_and_never_leave_their_box():
    content = bars(["a", "b"], [0.5, 3.0], digits=1)
    assert texts(content) == ["a", "0.5", "b", "3.0"]
    assert "width:50.0%" in content
    assert "width:100.0%" in content


def test_matrix_writes_numbers_as_people_do():
    values = np.array([[-1.0, -0.001, -np.inf], [np.nan, np.finfo(float).min, 0.5]])
    content = matrix(values, ["x", "y"], ["a", "b", "c"], name="scores")
    assert texts(content)[:8] == ["scores", "a", "b", "c", "x", "−1.00", "0.00", "−∞"]
    assert texts(content)[8:] == ["y", "nan", "−1.8e308", "0.50"]
    assert "nan)" not in content


def test_largest_magnitude_has_the_strongest_tint_signs_two_colors_and_zeros_none():
    content = matrix(np.array([[4.0, -2.0]]), ["x"], ["a", "b"])
    assert "rgba(47,126,196,0.50)" in content
    assert "rgba(200,104,30,0.25)" in content
    assert "0.00)" in matrix(np.zeros((1, 1)), ["x"], ["a"])


def test_html_has_a_caption_and_a_text_form():
    figure = html(bars(["a"], [1.0]), "One & only")
    assert repr(figure) == "One & only"
    assert "One &amp; only" in figure._repr_html_()
