"""The built book in a real browser: by keyboard alone, searched and played with.

Pages are opened by a `Reader`, so there is a failure, too, when a page asks another site for
something, misses a file, or writes an error to the console. Tests that share a page change
different parts of it.
"""

import pytest
from axe_rules import assert_accessible
from built_book import PHONE


@pytest.mark.parametrize("from_disk", [False, True], ids=["served", "from disk"])
def test_search_finds_softmax(reader, from_disk):
    page = reader.open("search.html?q=softmax", from_disk=from_disk)
    page.wait_for_selector("#search-results ul.search li a")
    found = page.locator("#search-results ul.search li a").all_inner_texts()
    assert any("Self-attention" in title for title in found), found


@pytest.mark.parametrize(
    ("term", "chapter"),
    [
        ("perplexity", "chapters/01-"),
        ("transformer", "chapters/07-"),
        ("pre-training", "chapters/12-"),
        ("FlashAttention", "chapters/23-"),
        ("ZeRO", "chapters/24-"),
        ("sharding", "chapters/24-"),
    ],
)
def test_search_finds_the_chapter_of_a_term_first(reader, term, chapter):
    page = reader.open(f"search.html?q={term}")
    first = page.locator("#search-results ul.search li a").first
    first.wait_for()
    assert first.get_attribute("href").startswith(chapter)


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


def test_prints_on_white_from_a_dark_screen(reader):
    page = reader.open("index.html")
    page.emulate_media(color_scheme="dark")
    page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
    theme = "document.documentElement.dataset.theme"
    assert page.evaluate(f"dispatchEvent(new Event('beforeprint')), {theme}") == "light"
    assert page.evaluate(f"dispatchEvent(new Event('afterprint')), {theme}") == "dark"
