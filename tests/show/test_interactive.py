"""Figures with controls, as they are stored: one frame for each combination, named controls."""

import json
import re

import pytest

from bertbook.core import explore, slider, typed
from bertbook.core.controls import Control


def frames_of(content):
    order = json.loads(re.search(r'data-frames="([^"]+)"', content).group(1))
    shown = re.search(r'aria-live="polite">(.*)</div><figcaption>', content, re.DOTALL).group(1)
    frames = re.findall(r"<div(?: hidden)?>(.*?)</div>", shown)
    return order, frames


def test_explore_draws_every_combination_in_the_order_of_the_controls_and_equal_ones_once():
    order, frames = frames_of(
        explore(
            lambda step, side, hidden: f"{step}{side}{hidden}", caption="try",
            step=[1, 2, 3], side=["left", "right"], hidden=[False, True],
        ).content
    )  # fmt: skip
    shown = [frames[i] for i in order]
    assert shown[:3] == ["1leftFalse", "1leftTrue", "1rightFalse"]
    assert shown[-1] == "3rightTrue" and len(shown) == 12
    order, frames = frames_of(explore(lambda n: str(n // 2), caption="c", n=[0, 1, 2]).content)
    assert (order, frames) == ([0, 0, 1], ["0", "1"])


def test_explore_chooses_controls_by_their_values_and_names_every_one():
    content = explore(
        lambda **values: "x", caption="c", number=("steps < 3", [0.5, 1]), few=["a", "b"],
        many=["a", "b", "c", "d", "e"], switch=("Use the mask", [False, True]),
    ).content  # fmt: skip
    kinds = [content.count(f'type="{kind}"') for kind in ("range", "radio", "checkbox")]
    assert kinds == [2, 2, 1]
    assert "Use the mask" in content
    key = re.search(r'<label for="([^"]+)">steps &lt; 3</label>', content).group(1)
    assert f'<input id="{key}"' in content
    assert 'aria-valuetext="0.5"' in content


def test_numbers_rise_and_the_first_given_is_chosen():
    content = explore(lambda n, peak: f"{n} at {peak}", caption="c", n=slider(0, 1_048_576, stored=[
        131_072, 2048, 1_048_576]), peak=["0.1", "0.05", "-2"]).content  # fmt: skip
    assert 'max="2" value="1"' in content
    assert 'aria-valuetext="131,072"' in content
    assert re.findall(r"(checked)?> ([-−.\d]+)</label>", content) == [
        *(("", "-2"), ("", "0.05"), ("checked", "0.1")),
    ]
    shown = re.findall(r"<div>([^<]*)</div>", content)
    assert shown == ["131072 at 0.1"]


def test_numbers_are_written_as_people_do():
    names = Control("size", [-3, -0.5, 0, 1.0, 0.00001, 9999, 10_000, 2e6], 0).names
    assert names == ["−3", "−0.5", "0", "1", "0.00001", "9999", "10,000", "2,000,000"]


@pytest.mark.parametrize(
    ("controls", "words"),
    [
        ({"s": ["a", "b"], "start": {"s": "z"}}, "'s' cannot start at 'z'; it has 'a', 'b'"),
        ({}, "at least one"),
        ({"n": [1]}, "at least 2"),
    ],
)
def test_explore_refuses_controls_that_control_nothing_or_cannot_start(controls, words):
    with pytest.raises(ValueError, match=words):
        explore(lambda **values: "x", caption="c", **controls)


def test_free_controls_are_stored_as_if_their_values_had_been_listed():
    def stored(size, text):
        return explore(lambda **v: str(v), caption="c", size=size, text=("t", text)).content

    free = stored(slider(0, 9, stored=[2, 4]), typed(stored=["pie", "cream"]))
    assert free == stored([2, 4], ["pie", "cream"])


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: slider(2, 1, stored=[1, 2]), "from 2 to 1 has no room"),
        (lambda: slider(0, 1, stored=[0.5, 1.5]), "1.5 is outside of the slider, 0 to 1"),
        (lambda: slider(0, 1, stored=[0, 1], step=-0.1), "-0.1; it must be above 0"),
        (lambda: slider(0, 1, stored=[0.5, 1], step=0.2), "0.5 lies between two steps of 0.2"),
        (lambda: typed(stored=["a", 2]), "so 2 cannot be stored"),
    ],
)
def test_controls_that_nobody_can_move_are_refused(make, words):
    with pytest.raises(ValueError, match=words):
        make()
