"""Figures and tables show numbers in their places, have a name, and write nothing into the page."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
import torch
from matplotlib.colors import to_rgb

from bertbook.core import arrow_map, html, picture, result_table, show_table, small_map, token_row
from bertbook.core.grid import sign_grid
from bertbook.core.palette import PALETTE
from bertbook.core.visualize import attention_map, new_axes, what_parts_buy
from bertbook.records import record_of
from bertbook.topics.encoder.machine import machine
from bertbook.topics.search.tables import found_table
from minibert.config import BertConfig
from minibert.model import BertModel


def texts(content):
    return [text for text in ElementTree.fromstring(content).itertext() if text]


def test_what_is_written_is_escaped_and_every_picture_has_a_name():
    axes = ("across", "up")
    svg = arrow_map({"a&b": [2, 2]}, {"here": [2.2, 1.2]}, alt="A < B.", axes=axes, notes=["1.00"])
    assert {*texts(svg)} >= {"a&b", "here", *axes, "1.00"}
    content = small_map(np.eye(2), 'the "diagonal"', ["<b>", "cat"], ["one", "two"])
    assert texts(content) == ["<b>", "cat", "one", "two"]
    for drawing, name in ((svg, "A < B."), (content, 'the "diagonal"')):
        root = ElementTree.fromstring(drawing)
        assert (root.get("role"), root.get("aria-label")) == ("img", name)
    assert texts(token_row(["<b>", "cat"], [0.0, 1.0], ["1 %", ""])) == ["<b>", "1 %", "cat"]
    figure = html(svg, "One & only")
    assert repr(figure) == "One & only" and "One &amp; only" in figure._repr_html_()


def test_a_map_is_the_array_in_ten_steps_and_rows_are_not_columns():
    probs = np.random.default_rng(0).dirichlet(np.ones(7) / 2, size=7)
    canvas = np.zeros(probs.shape)
    for path in next(ElementTree.fromstring(small_map(probs, "some shares")).iter("g")):
        for found in re.findall(r"M(\d+) (\d+)h(\d+)", path.get("d")):
            column, row, length = map(int, found)
            canvas[row, column : column + length] += float(path.get("opacity"))
    np.testing.assert_allclose(canvas / 0.8, probs, rtol=0, atol=0.0501)


def test_the_machine_has_the_shapes_of_the_model():
    tiny = BertConfig.tiny(vocab_size=100)
    content = machine(caption="c", tokens=5, config=tiny).content.replace("\N{NO-BREAK SPACE}", " ")
    model = BertModel(tiny).eval()
    found = model(torch.arange(5)[None], output_attentions=True, output_hidden_states=True)
    shapes = [found.hidden_states[1].shape[1:], found.attentions[0].shape[1:]]
    tables = ("word_embeddings", "position_embeddings", "token_type_embeddings")
    shapes += [getattr(model.embeddings, table).weight.shape for table in tables]
    for shape in [*shapes, (5, tiny.intermediate_size)]:
        assert " × ".join(map(str, shape)) in content


def test_a_picture_is_one_svg_with_a_name_in_the_colors_of_the_page_and_the_same_bytes_twice():
    def drawn():
        axes = new_axes()
        axes.plot([0, 1], [1, 0], color="#000000")
        axes.set_title("a < b & c")
        return picture(axes, alt='The "line" falls', caption="A line").content

    plt.close("all")
    content = drawn()
    assert content == drawn()
    assert not plt.get_fignums()
    svg, caption = ElementTree.fromstring(content)
    assert (svg.attrib["role"], svg.attrib["aria-label"]) == ("img", 'The "line" falls')
    assert caption.text == "A line"
    assert "#000000" not in content and "stroke: currentColor" in content
    other = picture(new_axes(), alt="no line").content
    ids, others = (set(re.findall(r' id="([^"]+)"', each)) for each in (content, other))
    assert ids and not ids & others


def luminance(color):
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("color", PALETTE)
@pytest.mark.parametrize("page", ["#ffffff", "#14181e"])
def test_every_color_stands_out_on_light_and_dark(color, page):
    low, high = sorted([luminance(color), luminance(page)])
    assert (high + 0.05) / (low + 0.05) >= 3


def test_cells_are_written_as_people_do():
    columns = {
        "a & b": ["<x>", "y", "z", "w"],
        "n": [23_837_184, np.int64(-4), None, "none"],
        "loss": [-0.0004, {"mean": -1.25, "sd": 0.051}, float("nan"), 2],
    }
    shown = show_table(columns, "Told.", digits=2)
    table = next(ElementTree.fromstring(shown.content).iter("table"))
    rows = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert rows == [
        ["a & b", "n", "loss"],
        ["<x>", "23,837,184", "0.00"],
        ["y", "−4", "−1.25 ± 0.05"],
        ["z", "", "nan"],
        ["w", "none", "2"],
    ]
    told, *lines = repr(shown).splitlines()
    assert told == "Told." and [line.split(" | ") for line in lines] == rows


def test_a_table_has_a_head_and_names_its_rows():
    found = result_table(["right", "95 %"], [["MiniLM, a < b", "0.91", "-0.02 to +0.07"]], "method")
    assert found.count("<tr>") == 2 and found.count('scope="col"') == 3
    assert "MiniLM, a &lt; b</th><td>0.91</td><td>−0.02 to +0.07</td>" in found
    assert "<td>mid-p - 3</td>" in result_table(["x"], [["a", "mid-p - 3"]])  # no minus
    assert "<b>" not in found_table(["cosine", "document"], [["<b>", "x"], ["x", "<b>"]])


@pytest.mark.parametrize(
    ("make", "given", "words"),
    [
        (small_map, [np.eye(2), " "], "needs an alt text"),
        (small_map, [np.eye(2), "x", ["a", "b", "c"]], "3 row labels and 0 column labels"),
        (attention_map, [np.eye(2), ["a", "b", "c"]], r"\(2, 2\).*3 row labels and 3 column"),
        (what_parts_buy, [record_of("toy_parts"), "hats"], "no part 'hats'; the parts are"),
        (machine, ["head"], "no part 'head'; it opens at embeddings, attention"),
        (show_table, [{"a": ["x", "y"], "b": [1]}], "'b': 1}; None leaves a cell empty"),
        (result_table, [["x", "y"], [["a", 1]]], "row 'a' has 1 cells, and there are 2 columns"),
        (sign_grid, [["x", "y"], {"a": [""]}, "A."], "'a' has 1 signs, and there are 2 columns"),
    ],
)
def test_what_cannot_be_drawn_is_told(make, given, words):
    caption = {"caption": "T."} if make in (machine, show_table) else {}
    with pytest.raises(ValueError, match=words):
        make(*given, **caption)
