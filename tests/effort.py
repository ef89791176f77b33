"""How much a test looks at: everything, or in `make quick` and `make test` a part of it."""

from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

THOROUGH = (pytest.mark.thorough,)
WEEKLY = (pytest.mark.thorough, pytest.mark.weekly)  # left to the weekly job


def examples(number: int) -> settings:
    """Let hypothesis draw so many examples where its profile draws a hundred."""
    return settings(max_examples=max(1, number * settings().max_examples // 100))


def mostly_thorough(values: Iterable, often: int = 1, some: int | None = None) -> list:
    """Leave all values of a parameter to `make thorough` but for the first ones.

    Where so many that follow stand for the others, the others are left to the weekly job.
    """
    values = list(values)
    end = len(values) if some is None else often + some
    return [
        *values[:often],
        *(_marked(value, THOROUGH) for value in values[often:end]),
        *(_marked(value, WEEKLY) for value in values[end:]),
    ]


def sampled(values: Iterable, often: int, seldom: int = 2) -> list:
    """Leave to `make test` each so-many-th value of a parameter, to `make thorough` more of them.

    The rest runs every week.
    """
    return [
        value if number % often == 0 else _marked(value, WEEKLY if number % seldom else THOROUGH)
        for number, value in enumerate(values)
    ]


def mostly_slow(values: Iterable, quick: int = 1) -> list:
    """Mark all values of a parameter as slow but for the first ones."""
    values = list(values)
    slow = [pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]]
    return values[:quick] + slow


def mostly_weekly(
    chapters: Iterable[Path], some: Collection[int], often: Collection[int] = ()
) -> list:
    """Leave chapters to the weekly job, but for the numbers of some, and of those run often.

    Some run in `make thorough`, those run often in `make test`.
    """
    marks = dict.fromkeys(some, THOROUGH) | dict.fromkeys(often, ())
    return [
        pytest.param(path, id=path.stem, marks=marks.get(int(path.name[:2]), WEEKLY))
        for path in chapters
    ]


def _marked(value: Any, marks: Collection[pytest.MarkDecorator]) -> Any:
    """Mark one value, or the tuple that several parameters take."""
    return pytest.param(*(value if isinstance(value, tuple) else (value,)), marks=marks)
