"""A drawing that fills step by step, in a browser, with the keyboard alone and without scripts."""

import nbformat
import pytest
from built_book import BOOK, PHONE
from playwright.sync_api import expect


@pytest.fixture(scope="module")
def walk():
    """Take the walk of Chapter 4 as it is stored."""
    chapter = nbformat.read(BOOK / "chapters" / "04-every-gradient-by-hand.ipynb", as_version=4)
    (cell,) = (c for c in chapter.cells if "\nstepwise(" in c.source)
    return cell.outputs[0].data["text/html"]


def shown(page, number):
    return page.locator(f"[data-shown='{number}']:visible")


def test_each_step_shows_when_it_is_answered_and_all_can_be_walked_by_keyboard(phone, walk):
    """Choose the right answer of each question; the numbers in the drawing are those answers."""
    page = phone(walk)
    stages = page.locator(".mb-stage").count()
    for number in range(stages):
        stage = page.locator(".mb-stage:visible")
        wrong = stage.locator(".mb-option", has_not=page.locator(".mb-right")).first
        wrong.locator("input").press("Space")
        expect(stage.locator("p:visible")).to_contain_text("Not this one.")
        expect(page.get_by_role("button", name="Next")).to_be_hidden()
        assert shown(page, number).count() == 0
        right = stage.locator(".mb-option", has=page.locator(".mb-right"))
        right.locator("input").press("Space")
        assert right.locator("span").inner_text() in shown(page, number).all_text_contents()
        if number + 1 < stages:
            page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    assert page.locator("[data-open]:visible").count() == 0
    page.get_by_role("button", name="Back").press("Enter")
    assert page.evaluate("document.activeElement.checked")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_without_scripts_everything_is_there(phone, walk):
    page = phone(walk, scripts=False)
    for number in range(page.get_by_role("group").count()):
        assert shown(page, number).count() >= 1
    assert page.locator(":is([data-open], [data-here]):visible").count() == 0
    expect(page.get_by_role("button")).to_have_count(0)
