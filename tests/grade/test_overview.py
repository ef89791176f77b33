"""The class at a glance: totals that are right, hints by the number of students, an honest page."""

import csv
from html.parser import HTMLParser

import pytest

from berttools.grade.report import Mark, class_page, overview_of, write_results

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
    Mark("Zoe b", "@broken.ipynb", "", "", 0, 0, "-1 is an empty file."),
]


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


@pytest.fixture
def results(tmp_path):
    write_results(MARKS, tmp_path)
    return tmp_path


def test_the_table_computes_nothing(results):
    text = (results / "grades.csv").read_text(encoding="utf-8")
    head, *rows, last = csv.reader(text.splitlines())
    assert (head, len(rows)) == ([*Mark._fields], 8)
    assert last == ["Zoe b", "'@broken.ipynb", "", "", "0", "0", "'-1 is an empty file."]


def test_the_page_has_each_exercise_both_totals_and_the_common_hints_first(results):
    """Of two answers of a student the better one counts."""
    found = Tables((results / "overview.html").read_text(encoding="utf-8"))
    points, hints, two, eight = found.tables
    assert points == [
        ["Student", "Chapter 2", "Chapter 8", "Total"],
        ["=anna", "1", "–", "1"],
        ["ben", "2", "3", "5"],
        ["Zoe b", "–", "–", "–"],
        ["Zoë <b>", "0", "–", "0"],
        ["Points to earn", "3", "3", "6"],
        ["Points of the class", "3", "3", "6"],
        ["Students with all points", "0", "1", "0"],
    ]
    assert two[0] == ["Student", "2.1 · A softmax", "2.3 · Attention", "Total"]
    assert two[-1] == ["Students with all points", "1", "1", "0"]
    assert eight[2] == ["ben", "3", "3"]
    assert hints[1:] == [
        ["2.1 · A softmax", AXIS, "2", "Zoë <b>, ben"],
        ["2.3 · Attention", "my_a does not parse", "2", "=anna, Zoë <b>"],
    ]
    assert "Zoe b: -1 is an empty file." in found.text


def test_the_pages_are_for_everybody_and_no_two_have_one_name(results):
    names = ["anna.html", "ben.html", "zoe-b-2.html", "zoe-b.html"]
    assert sorted(path.name for path in (results / "pages").iterdir()) == names
    page = (results / "overview.html").read_text(encoding="utf-8")
    assert 'href="pages/zoe-b.html"' in page and "@media print" in page
    for path in results.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        found = Tables(page)
        assert "script" not in found.tags and "http" not in page and "<b>" not in page
        assert found.tags.count("caption") == len(found.tables) and None not in found.headers
        assert found.tags.count("main") == found.tags.count("h1") == 1
        assert '<html lang="en">' in page
    assert "Zoë &lt;b&gt;" in (results / "pages" / "zoe-b.html").read_text(encoding="utf-8")


def test_a_class_without_mistakes_gets_no_hints():
    page = class_page(overview_of([mark("ben", TWO, "2.1", 1, 1)]), {"ben": "ben.html"})
    assert "Nobody got a hint" in page and "Files that" not in page
    assert "<p>1 student, 1 exercises, 1 points to earn." in page
