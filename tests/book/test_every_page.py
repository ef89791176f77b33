"""Every page of the book, opened once from the disk and looked at in every way."""

import re

import pytest
from axe_rules import NO_COLORS, ONLY_COLORS, assert_accessible
from built_book import DESKTOP, PHONE

# The pages of the reference come from one template: keyboard and axe-core try these of them.
TRIED = tuple(
    f"api{page}.html"
    for page in "|-text|-training|-family|-checkers|-using|-figures|-classifier".split("|")
)
NARROWEST = {**PHONE, "width": 320}
AT_ONCE = 20
SMALLEST = {"desktop": 11, "phone": 10}
MAY_SCROLL = 0.25

# Colored places of figures that a printer would leave white; buttons that paper cannot press.
PALE = """() => [...document.querySelectorAll('.mb-figure *')].filter((element) => {
  const { backgroundColor, backgroundImage, printColorAdjust } = getComputedStyle(element);
  const isColored = backgroundColor !== 'rgba(0, 0, 0, 0)' || backgroundImage !== 'none';
  return isColored && printColorAdjust !== 'exact';
}).map((element) => element.outerHTML.slice(0, 120))"""
BUTTONS = """() => [...document.querySelectorAll('main :is(button, input[type=range])')]
  .filter((element) => element.checkVisibility() && !element.closest('.mb-turn'))
  .map((element) => element.outerHTML.slice(0, 120))"""
# Without a script radio buttons and folds work; the answers of a game look like text there.
CONTROLS = "main :is(button, select, textarea, input:not([type=radio])):not(.mb-turn button)"
# What a cell says to an empty exercise, to a kernel's user, or where nothing can be shown.
OF_A_KERNEL = re.compile(
    r".*(?:returns nothing yet|^Not yet\.|[Rr]un this cell|Loading widget| object at 0x|"
    r"<Figure size|Traceback \(most recent|LiveFigure\().*",
    re.MULTILINE,
)
FORMULAS = """() => ({
  written: document.querySelectorAll('.math').length,
  set: document.querySelectorAll('.math mjx-container').length,
  wrong: document.querySelectorAll('mjx-merror').length,
})"""
# Number what the visible frames of a figure show: what looks the same has the same number.
SHOWN = """(figure) => {
  window.shown ??= new Map();
  return [...figure.querySelectorAll('.mb-frames > :not([hidden])')].map(({ innerHTML }) => {
    if (!shown.has(innerHTML)) shown.set(innerHTML, shown.size);
    return shown.get(innerHTML);
  });
}"""
REPLIES = """(quiz) => [...quiz.querySelectorAll('.mb-option p')]
  .map((reply) => reply.checkVisibility() ? reply.innerText : '')"""
# Begin at the top: Chromium goes on from where a focused element has been. Hidden frames take time.
GO_TO_THE_TOP = """() => {
  for (const frame of document.querySelectorAll('.mb-frames > [hidden]')) frame.replaceChildren();
  const top = document.createElement('a');
  document.body.prepend(top);
  top.tabIndex = -1;
  top.focus();
  top.remove();
}"""
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
# Each stop is one of these.
STOPS = "document.querySelectorAll('a, button, input, select, summary, [tabindex]').length"
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
PICTURES = """() => [...document.querySelectorAll('.mb-figure svg[style*="max-width"]')]
  .filter((svg) => svg.checkVisibility()).map((svg) => {
    const width = svg.getBoundingClientRect().width, drawn = svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text, tspan')].filter((text) =>
      [...text.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
    const letters = texts.map((text) => parseFloat(getComputedStyle(text).fontSize));
    return { name: svg.ariaLabel, smallest: Math.min(...letters) * width / drawn };
  })"""
