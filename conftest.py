"""What every test stands on: the environment in which chapters are stored, and fixed chance."""

import os
from collections.abc import Iterator

import jaxtyping
import pytest
from hypothesis import settings
from notebooks import KERNEL_ENVIRONMENT

os.environ.update(KERNEL_ENVIRONMENT)

settings.register_profile("steady", deadline=None, derandomize=True)
settings.load_profile("steady")


@pytest.fixture
def unchecked() -> Iterator[None]:
    """Switch off the checks of types and shapes that only tests have, and meet our own words."""
    before = jaxtyping.config.jaxtyping_disable
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", before)
