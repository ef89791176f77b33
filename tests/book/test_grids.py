"""A learning rate that was chosen is no end of its grid: beyond the end nobody has looked."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from bertbook.records import HERE, record_of

# Of a stack of 24 layers each rate takes minutes, and Chapter 9 says that these are ends. The three
# rows of Chapter 25 wait for a higher rate.
ENDS = {("toy_depth", "post-norm"), ("toy_depth", "pre-norm")} | {
    ("three_back", f"RoPE, theta {theta}") for theta in ("10 000", "100", "4")
}


class Grid(NamedTuple):
    """Which rates were tried for a row, and which one was chosen."""

    row: str
    rates: list[float]
    chosen: float


def grids(node, rates=()) -> Iterator[Grid]:
    """Yield each grid of a record, in any of its three forms."""
    if isinstance(node, list):
        for child in node:
            yield from grids(child, rates)
    if not isinstance(node, dict):
        return
    name = str(node.get("name", node.get("stack", node.get("spread"))))
    if "loss_at_rates" in node and rates:
        yield Grid(name, [*rates], node["rate"])
    if "tried" in node and "learning_rate" in node:
        yield Grid(name, [one["learning_rate"] for one in node["tried"]], node["learning_rate"])
    if isinstance(node.get("rates"), dict) and "rate" in node:
        yield Grid(name, [*map(float, node["rates"])], node["rate"])
    for child in node.values():
        yield from grids(child, node.get("rates", rates))


FOUND = [
    pytest.param(name, grid, id=f"{name}, {grid.row}, {grid.chosen:g}")
    for name in sorted(path.stem for path in HERE.glob("*.json"))
    for grid in grids(record_of(name))
]


@pytest.mark.parametrize(("record", "grid"), FOUND)
def test_a_chosen_rate_is_no_end_of_its_grid(record, grid):
    assert grid.chosen in grid.rates
    inside = min(grid.rates) < grid.chosen < max(grid.rates)
    assert inside != ((record, grid.row) in ENDS)
