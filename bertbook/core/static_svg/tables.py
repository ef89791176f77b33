"""Tables: as wide as their text, and with lines broken where that is too wide. Chapter 1."""

import re

from .inline import Draw, inline_boxes, styled
from .tree import Node
from .writing import Box, Style, lines_of, rectangle, shifted, stacked

BAR, PADDING = 170.0, 8.0
DRAWING, NARROWEST = 120.0, 20.0


def table_box(node: Node, style: Style, width: float, draw: Draw) -> Box:
    """Draw a table; `draw` draws what a cell holds beside text."""
    style = styled(style, node)
    rows = [row.elements for row in node.all("tr")]
    columns = max((sum(map(_span, row)) for row in rows), default=0)
    if not columns:
        return Box(0, 0)
    wishes = _columns(rows, columns, style, float("inf"))
    widths = _fitting(wishes, _columns(rows, columns, style, 1), width)
    drawn = [_row(row, widths, style, draw) for row in rows]
    captions = [lines_of([*inline_boxes(each, style)], width) for each in node.all("caption")]
    return stacked([*captions, *drawn])


def _span(cell: Node) -> int:
    return int(cell.attributes.get("colspan", 1))


def _columns(rows: list[list[Node]], columns: int, style: Style, room: float) -> list[float]:
    """Say how wide each column is whose lines have so much room; no word is broken."""
    widths = [NARROWEST] * columns
    for row in rows:
        at = 0
        for cell in row:
            if _span(cell) == 1 and at < columns:
                widths[at] = max(widths[at], _width(cell, style, room))
            at += _span(cell)
    return widths


def _width(cell: Node, style: Style, room: float) -> float:
    """Say how wide a cell is."""
    if "mb-bar" in cell.classes:
        return BAR
    if cell.all("drawing"):
        return DRAWING
    return lines_of([*inline_boxes(cell, styled(style, cell))], room).width + 2 * PADDING


def _fitting(wishes: list[float], least: list[float], width: float) -> list[float]:
    """Make wide columns narrower until all have room, but none narrower than its words."""
    limit, widths = max(wishes), wishes
    while sum(widths) > width and widths != least:
        limit -= 2
        widths = [max(min(wish, limit), low) for wish, low in zip(wishes, least)]
    return widths


def _row(row: list[Node], widths: list[float], style: Style, draw: Draw) -> Box:
    """Draw a row: each cell on its color, all as high as the highest."""
    at, x, cells = 0, 0.0, []
    for cell in row:
        width = sum(widths[at : at + _span(cell)])
        cells.append((x, width, cell, _content(cell, style, width, draw)))
        at, x = at + _span(cell), x + width
    height = max((content.height for *_, content in cells), default=0) + 8
    drawing = ""
    for x, width, cell, content in cells:
        color = _color(cell)
        behind = Box(width, height, rectangle(width, height, color)) if color else Box(0, 0)
        drawing += shifted(behind, x, 0) + shifted(
            content, x + PADDING, (height - content.height) / 2
        )
    return Box(x if not cells else cells[-1][0] + cells[-1][1], height, drawing)


def _content(cell: Node, style: Style, width: float, draw: Draw) -> Box:
    """Draw what a cell holds."""
    inside = width - 2 * PADDING
    if "mb-bar" in cell.classes:
        share = float(cell.elements[0].style["width"].rstrip("%")) / 100
        color = cell.elements[0].style["background"]
        return Box(inside, 15, rectangle(max(share * inside, 1), 15, color))
    if cell.all("drawing", "div", "table"):
        return draw(cell, styled(style, cell), inside)
    usual = "right" if cell.tag == "td" else "left"
    align = cell.style.get("text-align", usual)
    return lines_of([*inline_boxes(cell, styled(style, cell))], inside, align=align)


def _color(cell: Node) -> str:
    """Give the color behind a cell; of one that is filled in part, the color of that part."""
    own = cell.style
    color = own.get("background-color") or own.get("background") or own.get("background-image", "")
    found = re.search(r"rgba\([^)]*\)|#\w+", color)
    return found.group() if found else ""
