"""The built book in a real browser: by keyboard alone, searched and played with.

Pages are opened by a `Reader`, so there is a failure, too, when a page asks another site for
something, misses a file, or writes an error to the console. Tests that share a page change
different parts of it.
"""

import pytest
from axe_rules import assert_accessible
from built_book import PHONE

IS_GROUP = "(control) => control.matches('fieldset')"


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_search_finds_softmax(reader, from_disk):
    page = reader.open("search.html?q=softmax", from_disk=from_disk)
    page.wait_for_selector("#search-results ul.search li a")
    found = page.locator("#search-results ul.search li a").all_inner_texts()
    assert any("Self-attention" in title for title in found), found


def test_search_opens_and_answers_by_keyboard(reader):
    page = reader.open("index.html")
    page.keyboard.press("Control+k")
    page.keyboard.type("attention")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=attention*")
    page.wait_for_selector("#search-results ul.search li a")


def test_phone_menu_opens_and_closes_by_keyboard_and_finger(reader):
    page = reader.open("index.html", viewport=PHONE)
    button = page.locator(".bd-header-article button.primary-toggle")
    menu = page.locator("dialog#pst-primary-sidebar-modal")
    chapter = menu.get_by_role("link", name="Self-attention by hand")
    button.focus()
    page.keyboard.press("Enter")
    chapter.wait_for(state="visible")
    page.keyboard.press("Escape")
    menu.wait_for(state="hidden")
    button.click()
    chapter.click()
    page.wait_for_url("**/chapters/02-*")


def test_open_menu_and_search_field_are_accessible(reader):
    page = reader.open("index.html", viewport=PHONE)
    page.locator(".bd-header-article button.primary-toggle").click()
    page.locator("dialog#pst-primary-sidebar-modal").wait_for(state="visible")
    assert_accessible(page, "open menu")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.locator("dialog#pst-search-dialog").wait_for(state="visible")
    assert_accessible(page, "search field")


def test_theme_switch_changes_the_page_and_not_the_pictures(reader):
    page = reader.open("index.html")
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button").click()
        seen.add(page.evaluate("document.documentElement.dataset.theme"))
        filters = page.evaluate(
            "[...document.querySelectorAll('img, svg')].map((p) => getComputedStyle(p).filter)"
        )
        assert set(filters) == {"none"}, "a filter falsifies the colors of a picture"
    assert seen == {"light", "dark"}


def test_interactive_figures_follow_the_keyboard(chapter_page):
    figures = chapter_page.locator("figure.mb-explore").all()
    assert figures, "every chapter has an interactive figure"
    for figure in figures:
        seen = {control: set() for control in figure.locator("[data-size]").all()}
        for arrow in ("ArrowRight", "ArrowLeft"):  # a control may matter only after another moved
            for control, frames in seen.items():
                frames |= frames_along(chapter_page, figure, control, arrow)
        for control, frames in seen.items():
            label = control.evaluate("control => control.closest('label, fieldset, div').innerText")
            assert len(frames) > 1, f"the keyboard changes nothing with: {label}"


def frames_along(page, figure, control, arrow: str) -> set[str]:
    """Move one control from end to end with the keyboard and collect what the figure shows."""
    shown = figure.locator(".mb-frames > :not([hidden])")
    key = "Space" if control.get_attribute("type") == "checkbox" else arrow
    frames = {shown.inner_html()}
    for _ in range(int(control.get_attribute("data-size")) - 1):
        (control.locator(":checked") if control.evaluate(IS_GROUP) else control).focus()
        page.keyboard.press(key)
        visible = shown.evaluate_all("frames => frames.map((frame) => frame.innerHTML)")
        assert len(visible) == 1, "exactly one frame is visible"
        frames |= set(visible)
    return frames


def test_quizzes_reply_to_every_answer(chapter_page):
    quizzes = chapter_page.locator(".mb-quiz").all()
    assert quizzes, "every chapter has a quiz"
    for quiz in quizzes:
        replies = quiz.locator(".mb-option p").locator("visible=true")
        assert replies.count() == 0, "a reply shows before an answer is chosen"
        options = quiz.locator(".mb-option").all()
        options[0].locator("input").focus()
        chapter_page.keyboard.press("Space")
        for i, option in enumerate(options):
            if i:
                chapter_page.keyboard.press("ArrowDown")
            assert replies.count() == 1
            assert option.locator("p").inner_text().split(".")[0] in ("Right", "Not this one")


def test_cards_and_solutions_open_with_enter(chapter_page):
    cards = chapter_page.locator(".mb-cards details").all()
    solutions = chapter_page.locator(".tag_solution details").all()
    assert cards, "every chapter has flashcards"
    assert solutions, "every chapter has exercises with folded solutions"
    for fold in cards + solutions:
        assert not fold.evaluate("fold => fold.open")
        fold.locator("summary").focus()
        chapter_page.keyboard.press("Enter")
        assert fold.evaluate("fold => fold.open && fold.lastElementChild.checkVisibility()")


def test_prints_on_white_from_a_dark_screen(reader):
    page = reader.open("index.html")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(f"dispatchEvent(new Event('beforeprint')), {theme}") == "light"
    assert page.evaluate(f"dispatchEvent(new Event('afterprint')), {theme}") == "dark"
