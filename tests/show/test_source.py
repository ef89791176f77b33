"""Showing source, seeding random numbers, counting operations, and who reads a chapter."""

import inspect
import random

import numpy as np
import pytest
import torch

from bertbook.core import seed_everything, show_source
from bertbook.core.exercises.verdict import Verdict
from bertbook.core.operations import count_operations
from bertbook.core.setting import is_stored
from minibert.model import BertPooler
from minibert.reference import softmax
from minibert.training.step import training_step


def test_source_is_the_code_without_its_docstring_and_notes_to_the_type_checker():
    code = repr(show_source(softmax))
    assert code.startswith("def softmax(") and '"""' not in code and "np.exp" in code
    assert show_source(softmax)._repr_markdown_() == f"```python\n{code}\n```"
    code = repr(show_source(BertPooler))
    assert '"""' not in code
    assert code.splitlines()[-1] == "        return self.dense(first).tanh()"
    assert repr(show_source(Verdict)).startswith("@dataclass(frozen=True)\nclass Verdict:")
    assert "  # pyright: ignore[" in inspect.getsource(training_step)
    code = repr(show_source(training_step))
    assert "pyright" not in code and "        sum(losses.values()).backward()\n" in code


def test_one_seed_fixes_every_global_random_state():
    def draw():
        seed_everything(5)
        return random.random(), np.random.rand(), torch.rand(()).item()

    assert draw() == draw()


@pytest.mark.parametrize("value", ["", "0"])
def test_the_tests_run_chapters_as_stored_and_a_reader_has_her_own_kernel(monkeypatch, value):
    assert is_stored()
    monkeypatch.setenv("BOOK_STORED", value)
    assert not is_stored()


def test_a_view_counts_nothing_and_a_product_its_multiplications():
    left, right = torch.ones(2, 3), torch.ones(3, 4)
    assert count_operations(lambda: left.T.T @ right) == (1, 2 * 3 * 4)
    assert count_operations(lambda: (left + 1) @ right) == (2, 2 * 3 * 4)
