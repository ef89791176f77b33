"""What a page remembers: nothing unless it is asked to, and the reader can delete all of it."""

import json

import pytest

CHAPTER = "chapters/02-self-attention-by-hand.html"
STORED = "JSON.parse(localStorage.getItem('bert-by-hand'))"


@pytest.fixture
def asked(reader):
    """Open a chapter and let it remember."""
    page = reader.open(CHAPTER)
    page.get_by_text("This page can remember").click()
    page.get_by_label("Remember the exercises I solve").check()
    return page


def test_nothing_is_kept_unless_it_is_asked(reader):
    page = reader.open(CHAPTER)
    page.locator(".mb-quiz input").first.check()
    page.locator(".mb-cards summary").first.click()
    assert not page.get_by_role("button", name="I knew it").first.is_visible()
    page.goto(page.url.replace(CHAPTER, "index.html"))
    assert page.evaluate(STORED) is None


def test_answers_and_the_place_are_found_again_and_deleted(asked):
    quiz = asked.locator(".mb-quiz").first
    quiz.locator("input").nth(1).check()
    asked.wait_for_load_state("networkidle")
    asked.reload()
    assert quiz.locator("input").nth(1).is_checked()
    assert quiz.locator("p").nth(1).is_visible()  # its reply
    asked.evaluate("document.querySelector('#summary').scrollIntoView()")
    asked.goto(asked.url.split("chapters")[0] + "index.html")
    asked.get_by_role("link", name="2. Self-attention by hand: Summary", exact=True).click()
    assert asked.url.endswith(f"{CHAPTER}#summary")
    asked.get_by_text("This page can remember").click()
    with asked.expect_download() as download:
        asked.get_by_role("button", name="Export as a file").click()
    kept = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert [*kept["quiz"].values()] == [1] and kept["place"]["anchor"] == "#summary"
    asked.get_by_role("button", name="Delete all of it").click()
    assert asked.get_by_text("Nothing is kept.").is_visible()
    assert asked.evaluate("document.activeElement.type") == "checkbox"  # the button is gone
    assert asked.evaluate(STORED) is None


def test_a_card_comes_back_after_some_days_on_both_pages(asked):
    card = asked.locator(".mb-cards details").first
    card.locator("summary").click()
    known, not_yet = (card.get_by_role("button", name=name) for name in ("I knew it", "Not yet"))
    for days in ("due tomorrow", "due in 3 days", "due in 7 days", "due in 21 days"):
        known.click()
        assert card.get_by_text(days, exact=True).is_visible()
    not_yet.click()
    assert card.get_by_text("due today").is_visible()
    known.click()
    card.locator("summary").click()
    asked.get_by_label("Only what is due").check()
    assert not card.is_visible()
    assert asked.locator(".mb-cards details").nth(1).is_visible()
    asked.get_by_label("Only what is due").uncheck()
    front = card.locator("summary").inner_text()
    asked.goto(asked.url.split("chapters")[0] + "flashcards.html")
    same = asked.locator(".mb-cards details").filter(has=asked.get_by_text(front, exact=True))
    same.locator("summary").click()
    assert same.get_by_text("due tomorrow").is_visible()
