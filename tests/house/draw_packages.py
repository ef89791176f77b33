"""Draw the packages from their imports: `python tests/house/draw_packages.py` writes the picture.

`book/assets/packages.svg` stands at the top of ARCHITECTURE.md. A box is a room: a file or a folder
directly in a package. An arrow says that something in the upper room imports from the lower one. An
import that other arrows imply already, by way of a room between, has no arrow of its own.
"""

from __future__ import annotations

import ast
from html import escape
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from python_code import PACKAGES, imported, modules, parse

ROOT = Path(__file__).resolve().parents[2]
PICTURE = "book/assets/packages.svg"
COMMAND = "python tests/house/draw_packages.py"
LETTER, ROW, BOX, GAP, HEAD = 7.4, 54, 28, 20, 60
SHIFT = 35  # every other row stands aside, so that an arrow that passes it is seen
INK, PAPER, BAND, LINE, ROOM = "#24292f", "#fdfcf9", "#f1ede3", "#8a8578", "#ffffff"

Graph = dict[str, set[str]]


class Place(NamedTuple):
    """Where a box stands."""

    left: float
    top: float
    width: float

    @property
    def middle(self) -> float:
        """The middle of its upper and of its lower side."""
        return self.left + self.width / 2


def rooms(root: Path) -> dict[str, Graph]:
    """Map each package to its rooms, and each room to those it imports from in its package."""
    graphs = {package: {} for package in PACKAGES}
    for module, path in modules(root).items():
        package, room, *_ = [*module.split("."), ""]
        if room:
            others = (name.split(".") for _, name in imported(module, path))
            same = {other[1] for other in others if other[0] == package and len(other) > 1}
            graphs[package].setdefault(room, set()).update(same - {room})
    return {package: _known(graph) for package, graph in graphs.items()}


def packages(root: Path) -> Graph:
    """Map each package to the others it imports from."""
    graph: Graph = {package: set() for package in PACKAGES}
    for module, path in modules(root).items():
        own = module.split(".")[0]
        graph[own] |= {name.split(".")[0] for _, name in imported(module, path)} - {own}
    return graph


def _known(graph: Graph) -> Graph:
    """Leave out names that a package itself hands on."""
    return {room: others & set(graph) for room, others in graph.items()}


def below(graph: Graph, room: str) -> set[str]:
    """Collect what a room reaches by one arrow or several."""
    return set().union(*({other} | below(graph, other) for other in graph[room]))


def arrows(graph: Graph) -> list[tuple[str, str]]:
    """List the imports that no chain of others implies."""
    implied = {room: set().union(*(below(graph, o) for o in graph[room])) for room in graph}
    return sorted((room, other) for room in graph for other in graph[room] - implied[room])


def rows(graph: Graph) -> list[list[str]]:
    """Sort rooms into rows, the lowest last: each stands just above the highest it imports."""

    def height(room: str) -> int:
        return max((1 + height(other) for other in graph[room]), default=0)

    by_row = groupby(sorted(graph, key=lambda room: (-height(room), room)), key=height)
    return [list(row) for _, row in by_row]


def _width(room: str) -> float:
    return LETTER * len(room) + 16


def _row_width(row: list[str]) -> float:
    return sum(map(_width, row)) + GAP * (len(row) - 1)


def size(graph: Graph, title: str) -> tuple[float, float]:
    """Return width and height of a package."""
    lines = rows(graph)
    return max([*map(_row_width, lines), LETTER * len(title)]) + 40, HEAD + ROW * len(lines)


def places(graph: Graph, left: float, top: float, width: float) -> dict[str, Place]:
    """Set the rooms of a package, the lowest row first, each near what it imports."""
    found: dict[str, Place] = {}
    for number, row in reversed([*enumerate(rows(graph))]):
        slack = (width - 40 - _row_width(row)) / 2
        x = left + 20 + slack + (-1) ** number * min(SHIFT, slack)
        for room in sorted(row, key=lambda room: (_pull(graph[room], found, left), room)):
            found[room] = Place(x, top + HEAD + ROW * number, _width(room))
            x += _width(room) + GAP
    return found


