"""Figures of matplotlib: readable without sight and on any page, and the same bytes every time."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.collections import PathCollection
from matplotlib.colors import to_rgb

from bertbook.core import picture
from bertbook.core.palette import PALETTE
from bertbook.core.visualize import attention_map, head_grid, loss_curve, new_axes, what_parts_buy
from bertbook.records import record_of


def draw_line():
    axes = new_axes()
    axes.plot([0, 1], [1, 0], color="#000000")
    axes.set_title("a < b & c")
    return axes


def test_picture_is_one_valid_svg_with_a_name_in_the_colors_of_the_page():
    content = picture(draw_line(), alt='The "line" falls', caption="A line").content
    svg, caption = ElementTree.fromstring(content)
    assert (svg.attrib["role"], svg.attrib["aria-label"]) == ("img", 'The "line" falls')
    assert caption.text == "A line"
    assert "#000000" not in content and "stroke: currentColor" in content
    with pytest.raises(ValueError, match="alt text"):
        picture(draw_line(), alt=" ")


def test_picture_is_the_same_bytes_twice_and_shares_no_id_with_another():
    plt.close("all")
    first, second = (picture(draw_line(), alt="a line").content for _ in range(2))
    assert first == second
    assert not plt.get_fignums()
    other = picture(new_axes(), alt="no line").content
    ids, others = (set(re.findall(r' id="([^"]+)"', content)) for content in (first, other))
    assert ids and not ids & others
    assert ids <= set(re.findall(r'(?:url\(|href=")#([^")]+)', first))  # none is idle


def luminance(color):
    channels = np.array(to_rgb(color))
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    return linear @ [0.2126, 0.7152, 0.0722]


@pytest.mark.parametrize("color", PALETTE)
@pytest.mark.parametrize("page", ["#ffffff", "#14181e"])
def test_every_color_stands_out_on_light_and_dark(color, page):
    low, high = sorted([luminance(color), luminance(page)])
    assert (high + 0.05) / (low + 0.05) >= 3


def places(axes):
    return {tuple(map(float, t.get_position())): t.get_text() for t in axes.texts}


def test_numbers_lines_and_dots_stand_in_their_places():
    """Chapters compare what a figure says, and not where."""
    axes = attention_map(np.array([[0.1, 0.9]]), ["cat"], ["one", "two"])
    assert places(axes) == {(0.0, 0.0): "0.10", (1.0, 0.0): "0.90"}
    axes = head_grid(np.array([[0.25, 1.0, 0.0], [0.5, 0.125, 0.75]]))
    assert places(axes) == {(1.0, 0.0): "1.00", (0.0, 1.0): ".50", (2.0, 1.0): ".75"}
    axes = loss_curve([0, 1], {"loss": [2.0, 1.0], "other": [3.0, 2.0]}, {"floor": 0.5})
    assert [list(line.get_ydata()) for line in axes.lines] == [[2, 1], [3, 2], [0.5, 0.5]]
    axes, rows = what_parts_buy(record := record_of("toy_parts"), "heads"), record["rows"]
    dots = [each for each in axes.collections if isinstance(each, PathCollection)]
    found = [[float(x) for x, _ in each.get_offsets()] for each in dots]
    assert found == [row["runs"]["loss"] for row in rows[: len(dots)]]
    assert rows[len(dots) - 1]["part"] == "heads" != rows[len(dots)]["part"]
    plt.close("all")


@pytest.mark.parametrize(
    ("draw", "given", "words"),
    [
        (attention_map, (np.eye(2), ["a", "b", "c"]), r"\(2, 2\).*3 row labels and 3 column"),
        (what_parts_buy, (record_of("toy_parts"), "hats"), "no part 'hats'; the parts are"),
    ],
)
def test_what_cannot_be_drawn_is_told(draw, given, words):
    with pytest.raises(ValueError, match=words):
        draw(*given)
