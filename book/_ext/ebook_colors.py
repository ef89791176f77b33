"""Colors that any reader knows: one that lets the paper shine through becomes what is seen then.

Some readers take `rgba(…)` for black.
"""

from __future__ import annotations

import re

from bs4 import Tag

THIN = re.compile(r"rgba\((\d+),\s*(\d+),\s*(\d+),\s*([\d.]+)\)")
PAPER, INK = 255, "#111"


def opaque(text: str) -> str:
    """Mix each color that is partly seen through with white paper."""
    return THIN.sub(_mixed, text)


def fill_cells(article: Tag) -> None:
    """Give what has a light color behind it dark letters, on dark screens too."""
    for element in article.select("[style*='rgba(']"):
        element["style"] = f"{opaque(str(element['style'])).rstrip(';')};color:{INK}!important"


def _mixed(found: re.Match[str]) -> str:
    share = float(found[4])
    parts = (round(share * int(part) + (1 - share) * PAPER) for part in found.groups()[:3])
    return "#" + "".join(f"{part:02x}" for part in parts)
