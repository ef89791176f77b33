"""How much a test looks at: everything, or in `make quick` a part of it."""

from collections.abc import Iterable

import pytest
from hypothesis import settings


def examples(number: int) -> settings:
    """Let hypothesis draw so many examples where its profile draws a hundred."""
    return settings(max_examples=max(1, number * settings().max_examples // 100))


def mostly_slow(values: Iterable, quick: int = 1) -> list:
    """Mark all values of a parameter as slow but for the first ones."""
    values = list(values)
    return values[:quick] + [
        pytest.param(value, marks=pytest.mark.slow) for value in values[quick:]
    ]
