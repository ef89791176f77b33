"""The printed book: nothing is cut off, every link says its page, and answers stand behind."""

import re
from io import BytesIO

import pytest
from answers_behind import answers_behind
from bs4 import BeautifulSoup
from one_document import printed, printed_pages, target_of
from printing import cut_off, opened, page_numbers, print_book
from pypdf import PdfReader

CHAPTER = "chapters/02-self-attention-by-hand"
PAGES = {CHAPTER, "chapters/01-a-word", "glossary"}


def article(inside: str) -> BeautifulSoup:
    return BeautifulSoup(f'<article class="bd-article">{inside}</article>', "html.parser")


@pytest.fixture(scope="module")
def pdf(browser, html) -> bytes:
    """Print one chapter and the page that it refers to most."""
    content, cut = print_book(browser, html, {"Part": [CHAPTER], "Back": ["glossary"]})
    assert cut == []
    return content


@pytest.fixture(scope="module")
def texts(pdf) -> list[str]:
    return [page.extract_text() for page in PdfReader(BytesIO(pdf)).pages]


@pytest.mark.parametrize(
    ("link", "target"),
    [
        ("#here", "02-self-attention-by-hand--here"),
        ("01-a-word.html", "01-a-word"),
        ("01-a-word.html#place", "01-a-word--place"),
        ("../glossary.html#term-x", "glossary--term-x"),
        ("../api.html#minibert", None),
        ("https://example.org/glossary.html", None),
    ],
)
def test_where_a_link_leads(link, target):
    assert target_of(link, CHAPTER, PAGES) == target


@pytest.mark.parametrize(
    ("question", "seen", "behind"),
    [
        (
            '<fieldset class="mb-quiz"><legend>Why?</legend><div class="mb-option"><label>'
            '<input type="radio"/><span>So</span></label><div><p class="mb-right"><strong>Right.'
            "</strong> Yes, so.</p></div></div></fieldset>",
            "Why? ○ So",
            "So Yes, so.",
        ),
        (
            '<fieldset class="mb-ask"><legend>How many?</legend><div class="mb-try" hidden>'
            '<label>Your answer <input type="text"></label></div><details><summary>Show me'
            "</summary><p>8. Two times four.</p></details></fieldset>",
            "How many? Your answer",
            "8. Two times four.",
        ),
        (
            '<div class="mb-cards"><details><summary>Front</summary><p>Back</p></details></div>',
            "Front",
            "Back",
        ),
        (
            '<div class="cell tag_solution"><details class="hide above-input"><summary>Show'
            '</summary><div class="highlight">x = 1</div></details></div>',
            "",
            "x = 1",
        ),
        ('<details class="hide above-input"><summary>Show</summary>draw()</details>', "", None),
    ],
)
def test_an_answer_stands_behind(question, seen, behind):
    (page,) = article(f"<p>Before.</p>{question}<p>After.</p>").select("article")
    answers_behind(page)
    note = "" if behind is None else "Answer 1 "
    told = "" if behind is None else f" Answers Answer 1 {behind}"
    text = " ".join(page.get_text(" ", strip=True).split())
    assert text == f"Before. {seen} {note}After.{told}".replace("  ", " ")


def test_what_is_only_for_a_screen_goes(html):
    text = (html / f"{CHAPTER}.html").read_text(encoding="utf-8")
    page = printed(text, CHAPTER, {*PAGES})
    assert not page.select("script, button, input, [hidden]")
    assert len({each["id"] for each in page.select("[id]")}) == len(page.select("[id]"))


def test_a_word_over_the_margin_is_found(browser, html):
    with opened(browser, f"<p>short</p><p>{'m' * 400}</p>", html) as page:
        found = cut_off(page)
    assert any(line.startswith("<p>mmm") for line in found)
    assert not any(line.startswith("<p>short") for line in found)


def test_links_say_the_page_on_which_their_target_stands(pdf, texts):
    numbers = page_numbers(pdf)
    notes = [
        (int(answer), int(page))
        for text in texts
        for answer, page in re.findall(r"Answer (\d+), page (\d+)", text)
    ]
    assert len(notes) >= 10
    for answer, page in notes:
        assert re.search(rf"^Answer {answer}\s*$", texts[page - 1], re.MULTILINE)
    glossary = numbers["glossary"]
    assert "Glossary" in texts[glossary - 1]
    assert re.search(rf"Glossary\s*{glossary}\b", texts[1])


def test_the_file_is_tagged_and_has_an_outline_and_its_fonts(pdf):
    reader = PdfReader(BytesIO(pdf))
    assert reader.root_object["/MarkInfo"]["/Marked"]
    assert "StructTreeRoot" in str(reader.root_object.keys())
    assert any("Self-attention" in str(entry) for entry in reader.outline)
    fonts = [
        font.get_object()
        for page in reader.pages
        for font in page["/Resources"].get("/Font", {}).values()
    ]
    assert fonts
    # A font of Type 3 is its drawings; of another, an embedded part has a name with a plus.
    assert all(font["/Subtype"] == "/Type3" or "+" in font["/BaseFont"] for font in fonts)


def test_the_whole_book_is_in_it_but_for_the_reference():
    names = [name for pages in printed_pages().values() for name in pages]
    assert sum(name.startswith("chapters/") for name in names) == 26
    assert "glossary" in names
    assert not any(name.startswith("api") for name in names)