BOXES = """() => [...document.querySelectorAll('.bd-article :is(pre, div.math, .mb-scroll, ' +
    '.pst-scrollable-table-container)')].filter((box) => box.checkVisibility()).map((box) => ({
  kind: box.matches('pre') ? 'code' : box.matches('div.math') ? 'formula' : 'table',
  text: box.innerText.slice(0, 60),
  isWide: box.scrollWidth > box.clientWidth + 1,
  isFaded: getComputedStyle(box).maskImage !== 'none',
  words: getComputedStyle(box, '::before').content,
  hidden: box.getBoundingClientRect().left -
    (box.querySelector('mjx-math') ?? box).getBoundingClientRect().left,
}))"""
# Labels whose middle lies in a pale box of a drawing, and by how many pixels each sticks out of it.
IN_BOXES = """() => [...document.querySelectorAll('figure svg')]
  .filter((svg) => svg.checkVisibility()).flatMap((svg) => {
    const boxes = [...svg.querySelectorAll('path, rect')].filter((shape) => {
      const {fill, fillOpacity, opacity} = getComputedStyle(shape);
      return fill !== 'none' && fillOpacity * opacity <= 0.5;
    }).map((shape) => shape.getBoundingClientRect());
    return [...svg.querySelectorAll('text')].flatMap((text) => {
      const {left, right, top, bottom, width, height} = text.getBoundingClientRect();
      const x = left + width / 2, y = top + height / 2;
      const [box] = boxes.filter((b) => b.left < x && x < b.right && b.top < y && y < b.bottom)
        .filter((b) => b.width > 12 && b.height > 0.8 * height)
        .sort((a, b) => a.width * a.height - b.width * b.height);
      const out = box && Math.max(box.left - left, right - box.right);
      return box ? [{text: text.textContent.trim(), out}] : [];
    });
  })"""
# Lines of code that were broken into rows of a few characters: they began too far to the right.
SHREDDED = """() => [...document.querySelectorAll('.bd-article .code-line')].filter((line) => {
  const height = parseFloat(getComputedStyle(line).lineHeight);
  const rows = Math.round(line.getBoundingClientRect().height / height);
  return line.checkVisibility() && rows > 2 && line.textContent.trim().length < 10 * (rows - 1);
}).map((line) => line.textContent.trim())"""
# What scrolls is marked, and letters are fitted, when the page has been laid out anew.
LAID_OUT = """() => new Promise((done) =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"""


# Some questions of the museum lie in folds, which a reader opens first.
OPEN_AROUND = "quiz => { const fold = quiz.closest('details'); if (fold) fold.open = true; }"


def is_tried(name: str) -> bool:
    """Say whether keyboard and axe-core try a page: all but those that are like some others."""
    return not name.startswith("api-") or name in TRIED


def test_works_from_the_disk_and_says_nothing_that_belongs_to_a_kernel(page_from_disk):
    words = page_from_disk.evaluate("document.querySelector('main').innerText")
    assert not OF_A_KERNEL.findall(words)
    formulas = page_from_disk.evaluate(FORMULAS)
    assert formulas["set"] == formulas["written"], "a formula stayed as source text"
    assert not formulas["wrong"], "a formula has an error"


def test_without_scripts_no_control_is_idle_and_a_quiz_replies(page_without_script):
    shown = [each for each in page_without_script.locator(CONTROLS).all() if each.is_visible()]
    assert [each.evaluate("element => element.outerHTML.slice(0, 120)") for each in shown] == []
    for quiz in page_without_script.locator(".mb-quiz").all()[:2]:
        reply = quiz.locator(".mb-option").last.locator("p")
        assert not reply.is_visible()
        quiz.locator("input").last.check()
        assert reply.is_visible()


def test_paper_shows_colors_and_no_buttons(page_from_disk):
    page_from_disk.emulate_media(media="print")
    assert page_from_disk.evaluate(PALE) == []
    assert page_from_disk.evaluate(BUTTONS) == []
    first = page_from_disk.evaluate("document.querySelector('main').innerText.trim()")
    heading = page_from_disk.locator("h1").last.inner_text().strip()
    assert first.startswith(heading[:40])
    page_from_disk.emulate_media(media="screen")


def assert_readable(page, screen: str) -> None:
    page.evaluate(LAID_OUT)
    for picture in page.evaluate(PICTURES):
        assert picture["smallest"] > SMALLEST[screen] - 0.05, f"on a {screen}: {picture}"


def test_letters_of_pictures_can_be_read_and_stand_inside_their_boxes(chapter_from_disk):
    assert_readable(chapter_from_disk, "desktop")
    assert [label for label in chapter_from_disk.evaluate(IN_BOXES) if label["out"] > 1] == []


