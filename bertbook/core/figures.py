"""Figures with a text for those who cannot see them. Chapter 1."""

from __future__ import annotations

import hashlib
import io
import re
from html import escape

import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from .html import Html

FONT = "system-ui, -apple-system, 'Segoe UI', sans-serif"


def picture(figure: Figure | Axes, *, alt: str, caption: str = "") -> Html:
    """Show a matplotlib figure as inline SVG whose text and lines follow the page's colors.

    Args:
        figure: Drawn already; it is closed here.
        alt: What the figure shows, in words, for readers who cannot see it.
        caption: Text below it; may be empty inside :func:`explore`, which has its own.

    Returns:
        A displayable figure.

    Raises:
        ValueError: If `alt` is empty.
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
