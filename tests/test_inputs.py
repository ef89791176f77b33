"""Arguments that will not do are named, with their value and what would do."""

import pytest
import torch

from minibert.inputs import (
    ABOVE_0,
    check_labels,
    entries_can_be_read,
    require_multiple,
    require_number,
    require_tensor,
)

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize("value", [1.0, "8", None, True, [1]])
def test_what_is_no_whole_number(value):
    with pytest.raises(TypeError, match="room must be a whole number, not") as caught:
        require_number("room", value, 1)
    assert str(caught.value).endswith(repr(value))


@pytest.mark.parametrize("value", ["8", None, False, 1j])
def test_what_is_no_number(value):
    with pytest.raises(TypeError, match="share must be a number, not") as caught:
        require_number("share", value, 0.0, 1.0)
    assert str(caught.value).endswith(repr(value))


def test_the_ends_of_a_range():
    require_number("room", 3, 3)
    require_number("share", 1, 0.0, 1.0)
    require_number("rate", 1e-12, ABOVE_0)
    with pytest.raises(ValueError, match=r"room \(2\) must be at least 3$"):
        require_number("room", 2, 3)
    with pytest.raises(ValueError, match=r"room \(-1\) must be at least 0 and at most 4; ask her$"):
        require_number("room", -1, 0, 4, "; ask her")
    for value in (0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match=rf"rate \({value}\) .* at least 1e-30 and at most 9$"):
            require_number("rate", value, ABOVE_0, 9)


def test_the_nearest_multiples_are_named():
    require_multiple("width", 12, 4, "heads")
    with pytest.raises(ValueError, match=r"width \(13\) .* heads \(4\); nearest are 12 and 16$"):
        require_multiple("width", 13, 4, "heads")
    with pytest.raises(ValueError, match=r"width \(3\) .* heads \(4\); nearest are 4 and 8$"):
        require_multiple("width", 3, 4, "heads")


def test_a_word_in_a_shape_stands_for_any_size():
    table = torch.zeros(2, 5)
    require_tensor("table", table, shapes=[("rows", 5)])
    require_tensor("table", table, shapes=[(3, 5), (2, "columns")])
    for shape in [(3, "columns"), (2,), (2, 5, 1), (2, 4)]:
        with pytest.raises(ValueError, match=r"must have the shape \(.*\), not \(2, 5\)"):
            require_tensor("table", table, shapes=[shape])


def test_labels_may_be_missing_and_may_not_all_be_missing():
    logits, labels = torch.zeros(3, 2), torch.tensor([1, -100, 0])
    check_labels(logits, labels, labels != -100)
    for stranger in (2, -1):
        with pytest.raises(ValueError, match=rf"labels run from 0 to 1, .*, not {stranger}$"):
            check_labels(logits, labels.where(labels != 0, stranger), labels != -100)
    with pytest.raises(ValueError, match="no item is labeled"):
        check_labels(logits, torch.full((3,), -100), torch.zeros(3).bool())


def test_entries_on_another_device_are_not_read():
    assert entries_can_be_read(torch.zeros(2))
    assert not entries_can_be_read(torch.zeros(2, device="meta"))
