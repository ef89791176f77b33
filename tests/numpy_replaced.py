"""A plugin of pytest: what a test imports as numpy is the stand-in that the pages use.

``pytest -p numpy_replaced tests/reference`` runs tests on it; test_numpy_stand_in.py does so.
"""

import importlib
import re
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

# What has to find the real numpy is imported before it goes.
NEED_THE_REAL_ONE = (
    "torch", "jaxtyping", "matplotlib.pyplot", "safetensors.numpy", "transformers", "numpy.random",
)  # fmt: skip
LIVE = Path(__file__).parents[1] / "book" / "live" / "python"
TOPICS = Path(__file__).parents[1] / "bertbook" / "topics"
OF_A_CHAPTER = re.compile(r'"""Exercises? of Chapter (\d+)')
CHAPTERS = {1, 2, 3, 4, 5, 6}  # the others need more of numpy


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests():
    """Replace numpy before any test is read."""
    *_, chance = map(importlib.import_module, NEED_THE_REAL_ONE)
    sys.path.insert(0, str(LIVE))
    numpy = sys.modules["numpy"] = importlib.import_module("numpy_stand_in")
    for path in TOPICS.glob("*/*.py"):
        text = path.read_text(encoding="utf-8")
        chapter = OF_A_CHAPTER.match(text)
        if chapter and (int(chapter[1]) not in CHAPTERS or "\nimport torch\n" in text):
            name = f"bertbook.topics.{path.parent.name}.{path.stem}"
            sys.modules[name] = ModuleType(path.stem)
    sys.modules["bertbook.museum"] = ModuleType("museum")

    def close(actual, desired, rtol=1e-7, atol=0.0):
        assert numpy.shape(desired) in ((), numpy.shape(actual))
        assert numpy.allclose(actual, desired, rtol, atol, equal_nan=True), (actual, desired)

    def equal(actual, desired):
        close(actual, desired, 0, 0)

    numpy.testing = SimpleNamespace(assert_allclose=close, assert_array_equal=equal)
    for name in ("seed", "get_state", "set_state"):  # hypothesis puts them back each time
        setattr(numpy.random, name, getattr(chance, name))
    _teach_torch(numpy)


def _teach_torch(numpy):
    """Let PyTorch take our arrays as lists, since it knows no others than numpy's."""
    torch = sys.modules["torch"]
    tensor = torch.tensor
    torch.set_default_dtype(torch.float64)

    def as_tensor(given, **options):
        return tensor(given.tolist() if isinstance(given, numpy.ndarray) else given, **options)

    torch.tensor = torch.as_tensor = as_tensor
