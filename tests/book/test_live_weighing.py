"""The figures of Chapter 2 weigh a reader's words in the page, as NumPy does."""

import re

import numpy as np
import pytest
from built_book import PHONE
from definitions import chapter_code

from bertbook.topics.self_attention.weigh import Way, weigh_words
from minibert.reference import attention, softmax

COUNTS = {"a": [4, 4, 0], "light": [2, 2, 0], "pie": [3, 1, 2], "brings": [0, 1, 1]}
COUNTS |= {"signal": [0, 3, 3]}
FIND, EYE = np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]]), np.eye(3)
WAYS = [
    Way("queries and keys", FIND, EYE, EYE[:, :2], 3**0.5),
    Way("average", None, None, EYE[:, :2]),
]
HAND = {"one": [1, 0, 2], "cat": [-1, 2, 0], "sleeps": [-1, 0, 0]}
SWAP = EYE[[0, 2, 1]]


def probabilities(page):
    """Read the last column of the table."""
    return [float(row.split()[-1]) for row in page.locator("tbody tr").all_inner_texts()]


def as_the_reference_weighs(words, asks):
    x = np.array([COUNTS[word] for word in words], float)
    _, probs = attention(x @ FIND, x, x[:, :2])
    return probs[asks]


def test_any_query_and_any_divisor_can_be_entered(shown):
    way = Way("attention", EYE, SWAP, 2 * EYE, 3**0.5)
    sentences = ["one cat", "one cat sleeps"]
    page = shown(weigh_words, sentences, HAND, [way], free=True, viewport=PHONE)
    assert probabilities(page) == [0.24, 0.76]
    assert "New vector: [−1.04, 3.04, 0.96]." in page.get_by_role("status").inner_text()
    for name, number in (("1st", 2), ("2nd", 2), ("3rd", -2)):
        page.get_by_label(f"query, {name}, typed").fill(str(number))
        assert float(page.get_by_label(f"query, {name}", exact=True).input_value()) == number
    assert page.get_by_role("status").inner_text().startswith("“one” takes 99.9 % from itself.")
    page.get_by_label("divide by", exact=True).fill("6")
    scores = np.array([6, -6, -2]) / 6
    assert probabilities(page) == pytest.approx(softmax(scores[:2]).tolist(), abs=0.0051)
    page.get_by_role("button", name="one cat sleeps").click()
    assert probabilities(page) == pytest.approx(softmax(scores).tolist(), abs=0.0051)
    page.get_by_label("divide by, typed").fill("0")
    page.get_by_role("status").get_by_text("divide by a number above 0").wait_for()
    assert page.locator("tbody tr").count() == 0
    page.get_by_label("divide by, typed").fill("1e9")
    assert probabilities(page) == [0.33, 0.33, 0.33]
    page.get_by_role("button", name="one", exact=True).click()  # with its own query again
    assert page.get_by_label("query, 3rd, typed").input_value() == "2"
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_a_sentence_of_the_reader_s_own_is_weighed(shown):
    near = {"digital": [1, 5]}
    sentences = ["a light pie", "light brings a signal"]
    page = shown(weigh_words, sentences, COUNTS, WAYS, asks=1, compare=near)
    field, status = page.get_by_label("Your words"), page.get_by_role("status")
    right = as_the_reference_weighs("a light pie".split(), 1)
    assert probabilities(page) == right.round(2).tolist()
    page.get_by_role("button", name="light brings a signal").click()
    right = as_the_reference_weighs("light brings a signal".split(), 0)
    assert probabilities(page) == pytest.approx(right.tolist(), abs=0.0051)
    assert re.search(r"from “signal”.* Cosine with digital: 0\.9\d\.", status.inner_text())
    field.fill("Light brings no pie")
    page.get_by_text("No vector for no.").wait_for()
    assert page.get_by_role("button", name="light", pressed=True).count() == 1
    right = as_the_reference_weighs("light brings pie".split(), 0)
    assert probabilities(page) == pytest.approx(right.tolist(), abs=0.0051)
    page.get_by_role("button", name="brings", exact=True).focus()
    page.keyboard.press("Enter")
    page.get_by_label("average").check()
    assert probabilities(page) == [0.5, 0, 0.5]
    field.fill("pie")
    status.get_by_text("a word alone has no neighbors").wait_for()
    field.fill("")
    status.get_by_text("type a word that has a vector here").wait_for()
    assert page.locator("tbody tr").count() == 0
    field.fill("brings pie")  # the word that asked before asks again
    assert page.get_by_role("button", name="pie", exact=True, pressed=True).count() == 1


def test_the_figure_knows_the_counts_of_chapter_1():
    typed = next(c for c in chapter_code("02-self-attention-by-hand") if "counted = " in c)
    (counted,) = re.findall(r'counted = """\\\n(.*?)"""', typed, re.DOTALL)
    told = counted.split()
    tiny = next(c for c in chapter_code("01-why-a-word-needs-its-neighbors") if "tiny = " in c)
    sentences = re.findall(r'tiny = """\\\n(.*?)"""', tiny, re.DOTALL)[0].splitlines()
    assert told[::3] == sorted({word for s in sentences for word in s.split()})
    for word, *counts in zip(told[::3], told[1::3], told[2::3]):
        for count, other in zip(counts, ("sweet", "computer")):
            assert int(count) == sum({word, other} <= {*s.split()} for s in sentences), word
