"""Figures: readable without sight, the same bytes every time, one frame for each combination."""

import json
import re
import xml.etree.ElementTree as ElementTree

import matplotlib.pyplot as plt
import pytest

from minibert.notebook import bars, explore, picture
from minibert.visualize import new_axes


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


def frames_of(content):
    order = json.loads(re.search(r'data-frames="([^"]+)"', content).group(1))
    shown = re.search(r'aria-live="polite">(.*)</div><figcaption>', content, re.DOTALL).group(1)
    frames = re.findall(r"<div(?: hidden)?>(.*?)</div>", shown)
    return order, frames


def test_explore_draws_every_combination_in_the_order_of_the_controls():
    figure = explore(
        lambda step, side, hidden: f"{step}{side}{hidden}",
        caption="try",
        step=[1, 2, 3],
        side=["left", "right"],
        hidden=[False, True],
    )
    order, frames = frames_of(figure.content)
    shown = [frames[i] for i in order]
    assert shown[0] == "1leftFalse"
    assert shown[1] == "1leftTrue"
    assert shown[2] == "1rightFalse"
    assert shown[-1] == "3rightTrue"
    assert len(shown) == 12


def test_explore_keeps_equal_frames_once():
    order, frames = frames_of(explore(lambda n: str(n // 2), caption="c", n=[0, 1, 2]).content)
    assert order == [0, 0, 1]
    assert frames == ["0", "1"]


def test_explore_chooses_controls_by_their_values():
    content = explore(
        lambda **values: "x",
        caption="c",
        number=[0.5, 1],
        few=["a", "b"],
        many=["a", "b", "c", "d", "e"],
        switch=("Use the mask", [False, True]),
    ).content
    assert content.count('type="range"') == 2
    assert content.count('type="radio"') == 2
    assert content.count('type="checkbox"') == 1
    assert "Use the mask" in content


def test_explore_names_every_control():
    content = explore(lambda n: str(n), caption="c", n=("steps < 3", [0, 1])).content
    key = re.search(r'<label for="([^"]+)">steps &lt; 3</label>', content).group(1)
    assert f'<input id="{key}"' in content
    assert 'aria-valuetext="0"' in content


def test_explore_takes_pictures_and_html():
    figure = explore(
        lambda n: picture(draw_line(), alt=f"line {n}") if n else bars(["a"], [1.0]),
        caption="c",
        n=[0, 1],
    )
    assert "line 1" in figure.content
    assert repr(figure) == "c"


@pytest.mark.parametrize(("controls", "words"), [({}, "at least one"), ({"n": [1]}, "at least 2")])
def test_explore_refuses_controls_that_control_nothing(controls, words):
    with pytest.raises(ValueError, match=words):
        explore(lambda **values: "x", caption="c", **controls)


def test_two_different_pictures_have_no_id_in_common():
    def ids_of(slope):
        axes = new_axes()
        axes.plot([0, 1], [0, slope])
        return set(re.findall(r' id="([^"]+)"', picture(axes, alt="a line").content))

    assert ids_of(1)
    assert not ids_of(1) & ids_of(2)
