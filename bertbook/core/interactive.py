"""Figures with controls: live where a kernel draws, frozen where a page is read. Chapter 1."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from minibert.text_files import packed_text

from .controls import Control, named
from .html import KEEP_KEYS, STYLE, Html, key_of
from .setting import is_stored

if TYPE_CHECKING:
    from .widgets import LiveFigure

EXPLORE_STYLE = STYLE + packed_text("bertbook/core/static/explore.css")

# Chooses the frame for the controls' values. It takes only its own figures, and each only once,
# so that several views of one Jupyter cell all work.
SCRIPT = packed_text("bertbook/core/static/explore.js")


def explore(
    draw: Callable[..., Html | str],
    *,
    caption: str,
    start: Mapping[str, Any] | None = None,
    **controls: Any,
) -> Html | LiveFigure:
    """Show a figure with controls.

    In a notebook that somebody works with it is drawn again at every move of a control. Where the
    book stores it, every state is drawn now, so that it works without a kernel.

    Args:
        draw: Called with the controls' values, by keyword; returns HTML or a :func:`picture`. A
            ValueError is shown as its sentence.
        caption: Text below the figure: what to try and what to watch.
        start: The value that a control has at first; otherwise it is the first one given. A switch
            is off.
        **controls: The values of each control. Numbers, or more than four strings, become a slider;
            up to four strings radio buttons; ``[False, True]`` a checkbox. Numbers are put in
            rising order. A :func:`slider` takes any number and a :func:`typed` field any text while
            a kernel is there.

    Returns:
        A displayable figure.

    Raises:
        ValueError: If there is no control, one has fewer than two values, or it starts at another
            one.

    >>> from bertbook.core import html
    >>> draw = lambda scale: html(f"<p>{2 * scale}</p>", caption="")
    >>> explore(draw, caption="Twice the scale.", scale=[1, 2, 3])
    Twice the scale.
    """
    asked = named(controls, dict(start or {}))
    if is_stored() or not _has_kernel():
        return _frozen(draw, caption, asked)
    from .widgets import LiveFigure  # only here: a stored page needs no widgets

    return LiveFigure(draw, caption, asked)


def _has_kernel() -> bool:
    """Return whether a kernel of Jupyter runs this, whose front end can show widgets."""
    from IPython.core.getipython import get_ipython  # only here: it takes long to import

    return hasattr(get_ipython(), "kernel")


def _frozen(draw: Callable[..., Html | str], caption: str, controls: dict[str, Control]) -> Html:
    """Draw every state, and write a script that shows one of them."""
    states = [*itertools.product(*(control.values for control in controls.values()))]
    first = states.index(tuple(control.first for control in controls.values()))
    frames = [draw(**dict(zip(controls, state))) for state in states]
    frames = [frame.content if isinstance(frame, Html) else frame for frame in frames]
    distinct = list(dict.fromkeys(frames))
    order = json.dumps([distinct.index(frame) for frame in frames])
    key = key_of(caption, *distinct)
    widgets = "".join(
        _control(f"{key}-{i}", control) for i, control in enumerate(controls.values())
    )
    shown = "".join(
        f"<div{'' if frame == frames[first] else ' hidden'}>{frame}</div>" for frame in distinct
    )
    content = (
        f'<figure class="mb-figure mb-explore" {KEEP_KEYS} data-mb="{key}" '
        f'data-frames="{order}">'
        f'<div class="mb-controls">{widgets}</div>'
        f'<div class="mb-frames" aria-live="polite">{shown}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>\n<script>\n"
        f"{SCRIPT.replace('KEY', key)}</script>"
    )
    return Html(content, summary=caption, style=EXPLORE_STYLE)


def _control(key: str, control: Control) -> str:
    """Write the input element that suits the values."""
    if control.is_switch:
        return f'<label><input type="checkbox" data-size="2"> {escape(control.label)}</label>'
    if control.is_choice:
        return _radio_buttons(key, control)
    return _slider(key, control)


def _radio_buttons(key: str, control: Control) -> str:
    """Write one radio button for each name."""
    choices = "".join(
        f'<label><input type="radio" name="{key}" value="{i}"'
        f"{' checked' if i == control.start else ''}> {escape(name)}</label>"
        for i, name in enumerate(control.names)
    )
    legend = f"<legend>{escape(control.label)}</legend>"
    return f'<fieldset data-size="{len(control.names)}">{legend}{choices}</fieldset>'


def _slider(key: str, control: Control) -> str:
    """Write a slider over names, with a button on either side for fingers."""
    names, start, label = control.names, control.start, escape(control.label)
    listed, shown = escape(json.dumps(names, ensure_ascii=False)), escape(names[start])
    return (
        f'<div class="mb-slider"><label for="{key}">{label}</label>'
        f'<button type="button" data-by="-1" aria-label="{label}: back">‹</button>'
        f'<input id="{key}" type="range" min="0" max="{len(names) - 1}" value="{start}" '
        f'data-size="{len(names)}" data-names="{listed}" aria-valuetext="{shown}">'
        f'<button type="button" data-by="1" aria-label="{label}: forward">›</button>'
        f'<output for="{key}">{shown}</output></div>'
    )
