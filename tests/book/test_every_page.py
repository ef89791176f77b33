"""Every page of the book, opened once from the disk and looked at in every way."""

import re

import pytest
from built_book import DESKTOP, NO_COLORS, ONLY_COLORS, PHONE, assert_accessible, assert_fits

# The pages of the reference come from one template: keyboard and axe-core try these of them.
TRIED = tuple(
    f"api{page}.html"
    for page in "|-text|-training|-family|-checkers|-using|-figures|-classifier".split("|")
)
NARROWEST = {**PHONE, "width": 320}
AT_ONCE = 20
MAY_SCROLL = 0.25
# Without a script radio buttons and folds work; the answers of a game look like text there.
CONTROLS = "main :is(button, select, textarea, input:not([type=radio])):not(.mb-turn button)"
# What a cell says to an empty exercise, to a kernel's user, or where nothing can be shown.
OF_A_KERNEL = re.compile(
    r".*(?:returns nothing yet|^Not yet\.|[Rr]un this cell|Loading widget| object at 0x|"
    r"<Figure size|Traceback \(most recent|LiveFigure\().*",
    re.MULTILINE,
)


def is_tried(name: str) -> bool:
    """Say whether keyboard and axe-core try a page: all but those that are like some others."""
    return not name.startswith("api-") or name in TRIED


def test_works_from_the_disk_and_says_nothing_that_belongs_to_a_kernel(page_from_disk):
    words = page_from_disk.evaluate("document.querySelector('main').innerText")
    assert not OF_A_KERNEL.findall(words)
    written, set_, wrong = page_from_disk.evaluate("look.formulas()")
    assert (set_, wrong) == (written, 0), "a formula stayed as source text, or has an error"


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
    assert page_from_disk.evaluate("[look.pale(), look.buttons()]") == [[], []]
    first = page_from_disk.evaluate("document.querySelector('main').innerText.trim()")
    heading = page_from_disk.locator("h1").last.inner_text().strip()
    assert first.startswith(heading[:40])
    page_from_disk.emulate_media(media="screen")


def assert_readable(page, smallest: int) -> None:
    page.evaluate("look.laidOut()")
    assert [p for p in page.evaluate("look.pictures()") if p["smallest"] < smallest - 0.05] == []


def test_letters_of_pictures_can_be_read_and_stand_inside_their_boxes(chapter_from_disk):
    assert_readable(chapter_from_disk, smallest=11)
    assert chapter_from_disk.evaluate("look.outOfBoxes()") == []


def test_on_a_phone_letters_can_be_read_and_little_scrolls(chapter_from_disk):
    chapter_from_disk.set_viewport_size(PHONE)
    assert_readable(chapter_from_disk, smallest=10)
    boxes = chapter_from_disk.evaluate("look.boxes()")
    for box in (box for box in boxes if box["isWide"]):
        assert box["isFaded"], f"nothing shows that there is more at the right of {box}"
        assert box["hidden"] < 1, f"{box['hidden']:.0f} pixels stick out left: {box}"
        assert box["kind"] != "table" or "Scroll" in box["words"], f"no words say it: {box}"
    assert chapter_from_disk.evaluate("look.shredded()") == []
    code = [box["isWide"] for box in boxes if box["kind"] == "code"]
    assert sum(code) <= MAY_SCROLL * len(code), "many blocks of code scroll sideways"
    chapter_from_disk.set_viewport_size(DESKTOP)


def test_interactive_figures_follow_the_keyboard(chapter_from_disk):
    figures = chapter_from_disk.locator("figure.mb-explore").all()
    stepwise = chapter_from_disk.locator("figure.mb-stepwise").count()  # test_fields walks it
    live = chapter_from_disk.locator("[data-live]:not([data-live=exercise])").all()
    assert figures or stepwise or live, "every chapter has an interactive figure"
    for figure in live:  # what it computes is in test_live_figures
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
    frames = {*figure.evaluate("figure => look.frames(figure)")}
    control.evaluate("(control) => (control.querySelector(':checked') ?? control).focus()")
    for _ in range(int(control.get_attribute("data-size")) - 1):
        page.keyboard.press(key)
        visible = figure.evaluate("figure => look.frames(figure)")
        assert len(visible) == 1, "exactly one frame is visible"
        frames |= {*visible}
    return frames


def test_quizzes_reply_to_every_answer(chapter_from_disk):
    quizzes = chapter_from_disk.locator(".mb-quiz").all()
    assert quizzes, "every chapter has a quiz"
    for quiz in quizzes:
        quiz.evaluate("quiz => look.openAround(quiz)")
        replies = quiz.evaluate("quiz => look.replies(quiz)")
        assert not any(replies), "a reply shows before an answer is chosen"
        quiz.locator("input").first.focus()
        for i in range(len(replies)):
            chapter_from_disk.keyboard.press("ArrowDown" if i else "Space")
            replies = quiz.evaluate("quiz => look.replies(quiz)")
            assert replies.pop(i).split(".")[0] in ("Right", "Not this one")
            assert not any(replies), "another answer replies"


def test_cards_and_solutions_open_with_enter(chapter_from_disk):
    for kind in (".mb-cards details", ".tag_solution details"):
        folds = chapter_from_disk.locator(kind).all()
        assert folds, "every chapter has flashcards, and exercises with folded solutions"
        for fold in folds:
            assert not fold.evaluate("fold => (fold.querySelector('summary').focus(), fold.open)")
            chapter_from_disk.keyboard.press("Enter")
            assert fold.evaluate("fold => fold.open && fold.lastElementChild.checkVisibility()")


@pytest.mark.slow
def test_keyboard_reaches_everything_and_shows_where_it_is(page_from_disk, page_name):
    if not is_tried(page_name):
        return
    for _ in range(page_from_disk.evaluate("look.followTheFocus()") // AT_ONCE + 1):
        for _ in range(AT_ONCE):
            page_from_disk.keyboard.press("Tab")
        if page_from_disk.evaluate("hasLeft"):
            break
    for focused in page_from_disk.evaluate("visits"):
        assert not focused["again"], f"the Tab key does not get past {focused['html']}"
        assert focused["seen"], f"the Tab key reaches something invisible: {focused['html']}"
        assert focused["marked"], f"nothing shows that the focus is on {focused['html']}"
    assert page_from_disk.evaluate("look.unreached()") == [], "the Tab key does not reach these"
    page_from_disk.evaluate("document.activeElement.blur()")
    page_from_disk.wait_for_function("!document.querySelector('.tooltip')")


@pytest.mark.slow
def test_accessible_in_light_and_dark_and_fits_every_screen(page_from_disk, page_name):
    # Contrast does not depend on the width, and nothing else on the colors.
    page = page_from_disk
    page.evaluate("look.unfold()")
    for scheme, rules in (("light", {}), ("dark", ONLY_COLORS)):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        page.wait_for_function(f"document.documentElement.dataset.theme === '{scheme}'")
        if is_tried(page_name):
            assert_accessible(page, scheme, **rules)
    for screen in (DESKTOP, PHONE, NARROWEST):
        page.set_viewport_size(screen)
        page.evaluate("look.laidOut()")
        if screen is PHONE and is_tried(page_name):
            assert_accessible(page, "on a phone", **NO_COLORS)
        assert_fits(page)
