"""The built book before axe-core: every page, light and dark, on wide and on narrow screens.

What is folded is unfolded first, and every question is answered, so that hidden text counts.
Contrast is most of the work. It does not depend on the width, so it is measured on wide screens,
and nothing else depends on the colors, so in the dark it is all that is measured. Of all texts that
look alike in the same surroundings, only the first is measured, and of all words of code that look
alike only the first stays a word of its own.
"""

from axe_playwright_python.sync_playwright import Axe
from built_book import DESKTOP, PHONE

AXE = Axe().axe_script
AXE_OPTIONS = {"resultTypes": ["violations"], "preload": False}
COLOR_RULES = ("color-contrast", "link-in-text-block")
ONLY_COLORS = {"runOnly": {"type": "rule", "values": COLOR_RULES}}
NO_COLORS = {"rules": {rule: {"enabled": False} for rule in COLOR_RULES}}
NARROWEST = {**PHONE, "width": 320}

UNFOLD = """() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  for (const quiz of document.querySelectorAll('.mb-quiz')) quiz.querySelector('input').click();
  for (const field of document.querySelectorAll('.mb-ask')) {
    for (const box of field.querySelectorAll('input')) box.value = '1';
    field.querySelector('button').click();
  }
}"""
ONE_WORD_OF_A_KIND = """() => {
  const kinds = new Set();
  for (const word of document.querySelectorAll('.highlight pre span:not(.code-line)')) {
    const place = word.closest('[class*=highlight-]').className;
    const kind = `${word.className} in ${place} ${word.closest('.cell_output') ? 'output' : ''}`;
    if (word.children.length === 0 && kinds.has(kind)) word.replaceWith(word.textContent);
    kinds.add(kind);
  }
}"""
# Alike are texts of the same color, size, weight and line, in elements of the same classes on the
# same grounds, all the way up.
NAME_WHAT_IS_ALIKE = """() => {
  const surroundings = new Map(), kinds = new Set(), first = new Set();
  for (const element of document.querySelectorAll('*')) {
    const style = getComputedStyle(element);
    const place = [
      surroundings.get(element.parentElement), element.tagName, element.getAttribute('class'),
      style.backgroundColor, style.backgroundImage, style.opacity,
    ].join();
    surroundings.set(element, place);
    const texts = [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE);
    const isField = element.matches('input, select, textarea');  // its text is in no node
    if (!isField && !texts.some((text) => text.data.trim())) continue;
    const kind = [
      place, style.color, style.fontSize, style.fontWeight, style.textDecorationLine,
      style.textShadow, style.visibility, style.display,
    ].join();
    if (isField || !kinds.has(kind)) first.add(element);
    kinds.add(kind);
  }
  for (const element of document.querySelectorAll('*'))
    element.toggleAttribute('data-alike', !first.has(element));
}"""
CONTRAST_OF_THE_FIRST = {"rules": [{"id": "color-contrast", "selector": ":not([data-alike])"}]}
RUN = "([rules, options]) => { axe.configure(rules); return axe.run(document, options); }"
WIDER = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .map((element) => element.outerHTML.slice(0, 120))
    .slice(0, 5).concat('the page scrolls sideways');
}"""
A_MOMENT = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 500)))"""


def assert_accessible(page, where: str, **options) -> None:
    """Fail with the rules of axe-core that a page breaks, and the elements concerned."""
    page.evaluate(ONE_WORD_OF_A_KIND)
    page.evaluate(NAME_WHAT_IS_ALIKE)
    page.evaluate(AXE)
    found = page.evaluate(RUN, [CONTRAST_OF_THE_FIRST, AXE_OPTIONS | options])["violations"]
    sentences = [
        f"{where}: {rule['id']}: {rule['help']}: {node['html'][:160]}"
        for rule in found
        for node in rule["nodes"]
    ]
    assert not sentences, "\n".join(sentences)


def test_accessible_in_light_and_dark_and_on_a_phone(reader, page_name):
    page = reader.open(page_name)
    page.evaluate(UNFOLD)
    for scheme, rules in (("light", {}), ("dark", ONLY_COLORS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
        assert_accessible(page, scheme, **rules)
    for screen in (DESKTOP, PHONE, NARROWEST):
        page.set_viewport_size(screen)
        page.evaluate(A_MOMENT)  # the theme looks what scrolls now, 300 ms after the last change
        if screen is PHONE:
            assert_accessible(page, "on a phone", **NO_COLORS)
        too_wide = page.evaluate(WIDER)
        assert not too_wide, f"at {screen['width']} pixels:\n" + "\n".join(too_wide)


def test_open_menu_and_search_field_are_accessible(reader):
    page = reader.open("index.html", viewport=PHONE)
    page.locator(".bd-header-article button.primary-toggle").click()
    page.locator("dialog#pst-primary-sidebar-modal").wait_for(state="visible")
    assert_accessible(page, "open menu")
    page.keyboard.press("Escape")
    page.keyboard.press("Control+k")
    page.locator("dialog#pst-search-dialog").wait_for(state="visible")
    assert_accessible(page, "search field")