def test_on_a_phone_letters_can_be_read_and_little_scrolls(chapter_from_disk):
    chapter_from_disk.set_viewport_size(PHONE)
    assert_readable(chapter_from_disk, "phone")
    boxes = chapter_from_disk.evaluate(BOXES)
    for box in (box for box in boxes if box["isWide"]):
        assert box["isFaded"], f"nothing shows that there is more at the right of {box}"
        assert box["hidden"] < 1, f"{box['hidden']:.0f} pixels stick out left: {box}"
        assert box["kind"] != "table" or "Scroll" in box["words"], f"no words say it: {box}"
    assert chapter_from_disk.evaluate(SHREDDED) == []
    code = [box for box in boxes if box["kind"] == "code"]
    scrolling = sum(box["isWide"] for box in code)
    assert scrolling <= MAY_SCROLL * len(code), f"{scrolling} of {len(code)} blocks scroll sideways"
    chapter_from_disk.set_viewport_size(DESKTOP)


def test_interactive_figures_follow_the_keyboard(chapter_from_disk):
    figures = chapter_from_disk.locator("figure.mb-explore").all()
    stepwise = chapter_from_disk.locator("figure.mb-stepwise").count()  # test_stepwise walks it
    live = chapter_from_disk.locator("[data-live]:not([data-live=exercise])").all()
    assert figures or stepwise or live, "every chapter has an interactive figure"
    for figure in live:  # what it computes is in test_live_*
        figure.scroll_into_view_if_needed()
        control = figure.locator("button:enabled, input:enabled, select:enabled").first
        control.focus()
        assert control.evaluate("control => control === document.activeElement")
    for figure in figures:
        seen = {control: set() for control in figure.locator("[data-size]").all()}
        for arrow in ("ArrowRight", "ArrowLeft"):  # a control may matter only after another moved
            for control, frames in seen.items():
                frames |= frames_along(chapter_from_disk, figure, control, arrow)
        for control, frames in seen.items():
            label = control.evaluate("control => control.closest('label, fieldset, div').innerText")
            assert len(frames) > 1, f"the keyboard changes nothing with: {label}"


def frames_along(page, figure, control, arrow: str) -> set[int]:
    """Move one control from end to end with the keyboard and collect what the figure shows."""
    key = "Space" if control.get_attribute("type") == "checkbox" else arrow
    frames = {*figure.evaluate(SHOWN)}
    control.evaluate("(control) => (control.querySelector(':checked') ?? control).focus()")
    for _ in range(int(control.get_attribute("data-size")) - 1):
        page.keyboard.press(key)
        visible = figure.evaluate(SHOWN)
        assert len(visible) == 1, "exactly one frame is visible"
        frames |= {*visible}
    return frames


def test_quizzes_reply_to_every_answer(chapter_from_disk):
    quizzes = chapter_from_disk.locator(".mb-quiz").all()
    assert quizzes, "every chapter has a quiz"
    for quiz in quizzes:
        quiz.evaluate(OPEN_AROUND)
        replies = quiz.evaluate(REPLIES)
        assert not any(replies), "a reply shows before an answer is chosen"
        quiz.locator("input").first.focus()
        for i in range(len(replies)):
            chapter_from_disk.keyboard.press("ArrowDown" if i else "Space")
            replies = quiz.evaluate(REPLIES)
            assert replies.pop(i).split(".")[0] in ("Right", "Not this one")
            assert not any(replies), "another answer replies"


def test_cards_and_solutions_open_with_enter(chapter_from_disk):
    cards = chapter_from_disk.locator(".mb-cards details").all()
    solutions = chapter_from_disk.locator(".tag_solution details").all()
    assert cards, "every chapter has flashcards"
    assert solutions, "every chapter has exercises with folded solutions"
    for fold in cards + solutions:
        assert not fold.evaluate("fold => (fold.querySelector('summary').focus(), fold.open)")
        chapter_from_disk.keyboard.press("Enter")
        assert fold.evaluate("fold => fold.open && fold.lastElementChild.checkVisibility()")


@pytest.mark.slow
def test_keyboard_reaches_everything_and_shows_where_it_is(page_from_disk, page_name):
    if not is_tried(page_name):
        return
    page_from_disk.evaluate(GO_TO_THE_TOP)
    page_from_disk.evaluate(FOLLOW_THE_FOCUS)
    for _ in range(page_from_disk.evaluate(STOPS) // AT_ONCE + 1):
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


@pytest.mark.slow
def test_accessible_in_light_and_dark_and_fits_every_screen(page_from_disk, page_name):
    # Contrast does not depend on the width, and nothing else on the colors.
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
