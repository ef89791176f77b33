"""What the tests of the rules share."""

import pytest
from planting import Plot


@pytest.fixture
def plot(tmp_path) -> Plot:
    """Return an empty plot, to plant a small project with a fault in it."""
    return Plot(tmp_path)
