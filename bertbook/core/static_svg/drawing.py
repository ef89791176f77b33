"""A figure of HTML as one drawing in light colors that any viewer of pictures shows. Chapter 1."""

import re
from functools import partial
from html import escape
from itertools import groupby

from .inline import CHIPS, Draw, inline_boxes, styled
from .tables import table_box
from .tree import Node, tree_of
from .writing import Box, Style, in_short, lines_of, rectangle, shifted, stacked

WIDTH, MARGIN = 720.0, 10.0
INK, FONT = "#1a1a1a", "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
BLOCKS = frozenset(
    {"div", "p", "figure", "figcaption", "fieldset", "legend", "details", "summary"}
    | {"ol", "ul", "li", "dl", "dt", "dd", "table", "drawing"}
)
SIDE_BY_SIDE = {"mb-tokens", "mb-controls", "mb-slider", "mb-both", "mb-side", "mb-heads"}
FRAMED = {"mb-box", "mb-quiz", "mb-ask", "mb-explore"}
# How wide those are whose width the style sheets of the pages decide.
WIDTHS = {"mb-head": 150.0, "mb-stages": 270.0, "mb-drawing": 430.0}
NO_VIEW = "0 0 300 150"  # as browsers take it
LARGEST = 480.0  # of a map that is as wide as it may be
WAITING = re.compile(r"(<\w+)(?=[^>]*\sdata-(?:here|open)=)")
VARIABLE = re.compile(r"var\([^(),]*,([^()]*)\)")


def still(html: str, summary: str = "", width: float = WIDTH) -> str:
    """Draw HTML of :mod:`bertbook.core` as an SVG."""
    root, drawings = tree_of(html)
    box = _drawn(drawings, root, Style(), width)
    title = escape(" ".join(summary.split()), quote=False)
    wide, high = (in_short(side + 2 * MARGIN) for side in (box.width, box.height))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {wide} {high}" '
        f'width="{wide}" height="{high}" font-family="{FONT}" font-size="{Style().size}" '
        f'fill="{INK}"><title>{title}</title>'
        f'<rect width="100%" height="100%" fill="#fff"/>'
        f"{shifted(box, MARGIN, MARGIN)}</svg>"
    )


def _drawn(drawings: list[str], node: Node, style: Style, width: float) -> Box:
    """Draw an element with all that it holds."""
    draw = partial(_drawn, drawings)
    style = styled(style, node)
    if node.tag == "drawing":
        return _picture(drawings[int(node.attributes["data-number"])], width, style.size)
    if node.tag == "table":
        return table_box(node, style, width, draw)
    if node.classes & FRAMED:
        return _framed(_blocks(node, style, width - 28, draw), width)
    if _is_row(node):
        return _side_by_side(node, style, width, draw)
    return _blocks(node, style, width, draw)


def _is_row(node: Node) -> bool:
    """Say whether children stand beside each other."""
    display = node.style.get("display", "")
    return bool(node.classes & SIDE_BY_SIDE) or display in ("flex", "grid")


def _blocks(node: Node, style: Style, width: float, draw: Draw) -> Box:
    """Put blocks below each other, and what is between them into lines."""
    boxes = []
    align = "center" if "mb-flow" in node.classes else node.style.get("text-align", "left")
    for is_block, children in groupby(node.children, key=_is_block):
        if is_block:
            boxes += [draw(child, style, width) for child in children if isinstance(child, Node)]
        else:
            text = Node("span", {}, [*children])
            boxes.append(lines_of([*inline_boxes(text, style)], width, align=align))
    return stacked(boxes, gap=2 if "mb-lines" in node.classes else 8)


def _is_block(child: Node | str) -> bool:
    return isinstance(child, Node) and child.tag in BLOCKS


def _side_by_side(node: Node, style: Style, width: float, draw: Draw) -> Box:
    """Put children beside each other, and into the next line where there is no room."""
    pieces: list[Box | float] = []
    for child in node.elements:
        if child.tag in BLOCKS and "mb-controls" not in node.classes:
            pieces.append(draw(child, style, _basis(child, node, width)))
        elif not child.classes & CHIPS and child.tag == "span":
            pieces.append(lines_of([*inline_boxes(child, styled(style, child))], width))
        else:
            pieces += inline_boxes(Node("span", {}, [child]), style)
        pieces.append(0.5 * style.size)
    return lines_of(pieces, width, gap=7)


def _basis(child: Node, node: Node, width: float) -> float:
    """Say how wide a child is that stands beside others."""
    named = [WIDTHS[name] for name in child.classes & set(WIDTHS)]
    if named:
        return min(width, named[0])
    written = " ".join([*child.style.values(), node.style.get("grid-template-columns", "")])
    asked = re.findall(r"(?:1 1 |minmax\()([\d.]+)em", written)
    return min(width, float(asked[0]) * 16 if asked else width)


def _framed(box: Box, width: float) -> Box:
    """Draw a frame around a box."""
    height = box.height + 24
    frame = shifted(
        Box(width, height, rectangle(width - 1, height, "", "#b5b8bd", round=7)), 0.5, 0
    )
    return Box(width, height, frame + shifted(box, 14, 12))


def _picture(svg: str, width: float, size: float) -> Box:
    """Place an inline drawing, in light colors; it is as wide as it may be at most."""
    opening, _, inside = svg.removesuffix("</svg>").partition(">")
    found = re.search(r'viewBox="([^"]*)"', opening)
    view = found[1] if found else NO_VIEW
    *_, wide, high = (float(number) for number in view.split())
    width = min(width, _asked(opening, size))
    height = width * high / wide
    kept = re.sub(r' (?:style|width|height|role|viewBox)="[^"]*"', "", opening)
    style = re.search(r"font-size:([\d.]+)px", opening)
    kept += f' font-size="{style[1]}"' if style else ""
    # In a wider font than that of the pages a word may reach over the edge; a curve is cut there.
    kept += "" if "clip-path" in inside else ' overflow="visible"'
    drawing = (
        f'{kept} viewBox="{view}" width="{in_short(width)}" height="{in_short(height)}">{inside}'
    )
    return Box(width, height, _light(f"{drawing}</svg>"))


def _asked(opening: str, size: float) -> float:
    """Say how wide a drawing may be at most."""
    found = re.search(r"(?:max-width:|min\(100%,)([\d.]+)(px|em)", opening)
    if found:
        return float(found[1]) * (size if found[2] == "em" else 1)
    found = re.search(r' width="([\d.]+)"', opening)
    return float(found[1]) if found else LARGEST


def _light(svg: str) -> str:
    """Put the colors of a light page where a drawing leaves them open."""
    while VARIABLE.search(svg):
        svg = VARIABLE.sub(r"\1", svg)
    svg = WAITING.sub(r'\1 visibility="hidden"', svg).replace("currentColor", INK)
    return svg.replace("\n", " ")
