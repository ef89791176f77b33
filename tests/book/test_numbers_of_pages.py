"""Numbers of pages that are no chapters follow from code, records, cards, checkers and programs."""

import ast
import doctest
import re

import misconceptions
import nbformat
import pytest
from agreement import settle
from built_book import BOOK
from totals import CHAPTERS, fill

from bertbook.records import record_of
from bertbook.topics.self_attention.checks import check_softmax


def page(name):
    return (BOOK / f"{name}.md").read_text(encoding="utf-8")


# --- The optional pages, and that on intervals: what their code prints ---------------------------

CODE = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)
FOLD = re.compile(r"^:::\{dropdown\}.*?^:::$", re.DOTALL | re.MULTILINE)
DECIMAL = re.compile(r"\d+\.\d+")


def run(text):
    """Run the code of a page; give how many examples it has, and what differs."""
    test = doctest.DocTestParser().get_doctest("\n".join(CODE.findall(text)), {}, "page", None, 0)
    said = []
    doctest.DocTestRunner().run(test, out=said.append)
    return len(test.examples), "".join(said)


def unproved(text):
    """List the decimals of the prose that no code block has; those of a fold are worked there."""
    shown = DECIMAL.findall(" ".join(CODE.findall(text)))
    given = DECIMAL.findall(" ".join(FOLD.findall(text)))
    told = DECIMAL.findall(CODE.sub("", FOLD.sub("", text)))
    return sorted({n for n in told if n not in shown and n.rstrip("0") not in {*shown, *given}})


@pytest.mark.parametrize("name", ["a-real-book", "take-words-away", "two-questions", "intervals"])
def test_a_page_prints_what_stands_below_its_code_and_all_its_numbers(name, monkeypatch):
    monkeypatch.chdir(BOOK.parent)
    count, said = run(page(name))
    assert count == len(re.findall("^>>> ", page(name), re.MULTILINE)) > 5
    assert said == "" and unproved(page(name)) == []


# --- How the book checks itself ------------------------------------------------------------------

PLANTED = re.compile(r"<!-- mutants:begin -->.*<!-- mutants:end -->", re.DOTALL)
NUMBER = re.compile(
    r"\b(\d[\d.,]*|two|three|four|five|six|seven|eight|nine|ten|hundredth)\b", re.IGNORECASE
)
# These are names and numbers of a list, or what the sentence itself says twice.
SAID = (
    "**Two witnesses.**",
    "The records of long runs have only the one program",
    "nearly every Intel and AMD processor of the last ten years",
    "make portable` runs every chapter once with the oldest instructions",
    "Each change of the book goes through the first two, and every week through all three",
    "AVX2",
)


def rooms() -> dict:
    """Read the table of rooms without the library that plants mistakes."""
    text = (BOOK.parent / "benchmarks/mutants_drawn.py").read_text(encoding="utf-8")
    (table,) = re.findall(r"^ROOMS = (\{.*?^\})", text, re.DOTALL | re.MULTILINE)
    return ast.literal_eval(table)


def shade_agrees(by):
    return settle("rgb(100, 50, 20)", f"rgb({100 + by}, 50, 20)") == "rgb(100, 50, 20)"


def test_each_number_of_the_page_of_statistics_is_that_of_the_program():
    planted, noticed = (record_of("mutants")[name] for name in ("planted", "noticed"))
    claims = {
        "words, signs and whole numbers exactly": settle("17", "18") == "18",
        "numbers with decimals to within one unit of their last digit": settle("1.234", "1.235")
        == "1.234"
        and settle("1.234", "1.236") == "1.236",
        "shades of color that follow from them to within a hundredth": shade_agrees(3)
        and not shade_agrees(4),
        "plants small mistakes in four parts of `minibert`": len(planted) == len(rooms()) == 4,
        "the eight files of tests that mention most often": rooms()["heart"][-1] == 8,
        "so 100 % cannot be reached": sum(noticed.values()) < sum(planted.values()),
    }
    assert [sentence for sentence, holds in claims.items() if not holds] == []
    text = PLANTED.sub("", page("statistics"))
    for sentence in (*claims, *SAID):
        assert sentence in text, sentence
        text = text.replace(sentence, "")
    assert NUMBER.findall(text) == []


# --- Plans for readers and teachers --------------------------------------------------------------

CARD = re.compile(r"\| about (\d+) minutes to read and (\d+) for the exercises;")


@pytest.fixture(scope="module")
def notebooks():
    chapters = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in chapters}


def section(name, heading, notebooks):
    return fill(page(name), notebooks).partition(f"## {heading}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize(
    ("name", "plan", "does_exercises"),
    [
        ("for-teachers", "Twelve weeks", True),
        ("for-teachers", "Five days", True),
        ("paths", "An evening", False),
        ("paths", "A weekend", True),
        ("paths", "A semester", True),
        ("paths", "I use BERT at work", False),
    ],
)
def test_the_hours_of_a_plan_are_those_of_its_cards(notebooks, name, plan, does_exercises):
    text = section(name, plan, notebooks)
    cards = {int(stem[:2]): CARD.search(str(notebook.cells)).groups()[: 1 + does_exercises]
             for stem, notebook in notebooks.items()}  # fmt: skip
    chapters = [int(number) for number in re.findall(r"chapters/(\d\d)-", text)]
    assert len(chapters) == len({*chapters}) >= 3
    whole, half = re.search(r"(\d*)(½?) hours", text).groups()
    told = 60 * int(whole or 0) + 30 * bool(half)
    taken = sum(sum(map(int, cards[chapter])) for chapter in chapters)
    assert abs(told - taken) <= 15 + 5 * len(chapters)  # a card may be one step behind its text


def test_teachers_are_told_of_every_exercise_and_what_its_checker_counts(notebooks):
    text = section("for-teachers", "What each exercise tests", notebooks)
    rows = re.findall(r"^\| (\d+\.\d+) \| .*<br>(\S+)\s\d+\smin \| (.+) \| (.*) \|$", text, re.M)
    prose = "\n".join(cell.source for book in notebooks.values() for cell in book.cells)
    asked = re.findall(r"^###? Exercise (\d+\.\d+) ", prose, re.MULTILINE)
    assert [number for number, *_ in rows] == asked
    assert all(re.fullmatch("●+○*", row[1]) and len(row[2]) > 15 for row in rows)
    counts = {number: count for number, *_, count in rows}
    assert int(counts["2.1"]) == len(check_softmax.mistakes) > 5
    text = section("for-teachers", "What students can do afterwards", notebooks)
    told = re.findall(r"^\| .+? \| (\d+) \| (\d+) \| [\d,\s]+ \|$", text, re.MULTILINE)
    (rest,) = re.findall(r"belongs to one exercise alone\* \| (\d+) \|", text)
    answers = list(misconceptions.wrong_answers(notebooks, CHAPTERS))
    assert sum(int(row[0]) for row in told) + int(rest) == len(answers) > 2 * int(rest)
    assert all(int(row[1]) >= 5 for row in told), "a misconception belongs to several exercises"
