"""What asks on a phone's screen, by keyboard: fields to type into, lines to choose, a walk."""

from pathlib import Path

import nbformat
import pytest
from built_book import BOOK, PHONE
from playwright.sync_api import expect

from bertbook.core.bug_hunt import hunt
from bertbook.core.fields import answer_field as asked
from bertbook.core.questions import tomllib

HALF, TURNED = (0.5, "That is one of two."), ([0.5, 0.3, 0.2], "You began at the end.")
FIELDS = {
    "third": asked("What weight?", 1 / 3, mistakes=[HALF], why="Three scores share 1."),
    "vector": asked("Which?", [0.2, 0.3, 0.5], mistakes=[TURNED], why="They sum to 1."),
    "pieces": asked("Which?", "una ##ffa", mistakes=[("un", "Too short.")], why="The longest."),
    "count": asked("How many?", 589_824, tolerance=0.5, why="768 times 768."),
    "thirds": asked("Which mean?", [4 / 3, 8 / 3], tolerance=0.01, why="4 and 8, divided by 3."),
    "named": asked("Where?", [1, 2, 3], labels=["cat", "a, b", "sun"], why="One by one."),
}
HUNT = hunt("Which line?", "x = 1\ny = 2", "y = 2", {"y = 2": "It is two."})
REPLIES = tomllib.loads(Path(__file__).with_name("replies.toml").read_text(encoding="utf-8"))


def reply_to(page, *texts, field="third"):
    """Type into the boxes of a field and press Enter, with the keyboard alone."""
    place = page.locator(".mb-ask").nth([*FIELDS].index(field))
    boxes = place.locator("input").all()
    for box in boxes:
        box.fill("")
    for box, text in zip(boxes, texts):
        box.focus()
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    return place.locator("[role=status]").inner_text()


@pytest.fixture(scope="module")
def page(phone):
    return phone("".join(field._repr_html_() for field in (*FIELDS.values(), HUNT)))


@pytest.mark.parametrize("field", FIELDS)
def test_every_answer_gets_its_reply(page, field):
    """Numbers may be written in more ways: tests/live/numbers.test.js."""
    for words, answers in REPLIES[field].items():
        for texts in answers:
            reply = reply_to(page, *([texts] if isinstance(texts, str) else texts), field=field)
            assert words in reply and ("Right." in reply) == ("Right." in words), texts
            assert field != "count" or "digits" not in reply


def test_show_me_comes_after_one_try_and_opens_by_keyboard(phone):
    page = phone(FIELDS["third"]._repr_html_())
    fold = page.locator("details")
    expect(fold).to_be_hidden()
    reply_to(page, "")
    expect(fold).to_be_hidden()
    reply_to(page, "0.1")
    expect(fold).to_be_visible()
    for key in ("Tab", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(fold.locator("p")).to_have_text("0.33. Three scores share 1.")


def test_lines_are_chosen_by_keyboard_and_reply(page):
    lines = page.locator(".mb-lines")
    lines.locator("input").first.focus()
    page.keyboard.press("Space")
    expect(lines.locator("p:visible")).to_have_text("Not this one. This line does what it should.")
    page.keyboard.press("ArrowDown")
    expect(lines.locator("p:visible")).to_have_text("Right. It is two.")


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
    page.get_by_role("button", name="Back").press("Enter")
    assert page.evaluate("document.activeElement.checked")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_without_scripts_everything_is_there(phone, walk):
    page = phone(walk, scripts=False)
    for number in range(page.get_by_role("group").count()):
        assert shown(page, number).count() >= 1
    assert page.locator(":is([data-open], [data-here]):visible").count() == 0
    expect(page.get_by_role("button")).to_have_count(0)
    page = phone(FIELDS["third"]._repr_html_(), scripts=False)
    expect(page.locator("input")).to_be_hidden()
    page.locator("summary").click()
    expect(page.get_by_text("Three scores share 1.")).to_be_visible()
