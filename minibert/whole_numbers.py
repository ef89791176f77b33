"""Whole numbers that somebody gives: right, or refused in a sentence."""

from __future__ import annotations


def require_whole_number(name: str, value: object, least: int | None = None, why: str = "") -> None:
    """Raise unless a value is a whole number and not too small.

    Parameters
    ----------
    name : str
        What the caller calls it.
    value : object
        Anything; True and False are no numbers.
    least : int, optional
        The smallest one that will do; any will, if it is not given.
    why : str, optional
        The end of the sentence about a number that is too small.

    Raises
    ------
    TypeError
        If it is no whole number.
    ValueError
        If it is less than `least`.

    References
    ----------
    Chapter 7.

    Examples
    --------
    >>> require_whole_number("batch_size", 32, least=1)
    """
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, not {value!r}")
    if least is not None and value < least:
        raise ValueError(f"{name} ({value}) must be at least {least}{why}")
