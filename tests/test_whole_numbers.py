"""A whole number that will not do is named, with its value and the least that will."""

import pytest

from minibert.whole_numbers import require_whole_number

pytestmark = pytest.mark.usefixtures("unchecked")


@pytest.mark.parametrize("value", [1.0, "8", None, True, [1]])
def test_what_is_no_whole_number(value):
    with pytest.raises(TypeError, match="room must be a whole number, not") as caught:
        require_whole_number("room", value, 1)
    assert str(caught.value).endswith(repr(value))


def test_the_least_one():
    require_whole_number("room", 3, 3)
    require_whole_number("room", -3)
    with pytest.raises(ValueError, match=r"room \(2\) must be at least 3$"):
        require_whole_number("room", 2, 3)
    with pytest.raises(ValueError, match=r"room \(-1\) must be at least 0; nearest is 0$"):
        require_whole_number("room", -1, 0, "; nearest is 0")
