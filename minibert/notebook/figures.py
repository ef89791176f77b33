"""Figures with a text for those who cannot see them, and figures with controls.

Chapter 1.
"""

from __future__ import annotations

import hashlib
import io
import itertools
import json
import re
from collections.abc import Callable, Sequence
from html import escape

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .html import KEEP_KEYS, STYLE, Html

FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif"

EXPLORE_STYLE = (
    STYLE
    + """
.mb-explore{border:1px solid var(--pst-color-border,var(--jp-border-color2,#bbb));\
border-radius:8px;padding:1em}
.mb-controls{display:flex;flex-wrap:wrap;gap:.8em 1.6em;align-items:center;margin-bottom:.8em}
.mb-controls fieldset{border:0;padding:0;margin:0;display:flex;flex-wrap:wrap;gap:.2em .9em}
.mb-controls legend{float:left;font-weight:600;font-size:1em;margin:0 .9em 0 0;padding:0;width:auto}
.mb-controls label{display:inline-flex;gap:.4em;align-items:center;margin:0;min-height:28px}
.mb-slider{display:flex;flex-wrap:wrap;gap:.5em;align-items:center}
.mb-slider label{font-weight:600}
.mb-slider input{width:min(9em,34vw)}
.mb-slider output{min-width:3em;font-variant-numeric:tabular-nums}
.mb-slider button{font:inherit;min-width:32px;min-height:32px;border-radius:6px;cursor:pointer;\
border:1px solid currentColor;background:none;color:inherit}
.mb-frames>[hidden]{display:none}
"""
)

# Chooses the frame for the controls' values. It takes only its own figures, and each only once,
# so that several views of one Jupyter cell all work.
SCRIPT = """
document.querySelectorAll('[data-mb="%s"]:not([data-ready])').forEach(figure=>{
figure.dataset.ready='yes';
const controls=[...figure.querySelectorAll('[data-size]')];
const frames=[...figure.querySelector('.mb-frames').children];
const order=JSON.parse(figure.dataset.frames);
const value=c=>c.type==='range'?+c.value:c.type==='checkbox'?+c.checked:\
+c.querySelector(':checked').value;
const show=()=>{let k=0;for(const c of controls){k=k*c.dataset.size+value(c);
if(c.type==='range'){const name=JSON.parse(c.dataset.names)[value(c)];
c.setAttribute('aria-valuetext',name);c.closest('.mb-slider').querySelector('output').value=name}}
frames.forEach((frame,i)=>frame.hidden=i!==order[k])};
figure.addEventListener('input',show);
figure.addEventListener('click',e=>{const by=e.target.dataset&&e.target.dataset.by;if(by){
const c=e.target.closest('.mb-slider').querySelector('input');c.value=+c.value+ +by;show()}});
show()});
"""


def picture(figure: Figure | Axes, *, alt: str, caption: str = "") -> Html:
    """Show a matplotlib figure as inline SVG whose text and lines follow the page's colors.

    Parameters
    ----------
    figure : matplotlib Figure or Axes
        Drawn already; it is closed here.
    alt : str
        What the figure shows, in words, for readers who cannot see it.
    caption : str
        Text below it; may be empty inside :func:`explore`, which has its own.

    Returns
    -------
    Html
        A displayable figure.

    Raises
    ------
    ValueError
        If `alt` is empty.
    """
    if not alt.strip():
        raise ValueError("a picture needs an alt text: say in one sentence what it shows")
    whole = figure.figure.figure if isinstance(figure, Axes) else figure
    content = f'<figure class="mb-figure">{_svg(whole, alt)}'
    if caption:
        content += f"<figcaption>{escape(caption)}</figcaption>"
    return Html(content + "</figure>", summary=caption or alt)


def _svg(figure: Figure, alt: str) -> str:
    """Turn a figure into one inline `<svg>` element and close it."""
    buffer = io.StringIO()
    with plt.rc_context({"svg.fonttype": "none", "svg.hashsalt": "minibert"}):
        figure.savefig(
            buffer, format="svg", transparent=True, bbox_inches="tight", metadata={"Date": None}
        )
    plt.close(figure)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r"<!--.*?-->", "", svg, flags=re.DOTALL)
    # Groups carry names such as "text_3", the same in every figure; only referenced ids must stay.
    svg = re.sub(r' id="[a-zA-Z0-9.]+_\d+"', "", svg)
    svg = re.sub(r"font: ([^;\"]*?\d+px) [^;\"]*", rf"font: \1 {FONT}", svg)
    svg = svg.replace("#000000", "currentColor")
    width = re.findall(r'width="([\d.]+)pt"', svg)[0]
    _, box, drawing = re.split(r'<svg [^>]*?viewBox="([^"]*)"[^>]*>', svg, maxsplit=1)
    opening = (
        f'<svg role="img" aria-label="{escape(alt)}" viewBox="{box}" fill="currentColor" '
        f'style="width:100%;max-width:{float(width) * 4 / 3:.0f}px;height:auto">'
    )
    svg = opening + drawing.replace("xlink:href", "href")
    # A clip path inside a hidden frame clips nothing, so no figure may refer to another one's.
    key = hashlib.sha256(svg.encode()).hexdigest()[:8]
    svg = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{key}-", svg)
    return re.sub(r"\s*\n\s*", "\n", svg).strip()


