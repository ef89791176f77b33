"""A figure that a kernel draws again at every move of its controls. Chapter 1."""

from collections.abc import Callable
from html import escape
from time import monotonic
from typing import Any

import ipywidgets

from minibert.text_files import packed_text

from .controls import Control, Slider, Typed
from .html import STYLE, Html

ROW = {
    "flex_flow": "row wrap",
    "align_items": "center",
    "margin": "0 0 .6em",
    "grid_gap": ".2em 1.6em",
}
SLOW = 0.5  # seconds for one drawing
LONG = 18  # letters for which the place beside a slider is too small
WIDE = {"description_width": "initial"}
LIVE_STYLE = STYLE + packed_text("bertbook/core/static/moving.css")


class LiveFigure:
    """Controls above what is drawn for their values."""

    def __init__(self, draw: Callable[..., Html | str], caption: str, controls: dict[str, Control]):
        self.draw, self.caption = draw, caption
        self.controls = {name: _widget(control) for name, control in controls.items()}
        self.frame = ipywidgets.HTML(self._drawn())
        for widget in self.controls.values():
            widget.observe(self._redraw, "value")

    def __repr__(self) -> str:
        return self.caption

    def _repr_mimebundle_(self, **wanted: Any) -> dict[str, Any]:
        """Show the widgets, or where there are none the figure as it is now."""
        row = ipywidgets.Box([*self.controls.values()], layout=ROW)
        below = f'<p class="mb-caption">{escape(self.caption)}</p>'
        box = ipywidgets.VBox([_style(), row, self.frame, ipywidgets.HTML(below)])
        box.add_class("mb-figure").add_class("mb-moving")
        shown = f'<div class="mb-figure">{self.frame.value}{below}</div>'
        still = Html(shown, summary=self.caption, style=LIVE_STYLE)
        return {
            **(box._repr_mimebundle_(**wanted) or {}),
            "text/html": still._repr_html_(),
            "image/svg+xml": still._repr_svg_(),
            "text/plain": self.caption,
        }

    def _drawn(self) -> str:
        """Draw the figure for what the controls say now."""
        shown = self.draw(**{name: widget.value for name, widget in self.controls.items()})
        return shown.content if isinstance(shown, Html) else shown

    def _redraw(self, _: Any) -> None:
        """Replace the figure in one step, so that nothing flickers, or say what is wrong."""
        start = monotonic()
        try:
            self.frame.value = self._drawn()
        except Exception as error:  # a kernel keeps it in its log, where no reader sees it
            sentence = str(error) if isinstance(error, ValueError) else repr(error)
            self.frame.value = f'<p class="mb-sentence" role="alert">{escape(sentence)}</p>'
        if monotonic() - start > SLOW:
            self._wait_for_the_end_of_drags()

    def _wait_for_the_end_of_drags(self) -> None:
        """Draw once for a drag, not for each value on its way."""
        for widget in self.controls.values():
            if widget.has_trait("continuous_update"):
                widget.set_trait("continuous_update", False)


def _style() -> ipywidgets.HTML:
    """Hold the style where no drawing replaces it."""
    return ipywidgets.HTML(Html("", style=LIVE_STYLE)._repr_html_(), layout={"display": "none"})


def _widget(control: Control) -> Any:
    """Choose the control that suits the values."""
    usual = {"description": control.label, "style": WIDE}
    options = {"options": [*zip(control.names, control.values)], "value": control.first}
    match control.free:
        case Slider(stored, low, high, step):
            is_whole = all(isinstance(value, int) for value in (*stored, low, high, step))
            kind = ipywidgets.IntSlider if is_whole else ipywidgets.FloatSlider
            return kind(value=control.first, min=low, max=high, step=step, **usual)
        case Typed(stored):
            return ipywidgets.Combobox(
                value=control.first, options=tuple(stored), continuous_update=False, **usual
            )
    if control.is_switch:
        return ipywidgets.Checkbox(value=False, indent=False, **usual)
    if control.is_choice:
        room = {"layout": {"width": "auto", "height": "auto"}}
        return ipywidgets.RadioButtons(**options, orientation="horizontal", **usual, **room)
    widget = ipywidgets.SelectionSlider(**options, **usual)
    return widget.add_class("mb-named") if max(map(len, control.names)) > LONG else widget
