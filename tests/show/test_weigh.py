"""The figure that weighs words: without a script it shows what NumPy computes."""

import json
import re

import numpy as np
import pytest

from bertbook.show import Way, weigh_words
from minibert.reference import attention

VECTORS = {"one": [1, 0, 2], "cat": [-1, 2, 0], "the": [1, 0, 0]}
SWAP = np.eye(3)[[0, 2, 1]]
HAND = Way("attention", np.eye(3), SWAP, 2 * np.eye(3), 3**0.5)
AVERAGE = Way("average", None, None, np.eye(3))


def numbers(content):
    rows = re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', content)
    return [(word, *map(float, re.findall(r">([\d.]+)</td>", cells))) for word, cells in rows]


def test_the_first_state_is_what_the_reference_computes():
    content = weigh_words(["one cat"], VECTORS, [HAND], caption="Try.").content
    x = np.array([VECTORS["one"], VECTORS["cat"]], float)
    _, probs = attention(x, x @ SWAP, x)
    assert numbers(content) == [("one", 0.58, 0.24), ("cat", 1.73, 0.76)]
    assert probs[0].round(2).tolist() == [0.24, 0.76]
    assert "one asks:" in content


def test_the_average_leaves_the_word_itself_out():
    content = weigh_words(["one cat the"], VECTORS, [AVERAGE], asks=1, caption="Try.").content
    assert numbers(content) == [("one", 0.5), ("cat", 0.0), ("the", 0.5)]
    assert "score" not in content


def test_the_script_gets_vectors_and_matrices_and_every_word_needs_a_vector():
    near, ways = {"cherry": [5, 1, 0]}, [HAND, AVERAGE]
    content = weigh_words(["one cat"], VECTORS, ways, compare=near, caption="Try.").content
    data = json.loads(re.findall('<script type="application/json">(.*?)</script>', content)[0])
    assert data["vectors"]["cat"] == [-1, 2, 0] and data["sentences"] == ["one cat"]
    assert data["ways"][0]["key"] == SWAP.tolist() and data["ways"][1]["query"] is None
    assert data["compare"] == near and data["free"] is False
    with pytest.raises(ValueError, match="'dog' has no vector; there are one, cat, the"):
        weigh_words(["one cat", "one dog"], VECTORS, [HAND], caption="Try.")
