"""A page of the built book as a page of an e-book: XHTML without scripts, fields and folds."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from pathlib import PurePosixPath

from answers_behind import answers_behind, leave_room
from bs4 import BeautifulSoup, Tag
from ebook_colors import fill_cells
from ebook_tables import name_cells
from folds_behind import folds_behind, links_back

ON_SCREEN_ONLY = (
    *("script", "style", "noscript", "button", ".headerlink", ".mb-exercise"),
    "[hidden]:not(.mb-quiz p)",  # the replies become answers
    *("details.borrowed", ".cell.tag_remove-cell", ".way-to-answer", "svg"),
    ".cell.tag_one-line > .cell_input",  # the line calls nothing here
    "section#in-the-api",  # a list of links to what is not in the e-book
)
KEPT = {
    *("id", "class", "href", "src", "alt", "style", "lang", "start"),
    *("colspan", "rowspan", "scope", "data-name"),
}
MARKS = {"radio": "○ ", "checkbox": "☐ "}
# Lines of code, and words that are strong or slanted in it: on screens like paper no color helps.
TOLD = re.compile(r"line in\d+|k\w?|c\w?|ow|nf|nc")
HANGING = 24  # the deepest indentation that lines of code keep when they are wrapped
PAGE = (
    '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
    '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" '
    'lang="en" xml:lang="en"><head><title>{title}</title>'
    '<link rel="stylesheet" type="text/css" href="ebook.css"/></head>\n<body>{body}</body></html>\n'
)


def file_of(page: str) -> str:
    """Give the name of the file in which a page stands."""
    return f"{PurePosixPath(page).name}.xhtml"


def article_of(html: str) -> Tag:
    """Take what belongs to a page alone, without the frame around it."""
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    if article is None:
        raise ValueError("a page has no article; build the pages again with `make book`")
    return article


def plain(article: Tag, page: str, pages: Iterable[str]) -> None:
    """Turn a page, whose figures and formulas are set already, into what an e-book can show."""
    for element in article.select(", ".join(ON_SCREEN_ONLY)):
        element.decompose()
    leave_room(article)
    for room in article.select(".room"):
        room.decompose()  # nobody writes on this paper
    folds_behind(article)
    answers_behind(article)
    links_back(article)
    for control in article.select("input"):
        control.replace_with(MARKS.get(str(control.get("type")), ""))
    for name, becomes in (("fieldset", "div"), ("legend", "p"), ("label", "span")):
        for element in article.select(name):
            names = [name, *filter(None, element.get_attribute_list("class"))]
            element.name, element["class"] = becomes, " ".join(names)
    name_cells(article)
    fill_cells(article)
    _set_code(article)
    _set_links(article, page, set(pages))
    _strip(article)


def _set_code(article: Tag) -> None:
    """Let lines of code wrap below their own beginning, and keep only what stresses a word."""
    for line in article.select("pre .code-line"):
        found = re.search(r"--indent:(\d+)ch", str(line.get("style", "")))
        depth = int(found[1]) if found else 0
        line["class"] = f"line in{min(depth, HANGING)}"
        del line["style"]
        if isinstance(line.next_sibling, str) and line.next_sibling.startswith("\n"):
            line.next_sibling.replace_with(line.next_sibling[1:])
            line.append("\n")
    for span in article.select("pre span, code > span"):
        names = [str(name) for name in span.get_attribute_list("class") if name]
        if not span.get("id") and not any(map(TOLD.fullmatch, names)):
            span.unwrap()


def hanging_lines() -> str:
    """Let wrapped lines of code go on two letters to the right of their beginning."""
    steps = ((depth, f"{0.6 * (depth + 2):.1f}em") for depth in range(HANGING + 1))
    return "".join(f".in{depth}{{padding-left:{far};text-indent:-{far}}}\n" for depth, far in steps)


def _set_links(article: Tag, page: str, pages: set[str]) -> None:
    """Lead links to the files of the e-book; what is not in it is no link."""
    for link in article.select("a"):
        target = target_of(str(link.get("href", "")), page, pages)
        if target is None:
            link.unwrap()
        else:
            link["href"] = target


def target_of(link: str, page: str, pages: set[str]) -> str | None:
    """Say where a link of a page leads: into the e-book, to an address, or nowhere."""
    path, mark, place = link.partition("#")
    if re.match(r"(https?|mailto):", path):
        return link
    if not path:
        return link or None
    parts: list[str] = []
    for part in [*PurePosixPath(page).parent.parts, *PurePosixPath(path).parts]:
        parts = parts[:-1] if part == ".." else [*parts, part]
    name = "/".join(parts).removesuffix(".html")
    if name == "index":
        return "title.xhtml"
    return f"{file_of(name)}{mark}{place}" if name in pages else None


def _strip(article: Tag) -> None:
    """Keep attributes that an e-book knows; a blank keeps its name."""
    for element in article.find_all(True):
        if element.find_parent("math") or element.name == "math":
            continue
        kept = KEPT | ({"role", "aria-label"} if element.get("role") == "img" else set())
        element.attrs = {name: value for name, value in element.attrs.items() if name in kept}


def written(article: Tag) -> str:
    """Write a page as a file."""
    heading = article.select_one("h1")
    article.name, article.attrs = "main", {}
    title = escape(heading.get_text(" ", strip=True)) if heading else ""
    return PAGE.format(title=title, body=article.decode(formatter="minimal"))
