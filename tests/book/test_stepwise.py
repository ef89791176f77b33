"""A drawing that fills step by step, in a browser, with the keyboard alone and without scripts."""

import nbformat
from built_book import BOOK, PHONE
from playwright.sync_api import expect

from bertbook.core.quizzes import right, wrong
from bertbook.topics.gradients.stepwise import stepwise

DRAWING = (
    '<svg role="img" aria-label="Boxes." viewBox="0 0 90 30"><text y="20" data-shown="0">one</text>'
    '<text y="20" data-open="0">?</text><rect width="9" height="9" data-here="0"/>'
    '<text y="20" x="40" data-shown="1">two</text><text x="40" y="20" data-open="1">?</text>'
    '<rect x="40" width="9" height="9" data-here="1"/></svg>'
)
HTML = stepwise(
    DRAWING,
    [
        ("First?", [wrong("0", "Too small."), right("1", "It is one.")]),
        ("Second?", [right("2", "It is two."), wrong("3", "Too large.")]),
    ],
    caption="Fill it.",
)._repr_html_()


def drawn(page):
    """List what the drawing shows: numbers, question marks, and how many marked places."""
    return page.locator("svg").evaluate(
        """svg => [...svg.querySelectorAll('[data-shown], [data-open], [data-here]')]
        .filter(e => e.checkVisibility()).map(e => e.textContent || 'here')"""
    )


def test_each_step_shows_when_it_is_answered_by_keyboard(phone):
    page = phone(HTML)
    assert drawn(page) == ["?", "here", "?"]
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(page.locator("p:visible").first).to_have_text("Not this one. Too small.")
    assert drawn(page) == ["?", "here", "?"]
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    page.keyboard.press("ArrowDown")
    expect(page.locator("p:visible").first).to_have_text("Right. It is one.")
    assert drawn(page) == ["one", "here", "?"]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("group", name="Second?")).to_be_visible()
    expect(page.get_by_role("group", name="First?")).to_be_hidden()
    assert drawn(page) == ["one", "?", "here"]
    page.keyboard.press("Space")
    assert drawn(page) == ["one", "two", "here"]
    expect(page.get_by_text("2 of 2")).to_be_visible()
    expect(page.get_by_role("button", name="Next")).to_be_hidden()
    page.get_by_role("button", name="Back").press("Enter")
    assert drawn(page) == ["one", "here", "two"]
    assert page.evaluate("document.activeElement.checked")


def test_without_scripts_everything_is_there(phone):
    page = phone(HTML, scripts=False)
    assert page.get_by_role("group").count() == 2
    for number in ("one", "two"):
        expect(page.get_by_text(number, exact=True)).to_be_visible()
    for element in page.locator("[data-open], [data-here]").all():
        expect(element).to_be_hidden()
    expect(page.get_by_role("button")).to_have_count(0)


def test_the_walk_of_chapter_4_can_be_walked_to_its_end(phone):
    """Choose the right answer of each question; the numbers in the drawing are those answers."""
    chapter = nbformat.read(BOOK / "chapters" / "04-every-gradient-by-hand.ipynb", as_version=4)
    (cell,) = (c for c in chapter.cells if "\nstepwise(" in c.source)
    page = phone(cell.outputs[0].data["text/html"])
    stages = page.locator(".mb-stage").count()
    for number in range(stages):
        chosen = page.locator(".mb-stage:visible .mb-option", has=page.locator(".mb-right"))
        chosen.locator("input").check()
        told = chosen.locator("span").inner_text()
        shown = page.locator(f"[data-shown='{number}']:visible").all_text_contents()
        assert told in shown, (told, shown)
        if number + 1 < stages:
            page.get_by_role("button", name="Next").click()
    assert page.locator("[data-open]:visible").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