def explore(draw: Callable[..., Html | str], *, caption: str, **controls: Sequence) -> Html:
    """Show a figure with controls that works without a kernel: every state is drawn now.

    Parameters
    ----------
    draw : callable
        Called once for every combination of the controls' values, by keyword; returns HTML or a
        :func:`picture`.
    caption : str
        Text below the figure: what to try and what to watch.
    **controls : sequence, or pair (label, sequence)
        The values of each control. Numbers, or more than four strings, become a slider; up to four
        strings radio buttons; ``[False, True]`` a checkbox, not ticked at first.

    Returns
    -------
    Html
        A displayable figure; the first value of each control is chosen.

    Raises
    ------
    ValueError
        If there is no control or one has fewer than two values.
    """
    labels, values = _named(controls)
    frames = [
        draw(**dict(zip(controls, combination))) for combination in itertools.product(*values)
    ]
    frames = [frame.content if isinstance(frame, Html) else frame for frame in frames]
    distinct = list(dict.fromkeys(frames))
    order = json.dumps([distinct.index(frame) for frame in frames])
    key = "mb" + hashlib.sha256((caption + "".join(distinct)).encode()).hexdigest()[:10]
    widgets = "".join(
        _control(f"{key}-{i}", label, v) for i, (label, v) in enumerate(zip(labels, values))
    )
    shown = "".join(
        f"<div{'' if i == 0 else ' hidden'}>{frame}</div>" for i, frame in enumerate(distinct)
    )
    content = (
        f'<figure class="mb-figure mb-explore" {KEEP_KEYS} data-mb="{key}" '
        f'data-frames="{order}">'
        f'<div class="mb-controls">{widgets}</div>'
        f'<div class="mb-frames" aria-live="polite">{shown}</div>'
        f"<figcaption>{escape(caption)}</figcaption></figure>\n<script>{SCRIPT % key}</script>"
    )
    return Html(content, summary=caption, style=EXPLORE_STYLE)


def _named(controls: dict[str, Sequence]) -> tuple[list[str], list[list]]:
    """Split controls into visible labels and lists of values."""
    if not controls:
        raise ValueError("explore needs at least one control, for example scale=[0.5, 1, 2]")
    labels, values = [], []
    for name, control in controls.items():
        given = isinstance(control, tuple) and len(control) == 2 and isinstance(control[0], str)
        label, choices = control if given else (name.replace("_", " "), control)
        if len(choices) < 2:
            raise ValueError(f"control {name!r} has {len(choices)} value(s); it needs at least 2")
        labels.append(label)
        values.append(sorted(choices) if set(map(type, choices)) == {bool} else list(choices))
    return labels, values


def _control(key: str, label: str, values: list) -> str:
    """Write the input element that suits the values."""
    if all(isinstance(value, bool) for value in values):
        return f'<label><input type="checkbox" data-size="2"> {escape(label)}</label>'
    if len(values) <= 4 and all(isinstance(value, str) for value in values):
        return _radio_buttons(key, label, values)
    return _slider(key, label, [v if isinstance(v, str) else f"{v:g}" for v in values])


def _radio_buttons(key: str, label: str, names: list[str]) -> str:
    """Write one radio button for each name."""
    choices = "".join(
        f'<label><input type="radio" name="{key}" value="{i}"{" checked" if i == 0 else ""}>'
        f" {escape(name)}</label>"
        for i, name in enumerate(names)
    )
    size = len(names)
    return f'<fieldset data-size="{size}"><legend>{escape(label)}</legend>{choices}</fieldset>'


def _slider(key: str, label: str, names: list[str]) -> str:
    """Write a slider over names, with a button on either side for fingers."""
    last = len(names) - 1
    listed, label = escape(json.dumps(names, ensure_ascii=False)), escape(label)
    return (
        f'<div class="mb-slider"><label for="{key}">{label}</label>'
        f'<button type="button" data-by="-1" aria-label="{label}: back">‹</button>'
        f'<input id="{key}" type="range" min="0" max="{last}" value="0" data-size="{len(names)}" '
        f'data-names="{listed}" aria-valuetext="{escape(names[0])}">'
        f'<button type="button" data-by="1" aria-label="{label}: forward">›</button>'
        f'<output for="{key}">{escape(names[0])}</output></div>'
    )
