"""What stands in lines: words, marked words, chips, blanks and what one chooses from. Chapter 1."""

import re
from collections.abc import Callable, Iterator

from .tree import Node
from .writing import Box, Style, lines_of, rectangle, shifted, stacked, width_of, word_box

Draw = Callable[[Node, Style, float], Box]
CHIPS = {"mb-token", "mb-chip"}
BREAK = float("inf")
BOLD = frozenset({"strong", "b", "th", "legend", "summary", "dt"})
GRAY = "#5a5f66"


def styled(style: Style, node: Node) -> Style:
    """Give the style of the text in an element."""
    own = node.style
    change = {}
    if node.tag in BOLD or own.get("font-weight") == "700":
        change["bold"] = True
    if node.tag == "em":
        change["italic"] = True
    if node.tag == "code":
        change |= {"mono": True, "size": 0.88 * style.size}
    if node.tag == "small" or node.tag == "figcaption":
        change |= {"size": max(0.85 * style.size, 11), "bold": False}
    if times := re.fullmatch(r"([\d.]+)em", own.get("font-size", "")):
        change["size"] = max(float(times[1]) * style.size, 11)
    if "line-through" in own.get("text-decoration", ""):
        change["struck"] = True
    if node.tag == "figcaption":
        change["color"] = GRAY
    if "color" in own:
        change["color"] = own["color"]
    if node.tag == "span":
        change |= _marked(own)
    return style._replace(**change)


def _marked(own: dict[str, str]) -> dict[str, str]:
    """Give the color behind and the line below marked words."""
    below = own.get("border-bottom", "").rpartition(" ")[2]
    return {"behind": own.get("background", ""), "below": below}


def inline_boxes(node: Node, style: Style) -> Iterator[Box | float]:
    """Give what stands in the lines of an element: boxes, and the spaces between them."""
    for child in node.children:
        if isinstance(child, str):
            yield from _words(child, style)
        elif child.tag == "br":
            yield BREAK
        elif child.tag == "input":
            yield _input(child, style)
            yield 0.5 * style.size
        elif child.tag == "button" or child.classes & CHIPS:
            yield chip(child, style)
            yield 0.35 * style.size
        else:
            yield from inline_boxes(child, styled(style, child))
            if child.tag in ("label", "output", "legend", "p"):
                yield style.size


def _words(text: str, style: Style) -> Iterator[Box | float]:
    """Give the words of a text; spaces of code stay as they are."""
    space = width_of(" ", style)
    if style.mono:
        indent = len(text) - len(text.lstrip(" "))
        if indent > 1:
            yield Box(indent * space, style.size)
            text = text.lstrip(" ")
    for part in re.split(r"(\s+)", text):
        if part.strip():
            yield word_box(part, style)
        elif part:
            yield space


def _input(node: Node, style: Style) -> Box:
    """Draw a circle, a square or a blank; a slider has its value written beside it."""
    kind = node.attributes.get("type")
    if kind in ("radio", "checkbox"):
        is_on = "checked" in node.attributes
        return word_box({"radio": "○●", "checkbox": "☐☑"}[kind][is_on], style)
    if kind == "text":
        value = node.attributes.get("value", "")
        width = max(width_of(value, style) + 12, 110)
        field = rectangle(width, 30, "", "#75797f", round=4)
        return Box(width, 30, field + (shifted(word_box(value, style), 6, 4) if value else ""))
    return Box(0, 0)


def chip(node: Node, style: Style) -> Box:
    """Draw a token on its color, above a line, with a small note below it."""
    notes = [child for child in node.elements if child.tag == "small"]
    token = Node(node.tag, {}, [child for child in node.children if child not in notes])
    lines = [lines_of([*inline_boxes(token, style)], BREAK)]
    small = Style(size=max(0.75 * style.size, 11))
    lines += [lines_of([*inline_boxes(note, small)], BREAK) for note in notes]
    width = max(max(line.width for line in lines) + style.size, 24)
    inside = stacked([_middle(line, width) for line in lines])
    height = inside.height + 7
    color = node.style.get("border-color", "#2f7ec4")
    behind = rectangle(width, height, node.style.get("background", ""))
    if node.tag == "button":
        return Box(width, height, rectangle(width, height, "", "#75797f", round=5) + inside.drawing)
    line = shifted(Box(width, 3, rectangle(width, 3, color)), 0, height - 3)
    return Box(width, height, behind + inside.drawing + line)


def _middle(line: Box, width: float) -> Box:
    """Put a line into the middle."""
    return Box(width, line.height, shifted(line, (width - line.width) / 2, 0))
