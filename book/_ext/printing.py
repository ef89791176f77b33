"""Print the built book: `python book/_ext/printing.py` writes `book/_build/bert-by-hand.pdf`.

Chromium prints one document twice: after the first time it is known on which page everything
stands, and the numbers behind the links are filled in.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

from one_document import BOOK, one_document, printed_pages
from playwright.sync_api import Browser, Page, sync_playwright
from pypdf import PdfReader

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
WIDTH = 658  # pixels between the margins of an A4 page
MINUTES = 10
FOOTER = (
    '<div style="font-size:8px;width:100%;text-align:center;font-family:sans-serif">'
    '<span class="pageNumber"></span></div>'
)
PAPER = {"format": "A4", "print_background": True, "tagged": True, "outline": True}
MARGIN = {"top": "18mm", "right": "18mm", "bottom": "20mm", "left": "18mm"}
# What is wider than the page becomes smaller, as a whole.
SHRINK = """width => document.querySelectorAll(
    "table, figure, mjx-container, .math, .mb-tokens, svg, img"
  ).forEach(each => {
    if (each.parentElement.closest("[data-shrunk], svg")) return;
    const right = Math.max(each.getBoundingClientRect().left + each.scrollWidth,
      each.getBoundingClientRect().right);
    const left = each.getBoundingClientRect().left;
    if (right > width + 1) {
      each.style.zoom = Math.max(0.3, (width - left) / (right - left));
      each.dataset.shrunk = "";
    }
  })"""
LINKED = "[...document.querySelectorAll('[data-to]')].map(each => each.dataset.to)"
THREE_DIGITS = 888  # stands for a number of which only the width is known
CUT = """width => [...document.querySelectorAll("body *")].filter(each => {
    if (each.closest("mjx-assistive-mml, svg *, defs")) return false;
    if (!each.getClientRects().length) return false;
    const { left, right } = each.getBoundingClientRect();
    const end = each.closest("[data-shrunk]") ? right : Math.max(right, left + each.scrollWidth);
    return end > width + 2;
  }).map(each => each.outerHTML.slice(0, 200))"""


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the browser that prints."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        raise SystemExit("Printing needs Chromium. On Debian or Ubuntu: apt-get install chromium")
    flags = ["--allow-file-access-from-files"]
    flags += ["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=flags)
        yield browser
        browser.close()


@contextmanager
def opened(browser: Browser, document: str, html: Path) -> Iterator[Page]:
    """Open a document as it will be printed, its formulas set; it stands beside the pages."""
    draft = html / ".print.html"
    draft.write_text(document, encoding="utf-8")
    page = browser.new_page(viewport={"width": WIDTH, "height": 900})
    page.set_default_timeout(MINUTES * 60_000)
    try:
        page.emulate_media(media="print", color_scheme="light")
        page.goto(draft.as_uri())
        page.evaluate("window.MathJax?.startup?.promise.then(() => document.fonts.ready)")
        page.evaluate(SHRINK, WIDTH)
        yield page
    finally:
        page.close()
        draft.unlink()


def cut_off(page: Page) -> list[str]:
    """List what reaches over the right margin."""
    return page.evaluate(CUT, WIDTH)


def print_page(page: Page) -> bytes:
    """Print with page numbers, an outline and tags."""
    return page.pdf(
        **PAPER,
        margin=MARGIN,  # pyright: ignore[reportArgumentType]
        display_header_footer=True,
        header_template="<span></span>",
        footer_template=FOOTER,
    )


def page_numbers(pdf: bytes) -> dict[str, int]:
    """Read on which page each target of a link stands, counted from 1."""
    reader = PdfReader(BytesIO(pdf))
    return {
        name.removeprefix("/"): (reader.get_destination_page_number(place) or 0) + 1
        for name, place in reader.named_destinations.items()
    }


def fill_in(page: Page, numbers: dict[str, int]) -> None:
    """Write the numbers of pages behind the links."""
    page.evaluate(
        """numbers => document.querySelectorAll("[data-to]").forEach(each => {
          each.textContent = numbers[each.dataset.to] ?? "";
        })""",
        numbers,
    )


def print_book(
    browser: Browser, html: Path, parts: dict[str, list[str]]
) -> tuple[bytes, list[str]]:
    """Print pages of the built book; give the file, and what was cut off at the margin."""
    with opened(browser, one_document(html, parts), html) as page:
        fill_in(page, dict.fromkeys(page.evaluate(LINKED), THREE_DIGITS))
        fill_in(page, page_numbers(print_page(page)))
        return print_page(page), cut_off(page)


def main() -> int:
    """Print the whole book, and say what it has become."""
    html = BOOK / "_build" / "html"
    if not (html / "index.html").is_file():
        raise SystemExit(f"There is no built book in {html}: run `make book` first.")
    with chromium() as browser:
        pdf, cut = print_book(browser, html, printed_pages())
    path = html.parent / "bert-by-hand.pdf"
    draft = path.with_suffix(".draft")
    draft.write_bytes(pdf)
    draft.replace(path)
    print(f"{path}: {len(PdfReader(BytesIO(pdf)).pages)} pages, {len(pdf) / 1e6:.1f} MB")
    for element in cut:
        print(f"cut off at the margin: {re.sub(' +', ' ', element)}", file=sys.stderr)
    return 1 if cut else 0


if __name__ == "__main__":
    sys.exit(main())
