"""The landing page answers without a click and stands still, and what it counts is so."""

import re

import pytest
from axe_rules import assert_accessible
from built_book import BOOK, HTML, PHONE

LAPTOP = {"width": 1280, "height": 800}
SCREENS = pytest.mark.parametrize("screen", [LAPTOP, PHONE], ids=["laptop", "phone"])
FIGURE = "[data-live=opening]"
READY = f"{FIGURE} button.mb-hide"  # its words are buttons: the script has taken over
COMPUTED = "Where [MASK] looked"  # appears as soon as the model is there
MOVING = "(figure) => figure.getAnimations({subtree: true}).length"
MODEL, ICONS, OTHER_ICONS = "small-world.js", "fa-solid-900.woff2", "fa-brands-400.woff2"
NOTE_MOTION = """
  window.noted = [];
  addEventListener('animationstart', ({ animationName }) => noted.push(animationName), true);
"""
BARK = ["word the model at best bark 1.00 1.00", "“bark” stood there."]


@pytest.fixture
def opened(reader):
    """Open the page, and give its figure."""

    def open_page(**settings):
        page = reader.open("index.html", from_disk=True, **settings)
        return page, page.locator(FIGURE)

    return open_page


def answer(figure):
    """Give what the figure says, as a reader sees it."""
    table, status = (figure.get_by_role(part) for part in ("table", "status"))
    shown = [table, figure.locator(".mb-sentence"), status]
    return [" ".join(part.inner_text().split()) for part in shown]


@SCREENS
def test_the_first_screen_answers_rightly_and_leads_to_chapter_1(opened, screen):
    page, figure = opened(viewport=screen, motion="no-preference", first=NOTE_MOTION)
    table, sentence, status = answer(figure)
    assert [table, status[:19]] == BARK and "feels 34 % the 0 % [MASK]" in sentence
    page.locator(READY).first.wait_for()
    assert [table, sentence, status] == answer(figure)  # the script says the same
    assert {"mb-shade", "mb-grow"} <= {*page.evaluate("noted")}  # words; answers
    assert figure.evaluate(MOVING) == 0
    seen = [figure.get_by_role("table"), figure.locator(".mb-sentence")]
    for part in [*seen, page.get_by_role("link", name="Start with Chapter 1")]:
        box = part.bounding_box()
        assert box["y"] + box["height"] < screen["height"], f"below the first screen: {part}"
    assert page.evaluate("scrollY") == 0


def test_the_questions_are_answered_without_the_model_and_without_motion(opened, reader):
    page, figure = opened(first=NOTE_MOTION)
    buttons = figure.get_by_role("group", name="Questions").get_by_role("button")
    names = buttons.all_inner_texts()
    assert names[1] == "Which color is the ball?"  # where it fails comes second
    for number, first in ((1, "red 0.25 0.00"), (3, "hunts 0.49 0.33"), (2, "he 0.98 1.00")):
        buttons.nth(number).click()
        assert first in answer(figure)[0]
        pressed = [button.get_attribute("aria-pressed") for button in buttons.all()]
        assert pressed == [str(one == number).lower() for one in range(len(names))]
    page.wait_for_timeout(300)
    assert figure.evaluate(MOVING) == 0 and page.evaluate("noted") == []
    assert MODEL not in reader.asked
    assert reader.asked.count(ICONS) == 1 and OTHER_ICONS not in reader.asked


def test_the_model_comes_after_a_click_and_computes_what_stood_there(opened, reader):
    page, figure = opened()
    page.locator(READY).first.wait_for()
    stored = answer(figure)
    figure.get_by_role("button", name="Type a sentence of your own (loads 1.5 MB)").click()
    figure.get_by_label(COMPUTED).wait_for()
    assert answer(figure) == stored
    assert reader.asked.count(MODEL) == 1
    assert page.evaluate("document.activeElement.tagName") == "INPUT"
    page.keyboard.type("anna kicks the ball | she runs to the [MASK]")
    page.keyboard.press("Enter")
    figure.locator(".mb-sentence", has_text="anna").wait_for()
    assert figure.get_by_role("button", name="Let the model answer").is_visible()


def test_without_its_models_the_answers_stay(browser, html):
    context = browser.new_context()
    context.route(re.compile("/(small-world|english).js"), lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{html.as_uri()}/index.html")
    page.locator(READY).first.wait_for()
    page.locator(FIGURE).get_by_role("button", name="birch").click()
    page.get_by_text("small-world.js did not load; is it still beside the page?").wait_for()
    assert answer(page.locator(FIGURE))[0] == BARK[0]
    any_sentence = page.locator("[data-live=any-sentence]")
    any_sentence.get_by_role("button", name="Ask (loads").click()
    page.get_by_text("english.js did not load; is it still beside the page?").wait_for()
    assert any_sentence.get_by_role("table").count() == 1
    context.close()


def test_clicks_while_the_model_comes_load_it_once_and_the_keyboard_is_enough(opened, reader):
    page, figure = opened()
    page.locator(READY).first.wait_for()
    for word in ("birch", "young"):
        figure.get_by_role("button", name=word).dispatch_event("click")
    figure.get_by_role("status").get_by_text("“young” stood there.").wait_for()
    assert reader.asked.count(MODEL) == 1
    figure.get_by_role("button", name="stick").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    figure.get_by_role("status").get_by_text("“from” stood there.").wait_for()
    figure.get_by_role("button", name="Type a sentence").click()
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible(page, f"the answered page, {theme}")


def test_no_place_is_left_empty():
    for name in ("index.html", "paths.html", "statistics.html", "for-teachers.html"):
        page = (HTML / name).read_text(encoding="utf-8")
        assert not re.findall(r"\{[a-z ]+\}|<!-- (?:[a-z]+ of|downloads)", page)


def test_the_landing_page_counts_the_cells_that_are_compared():
    sources = [path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.ipynb")]
    left_out = sum(source.count('"nbval-ignore-output"') for source in sources)
    page = (HTML / "index.html").read_text(encoding="utf-8")
    compared, run = map(int, re.search(r"what (\d+) of (\d+) cells print", page).groups())
    assert run - compared == left_out
