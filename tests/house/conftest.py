"""What the tests of the rules share."""

from collections.abc import Callable
from pathlib import Path

import pytest
from book_tree import ROOT
from planting import Plot

Rule = Callable[[Path], list[str]]


class ThisProject:
    """The project that these tests belong to."""

    def keeps(self, rule: Rule) -> None:
        """Fail with the sentences of a rule, if it has any to say."""
        if sentences := rule(ROOT):
            pytest.fail("\n".join(["", *sentences]), pytrace=False)


@pytest.fixture
def this_project() -> ThisProject:
    """Return the real tree, to be held to a rule."""
    return ThisProject()


@pytest.fixture
def plot(tmp_path) -> Plot:
    """Return an empty plot, to plant a small project with a fault in it."""
    return Plot(tmp_path)
