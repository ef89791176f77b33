"""The landing page moves and answers without a click, and says how long each path takes."""

import re

import pytest
from axe_rules import assert_accessible
from built_book import BOOK, HTML, PHONE, built_pages

SCREENS = [{"width": 1280, "height": 800}, PHONE]
FIGURE = "[data-live=fill-in-the-blank]"
COMPUTED = "Where [MASK] looked"  # appears as soon as the model is there
MOVING = "(figure) => figure.getAnimations({subtree: true}).length"
LOADED = "() => performance.getEntriesByType('resource').map((one) => one.name.split('/').pop())"
SAVING = "Object.defineProperty(navigator, 'connection', {value: {saveData: true}})"
BELOW = "addEventListener('DOMContentLoaded', () => document.body.style.paddingTop = '99vh')"
# What happens before a test can look: the states of the figure, and the motions that begin.
NOTE = """
  window.noted = [];
  const note = (changes) => changes.forEach(({ target, oldValue }) => noted.push(
    ...[...target.classList].filter((name) => /^mb-(wait|arriv)ing$/.test(name)
      && !` ${oldValue} `.includes(` ${name} `))));
  new MutationObserver(note).observe(document,
    { subtree: true, attributeFilter: ['class'], attributeOldValue: true });
  addEventListener('animationstart', ({ animationName }) => noted.push(animationName), true);
"""
CARD = re.compile(r"about (\d+) minutes to read and (\d+) for the exercises")


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
    return [part.inner_text() for part in (table, figure.locator(".mb-sentence"), status)]


@pytest.mark.parametrize("screen", SCREENS, ids=["desktop", "phone"])
def test_the_first_screen_answers_without_a_click(opened, screen):
    page, figure = opened(viewport=screen, motion="no-preference", first=NOTE)
    page.locator(f"{FIGURE}:not(.mb-waiting, .mb-arriving)").wait_for()
    noted = page.evaluate("noted")
    assert [name for name in noted if name.endswith("ing")] == ["mb-waiting", "mb-arriving"]
    begun = noted[noted.index("mb-arriving") :]
    assert begun.count("mb-shade") == 22 and begun.count("mb-grow") == 10  # words; answers
    assert figure.evaluate(MOVING) == 0
    figure.evaluate("(figure) => figure.classList.add('mb-waiting')")
    assert not figure.get_by_role("table").is_visible()  # the question stands there alone
    figure.evaluate("(figure) => figure.classList.remove('mb-waiting')")
    table, _, status = answer(figure)
    assert [*map(str.split, table.splitlines())][-1] == ["blue", "0.16", "1.00"]
    told = "“blue” stood there. The model gives it 0.16, the best possible guesser 1.00."
    assert status == told
    for part in ("table", "status"):
        box = figure.get_by_role(part).bounding_box()
        assert box["y"] + box["height"] < screen["height"], f"the {part} is below the first screen"
    assert page.evaluate("scrollY") == 0


def test_less_motion_is_none(opened):
    page, figure = opened(motion="reduce", first=NOTE)
    assert figure.get_by_role("table").is_visible()
    figure.get_by_label(COMPUTED).wait_for()
    assert figure.evaluate(MOVING) == 0
    assert page.evaluate("noted") == []


def test_who_saves_data_is_asked_first_and_reads_what_is_computed(opened):
    page, figure = opened(first=SAVING, motion="no-preference")
    stored = answer(figure)
    page.wait_for_timeout(300)
    assert "small-world.js" not in page.evaluate(LOADED)
    figure.get_by_role("button", name="Let the model answer (loads small-world.js, 1.5 MB)").click()
    figure.get_by_label(COMPUTED).wait_for()
    assert answer(figure) == stored


def test_the_model_comes_when_the_figure_is_seen(opened):
    page, figure = opened(first=BELOW, motion="no-preference")
    page.wait_for_timeout(300)
    assert "small-world.js" not in page.evaluate(LOADED)
    figure.scroll_into_view_if_needed()
    figure.get_by_label(COMPUTED).wait_for()


