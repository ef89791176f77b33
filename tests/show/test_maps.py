"""Small maps: every strong share has its line, labels are escaped, nothing is large."""

import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

from bertbook.show import small_map

PIECE = re.compile(r"M(\d+) (\d+)h(\d+)")


def drawn(content, shape):
    """Paint the paths of a map back into an array of opacities."""
    painted = np.zeros(shape)
    for path in next(ElementTree.fromstring(content).iter("g")):
        for column, row, length in PIECE.findall(path.get("d")):
            part = painted[int(row), int(column) : int(column) + int(length)]
            assert not part.any(), "two lines on one cell"
            part[:] = float(path.get("opacity"))
    return painted


def test_the_drawing_is_the_array_in_ten_steps_and_rows_are_not_columns():
    probs = np.random.default_rng(0).dirichlet(np.ones(7) / 2, size=7)
    painted = drawn(small_map(probs, "some shares"), probs.shape)
    np.testing.assert_allclose(painted / 0.8, probs, rtol=0, atol=0.0501)


def test_labels_and_alt_are_there_and_escaped():
    content = small_map(np.eye(2), 'the "diagonal"', ["<b>", "cat"], ["one", "two"])
    root = ElementTree.fromstring(content)
    assert [t for t in root.itertext() if t] == ["<b>", "cat", "one", "two"]
    assert root.get("aria-label") == 'the "diagonal"'
    assert root.get("role") == "img"


def test_a_map_of_a_sentence_is_small_and_has_an_alt_text_and_labels_that_fit():
    probs = np.random.default_rng(1).dirichlet(np.ones(13) / 3, size=13)
    assert len(small_map(probs, "a sentence", ["token"] * 13, ["token"] * 13)) < 2800
    with pytest.raises(ValueError, match="needs an alt text"):
        small_map(np.eye(2), " ")
    with pytest.raises(ValueError, match=r"\(2, 2\).*3 row labels and 2 column"):
        small_map(np.eye(2), "labels", ["a", "b", "c"], ["a", "b"])
