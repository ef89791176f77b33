"""Figures: readable without sight, and the same bytes every time."""

import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import pytest

from bertbook.show import picture
from bertbook.show.visualize import new_axes


def draw_line():
    axes = new_axes()
    axes.plot([0, 1], [1, 0], color="#000000")
    axes.set_title("a < b & c")
    return axes


def test_picture_is_one_valid_svg_with_a_name():
    content = picture(draw_line(), alt='The "line" falls', caption="A line").content
    figure = ElementTree.fromstring(content)
    svg = figure[0]
    assert svg.attrib["role"] == "img"
    assert svg.attrib["aria-label"] == 'The "line" falls'
    assert figure[1].text == "A line"


def test_picture_follows_the_colors_of_the_page():
    content = picture(draw_line(), alt="a line").content
    assert "#000000" not in content
    assert "stroke: currentColor" in content


def test_picture_is_the_same_bytes_twice_and_closes_its_figure():
    first, second = (picture(draw_line(), alt="a line").content for _ in range(2))
    assert first == second
    assert not plt.get_fignums()


def test_picture_asks_for_an_alt_text():
    with pytest.raises(ValueError, match="alt text"):
        picture(draw_line(), alt=" ")


def test_pictures_share_no_ids_that_nobody_refers_to():
    content = picture(draw_line(), alt="a line").content
    ids = set(re.findall(r' id="([^"]+)"', content))
    used = re.findall(r'(?:url\(|href=")#([^")]+)', content)
    assert ids <= set(used)


def test_two_different_pictures_have_no_id_in_common():
    def ids_of(slope):
        axes = new_axes()
        axes.plot([0, 1], [0, slope])
        return set(re.findall(r' id="([^"]+)"', picture(axes, alt="a line").content))

    assert ids_of(1)
    assert not ids_of(1) & ids_of(2)
