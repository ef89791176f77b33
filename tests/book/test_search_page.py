"""The search: a question finds its chapter first, with a sentence of the page, and no more."""

import json
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from built_book import DESKTOP, PHONE, assert_accessible, assert_fits

LINK = "#search-results ul.search li a"
FOLDED = "script, style, details, .headerlink, [hidden], dialog"
SEARCHES = Path(__file__).with_name("searches.txt").read_text(encoding="utf-8")


@pytest.fixture
def search(reader):
    """Ask the search page, opened from the disk: each question is a page of its own."""

    def ask(question, **settings):
        address = f"search.html?q={question.replace(' ', '+')}"
        page = reader.open(address, from_disk=True, **settings)
        page.locator("#search-status:not(:empty)").wait_for()
        return page

    return ask


def plain(text):
    return re.sub(r"\s+", " ", text).strip()


def test_every_question_and_every_term_of_the_field_finds_its_chapter_first(search):
    lines = re.findall(r"^(\d+): (.+)$", SEARCHES, re.MULTILINE)
    asked = [(one, f"chapters/{int(n):02}-") for n, several in lines for one in several.split(", ")]
    found = search("attention").evaluate("look.firstPages", [one for one, _ in asked])
    pairs = zip(asked, found, strict=True)
    assert len(asked) > 150
    assert [(one, page) for (one, chapter), page in pairs if not page.startswith(chapter)] == []


def test_every_sentence_that_can_be_shown_is_seen_on_its_page(html):
    text = (html / "_static" / "search-index.js").read_text(encoding="utf-8")
    index = json.loads(text.removeprefix("const searchIndex = ").removesuffix(";\n"))
    lost, count = [], 0
    for number, (address, _) in enumerate(index["pages"]):
        soup = BeautifulSoup((html / address).read_text(encoding="utf-8"), "html.parser")
        ids = {each["id"] for each in soup.select("[id]")}
        for hidden in soup.select(FOLDED):
            hidden.decompose()
        seen = plain(soup.select_one("article").get_text())
        for page, anchor, _, sentences, *_ in index["sections"]:
            if page == number:
                assert anchor in ids, f"{address} has no #{anchor}"
                count += len(sentences)
                lost += [f"{address}: {one}" for one in sentences if plain(one) not in seen]
    assert count > 5000
    assert lost == []


def test_a_result_leads_to_where_its_sentence_stands_and_nothing_is_marked_there(search):
    page = search("padding mask")
    first = page.locator("#search-results li").first
    sentence = plain(first.locator(".context").inner_text())
    assert first.locator("mark").count() >= 2
    first.locator("a").click()
    page.wait_for_url("**/chapters/*.html#*")
    section = page.url.split("#")[1]
    assert sentence in plain(page.locator(f"[id='{section}']").inner_text())
    page.wait_for_timeout(300)  # Sphinx marked words after a moment
    assert page.locator(".highlighted, :text('Hide Search Matches')").count() == 0


def test_a_slip_a_word_that_is_nowhere_and_markup_are_told_as_they_are(search):
    for question, told, count in (
        ("atention", "No page has “atention”; similar words in", 10),
        ("zzyzx qqqq", "No page has “zzyzx qqqq”.", 0),
        ("<b>mask</b>", "“<b>mask</b>”", 10),
    ):
        page = search(question)
        assert told in page.inner_text("#search-status")
        assert page.locator("#search-status b").count() == 0
        assert min(page.locator(LINK).count(), 10) == count, question


@pytest.mark.parametrize("viewport", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_results_are_accessible_and_fit(search, viewport):
    page = search("attention probabilities", viewport=viewport)
    page.locator(LINK).first.wait_for()
    assert_accessible(page, "results of a search")
    assert_fits(page)
    assert page.evaluate("document.activeElement.name") == "q"