def test_without_its_model_the_answer_stays(browser, html):
    context = browser.new_context(reduced_motion="no-preference")
    context.route("**/small-world.js", lambda route: route.abort())
    page = context.new_page()
    page.goto(f"{html.as_uri()}/index.html")
    page.locator(".mb-arriving").wait_for()
    table, _, status = answer(page.locator(FIGURE))
    assert "blue" in table and status.startswith("“blue” stood there.")
    page.get_by_role("button", name="Let the model answer (loads").click()
    page.get_by_text("small-world.js did not load; is it still beside the page?").wait_for()
    context.close()


def test_a_click_while_the_model_is_coming_loads_it_once(opened):
    page, figure = opened(motion="no-preference")
    figure.get_by_role("button", name="sister").dispatch_event("click")
    figure.get_by_role("status").get_by_text("“sister” stood there.").wait_for()
    options = figure.get_by_label(COMPUTED).get_by_role("option").all_inner_texts()
    assert len(options) == len(set(options)) > 2
    assert page.evaluate(LOADED).count("small-world.js") <= 1


def test_by_keyboard_alone_and_accessible(opened):
    page, figure = opened(motion="no-preference")
    page.locator(f"{FIGURE}:not(.mb-waiting, .mb-arriving)").wait_for()
    figure.get_by_role("button", name="dog").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    figure.get_by_role("status").get_by_text("“finds” stood there.").wait_for()
    for theme in ("light", "dark"):
        page.evaluate(f"document.documentElement.dataset.theme = '{theme}'")
        assert_accessible(page, f"the answered page, {theme}")


# --- Four paths ----------------------------------------------------------------------------------


def minutes() -> dict[int, tuple[int, int]]:
    """Read off the cards of the built chapters how long each takes."""
    found = {}
    for name in built_pages("chapters"):
        match = CARD.search((HTML / name).read_text(encoding="utf-8"))
        found[int(re.search(r"/(\d\d)-", name)[1])] = (int(match[1]), int(match[2]))
    return found


def text(html: str) -> str:
    """Give the words of a piece of a page."""
    return " ".join(re.sub("<[^>]+>", " ", html).split())


@pytest.mark.parametrize(
    ("path", "does_exercises"),
    [("an-evening", 0), ("a-weekend", 1), ("a-semester", 1), ("i-use-bert-at-work", 0)],
)
def test_the_hours_of_a_path_are_those_of_its_cards(path, does_exercises):
    page = (HTML / "paths.html").read_text(encoding="utf-8")
    (section,) = re.findall(rf'<section id="{path}">(.*?)</section>', page, re.DOTALL)
    chapters = [int(number) for number in re.findall(r'href="chapters/(\d\d)-', section)]
    assert len(chapters) == len(set(chapters)) >= 3
    taken = sum(sum(minutes()[chapter][: 1 + does_exercises]) for chapter in chapters)
    (whole, half) = re.search(r"(\d*)(½?) hours", text(section)).groups()
    told = 60 * int(whole or 0) + 30 * bool(half)
    assert abs(told - taken) <= 15 + 5 * len(chapters)  # a card may be one step behind its text
    landing = text((HTML / "index.html").read_text(encoding="utf-8"))
    assert f"{whole}{half} hours" in landing


def test_no_place_is_left_empty():
    for name in ("index.html", "paths.html", "statistics.html", "for-teachers.html"):
        page = (HTML / name).read_text(encoding="utf-8")
        assert not re.findall(r"\{[a-z ]+\}|<!-- (?:[a-z]+ of|downloads)", page)


def test_the_landing_page_counts_the_cells_that_are_compared():
    sources = [path.read_text(encoding="utf-8") for path in (BOOK / "chapters").glob("*.ipynb")]
    left_out = sum(source.count('"nbval-ignore-output"') for source in sources)
    page = text((HTML / "index.html").read_text(encoding="utf-8"))
    compared, run = map(int, re.search(r"what (\d+) of (\d+) cells print", page).groups())
    assert run - compared == left_out
