"""Arguments that will not do are named, with their value and what would do."""

import pytest
import torch

from minibert.inputs import ABOVE_0, check_labels, require_multiple, require_number, require_tensor

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize(
    ("value", "least", "words"),
    [
        *((value, 1, f"room must be a whole number, not {value}") for value in (1.0, None, True)),
        *((value, 0.0, f"room must be a number, not {value}") for value in ("'8'", False, 1j)),
    ],
)
def test_what_is_no_number_or_no_whole_one(value, least, words):
    with pytest.raises(TypeError, match=words):
        require_number("room", value.strip("'") if isinstance(value, str) else value, least)


def test_the_ends_of_a_range():
    require_number("room", 3, 3)
    require_number("share", 1, 0.0, 1.0)
    require_number("rate", 1e-12, ABOVE_0)
    with pytest.raises(ValueError, match=r"room \(2\) must be at least 3$"):
        require_number("room", 2, 3)
    with pytest.raises(ValueError, match=r"room \(5\) must be at least 0 and at most 4; ask her$"):
        require_number("room", 5, 0, 4, "; ask her")
    for value in (0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=rf"rate \({value}\) .* at least 1e-30 and at most 9$"):
            require_number("rate", value, ABOVE_0, 9)


def test_the_nearest_multiples_are_named():
    require_multiple("width", 12, 4, "heads")
    for width, nearest in [(13, "12 and 16"), (3, "4 and 8")]:
        words = rf"width \({width}\) .* heads \(4\); nearest are {nearest}$"
        with pytest.raises(ValueError, match=words):
            require_multiple("width", width, 4, "heads")


def test_a_word_in_a_shape_stands_for_any_size():
    table = torch.zeros(2, 5)
    require_tensor("table", table, shapes=[("rows", 5)])
    require_tensor("table", table, shapes=[(3, 5), (2, "columns")])
    for shape in [(3, "columns"), (2,), (2, 5, 1)]:
        with pytest.raises(ValueError, match=r"must have the shape \(.*\), not \(2, 5\)"):
            require_tensor("table", table, shapes=[shape])


def test_labels_may_be_missing_and_may_not_all_be_missing():
    logits, labels = torch.zeros(3, 2), torch.tensor([1, -100, 0])
    check_labels(logits, labels, labels != -100)
    for stranger in (2, -1):
        with pytest.raises(ValueError, match=rf"labels run from 0 to 1, .*, not {stranger}$"):
            check_labels(logits, labels.where(labels != 0, stranger), labels != -100)
    with pytest.raises(ValueError, match=r"no item is labeled .*-100.* one its label"):
        check_labels(logits, torch.full((3,), -100), torch.zeros(3).bool())
