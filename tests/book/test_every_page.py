"""Every page of the book, opened once from the disk: formulas, keyboard, and axe-core.

The tests of a page follow one another. The last unfolds what is folded and answers every question,
so that hidden text counts, and asks axe-core: in light and dark, on wide and on narrow screens.
Contrast is most of the work. It does not depend on the width, so it is measured on wide screens,
and nothing else depends on the colors, so in the dark it is all that is measured.

The pages of the reference come from one template. Keyboard and axe-core try four of them; of the
others it is shown that they have no kind of element that those four have not.
"""

from functools import cache
from html.parser import HTMLParser

from axe_rules import NO_COLORS, ONLY_COLORS, assert_accessible
from built_book import DESKTOP, HTML, PHONE

TRIED = ("api.html", "api-text.html", "api-training.html", "api-notebook.html")
NARROWEST = {**PHONE, "width": 320}
MANY_STEPS, AT_ONCE = 600, 20
WITHOUT_END = {"br", "circle", "hr", "img", "input", "link", "meta", "path", "rect", "wbr"}

FORMULAS = """() => ({
  written: document.querySelectorAll('.math').length,
  set: document.querySelectorAll('.math mjx-container').length,
  wrong: document.querySelectorAll('mjx-merror').length,
})"""
# Note every element that the focus comes to, until it leaves the page.
FOLLOW_THE_FOCUS = """() => {
  window.visits = [];
  window.hasLeft = false;
  document.addEventListener('focusin', ({ target }) => {
    if (hasLeft) return;
    const again = target.dataset.visit && target.type !== 'radio';
    target.dataset.visit = 'yes';
    const style = getComputedStyle(target), box = target.getBoundingClientRect();
    visits.push({
      html: target.outerHTML.slice(0, 120),
      again: Boolean(again),
      marked: style.outlineStyle !== 'none',
      seen: box.width > 0 && box.height > 0,
    });
  });
  document.addEventListener('focusout', ({ relatedTarget }) => { hasLeft ||= !relatedTarget; });
}"""
UNREACHED = """() => [...document.querySelectorAll('main :is(a[href], button, input, summary)')]
  .filter((element) => element.checkVisibility({visibilityProperty: true}))
  .filter((element) => !element.dataset.visit)
  .filter((element) => element.type !== 'radio' ||
    !document.querySelector(`input[name="${element.name}"][data-visit]`))
  .map((element) => element.outerHTML.slice(0, 120))"""
UNFOLD = """() => {
  for (const fold of document.querySelectorAll('details')) fold.open = true;
  for (const quiz of document.querySelectorAll('.mb-quiz')) quiz.querySelector('input').click();
  for (const field of document.querySelectorAll('.mb-ask')) {
    for (const box of field.querySelectorAll('input')) box.value = '1';
    field.querySelector('button').click();
  }
}"""
WIDER = """() => {
  const width = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= width) return [];
  return [...document.querySelectorAll('main *')]
    .filter((element) => element.getBoundingClientRect().right > width + 1)
    .map((element) => element.outerHTML.slice(0, 120))
    .slice(0, 5).concat('the page scrolls sideways');
}"""
# What scrolls is marked when the page has been laid out anew.
LAID_OUT = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"""


class Kinds(HTMLParser):
    """The kinds of elements of a page: tag, classes, names of attributes; and its parent's."""

    def __init__(self, text: str):
        super().__init__()
        self.found, self._above = set(), [("", "", (), "")]
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Note an element below the one that is open."""
        given = dict(attributes)
        names = tuple(sorted(given.keys() - {"id", "href", "title"}))
        kind = (tag, given.get("class") or "", names, given.get("tabindex"))
        self.found.add((self._above[-1], kind))
        if tag not in WITHOUT_END:
            self._above.append(kind)

    def handle_endtag(self, tag):
        """Go back to the parent."""
        while len(self._above) > 1 and self._above.pop()[0] != tag:
            pass


@cache
def kinds_of(name: str) -> set:
    """Find the kinds of elements of a built page."""
    return Kinds((HTML / name).read_text(encoding="utf-8")).found


def is_tried(name: str) -> bool:
    """Say whether keyboard and axe-core try a page: all but those that are like some others."""
    return not name.startswith("api-") or name in TRIED


def test_works_from_the_disk_with_its_formulas(page_from_disk):
    formulas = page_from_disk.evaluate(FORMULAS)
    assert formulas["set"] == formulas["written"], "a formula stayed as source text"
    assert not formulas["wrong"], "a formula has an error"


def test_pages_that_are_not_tried_are_made_like_those_that_are(html, page_name):
    if not is_tried(page_name):
        new = kinds_of(page_name) - set().union(*map(kinds_of, TRIED))
        assert not new, f"let axe-core try {page_name}, too: {sorted(map(str, new))[:3]}"


def test_keyboard_reaches_everything_and_shows_where_it_is(page_from_disk, page_name):
    if not is_tried(page_name):
        return
    page_from_disk.evaluate(FOLLOW_THE_FOCUS)
    for _ in range(MANY_STEPS // AT_ONCE):
        for _ in range(AT_ONCE):
            page_from_disk.keyboard.press("Tab")
        if page_from_disk.evaluate("hasLeft"):
            break
    for focused in page_from_disk.evaluate("visits"):
        assert not focused["again"], f"the Tab key does not get past {focused['html']}"
        assert focused["seen"], f"the Tab key reaches something invisible: {focused['html']}"
        assert focused["marked"], f"nothing shows that the focus is on {focused['html']}"
    left = page_from_disk.evaluate(UNREACHED)
    assert not left, "the Tab key does not reach:\n" + "\n".join(left)
    page_from_disk.evaluate("document.activeElement.blur()")
    page_from_disk.wait_for_function("!document.querySelector('.tooltip')")


def test_accessible_in_light_and_dark_and_fits_every_screen(page_from_disk, page_name):
    page = page_from_disk
    page.evaluate(UNFOLD)
    for scheme, rules in (("light", {}), ("dark", ONLY_COLORS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
        if is_tried(page_name):
            assert_accessible(page, scheme, **rules)
    for screen in (DESKTOP, PHONE, NARROWEST):
        page.set_viewport_size(screen)
        page.evaluate(LAID_OUT)
        if screen is PHONE and is_tried(page_name):
            assert_accessible(page, "on a phone", **NO_COLORS)
        too_wide = page.evaluate(WIDER)
        assert not too_wide, f"at {screen['width']} pixels:\n" + "\n".join(too_wide)
