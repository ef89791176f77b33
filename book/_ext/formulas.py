"""The Sphinx extension that sets the formulas: a page has them before any script runs.

Sphinx writes a formula as TeX. MathJax makes HTML of it here, in one process of node for all pages
(`formulas.js`), with MathML inside for those who hear the page. Each page brings along the style
that its own formulas need, and loads the fonts that they use.
"""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterable
from html import escape, unescape
from pathlib import Path

from myst_parser.sphinx_ext.mathjax import html_visit_displaymath
from node import node
from sphinx.application import Sphinx
from sphinx.ext.mathjax import html_visit_math
from sphinx.util.logging import getLogger

HERE = Path(__file__).resolve().parent
FONTS = "_static/lib/mathjax"
FORMULA = re.compile(  # an element with its number, if it has one, and its TeX
    r'(?P<element><(?P<name>span|div) class="[^"]*\bmath notranslate nohighlight\b[^>]*)>'
    r'\s*(?P<number><span class="eqno">.*?</span>)?(?P<tex>[^<]+)</(?P=name)>',
    re.DOTALL,
)
NOT_NEEDED = re.compile(r' data-mjx-[\w-]+="[^"]*"| xmlns="[^"]*"| style="position: relative;"')
OF_SPHINX = re.compile(r"^\\begin\{split\}(.*)\\end\{split\}$", re.DOTALL)
SPACE = re.compile(r"\s*([{};])\s*|\s+")
logger = getLogger(__name__)


class Typesetter:
    """MathJax in a process of its own, which sets the formulas of one page after the other."""

    def __init__(self, packages: Path = HERE.parent / "node_modules"):
        self.process = subprocess.Popen(
            [*node(), HERE / "formulas.js", packages],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )

    def set(self, formulas: Iterable[tuple[str, bool]]) -> tuple[list[dict[str, str]], str]:
        """Set formulas, each TeX and whether it stands on lines of its own; give their style, too.

        A formula has its `html`, or its `fault` in words.
        """
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps([*formulas]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("node ended before it had set the formulas; its message is above")
        answer = json.loads(line)
        style = SPACE.sub(lambda found: found[1] or " ", answer["style"])
        return answer["formulas"], style

    def close(self) -> None:
        """Let the process end."""
        self.process.communicate()


def tex_of(text: str) -> tuple[str, bool]:
    r"""Read the TeX of a formula between its marks, and whether it stands on lines of its own.

    A formula in a line is ``\(…\)``, one on lines of its own ``\[…\]`` or an environment.
    """
    text = text.strip()
    marked = text.startswith((r"\(", r"\["))
    return (text[2:-2].strip() if marked else text), not text.startswith(r"\(")


def with_formulas_set(body: str, typesetter: Typesetter) -> tuple[str, str, list[str]]:
    """Put HTML where a text has TeX; give the style for it, too, and what is wrong with the TeX."""
    found = [*FORMULA.finditer(body)]
    told = [tex_of(unescape(each["tex"])) for each in found]
    answers, style = typesetter.set(told)
    pieces = [written(*each) for each in zip(found, told, answers, strict=True)]
    faults = [
        f"MathJax does not understand the formula {tex!r}: {answer['fault']}"
        for (tex, _), answer in zip(told, answers, strict=True)
        if "fault" in answer
    ]
    rest = iter(pieces)
    return FORMULA.sub(lambda _: next(rest), body), style, faults


def written(found: re.Match[str], told: tuple[str, bool], answer: dict[str, str]) -> str:
    """Write a formula behind its number; its TeX goes along for paper, e-book and clipboard."""
    inside = NOT_NEEDED.sub("", answer.get("html", found["tex"]))
    tex = escape(OF_SPHINX.sub(r"\1", told[0]))
    return f'{found["element"]} data-tex="{tex}">{found["number"] or ""}{inside}</{found["name"]}>'


class Formulas:
    """The formulas of the book: a page at a time, as it is written."""

    def __init__(self):
        self.typesetter: Typesetter | None = None

    def set_page(self, app: Sphinx, pagename: str, template: str, context: dict, tree) -> None:
        """Set the formulas of a page, and put their style into its head."""
        if not FORMULA.search(context.get("body", "")):
            return
        self.typesetter = self.typesetter or Typesetter()
        context["body"], style, faults = with_formulas_set(context["body"], self.typesetter)
        for fault in faults:
            logger.warning(fault, location=pagename, type="formula")
        style = style.replace('url("/', f'url("{context["pathto"](FONTS, resource=True)}/')
        context["metatags"] = context.get("metatags", "") + f"<style>{style}</style>\n"

    def close(self, app: Sphinx, error: Exception | None) -> None:
        """End the process that has set the formulas."""
        if self.typesetter is not None:
            self.typesetter.close()


def setup(app: Sphinx) -> dict:
    """Connect the steps to Sphinx; `html_math_renderer: formulas` leaves out MathJax's script."""
    formulas = Formulas()
    app.add_html_math_renderer("formulas", (html_visit_math, None), (html_visit_displaymath, None))
    # Late: what else is done to a page sees the TeX.
    app.connect("html-page-context", formulas.set_page, priority=900)
    app.connect("build-finished", formulas.close)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": False}
