"""Figures with controls: stored with a frame for each state, drawn again where a kernel is."""

import json
import re
from types import SimpleNamespace

import pytest

from bertbook.core import explore, slider, typed


def draw_all(**values):
    return str(values)


# As they are stored


def frames_of(content):
    order = json.loads(re.search(r'data-frames="([^"]+)"', content).group(1))
    shown = re.search(r'aria-live="polite">(.*)</div><figcaption>', content, re.DOTALL).group(1)
    return order, re.findall(r"<div(?: hidden)?>(.*?)</div>", shown)


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


def test_controls_suit_their_values_have_names_and_begin_at_the_first_value():
    content = explore(
        lambda number, peak, **_: f"{number} at {peak}", caption="c",
        number=("steps < 3", [131_072, 2048, 1_048_576, -0.5]), peak=["0.1", "0.05"],
        many=["a", "b", "c", "d", "e"], switch=("Use the mask", [False, True]),
    ).content  # fmt: skip
    kinds = [content.count(f'type="{kind}"') for kind in ("range", "radio", "checkbox")]
    assert kinds == [2, 2, 1]
    assert "Use the mask" in content
    key = re.search(r'<label for="([^"]+)">steps &lt; 3</label>', content).group(1)
    assert f'<input id="{key}"' in content and 'aria-valuetext="131,072"' in content
    assert '["−0.5", "2048", "131,072", "1,048,576"]' in content.replace("&quot;", '"')
    assert re.findall(r"(checked)?> ([.\d]+)</label>", content) == [
        ("", "0.05"),
        ("checked", "0.1"),
    ]
    assert re.findall(r"<div>([^<]*)</div>", content) == ["131072 at 0.1"]


def test_free_controls_are_stored_as_if_their_values_had_been_listed():
    def stored(size, text):
        return explore(draw_all, caption="c", size=size, text=("t", text)).content

    free = stored(slider(0, 9, stored=[2, 4]), typed(stored=["pie", "cream"]))
    assert free == stored([2, 4], ["pie", "cream"])


def show(**controls):
    explore(draw_all, caption="c", **controls)


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: show(s=["a", "b"], start={"s": "z"}), "'s' cannot start at 'z'; it has 'a', 'b'"),
        (lambda: show(), "at least one"),
        (lambda: show(n=[1]), "at least 2"),
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


# With a kernel


@pytest.fixture
def _kernel(monkeypatch):
    """Let a reader sit here with a kernel of her own."""
    monkeypatch.delenv("BOOK_STORED")
    monkeypatch.setattr(
        "IPython.core.getipython.get_ipython",
        lambda: SimpleNamespace(kernel="one", events=SimpleNamespace(register=print)),
    )


@pytest.mark.usefixtures("_kernel")
def test_every_control_has_its_widget_and_starts_at_the_first_value():
    figure = explore(
        draw_all,
        caption="c",
        real=slider(0, 1, stored=[0.5, 1]),
        whole=slider(1, 9, stored=[2, 4]),
        text=("Your text", typed(stored=["pie", "cream"])),
        few=["a", "b"],
        many=[2, 5, 1],
        steps=["a", "b", "c", "d", "e"],
        switch=[True, False],
        start={"steps": "e"},
    )
    assert [type(widget).__name__ for widget in figure.controls.values()] == [
        *("FloatSlider", "IntSlider", "Combobox", "RadioButtons", "SelectionSlider"),
        *("SelectionSlider", "Checkbox"),
    ]
    first = {"real": 0.5, "whole": 2, "text": "pie", "few": "a", "many": 2}
    assert figure.frame.value == str({**first, "steps": "e", "switch": False})
    assert [label for label, _ in figure.controls["many"].options] == ["1", "2", "5"]
    assert figure.controls["text"].description == "Your text"
    assert figure.controls["real"].step == pytest.approx(0.01)  # so that it stands at round numbers


@pytest.mark.usefixtures("_kernel")
def test_a_move_draws_again_and_a_slow_figure_once_for_a_drag(monkeypatch):
    drawn = []
    numbers = slider(0, 9, stored=[1, 2])
    figure = explore(lambda n: drawn.append(n) or str(n), caption="c", n=numbers)
    figure.controls["n"].value = 7
    assert drawn == [1, 7] and figure.frame.value == "7"
    assert figure.controls["n"].continuous_update
    monkeypatch.setattr("bertbook.core.widgets.SLOW", -1.0)
    figure.controls["n"].value = 8
    assert not figure.controls["n"].continuous_update and figure.frame.value == "8"


@pytest.mark.usefixtures("_kernel")
def test_errors_are_shown_as_sentences_and_go_away():
    def draw(text):
        if text == "none":
            raise ValueError("there is <no> text")
        return {"pie": "good"}[text]

    figure = explore(draw, caption="c", text=typed(stored=["pie", "none"]))
    told = {"none": ">there is &lt;no&gt; text</p>", "other": "KeyError(&#x27;other&#x27;)"}
    for text, words in {**told, "pie": "good"}.items():
        figure.controls["text"].value = text
        assert words in figure.frame.value
    assert figure.frame.value == "good"


def test_without_a_kernel_a_figure_is_frozen(monkeypatch):
    monkeypatch.delenv("BOOK_STORED")
    assert "mb-frames" in explore(draw_all, caption="c", n=[1, 2]).content


@pytest.mark.usefixtures("_kernel")
def test_what_shows_no_widgets_shows_the_figure():
    figure = explore(draw_all, caption="a < b", n=[1, 2])
    shown = figure._repr_mimebundle_()
    assert shown["text/plain"] == repr(figure) == "a < b"
    assert "{'n': 1}" in shown["text/html"] and "a &lt; b" in shown["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in shown
