"""Figures with controls, as a kernel shows them: drawn again at every move, errors as sentences."""

from types import SimpleNamespace

import pytest

from bertbook.core import explore, slider, typed


@pytest.fixture
def _kernel(monkeypatch):
    """Let a reader sit here with a kernel of her own."""
    monkeypatch.delenv("BOOK_STORED")
    monkeypatch.setattr(
        "IPython.core.getipython.get_ipython",
        lambda: SimpleNamespace(kernel="one", events=SimpleNamespace(register=print)),
    )


def draw_all(**values):
    return str(values)


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
        peak=["0.3", "0.1"],
        switch=[True, False],
        start={"steps": "e"},
    )
    assert [type(widget).__name__ for widget in figure.controls.values()] == [
        *("FloatSlider", "IntSlider", "Combobox", "RadioButtons", "SelectionSlider"),
        *("SelectionSlider", "RadioButtons", "Checkbox"),
    ]
    first = {"real": 0.5, "whole": 2, "text": "pie", "few": "a", "many": 2}
    assert figure.frame.value == str({**first, "steps": "e", "peak": "0.3", "switch": False})
    assert [label for label, _ in figure.controls["many"].options] == ["1", "2", "5"]
    assert figure.controls["text"].description == "Your text"
    assert figure.controls["real"].step == pytest.approx(0.01)


def test_a_slider_has_round_steps_so_that_it_can_stand_at_round_numbers():
    for low, high, step in [(-3.0, 3.0, 0.05), (0.01, 1.0, 0.005), (0, 2000.0, 20)]:
        assert slider(low, high, stored=[low, high]).step == pytest.approx(step)


@pytest.mark.usefixtures("_kernel")
def test_a_move_draws_again_and_only_then():
    drawn = []
    numbers = slider(0, 9, stored=[1, 2])
    figure = explore(lambda n: drawn.append(n) or str(n), caption="c", n=numbers)
    figure.controls["n"].value = 7
    assert drawn == [1, 7]
    assert figure.frame.value == "7"


@pytest.mark.usefixtures("_kernel")
def test_errors_are_shown_as_sentences_and_go_away():
    def draw(text):
        if text == "none":
            raise ValueError("there is <no> text")
        return {"pie": "good"}[text]

    figure = explore(draw, caption="c", text=typed(stored=["pie", "none"]))
    figure.controls["text"].value = "none"
    assert ">there is &lt;no&gt; text</p>" in figure.frame.value
    figure.controls["text"].value = "other"
    assert "KeyError(&#x27;other&#x27;)" in figure.frame.value
    figure.controls["text"].value = "pie"
    assert figure.frame.value == "good"


@pytest.mark.usefixtures("_kernel")
def test_what_shows_no_widgets_shows_the_figure_and_refuses_the_same_controls():
    figure = explore(draw_all, caption="a < b", n=[1, 2])
    shown = figure._repr_mimebundle_()
    assert shown["text/plain"] == repr(figure) == "a < b"
    assert "{'n': 1}" in shown["text/html"]
    assert "a &lt; b" in shown["text/html"]
    assert "application/vnd.jupyter.widget-view+json" in shown
    with pytest.raises(ValueError, match=r"control 'n' has 1 value"):
        explore(draw_all, caption="c", n=slider(0, 1, stored=[1]))


def test_without_a_kernel_a_figure_is_frozen(monkeypatch):
    monkeypatch.delenv("BOOK_STORED")
    assert "mb-frames" in explore(draw_all, caption="c", n=[1, 2]).content


@pytest.mark.usefixtures("_kernel")
def test_a_slow_figure_draws_once_for_a_drag(monkeypatch):
    figure = explore(draw_all, caption="c", n=slider(0, 9, stored=[1, 2]), few=["a", "b"])
    figure.controls["n"].value = 7
    assert figure.controls["n"].continuous_update
    monkeypatch.setattr("bertbook.core.widgets.SLOW", -1.0)
    figure.controls["n"].value = 8
    assert not figure.controls["n"].continuous_update
    figure.controls["n"].value = 9
    assert figure.frame.value == str({"n": 9, "few": "a"})
