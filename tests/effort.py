"""How much a test looks at: everything, or in `make quick` and `make test` a part of it."""

import os
from collections.abc import Collection, Iterable
from pathlib import Path

import pytest
from hypothesis import settings

EVERY_WEEK = os.environ.get("BOOK_WHEEL") == "all"  # as the weekly job says


def examples(number: int) -> settings:
    """Let hypothesis draw so many examples where its profile draws a hundred."""
    return settings(max_examples=max(1, number * settings().max_examples // 100))


def mostly_thorough(values: Iterable, often: int = 1) -> list:
    """Leave all values of a parameter to `make thorough` but for the first ones."""
    values = list(values)
    return values[:often] + [
        pytest.param(*(v if isinstance(v, tuple) else (v,)), marks=pytest.mark.thorough)
        for v in values[often:]
    ]


def sampled(values: Iterable, often: int, seldom: int = 2) -> list:
    """Leave to `make test` each so-many-th value of a parameter, to `make thorough` more of them.

    The rest runs every week.
    """
    weekly = pytest.mark.skipif(not EVERY_WEEK, reason="every week, with BOOK_WHEEL=all")
    found = []
    for number, value in enumerate(values):
        marks = [pytest.mark.thorough, *([weekly] if number % seldom else [])]
        given = value if isinstance(value, tuple) else (value,)
        found.append(pytest.param(*given, marks=marks if number % often else ()))
    return found


def mostly_slow(values: Iterable, quick: int = 1) -> list:
    """Mark all values of a parameter as slow but for the first ones."""
    values = list(values)
    return values[:quick] + [
        pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]
    ]


def mostly_weekly(chapters: Iterable[Path], often: Collection[int]) -> list:
    """Leave chapters to `make thorough` where their numbers are named, else to the weekly job."""
    weekly = pytest.mark.skipif(not EVERY_WEEK, reason="every week, with BOOK_WHEEL=all")
    marks = {True: [pytest.mark.thorough], False: [pytest.mark.thorough, weekly]}
    return [
        pytest.param(path, id=path.stem, marks=marks[int(path.name[:2]) in often])
        for path in chapters
    ]
