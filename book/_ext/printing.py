"""Print the built book: `python book/_ext/printing.py` writes `book/_build/bert-by-hand.pdf`.

Chromium prints each page of the book as a document; one that held the whole book would take it
hours. After a round it is known on which page of paper everything stands. Documents that said other
numbers are printed again, and in the end all become one file (`joining.py`).
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from tempfile import NamedTemporaryFile

from browser import chromium
from joining import joined, places
from playwright.sync_api import Browser, Page
from print_documents import BOOK, FRONT, documents, key_of, printed_pages
from pypdf import PdfReader

TITLE = "BERT by Hand"
WIDTH = 658  # pixels between the margins of an A4 page
SECONDS = 300
ROUNDS = 6
MOST_PAGES = 700
UNKNOWN = 888  # stands for the number of a page of which only the width is known
HEIGHT = 950  # pixels: no figure may be higher, so that none stands on two pages
# What is wider or higher than the page becomes smaller, as a whole.
SHRINK = """([width, height]) => document.querySelectorAll(
    "table, figure, mjx-container, .math, .mb-tokens, svg, img"
  ).forEach(each => {
    if (each.parentElement.closest("[data-shrunk], svg")) return;
    const right = Math.max(each.getBoundingClientRect().left + each.scrollWidth,
      each.getBoundingClientRect().right);
    const { left, height: own } = each.getBoundingClientRect();
    const one = each.matches("figure, svg, img");
    const scale = Math.min((width - left) / (right - left), one ? height / own : 1);
    if (right > width + 1 || (one && own > height)) {
      each.style.zoom = Math.max(0.3, scale);
      each.dataset.shrunk = "";
    }
  })"""
HEADINGS = "[...document.querySelectorAll('h1, h2, h3, h4')].map(each => each.innerText)"
LINKED = "[...document.querySelectorAll('[data-to]')].map(each => each.dataset.to)"
FILL_IN = """([before, numbers]) => {
    document.documentElement.style.counterReset = `page ${before}`;
    document.querySelectorAll("[data-to]").forEach(each => {
      each.textContent = numbers[each.dataset.to];
    });
  }"""
CUT = """width => [...document.querySelectorAll("body *")].filter(each => {
    if (each.closest("mjx-container *, svg *")) return false;
    if (!each.getClientRects().length) return false;
    const { left, right } = each.getBoundingClientRect();
    const end = each.closest("[data-shrunk]") ? right : Math.max(right, left + each.scrollWidth);
    return end > width + 2;
  }).map(each => each.outerHTML.slice(0, 200))"""


@contextmanager
def opened(browser: Browser, document: str, html: Path) -> Iterator[Page]:
    """Open a document as it will be printed; it stands beside the pages."""
    with NamedTemporaryFile(dir=html, prefix=".print-", suffix=".html", delete=False) as file:
        file.write(document.encode())
    draft = Path(file.name)
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.set_default_timeout(SECONDS * 1000)
    try:
        page.emulate_media(media="print", color_scheme="light")
        page.goto(draft.as_uri())
        page.evaluate("document.fonts.ready.then(() => null)")
        page.evaluate(SHRINK, [WIDTH, HEIGHT])
        yield page
    finally:
        page.close()
        draft.unlink()


def cut_off(page: Page) -> list[str]:
    """List what reaches over the right margin."""
    return page.evaluate(CUT, WIDTH)


def print_page(page: Page, before: int, numbers: dict[str, int]) -> bytes:
    """Print a document behind some pages of paper, with the numbers of pages that it speaks of."""
    page.evaluate(FILL_IN, [before, numbers])
    return page.pdf(prefer_css_page_size=True, print_background=True, tagged=True, outline=True)


class Press:
    """Documents in their order, and what is known of each after it was printed."""

    def __init__(self, browser: Browser, html: Path, documents: dict[str, str]):
        self.browser, self.html, self.documents = browser, html, documents
        self.printed: dict[str, bytes] = {}
        self.places: dict[str, dict[str, int]] = {}
        self.lengths: dict[str, int] = {}
        self.said: dict[str, tuple[int, dict[str, int]]] = {}
        self.faults: dict[str, list[str]] = {}
        self.headings: list[str] = []

    def numbers(self) -> dict[str, int]:
        """Say on which page of paper each place stands, as far as it is known."""
        return {
            place: self.before(key) + page + 1
            for key, found in self.places.items()
            for place, page in found.items()
        }

    def before(self, key: str) -> int:
        """Count the pages before a document."""
        names = [*self.documents]
        return sum(self.lengths.get(name, 0) for name in names[: names.index(key)])

    def is_right(self, key: str) -> bool:
        """Say whether a document that was printed says the numbers that hold now."""
        if key not in self.said:
            return False
        before, said = self.said[key]
        known = self.numbers()
        return before == self.before(key) and said == {to: known.get(to, UNKNOWN) for to in said}

    def print(self, key: str) -> None:
        """Print a document with the numbers that are known."""
        with opened(self.browser, self.documents[key], self.html) as page:
            known = self.numbers()
            said = {to: known.get(to, UNKNOWN) for to in page.evaluate(LINKED)}
            self.said[key] = self.before(key), said
            self.printed[key] = print_page(page, *self.said[key])
            self.places[key], self.lengths[key] = places(self.printed[key])
            self.headings += page.evaluate(HEADINGS)
            self.faults[key] = [f"cut off at the margin: {each}" for each in cut_off(page)]

    def run(self) -> None:
        """Print until all numbers are right."""
        for _ in range(ROUNDS):
            wrong = [key for key in self.documents if not self.is_right(key)]
            for key in wrong:
                self.print(key)
            if not wrong:
                return
        raise RuntimeError(f"after {ROUNDS} rounds some numbers of pages are still wrong: {wrong}")

    def told(self) -> list[str]:
        """List what is wrong with the prints."""
        known = self.numbers()
        for key, (_, said) in self.said.items():
            self.faults[key] += [f"leads nowhere: {to}" for to in said if to not in known]
        return [f"{key}: {fault}" for key, faults in self.faults.items() for fault in faults]


def print_book(
    browser: Browser, html: Path, parts: dict[str, list[str]]
) -> tuple[bytes, list[str]]:
    """Print pages of the built book; give the file, and what is wrong with it."""
    press = Press(browser, html, documents(html, parts, TITLE))
    press.run()
    under = {"": [press.printed[FRONT]]}
    under |= {
        caption: [press.printed[key_of(page)] for page in pages] for caption, pages in parts.items()
    }
    return joined(under, TITLE, press.headings), press.told()


def main() -> int:
    """Print the whole book, and say what it has become."""
    html = BOOK / "_build" / "html"
    if not (html / "index.html").is_file():
        raise SystemExit(f"There is no built book in {html}: run `make book` first.")
    with chromium("--allow-file-access-from-files") as browser:
        pdf, faults = print_book(browser, html, printed_pages())
    path = html.parent / "bert-by-hand.pdf"
    draft = path.with_suffix(".draft")
    draft.write_bytes(pdf)
    draft.replace(path)
    pages = len(PdfReader(BytesIO(pdf)).pages)
    print(f"{path}: {pages} pages, {len(pdf) / 1e6:.1f} MB")
    if pages > MOST_PAGES:
        faults.append(f"{pages} pages, and a book of paper has room for {MOST_PAGES}")
    for fault in faults:
        print(re.sub(" +", " ", fault), file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
