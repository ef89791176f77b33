"""How much a test looks at: everything, or in `make quick` and `make test` a part of it."""

from collections.abc import Iterable

import pytest
from hypothesis import settings


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


def mostly_slow(values: Iterable, quick: int = 1) -> list:
    """Mark all values of a parameter as slow but for the first ones."""
    values = list(values)
    return values[:quick] + [
        pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]
    ]
