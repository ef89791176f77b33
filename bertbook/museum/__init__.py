"""Bugs that real programs had, re-created in a few lines, found by the invariants. Chapter 26."""

from .bug import Bug, broken_model
from .labels import LABELS
from .loading import LOADING
from .masks import MASKS
from .modes import MODES
from .shapes import SHAPES

#: All exhibits, by their room.
ROOMS: dict[str, list[Bug]] = {
    "masks": MASKS,
    "modes": MODES,
    "shapes": SHAPES,
    "labels": LABELS,
    "loading": LOADING,
}

__all__ = ["ROOMS", "Bug", "broken_model"]
