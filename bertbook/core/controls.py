"""What a figure can be asked: one of some values, any number of a range, or any text. Chapter 1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

FEW = 4  # strings that have room as radio buttons
ROUND = (1, 2, 5, 10)  # a step is one of these, times a power of ten


@dataclass(frozen=True)
class Slider:
    """Any number of a range.

    Args:
        stored: The values that the page of the book shows.
        low, high: The ends of the range.
        step: From one value to the next.
    """

    stored: Sequence[float]
    low: float
    high: float
    step: float


@dataclass(frozen=True)
class Typed:
    """Any text.

    Args:
        stored: The texts that the page of the book shows.
    """

    stored: Sequence[str]


@dataclass(frozen=True)
class Control:
    """A control with its label and the values at which the book stores its figure."""

    label: str
    values: list
    start: int
    """The number of the value that is chosen at first."""
    free: Slider | Typed | None = None

    @property
    def first(self) -> Any:
        """The value that is chosen at first."""
        return self.values[self.start]

    @property
    def is_switch(self) -> bool:
        """Whether it is on or off."""
        return all(isinstance(value, bool) for value in self.values)

    @property
    def is_choice(self) -> bool:
        """Whether it is one of a few words."""
        return len(self.values) <= FEW and all(isinstance(value, str) for value in self.values)

    @property
    def names(self) -> list[str]:
        """The values as readers see them."""
        return [value if isinstance(value, str) else _written(value) for value in self.values]


def _written(number: float) -> str:
    """Write a number as the text does: a real minus sign, commas from five digits on."""
    size = abs(number)
    if size == int(size):
        text = f"{size:,.0f}" if size >= 10_000 else f"{size:.0f}"
    else:
        text = np.format_float_positional(size, precision=6, fractional=False, trim="-")
    return f"−{text}" if number < 0 else text


def slider(
    low: float, high: float, *, stored: Sequence[float], step: float | None = None
) -> Slider:
    """Make a control of `explore` that takes any number of a range while a kernel is there.

    Args:
        low, high: The ends of the range; with whole numbers only, the slider takes whole numbers.
        stored: The values that the page of the book shows; the first is chosen at first.
        step: From one value to the next; 1 for whole numbers and otherwise a round number, at most
            a hundredth of the range.

    Returns:
        A control.

    Raises:
        ValueError: If the range is empty, the step is not positive, or a stored value lies outside
            or between two steps.

    >>> slider(0, 1, stored=[0.2, 0.8]).step
    0.01
    """
    if not low < high:
        raise ValueError(f"a slider from {low:g} to {high:g} has no room; low must be below high")
    if outside := [value for value in stored if not low <= value <= high]:
        raise ValueError(
            f"the stored value {outside[0]:g} is outside of the slider, {low:g} to {high:g}"
        )
    is_whole = all(isinstance(value, int) for value in (low, high, *stored))
    step = step or (1 if is_whole else _round_step((high - low) / 100))
    if step < 0:
        raise ValueError(f"the step of a slider is {step:g}; it must be above 0")
    for value in stored:
        steps = (value - low) / step
        if abs(steps - round(steps)) > 1e-6:
            raise ValueError(
                f"the stored value {value:g} lies between two steps of {step:g} from {low:g} on, "
                "where a slider cannot stand; give another step"
            )
    return Slider(stored, low, high, step)


def _round_step(most: float) -> float:
    """Return the largest round number that is not above another."""
    power = 10.0 ** math.floor(math.log10(most))
    return max(n * power for n in ROUND if n * power <= most * (1 + 1e-9))


def typed(*, stored: Sequence[str]) -> Typed:
    """Make a control of `explore` that takes any text while a kernel is there.

    Args:
        stored: The texts that the page of the book shows; the first is there at first.

    Returns:
        A control.

    Raises:
        ValueError: If a stored text is no string.

    >>> typed(stored=["a cat", "a dog"]).stored
    ['a cat', 'a dog']
    """
    if strangers := [text for text in stored if not isinstance(text, str)]:
        raise ValueError(f"a field takes text, so {strangers[0]!r} cannot be stored in it")
    return Typed(stored)


def named(controls: dict[str, Any], start: dict[str, Any]) -> dict[str, Control]:
    """Give every control its visible label, its values in order, and where it starts."""
    if not controls:
        raise ValueError("explore needs at least one control, for example scale=[0.5, 1, 2]")
    if strangers := start.keys() - controls.keys():
        raise ValueError(f"no control {min(strangers)!r} can start; there are {[*controls]}")
    found = {}
    for name, control in controls.items():
        given = isinstance(control, tuple) and len(control) == 2 and isinstance(control[0], str)
        label, asked = control if given else (name.replace("_", " "), control)
        free = asked if isinstance(asked, Slider | Typed) else None
        values = list(asked.stored if isinstance(asked, Slider | Typed) else asked)
        if len(values) < 2:
            raise ValueError(f"control {name!r} has {len(values)} value(s); it needs at least 2")
        rising = _rising(values)
        first = False if {*map(type, values)} == {bool} else start.get(name, values[0])
        if first not in rising:
            there = ", ".join(map(repr, rising))
            raise ValueError(f"control {name!r} cannot start at {first!r}; it has {there}")
        found[name] = Control(label, rising, rising.index(first), free)
    return found


def _rising(values: list) -> list:
    """Put numbers in their order, also those written as words; other words stay as given."""
    try:
        return sorted(values, key=float)
    except ValueError:
        return values
