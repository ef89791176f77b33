"""What a page shows at first: letters that can be read, and nothing that is cut in silence.

A picture fills the column, unless it is small or high. On a phone code is wrapped, and what is
still too wide says that it scrolls and opens at its left end.
"""

SMALLEST = {"desktop": 11, "phone": 10}
FULL, GROWN, HIGH = 0.95, 1.6, 540
MAY_SCROLL = 0.25
PIXELS_OF_A_POINT = 4 / 3

# The letters are fitted when the page has been laid out.
LAID_OUT = "() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))"
PICTURES = """() => [...document.querySelectorAll('.mb-figure svg[style*="max-width"]')]
  .filter((svg) => svg.checkVisibility()).map((svg) => {
    const {width, height} = svg.getBoundingClientRect(), drawn = svg.viewBox.baseVal.width;
    const texts = [...svg.querySelectorAll('text, tspan')].filter((text) =>
      [...text.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim()));
    const letters = texts.map((text) => parseFloat(getComputedStyle(text).fontSize));
    return {
      name: svg.ariaLabel, width, height, drawn, room: svg.parentElement.clientWidth,
      smallest: Math.min(...letters) * width / drawn,
    };
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


def assert_readable(page, screen: str) -> None:
    page.evaluate(LAID_OUT)
    for picture in page.evaluate(PICTURES):
        assert picture["smallest"] > SMALLEST[screen] - 0.05, f"on a {screen}: {picture}"


def test_pictures_fill_the_column_with_letters_that_can_be_read(chapter_page):
    assert_readable(chapter_page, "desktop")
    for picture in chapter_page.evaluate(PICTURES):
        assert (
            picture["width"] >= FULL * picture["room"]
            or picture["width"] >= GROWN * picture["drawn"] * PIXELS_OF_A_POINT
            or picture["height"] >= HIGH
        ), f"there is room beside it: {picture}"


def test_letters_can_be_read_on_a_phone(chapter_on_a_phone):
    assert_readable(chapter_on_a_phone, "phone")


def test_little_scrolls_on_a_phone_and_says_so(chapter_on_a_phone):
    chapter_on_a_phone.evaluate(LAID_OUT)
    boxes = chapter_on_a_phone.evaluate(BOXES)
    wide = [box for box in boxes if box["isWide"]]
    for box in wide:
        assert box["isFaded"], f"nothing shows that there is more at the right of {box}"
        assert box["hidden"] < 1, f"{box['hidden']:.0f} pixels stick out left: {box}"
        assert box["kind"] != "table" or "Scroll" in box["words"], f"no words say it: {box}"
    code = [box for box in boxes if box["kind"] == "code"]
    scrolling = sum(box["isWide"] for box in code)
    assert scrolling <= MAY_SCROLL * len(code), f"{scrolling} of {len(code)} blocks scroll sideways"
