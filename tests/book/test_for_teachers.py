"""Plans for readers and teachers: their hours follow from the cards, tables from the checkers."""

import re

import misconceptions
import nbformat
import paths
import pytest
from totals import CHAPTERS, fill

from bertbook.topics.self_attention.checks import check_softmax

CARD = re.compile(r"\| about (\d+) minutes to read and (\d+) for the exercises;")
PAGE = (CHAPTERS.parent / "for-teachers.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def notebooks():
    chapters = sorted(CHAPTERS.glob("[0-9][0-9]-*.ipynb"))
    return {path.stem: nbformat.read(path, as_version=4) for path in chapters}


@pytest.fixture(scope="module")
def page(notebooks):
    return fill(PAGE, notebooks)


def section(page, heading):
    return page.partition(f"## {heading}\n")[2].partition("\n## ")[0]


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
    text = section(fill((CHAPTERS.parent / f"{name}.md").read_text("utf-8"), notebooks), plan)
    cards = {int(stem[:2]): CARD.search(str(notebook.cells)).groups()[: 1 + does_exercises]
             for stem, notebook in notebooks.items()}  # fmt: skip
    chapters = [int(number) for number in re.findall(r"chapters/(\d\d)-", text)]
    assert len(chapters) == len({*chapters}) >= 3
    whole, half = re.search(r"(\d*)(½?) hours", text).groups()
    told = 60 * int(whole or 0) + 30 * bool(half)
    taken = sum(sum(map(int, cards[chapter])) for chapter in chapters)
    assert abs(told - taken) <= 15 + 5 * len(chapters)  # a card may be one step behind its text


def test_what_chapters_need_comes_before_them_or_is_named(notebooks):
    needs = {int(name[:2]): paths.needed_chapters(text) for name, text in notebooks.items()}
    weeks = sorted(paths.PATHS["twelve weeks"].chapters)
    for place, chapter in enumerate(weeks):
        assert needs[chapter] <= {*weeks[:place]}, f"Chapter {chapter} comes too early"
    days = paths.PATHS["five days"]
    missing = set().union(*(needs[chapter] for chapter in days.chapters)) - {*days.chapters}
    assert paths.given(days, notebooks) == sorted(missing)


def test_every_exercise_is_in_the_table_with_its_effort_and_its_test(page, notebooks):
    rows = re.findall(r"^\| (\d+\.\d+) \| (.*?)<br>(\S+)\s(\d+)\smin \| (.+) \| (.*) \|$",
                      section(page, "What each exercise tests"), re.MULTILINE)  # fmt: skip
    prose = "\n".join(cell.source for book in notebooks.values() for cell in book.cells)
    asked = re.findall(r"^###? Exercise (\d+\.\d+) ", prose, re.MULTILINE)
    assert [row[0] for row in rows] == asked
    assert all(re.fullmatch("●+○*", row[2]) and len(row[4]) > 15 for row in rows)
    first = next(row for row in rows if row[0] == "2.1")
    assert int(first[5]) == len(check_softmax.mistakes) > 5
    own = next(row for row in rows if row[0] == "8.2")  # the one checker of all parts says nothing
    assert own[4] == "Let every token look at all tokens, in several heads at once."
    assert {row[5] for row in rows if not row[5].isdigit()} == {"–"}


def test_misconceptions_are_counted_from_the_hints_of_the_checkers(page, notebooks):
    text = section(page, "What students can do afterwards")
    told = re.findall(r"^\| (.+?) \| (\d+) \| (\d+) \| ([\d,\s]+) \|$", text, re.MULTILINE)
    (rest,) = re.findall(r"belongs to one exercise alone\* \| (\d+) \|", text)
    counts = [int(row[1]) for row in told]
    assert counts == sorted(counts, reverse=True)
    answers = list(misconceptions.wrong_answers(notebooks, CHAPTERS))
    assert sum(counts) + int(rest) == len(answers) and sum(counts) > len(answers) / 2
    of_first = [answer for answer in answers if answer.exercise.startswith("2.1 ")]
    assert len(of_first) == len(check_softmax.mistakes)
    assert all(int(row[2]) >= 5 for row in told), "a misconception belongs to several exercises"
