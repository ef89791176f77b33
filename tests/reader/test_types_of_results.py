"""Cells get a reader's results in the types of the package's, and the random numbers of her run."""

import numpy as np
import pytest
import torch

from bertbook.core.exercises.compare import answers_equal
from bertbook.reader import running_on


@pytest.mark.parametrize(
    ("ours", "hers"),
    [
        (lambda x: x * 2.0, "[2.0 * n for n in x]"),
        (lambda x: x * 2.0, "__import__('torch').tensor([2.0 * n for n in x])"),
        (lambda x: torch.tensor(x * 2.0), "[2.0 * n for n in x]"),
        (lambda x: (x * 2.0, x.sum()), "[[2.0 * n for n in x], sum(x)]"),
        (lambda x: [*x.tolist()], "tuple(x.tolist())"),
        (lambda x: float(x.mean()), "__import__('fractions').Fraction(2)"),
        (lambda x: ["a", "b"], "('a', 'b')"),
    ],
)
def test_an_answer_has_the_types_of_ours(ours, hers, tmp_path, monkeypatch):
    path = tmp_path / "dressed_bert.py"
    path.write_text(f"def my_double(x):\n    return {hers}\n", encoding="utf-8")
    monkeypatch.setenv("BOOK_MINE", str(path))
    x = np.array([1.0, 2.0, 3.0])
    found, wanted = running_on(double=ours).double(x), ours(x)
    assert answers_equal(found, wanted, 1e-9)
    assert type(found) is type(wanted)
    if isinstance(wanted, tuple):
        assert [type(each) for each in found] == [type(each) for each in wanted]


def test_what_cannot_be_copied_is_passed_on(tmp_path, monkeypatch):
    path = tmp_path / "passed_bert.py"
    path.write_text("def my_first(rows):\n    return next(rows)\n", encoding="utf-8")
    monkeypatch.setenv("BOOK_MINE", str(path))
    assert running_on(first=next).first(n for n in [3, 4]) == 3


def test_the_reference_draws_no_random_number_of_the_reader_s(tmp_path, monkeypatch):
    path = tmp_path / "drawing_bert.py"
    path.write_text(
        "import torch\n\n\ndef my_draw():\n    return torch.rand(2)\n", encoding="utf-8"
    )
    monkeypatch.setenv("BOOK_MINE", str(path))
    torch.manual_seed(3)
    expected = torch.rand(2)
    torch.manual_seed(3)
    assert torch.equal(running_on(draw=lambda: torch.rand(2)).draw(), expected)
