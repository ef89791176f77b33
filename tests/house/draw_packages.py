"""Draw the packages from their imports: `python tests/house/draw_packages.py` writes the picture.

The picture is a Mermaid diagram at the top of ARCHITECTURE.md. A box is a room: a file or a folder
directly in a package. An arrow says that something in the upper room imports from the lower one. An
import that other arrows imply already, by way of a room between, has no arrow of its own.
"""

from __future__ import annotations

import ast
from pathlib import Path

import networkx as nx
from book_tree import ROOT
from python_code import PACKAGES, imported, modules, parse, room_of

PAGE = ROOT / "ARCHITECTURE.md"
DESCRIPTION = "bertbook stands above the others, minibert below them; every arrow goes down."


def picture(root: Path) -> str:
    """Write the diagram: each package with its rooms, and the arrows between packages."""
    rooms, packages = {package: nx.DiGraph() for package in PACKAGES}, nx.DiGraph()
    for module, path in modules(root).items():
        package, room = room_of(module)
        rooms[package].add_nodes_from([room] if room else [])
        for other, its_room in (room_of(name) for _, name in imported(module, path)):
            if other != package:
                packages.add_edge(package, other)
            elif room and its_room not in ("", room):
                rooms[package].add_edge(room, its_room)
    lines = ["```mermaid", "flowchart TD", f"accDescr: {DESCRIPTION}"]
    for package, graph in rooms.items():
        text = ast.get_docstring(parse(root / package / "__init__.py")) or ""
        title = text.partition("\n")[0].partition(". ")[0].rstrip(".").replace("*", "")
        lines.append(f'subgraph {package}["{package}: {title}"]')
        lines += [f"  {package}.{room}[{room}]" for room in sorted(nx.isolates(graph))]
        lines += [f"  {package}.{a}[{a}] --> {package}.{b}[{b}]" for a, b in arrows(graph)]
        lines.append("end")
    lines += [f"{a} ==> {b}" for a, b in arrows(packages)]
    return "\n".join([*lines, "```"])


def arrows(graph: nx.DiGraph) -> list[tuple[str, str]]:
    """List the imports that no chain of others implies."""
    return sorted(nx.transitive_reduction(graph).edges)


def placed(page: str, name: str, text: str) -> str:
    """Put a text in its place on the page: between a comment that names it, and the next end."""
    before, begin, rest = page.partition(f"<!-- {name} -->\n")
    if not begin:
        raise ValueError(f"{PAGE.name} has no place for {name!r}; write <!-- {name} --> there")
    end = "<!-- end -->"
    return f"{before}{begin}\n{text}\n\n{end}{rest.partition(end)[2]}"


if __name__ == "__main__":
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(placed(page, "picture", picture(ROOT)), encoding="utf-8")
    print(f"the picture of {PAGE.name} is drawn")
