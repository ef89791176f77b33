"""Figures: readable without sight, and the same bytes every time."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import pytest

from bertbook.core import picture
from bertbook.core.visualize import new_axes


def draw_line():
    axes = new_axes()
    axes.plot([0, 1], [1, 0], color="#000000")
    axes.set_title("a < b & c")
    return axes


def test_picture_is_one_valid_svg_with_a_name():
    content = picture(draw_line(), alt='The "line" falls', caption="A line").content
    svg, caption = ElementTree.fromstring(content)
    assert (svg.attrib["role"], svg.attrib["aria-label"]) == ("img", 'The "line" falls')
    assert caption.text == "A line"
    with pytest.raises(ValueError, match="alt text"):
        picture(draw_line(), alt=" ")


def test_picture_follows_the_colors_of_the_page_and_has_no_idle_ids():
    content = picture(draw_line(), alt="a line").content
    assert "#000000" not in content
    assert "stroke: currentColor" in content
    ids = set(re.findall(r' id="([^"]+)"', content))
    assert ids <= set(re.findall(r'(?:url\(|href=")#([^")]+)', content))


def test_picture_is_the_same_bytes_twice_and_shares_no_id_with_another():
    plt.close("all")
    first, second = (picture(draw_line(), alt="a line").content for _ in range(2))
    assert first == second
    assert not plt.get_fignums()
    other = picture(new_axes(), alt="no line").content
    ids, others = (set(re.findall(r' id="([^"]+)"', content)) for content in (first, other))
    assert ids and not ids & others
