"""Formulas as MathML: MathJax, the one of the pages, translates TeX inside of a browser."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup, Tag
from playwright.sync_api import Browser

MATHJAX = Path(__file__).resolve().parents[1] / "_vendor" / "lib" / "mathjax" / "tex-mml-chtml.js"
FORMULA = "span.math, div.math"
QUIET = "<script>MathJax = { startup: { typeset: false } }</script>"
TRANSLATE = """formulas => MathJax.startup.promise.then(() => formulas.map(
  ([tex, display]) => MathJax.tex2mml(tex, { display })))"""
OF_MATHJAX = re.compile(r' data-[\w-]+="[^"]*"')


def tex_of(element: Tag) -> tuple[str, bool]:
    r"""Read the TeX of a formula between its marks, and whether it stands on a line of its own.

    A formula in a line is ``\\(…\\)``, one on lines of its own ``\\[…\\]``.
    """
    text = element.get_text().strip()
    return text[2:-2].strip(), text.startswith(r"\[")


def translated(browser: Browser, formulas: Iterable[tuple[str, bool]]) -> dict:
    """Give the MathML of each formula, which carries its TeX for those who cannot see it."""
    wanted = list(dict.fromkeys(formulas))
    page = browser.new_page()
    page.set_content(QUIET)
    page.add_script_tag(path=MATHJAX)
    found = page.evaluate(TRANSLATE, [list(formula) for formula in wanted])
    page.close()
    for (tex, _), mathml in zip(wanted, found, strict=True):
        if "<merror" in mathml:
            raise ValueError(f"MathJax does not understand the formula {tex!r}")
    return {
        (tex, display): OF_MATHJAX.sub("", mathml).replace(
            "<math ", f'<math alttext="{escape(tex)}" ', 1
        )
        for (tex, display), mathml in zip(wanted, found, strict=True)
    }


def set_formulas(article: Tag, mathml: dict) -> None:
    """Put MathML where a page has TeX."""
    for element in article.select(FORMULA):
        made = BeautifulSoup(mathml[tex_of(element)], "html.parser")
        for table in made.select("mtable[columnalign]"):
            _align(table)
        element.clear()
        element.append(made)


def _align(table: Tag) -> None:
    """Say in each cell of a formula how it is aligned; browsers know no other way."""
    columns = str(table["columnalign"]).split()
    for row in table.find_all("mtr", recursive=False):
        for i, cell in enumerate(row.find_all("mtd", recursive=False)):
            cell["style"] = f"text-align:{columns[i % len(columns)]}"
