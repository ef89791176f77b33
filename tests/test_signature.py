"""A head takes the arguments of its encoder by name or place, and labels where Hugging Face has."""

import inspect

import pytest

from minibert.signature import called_as


class Head:
    """Something that is called as its encoder is, with one kind of labels."""

    def encode(self, ids=None, mask=5, output_maps=False, return_dict=True):
        """Encode.

        Args:
            ids: What is read.
            output_maps: Whether maps are wanted.
            return_dict: Nothing.

        Returns:
            All.
        """

    @called_as(encode)
    def forward(self, *inputs, labels=None):
        """Answer.

        Args:
            *inputs: As the encoder takes them.
            labels: The truth.

        Returns:
            What came in.
        """
        return inputs, labels


@pytest.mark.parametrize(
    ("by_place", "by_name", "expected"),
    [
        ((), {}, ((None, 5, False), None)),
        ((1, 2, 3, True, False), {}, ((1, 2, True), 3)),
        ((1,), {"labels": 3, "return_dict": None}, ((1, 5, False), 3)),
        ((), {"mask": 2, "output_maps": 4}, ((None, 2, 4), None)),
        ((1, 2, 3, 4, 5, 6), {}, "takes ids, mask, labels, output_maps, return_dict, not 6"),
        ((1,), {"ids": 2}, "multiple values for keyword argument 'ids'"),
        ((), {"label": 2}, "unexpected keyword argument 'label'"),
    ],
)
def test_arguments_go_by_place_or_name(by_place, by_name, expected):
    if isinstance(expected, tuple):
        assert Head().forward(*by_place, **by_name) == expected
    else:
        with pytest.raises(TypeError, match=expected):
            Head().forward(*by_place, **by_name)


def test_tools_and_pages_see_every_argument_in_its_order():
    names = ["ids", "mask", "labels", "output_maps", "return_dict"]
    assert list(inspect.signature(Head().forward).parameters) == names
    written = Head.forward.__doc__
    assert written.startswith("Answer.\n\nArgs:\n    ids: What is read.\n")
    assert "    labels: The truth.\n    output_maps: Whether maps are wanted.\n" in written
    assert written.endswith("    return_dict: Nothing.\n\nReturns:\n    What came in.")
