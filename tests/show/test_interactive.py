"""Figures with controls: stored with a frame for each state, drawn again where a kernel is."""

import json
import re
from types import SimpleNamespace

import pytest

from bertbook.core import explore, slider, typed
from bertbook.core.setting import is_stored


def draw_all(**values):
    return str(values)


def test_explore_draws_every_combination_in_the_order_of_the_controls_and_equal_ones_once():
    content = explore(
        lambda step, side, hidden: f"{step // 3}{side}{hidden}", caption="try",
        step=[1, 2, 3], side=["left", "right"], hidden=[False, True],
    ).content  # fmt: skip
    order = json.loads(re.search(r'data-frames="([^"]+)"', content).group(1))
    shown = re.search(r'aria-live="polite">(.*)</div><figcaption>', content, re.DOTALL).group(1)
    frames = re.findall(r"<div(?: hidden)?>(.*?)</div>", shown)
    assert order == [0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7] and len(frames) == 8
    assert [frames[n] for n in order[:3]] == ["0leftFalse", "0leftTrue", "0rightFalse"]
    assert frames[-1] == "1rightTrue"


def test_controls_suit_their_values_have_names_and_begin_at_the_first_value():
    content = explore(
        lambda number, peak, **_: f"{number} at {peak}", caption="c",
        number=("steps < 3", [131_072, 2048, 1_048_576, -0.5]), peak=["0.1", "0.05"],
        many=["a", "b", "c", "d", "e"], switch=("Use the mask", [False, True]),
    ).content  # fmt: skip
    kinds = [content.count(f'type="{kind}"') for kind in ("range", "radio", "checkbox")]
    assert kinds == [2, 2, 1]
    key = re.search(r'<label for="([^"]+)">steps &lt; 3</label>', content).group(1)
    assert f'<input id="{key}"' in content and 'aria-valuetext="131,072"' in content
    assert '["−0.5", "2048", "131,072", "1,048,576"]' in content.replace("&quot;", '"')
    labels = re.findall(r"(checked)?> ([.\d]+)</label>", content)
    assert labels == [("", "0.05"), ("checked", "0.1")]
    assert re.findall(r"<div>([^<]*)</div>", content) == ["131072 at 0.1"]


def show(**controls):
    return explore(draw_all, caption="c", **controls).content


def test_free_controls_are_stored_as_if_their_values_had_been_listed():
    free = show(size=slider(0, 9, stored=[2, 4]), text=("t", typed(stored=["pie", "cream"])))
    assert free == show(size=[2, 4], text=("t", ["pie", "cream"]))


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


@pytest.fixture
def _kernel(monkeypatch):
    """Let a reader sit here with a kernel of her own."""
    monkeypatch.delenv("BOOK_STORED")
    shell = SimpleNamespace(kernel="one", events=SimpleNamespace(register=print))
    monkeypatch.setattr("IPython.core.getipython.get_ipython", lambda: shell)


@pytest.mark.usefixtures("_kernel")
def test_every_control_has_its_widget_and_starts_at_the_first_value():
    controls = {
        "real": (slider(0, 1, stored=[0.5, 1]), "FloatSlider", 0.5),
        "whole": (slider(1, 9, stored=[2, 4]), "IntSlider", 2),
        "text": (("Your text", typed(stored=["pie", "cream"])), "Combobox", "pie"),
        "few": (["a", "b"], "RadioButtons", "a"),
        "many": ([2, 5, 1], "SelectionSlider", 2),
        "steps": (["a", "b", "c", "d", "e"], "SelectionSlider", "e"),
        "switch": ([True, False], "Checkbox", False),
    }
    given = {name: control for name, (control, *_) in controls.items()}
    figure = explore(draw_all, caption="a < b", start={"steps": "e"}, **given)
    widgets = {name: type(widget).__name__ for name, widget in figure.controls.items()}
    assert widgets == {name: kind for name, (_, kind, _) in controls.items()}
    assert figure.frame.value == str({name: first for name, (*_, first) in controls.items()})
    assert [label for label, _ in figure.controls["many"].options] == ["1", "2", "5"]
    assert figure.controls["text"].description == "Your text"
    shown = figure._repr_mimebundle_()  # what shows no widgets shows the figure
    assert shown["text/plain"] == repr(figure) == "a < b"
    assert "{'real': 0.5, " in shown["text/html"] and "a &lt; b" in shown["text/html"]


@pytest.mark.usefixtures("_kernel")
def test_a_move_draws_again_and_errors_are_shown_as_sentences_and_go_away():
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


@pytest.mark.parametrize("value", ["", "0"])
def test_without_a_kernel_a_reader_s_figure_is_frozen(monkeypatch, value):
    assert is_stored()
    monkeypatch.setenv("BOOK_STORED", value)
    assert not is_stored() and "mb-frames" in show(n=[1, 2])
