"""Small drawings show numbers in their places, and nothing can write into the page."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

from bertbook.core import arrow_map, bars, html, matrix, small_map, token_row
from bertbook.topics.encoder.machine import machine
from minibert.config import BertConfig
from minibert.model import BertModel

PIECE = re.compile(r"M(\d+) (\d+)h(\d+)")


def texts(content):
    return [text for text in ElementTree.fromstring(content).itertext() if text]


def test_what_is_written_is_escaped_and_every_picture_has_a_name():
    axes = ("across", "up")
    svg = arrow_map({"a&b": [2, 2]}, {"here": [2.2, 1.2]}, alt="A < B.", axes=axes, notes=["1.00"])
    assert {*texts(svg)} >= {"a&b", "here", *axes, "1.00"}
    ends = re.findall(r'd="M62 300L([\d.]+) ([\d.]+)M', svg)
    assert [((float(x) - 62) / 50, (300 - float(y)) / 50) for x, y in ends] == [(2, 2), (2.2, 1.2)]
    content = small_map(np.eye(2), 'the "diagonal"', ["<b>", "cat"], ["one", "two"])
    assert texts(content) == ["<b>", "cat", "one", "two"]
    for drawing, name in ((svg, "A < B."), (content, 'the "diagonal"')):
        root = ElementTree.fromstring(drawing)
        assert (root.get("role"), root.get("aria-label")) == ("img", name)
    assert texts(token_row(["<b>", "cat"], [0.0, 1.0], ["1 %", ""])) == ["<b>", "1 %", "cat"]
    figure = html(bars(["a", "b"], [0.5, 3.0], digits=1), "One & only")
    assert "width:50.0%" in figure.content and "width:100.0%" in figure.content  # and no more
    assert repr(figure) == "One & only" and "One &amp; only" in figure._repr_html_()
    with pytest.raises(ValueError, match="needs an alt text"):
        small_map(np.eye(2), " ")
    with pytest.raises(ValueError, match="3 row labels and 0 column labels"):
        small_map(np.eye(2), "x", ["a", "b", "c"])


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


def test_a_matrix_writes_numbers_as_people_do_and_tints_them_by_size_and_sign():
    values = np.array([[-1.0, -0.001, -np.inf], [np.nan, np.finfo(float).min, 0.5]])
    content = matrix(values, ["x", "y"], ["a", "b", "c"], name="scores")
    assert texts(content)[:8] == ["scores", "a", "b", "c", "x", "−1.00", "0.00", "−∞"]
    assert texts(content)[8:] == ["y", "nan", "−1.8e308", "0.50"]
    assert "nan)" not in content
    content = matrix(np.array([[4.0, -2.0]]), ["x"], ["a", "b"])
    assert "rgba(47,126,196,0.50)" in content and "rgba(200,104,30,0.25)" in content


def test_the_machine_has_the_shapes_of_the_model_and_opens_where_it_is_asked_to():
    tiny = BertConfig.tiny(vocab_size=100)
    content = machine(caption="c", tokens=5, config=tiny).content.replace("\N{NO-BREAK SPACE}", " ")
    model = BertModel(tiny).eval()
    found = model(torch.arange(5)[None], output_attentions=True, output_hidden_states=True)
    for tensor in (found.hidden_states[1], found.attentions[0]):
        assert " × ".join(map(str, tensor.shape[1:])) in content
    for table in ("word_embeddings", "position_embeddings", "token_type_embeddings"):
        rows, hidden = getattr(model.embeddings, table).weight.shape
        assert f"{rows} × {hidden}" in content
    assert f"5 × {tiny.intermediate_size}" in content
    opened = re.findall(
        r'<details class="mb-box" open><summary>([^<]*) <',
        machine("attention", caption="c").content,
    )
    assert opened == ["stack", "layer 1", "self-attention"]
    with pytest.raises(ValueError, match="no part 'head'; it opens at embeddings, attention"):
        machine("head", caption="c")
