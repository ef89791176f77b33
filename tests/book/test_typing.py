"""Fields to type into, in a browser, on a phone's screen: what people type, and what they hear."""

import pytest
from built_book import PHONE
from playwright.sync_api import expect

from bertbook.core.bug_hunt import hunt
from bertbook.core.fields import answer_field as asked

HALF, TURNED = (0.5, "That is one of two."), ([0.5, 0.3, 0.2], "You began at the end.")
THIRD = asked("What weight?", 1 / 3, mistakes=[HALF], why="Three scores share 1.")
VECTOR = asked("Which weights?", [0.2, 0.3, 0.5], mistakes=[TURNED], why="They sum to 1.")
PIECES = asked("Which pieces?", "una ##ffa", mistakes=[("un", "Too short.")], why="The longest.")
COUNT = asked("How many?", 589_824, tolerance=0.5, why="768 times 768.")
THIRDS = asked("Which mean?", [4 / 3, 8 / 3], tolerance=0.01, why="4 and 8, divided by 3.")
NAMED = asked("In which places?", [1, 2, 3], labels=["cat", "a, b", "sun"], why="One by one.")
HUNT = hunt("Which line?", "x = 1\ny = 2", "y = 2", {"y = 2": "It is two."})


def reply_to(page, *texts, field=0):
    """Type into the boxes of a field and press Enter, with the keyboard alone."""
    boxes = page.locator(".mb-ask").nth(field).locator("input").all()
    for box in boxes:
        box.fill("")
    for box, text in zip(boxes, texts):
        box.focus()
        page.keyboard.type(text)
    page.keyboard.press("Enter")
    return page.locator(".mb-ask").nth(field).locator("[role=status]").inner_text()


@pytest.fixture(scope="module")
def page(phone):
    fields = (THIRD, VECTOR, PIECES, COUNT, THIRDS, NAMED, HUNT)
    return phone("".join(field._repr_html_() for field in fields))


@pytest.mark.parametrize(
    ("field", "texts", "words"),
    [
        *((0, text, "Right. Three scores share 1.") for text in ("1/3", "0,33", "33%", "≈ 0.333…")),
        (0, "", "Type an answer first"),
        (0, "a third", "Not a number: “a third”. Write, for example, −0.25, 1/4, 25 %"),
        (0, "0,5", "That is one of two."),
        (0, "−1/3", "Look at the sign"),
        (0, "33.3", "a hundred times the answer"),
        (0, "0.34", "0.34 is close, but a little too large. Keep more digits."),
        (0, "2", "2 is too large."),
        (3, "589,824", "Right. 768 times 768."),
        (3, "768²", "Right. 768 times 768."),
        (3, "589800", "589800 is close, but a little too small."),
        (1, ("0.2", "3/10", "50%"), "Right. They sum to 1."),
        (1, "(0,2; 0,3; 0,5)", "Right. They sum to 1."),
        (1, ("0.5", "0.3", "0.2"), "You began at the end."),
        (1, ("0.3", "0.2", "0.5"), "the right numbers in another order"),
        (1, ("0.2", "0.4", "0.6"), "1 of 3 entries are right. Look again at entries 2 and 3."),
        (1, ("0.2", "0.31", "0.9"), "Close: keep more digits in entry 2. Look again at entry 3."),
        (1, "0.2", "2 of 3 boxes are empty."),
        (4, ("1.3", "2.7"), "Not yet. Close: keep more digits in entries 1 and 2."),
        (5, ("1", "5", "7"), "1 of 3 entries are right. Look again at “a, b” and “sun”."),
        (2, "Una, ##FFA.", "Right. The longest."),
        (2, "['una', '##ffa']", "Right. The longest."),
        (2, "un", "Too short."),
        (2, "una", "“una” is not it."),
    ],
)
def test_every_answer_gets_its_reply(page, field, texts, words):
    """Numbers may be written in more ways: tests/live/numbers.test.js."""
    reply = reply_to(page, *((texts,) if isinstance(texts, str) else texts), field=field)
    assert words in reply and ("Right." in reply) == ("Right." in words)
    assert field != 3 or "digits" not in reply


def test_wrong_boxes_are_marked_and_right_ones_are_not(page):
    reply_to(page, "0.2", "0.4", "0.5", field=1)
    marked = page.locator(".mb-ask").nth(1).locator("input[aria-invalid]")
    assert marked.evaluate_all("boxes => boxes.map((box) => box.value)") == ["0.4"]
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_show_me_comes_after_one_try_and_opens_by_keyboard(phone):
    page = phone(THIRD._repr_html_())
    fold = page.locator("details")
    expect(fold).to_be_hidden()
    reply_to(page, "")
    expect(fold).to_be_hidden()
    reply_to(page, "0.1")
    expect(fold).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(fold.locator("p")).to_have_text("0.33. Three scores share 1.")


def test_without_scripts_the_answer_is_in_a_fold(phone):
    page = phone(THIRD._repr_html_(), scripts=False)
    expect(page.locator("input")).to_be_hidden()
    page.locator("summary").click()
    expect(page.get_by_text("Three scores share 1.")).to_be_visible()


def test_lines_are_chosen_by_keyboard_and_reply(page):
    hunt = page.locator(".mb-lines")
    hunt.locator("input").first.focus()
    page.keyboard.press("Space")
    expect(hunt.locator("p:visible")).to_have_text("Not this one. This line does what it should.")
    page.keyboard.press("ArrowDown")
    expect(hunt.locator("p:visible")).to_have_text("Right. It is two.")
