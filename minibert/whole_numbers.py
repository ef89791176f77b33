"""Checks of whole numbers. Chapter 7."""

from __future__ import annotations


def require_whole_number(name: str, value: object, least: int | None = None, why: str = "") -> None:
    """Raise unless a value is a whole number and not too small."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} ({value}) must be at least {least}{why}")