def _pull(others: set[str], found: dict[str, Place], left: float) -> float:
    """Return the mean place of some rooms."""
    return sum(found[o].middle for o in others) / len(others) if others else left


def picture(root: Path) -> str:
    """Draw all packages as an SVG."""
    graphs, whole = rooms(root), packages(root)
    titles = {name: _title(root, name) for name in graphs}
    sizes = {name: size(graph, titles[name]) for name, graph in graphs.items()}
    bands = rows(whole)
    width = max(sum(sizes[name][0] + 24 for name in band) for band in bands)
    drawn, frames, top = [], {}, 16.0
    for band in bands:
        left = 12 + (width - sum(sizes[name][0] + 24 for name in band)) / 2
        for name in band:
            frames[name] = (left, top, *sizes[name])
            drawn.append(_package(graphs[name], f"{name}: {titles[name]}", *frames[name]))
            left += sizes[name][0] + 24
        top += max(sizes[name][1] for name in band) + 44
    between = "".join(_between(frames[one], frames[other]) for one, other in arrows(whole))
    told = f"The packages: {', '.join(f'{a} imports from {b}' for a, b in arrows(whole))}."
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {top - 28:.0f}" '
        f'role="img" aria-label="{escape(told)}" font-family="system-ui, sans-serif" '
        f'font-size="12.5" fill="{INK}"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" '
        f'markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z" fill="{LINE}"/>'
        f'</marker></defs><rect width="100%" height="100%" rx="10" fill="{PAPER}"/>'
        f"{''.join(drawn)}{between}</svg>\n"
    )


def _title(root: Path, package: str) -> str:
    """Take the first line of a package's docstring."""
    text = ast.get_docstring(parse(root / package / "__init__.py")) or ""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".").replace("*", "")


def _package(graph: Graph, title: str, left: float, top: float, width: float, height: float) -> str:
    """Draw a package: its frame, its arrows, and its rooms above them."""
    found = places(graph, left, top, width)
    frame = (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="8" '
        f'fill="{BAND}"/>'
    )
    name, _, what = title.partition(": ")
    head = (
        f'<text x="{left + 14:.1f}" y="{top + 24:.1f}" font-size="16" font-weight="600">{name}'
        f'</text><text x="{left + 14:.1f}" y="{top + 42:.1f}">{escape(what)}</text>'
    )
    lines = "".join(
        _curve(found[a].middle, found[a].top + BOX, found[b].middle, found[b].top)
        for a, b in arrows(graph)
    )
    return f"{frame}{head}{lines}{''.join(_room(room, found[room]) for room in sorted(found))}"


def _room(room: str, place: Place) -> str:
    return (
        f'<rect x="{place.left:.1f}" y="{place.top:.1f}" width="{place.width:.1f}" height="{BOX}" '
        f'rx="5" fill="{ROOM}" stroke="{LINE}"/><text x="{place.middle:.1f}" '
        f'y="{place.top + 18.5:.1f}" text-anchor="middle">{room}</text>'
    )


def _between(one: tuple[float, ...], other: tuple[float, ...]) -> str:
    """Draw an arrow from the lower side of a package to the upper side of another."""
    left, right = max(one[0], other[0]), min(one[0] + one[2], other[0] + other[2])
    middle = (left + right) / 2
    return _curve(middle, one[1] + one[3], middle, other[1], 3)


def _curve(x: float, y: float, to_x: float, to_y: float, width: float = 1.1) -> str:
    bend = (to_y - y) / 2
    return (
        f'<path d="M{x:.1f} {y:.1f}C{x:.1f} {y + bend:.1f} {to_x:.1f} {to_y - bend:.1f} '
        f'{to_x:.1f} {to_y:.1f}" fill="none" stroke="{LINE}" stroke-width="{width:g}" '
        'marker-end="url(#tip)"/>'
    )


if __name__ == "__main__":
    (ROOT / PICTURE).write_text(picture(ROOT), encoding="utf-8")
    print(f"{PICTURE} is drawn")
