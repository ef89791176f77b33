"""The built book in a real browser: menu, search field and themes."""

from built_book import PHONE, assert_accessible

THEME = "document.documentElement.dataset.theme"
FILTERS = "[...document.querySelectorAll('img, svg')].map((p) => getComputedStyle(p).filter)"


def test_menu_and_search_field_of_a_phone_open_by_keyboard_and_finger(reader):
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
    menu.wait_for(state="visible")
    assert_accessible(page, "open menu")
    chapter.click()
    page.wait_for_url("**/chapters/02-*")
    page.keyboard.press("Control+k")
    page.locator("dialog#pst-search-dialog").wait_for(state="visible")
    assert_accessible(page, "search field")
    page.keyboard.type("attention")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=attention*")


def test_themes_change_the_page_and_neither_pictures_nor_print(reader):
    page = reader.open("index.html")
    seen = set()
    for _ in range(3):
        page.locator(".theme-switch-button").click()
        seen.add(page.evaluate(THEME))
        assert {*page.evaluate(FILTERS)} == {"none"}, "a filter falsifies a picture's colors"
    assert seen == {"light", "dark"}
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"{THEME} === 'dark'")
    for event, theme in (("beforeprint", "light"), ("afterprint", "dark")):
        assert page.evaluate(f"dispatchEvent(new Event('{event}')), {THEME}") == theme
