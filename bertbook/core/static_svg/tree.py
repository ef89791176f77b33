"""Our own HTML as a tree, without what is hidden, moves or is only for clicking. Chapter 1."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

DRAWING = re.compile(r"<svg\b.*?</svg>", re.DOTALL)
WITHOUT_END = frozenset({"br", "input", "wbr", "drawing"})
# What a reader sees only after she has done something.
LEFT_OUT = frozenset({"style", "script", "noscript"})


@dataclass
class Node:
    """An element of HTML."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Node | str] = field(default_factory=list)

    @property
    def classes(self) -> set[str]:
        """Give the names of its classes."""
        return set(self.attributes.get("class", "").split())

    @property
    def style(self) -> dict[str, str]:
        """Give what its own `style` says."""
        said = (rule.split(":", 1) for rule in self.attributes.get("style", "").split(";"))
        return {
            pair[0].strip(): pair[1].replace("!important", "").strip()
            for pair in said
            if len(pair) == 2
        }

    @property
    def elements(self) -> list[Node]:
        """Give the children that are no text."""
        return [child for child in self.children if isinstance(child, Node)]

    def all(self, *tags: str) -> list[Node]:
        """Find elements in it, from top to bottom, but none inside of another one found."""
        found = []
        for child in self.elements:
            found += [child] if child.tag in tags else child.all(*tags)
        return found


class _Builder(HTMLParser):
    """Put elements into each other as they open and close."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Node("div")
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        node = Node(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(node)
        if tag not in WITHOUT_END:
            self.open.append(node)

    def handle_endtag(self, tag: str) -> None:
        depths = [depth for depth, node in enumerate(self.open) if node.tag == tag]
        if depths:
            del self.open[depths[-1] :]

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def tree_of(html: str) -> tuple[Node, list[str]]:
    """Read HTML; a drawing in it becomes `<drawing>`, with its place in the list of drawings."""
    drawings = DRAWING.findall(html)
    numbers = iter(range(len(drawings)))
    builder = _Builder()
    builder.feed(DRAWING.sub(lambda _: f'<drawing data-number="{next(numbers)}">', html))
    builder.close()
    _prune(builder.root)
    return builder.root, drawings


def _prune(node: Node) -> None:
    """Take out what is not to be seen at first."""
    node.children = [
        child for child in node.children if isinstance(child, str) or _is_seen(child, node)
    ]
    for child in node.elements:
        _prune(child)


def _is_seen(node: Node, inside: Node) -> bool:
    """Say whether a page shows an element before anything is clicked; a blank to fill is shown."""
    if node.tag in LEFT_OUT or ("hidden" in node.attributes and "mb-try" not in node.classes):
        return False
    if node.tag == "button":
        return "data-k" in node.attributes
    if "mb-option" in inside.classes:
        return node.tag == "label"
    if inside.tag == "details" and node.tag != "summary":
        return "open" in inside.attributes or "class" not in inside.attributes
    if "mb-game" in inside.classes:
        return node.tag != "details"
    return not ("mb-ask" in inside.classes and node.tag in ("details", "p"))
