"""The optional pages, and that on intervals: their code runs and prints what their prose says."""

import doctest
import itertools
import math
import re
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("a-real-book", "take-words-away", "two-questions", "intervals")
CODE = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLD = re.compile(r"^:::\{dropdown\}.*?^:::$", re.DOTALL | re.MULTILINE)
DECIMAL = re.compile(r"\d+\.\d+")


def page(name):
    return (ROOT / "book" / f"{name}.md").read_text(encoding="utf-8")


def examples(text, name="a page"):
    blocks = CODE.findall(text)
    return doctest.DocTestParser().get_doctest("\n".join(blocks), {}, name, None, 0)


def unproved(text):
    """List the decimals of the prose that no code block has; those of a fold are worked there."""
    shown = DECIMAL.findall(" ".join(CODE.findall(text)))
    given = DECIMAL.findall(" ".join(FOLD.findall(text)))
    told = DECIMAL.findall(CODE.sub("", FOLD.sub("", text)))
    return sorted({n for n in told if n not in shown and n.rstrip("0") not in {*shown, *given}})


@pytest.mark.parametrize("name", PAGES)
def test_a_page_prints_what_stands_below_its_code_and_all_its_numbers(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    test = examples(page(name), name)
    assert len(test.examples) == len(re.findall("^>>> ", page(name), re.MULTILINE)) > 5
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    assert not said, "".join(said)
    assert unproved(page(name)) == []


def values_over_sets(own, pieces):
    """Sum over the sets that a piece can join, each with its weight: no orders."""
    values = np.zeros(pieces)
    for piece, gone in itertools.product(range(pieces), range(2**pieces)):
        if gone >> piece & 1:
            there = pieces - gone.bit_count()
            weight = 1 / (pieces * math.comb(pieces - 1, there))
            values[piece] += weight * (own[gone - 2**piece] - own[gone])
    return values


def test_the_shapley_values_are_those_of_the_sum_over_sets(monkeypatch):
    monkeypatch.chdir(ROOT)
    test = examples(page("take-words-away"))
    doctest.DocTestRunner().run(test, out=lambda text: None, clear_globs=False)
    shapley, removals = test.globs["shapley"], test.globs["removals"]
    for told in removals:
        for column in range(3):
            own = [chances[column] for chances in told["probabilities"]]
            assert np.allclose(shapley(own, 5), values_over_sets(own, 5))
