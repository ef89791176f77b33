"""Each number of the page of statistics follows from the program that it speaks of."""

import ast
import re

import pytest
from agreement import settle
from built_book import BOOK

from bertbook.records import record_of

PAGE = (BOOK / "statistics.md").read_text(encoding="utf-8")
PLANTED = re.compile(r"<!-- mutants:begin -->.*<!-- mutants:end -->", re.DOTALL)
NUMBER = re.compile(
    r"\b(\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|hundredth)\b", re.IGNORECASE
)
NO_NUMBER = {"AVX2"}
CLAIMS = {}


def claim(sentence):
    """Enter a test by the words of the page that it holds."""

    def enter(function):
        CLAIMS[sentence] = function
        return function

    return enter


@claim("numbers with decimals to within one unit of their last digit")
def numbers_may_differ_by_one_unit():
    assert settle("1.234", "1.235") == "1.234" and settle("1.234", "1.236") == "1.236"
    assert settle("17", "18") == "18"


@claim("shades of color that follow from them to within a hundredth")
def shades_may_differ_by_a_hundredth():
    near, far = round(255 * 0.01), round(255 * 0.01) + 1
    for channel, agrees in ((near, True), (far, False)):
        found = settle("rgb(100, 50, 20)", f"rgb({100 + channel}, 50, 20)")
        assert (found == "rgb(100, 50, 20)") == agrees


@claim("plants small mistakes in four parts of `minibert`")
def mistakes_are_planted_in_four_rooms():
    assert len(record_of("mutants")["planted"]) == len(rooms()) == 4


@claim("the eight files of tests that mention most often")
def the_heart_has_eight_files():
    assert rooms()["heart"][-1] == 8


@claim("so 100 % cannot be reached")
def some_mistakes_slip_through():
    found = record_of("mutants")
    assert sum(found["noticed"].values()) < sum(found["planted"].values())


def rooms() -> dict:
    """Read the table of rooms without the library that plants mistakes."""
    tree = ast.parse((BOOK.parent / "benchmarks/mutants_drawn.py").read_text(encoding="utf-8"))
    (table,) = (
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and node.targets[0].id == "ROOMS"
    )
    return ast.literal_eval(table)


# These are names and numbers of a list, or what the sentence itself says twice.
SAID = (
    "**Two witnesses.**",
    "The records of long runs have only the one program",
    "nearly every Intel and AMD processor of the last ten years",
    "make portable` runs every chapter once with the oldest instructions",
    "Each change of the book goes through the first two, and every week through all three",
)


@pytest.mark.parametrize("sentence", CLAIMS)
def test_a_number_of_the_page_is_that_of_the_program(sentence):
    assert PAGE.count(sentence) == 1
    CLAIMS[sentence]()


def test_no_number_of_the_page_is_without_a_test():
    text = PLANTED.sub("", PAGE)
    for sentence in (*CLAIMS, *SAID, *NO_NUMBER):
        assert sentence in PAGE, sentence
        text = text.replace(sentence, "")
    assert NUMBER.findall(text) == []
