"""The class at a glance: totals that are right, hints by the number of students, an honest page."""

import csv
from html.parser import HTMLParser

import pytest

from berttools.grade.overview import Asked, overview_of, write_overview_page, write_overview_table
from berttools.grade.report import Mark, write_pages

TWO, EIGHT = "02-self-attention-by-hand", "08-many-heads"
AXIS = "Not yet. Your rows do not sum to 1. Along which axis?"


def mark(student, chapter, exercise, points, of, reply="Right."):
    return Mark(student, f"{chapter}.ipynb", chapter, exercise, points, of, reply)


MARKS = [
    mark("Zoë <b>", TWO, "2.1 · A softmax", 0, 1, AXIS),
    mark("ben", TWO, "2.1 · A softmax", 0, 1, AXIS),
    mark("=anna", TWO, "2.1 · A softmax", 1, 1),
    mark("ben", TWO, "2.3 · Attention", 2, 2),
    mark("=anna", TWO, "2.3 · Attention", 0, 2, "my_a does not parse, line 3: x. Line 3 of …"),
    mark("Zoë <b>", TWO, "2.3 · Attention", 0, 2, "my_a does not parse, line 7: y. Line 7 of …"),
    mark("ben", EIGHT, "8.2 · Heads", 0, 3, "MySelfAttention is not written yet."),
    mark("ben", EIGHT, "8.2 · Heads", 3, 3),  # in another notebook
    Mark("max", "broken.ipynb", "", "", 0, 0, "broken.ipynb is an empty file."),
]


@pytest.fixture
def page(tmp_path):
    pages = {name: f"pages/{at.name}" for name, at in write_pages(MARKS, tmp_path / "p").items()}
    write_overview_page(overview_of(MARKS), pages, tmp_path / "overview.html")
    return (tmp_path / "overview.html").read_text(encoding="utf-8")


class Tables(HTMLParser):
    """The tables of a page, as rows of text, and what else an accessible page has."""

    def __init__(self, page):
        super().__init__()
        self.tables, self.text, self.tags, self.headers, self.inside = [], "", [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append([])
        if tag == "th":
            self.headers.append(dict(attrs).get("scope"))
        if tag in ("td", "th"):
            self.inside = True
            self.tables[-1][-1].append("")

    def handle_data(self, data):
        self.text += data
        if self.inside:
            self.tables[-1][-1][-1] += data

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")


def test_totals_of_students_and_exercises_add_up():
    found = overview_of(MARKS)
    assert found.students == ("=anna", "ben", "max", "Zoë <b>")
    assert [found.total(student) for student in found.students] == [1, 5, 0, 0]
    assert sum(map(found.of_class, found.possible)) == 6
    assert found.possible == {
        Asked(TWO, "2.1 · A softmax"): 1,
        Asked(TWO, "2.3 · Attention"): 2,
        Asked(EIGHT, "8.2 · Heads"): 3,
    }


def test_the_hints_that_most_students_get_come_first():
    found = [(hint.exercise.exercise[:3], hint.reply, hint.students) for hint in
             overview_of(MARKS).hints]  # fmt: skip
    assert found == [
        ("2.1", AXIS, ("Zoë <b>", "ben")),
        ("2.3", "my_a does not parse", ("=anna", "Zoë <b>")),
    ]


def test_the_table_has_a_line_for_each_student_and_both_totals(tmp_path):
    write_overview_table(overview_of(MARKS), tmp_path / "overview.csv")
    rows = [*csv.reader((tmp_path / "overview.csv").read_text(encoding="utf-8").splitlines())]
    assert rows == [
        ["student", "02 2.1 · A softmax", "02 2.3 · Attention", "08 8.2 · Heads", "total"],
        ["(points to earn)", "1", "2", "3", "6"],
        ["'=anna", "1", "0", "", "1"],
        ["ben", "0", "2", "3", "5"],
        ["max", "", "", "", "0"],
        ["Zoë <b>", "0", "0", "", "0"],
        ["(points of the class)", "1", "2", "3", "6"],
    ]


def test_the_page_says_what_the_table_says(page):
    points, hints, two, eight = Tables(page).tables
    assert points == [
        ["Student", "Chapter 2", "Chapter 8", "Total"],
        ["=anna", "1", "–", "1"],
        ["ben", "2", "3", "5"],
        ["max", "–", "–", "0"],
        ["Zoë <b>", "0", "–", "0"],
        ["Points to earn", "3", "3", "6"],
        ["Points of the class", "3", "3", "6"],
    ]
    assert two[0] == ["Student", "2.1 · A softmax", "2.3 · Attention", "Total"]
    assert two[-1] == ["Students with all points", "1", "1", ""]
    assert eight[2] == ["ben", "3", "3"]
    assert hints[1] == ["2", "2.1 · A softmax", AXIS, "Zoë <b>, ben"]
    assert "max: broken.ipynb is an empty file." in Tables(page).text


def test_the_page_is_for_everybody(page):
    found = Tables(page)
    assert "script" not in found.tags and "http" not in page and "<b>" not in page
    assert found.tags.count("caption") == len(found.tables) and None not in found.headers
    assert found.tags.count("main") == found.tags.count("h1") == 1
    assert '<html lang="en">' in page and "@media print" in page
    assert 'href="pages/zoe-b.html"' in page


def test_a_class_without_mistakes_gets_no_hints(tmp_path):
    write_overview_page(overview_of([mark("ben", TWO, "2.1", 1, 1)]), {}, tmp_path / "o.html")
    assert "Nobody got a hint" in (tmp_path / "o.html").read_text(encoding="utf-8")
