"""The pages of the built book as they are printed: each a document, a list of contents before them.

What is folded, moves or is clicked goes away. A link to another page becomes a link into another
document (`book:…`); each is followed by the number of the page of paper that it leads to, which is
known only after a first print (`printing.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from pathlib import Path, PurePosixPath

import yaml
from answers_behind import answers_behind, leave_room
from bs4 import BeautifulSoup, Tag

from minibert import __version__

BOOK = Path(__file__).resolve().parents[1]
ON_SCREEN_ONLY = (
    *("script", "style", "noscript", "button", "[hidden]", ".headerlink", ".mb-exercise"),
    *(".mb-controls input[type=range]", "details.borrowed", ".mb-gap", ".cell.tag_remove-cell"),
    ".cell.tag_one-line > .cell_input",  # on paper the line calls nothing
    *("p.way-to-answer", "section#in-the-api"),
)
MARKS = {
    ("radio", False): "○ ",
    ("radio", True): "● ",
    ("checkbox", False): "☐ ",
    ("checkbox", True): "☑ ",
}
ELSEWHERE = "book:"
FRONT = "front"
DOCUMENT = (
    '<!doctype html><html lang="en" data-theme="light" data-mode="light"><head>'
    '<meta charset="utf-8"><title>{title}</title>{head}<style>{own}</style></head>'
    "<body>{body}{targets}</body></html>"
)
CONTENTS = (
    '<section id="front"><h1 class="book-title">{title}</h1><p>Version {version}</p>'
    '<nav aria-label="Contents"><h2>Contents</h2>{contents}</nav></section>'
)


def printed_pages(book: Path = BOOK) -> dict[str, list[str]]:
    """List the pages of the book under the captions of its parts; the reference is for a screen."""
    toc = yaml.safe_load((book / "_toc.yml").read_text(encoding="utf-8"))
    return {
        part["caption"]: [chapter["file"] for chapter in part["chapters"]]
        for part in toc["parts"]
        if part["caption"] != "API reference"
    }


def key_of(page: str) -> str:
    """Give the name of a page in print."""
    return PurePosixPath(page).name


def target_of(link: str, page: str, pages: set[str]) -> str | None:
    """Say where a link of a page leads in print, if it leads anywhere there."""
    path, _, place = link.partition("#")
    if re.match(r"[a-z]+:", path):
        return None
    parts: list[str] = []
    for part in [*PurePosixPath(page).parent.parts, *PurePosixPath(path).parts]:
        parts = parts[:-1] if part == ".." else [*parts, part]
    name = "/".join(parts).removesuffix(".html") if path else page
    if name not in pages:
        return None
    return f"{key_of(name)}--{place}" if place else key_of(name)


def printed(html: str, page: str, pages: set[str]) -> Tag:
    """Give what is to be printed of a page."""
    text = html[html.index('<article class="bd-article"') : html.rindex("</article>")]
    article = BeautifulSoup(text, "html.parser").select_one("article")
    assert article is not None, f"{page} has no article"
    leave_room(article)
    answers_behind(article)
    for name in article.select(".answer > .answer-name:has(+ p)"):
        name.find_next_sibling("p").insert(0, name.extract().strong)  # one line less
    for element in article.select(", ".join(ON_SCREEN_ONLY)):
        element.decompose()
    for control in article.select("input"):
        control.replace_with(MARKS.get((str(control.get("type")), control.has_attr("checked")), ""))
    for fold in article.select("details"):
        fold["open"] = ""
    for formula in article.select("[data-tex]"):
        _name_formula(formula)
    for figure in article.select("figure:has(figcaption)"):
        figure["aria-label"] = figure.select("figcaption")[-1].get_text(" ", strip=True)
    for figure in article.select("figure:not([aria-label])"):
        figure.name = "div"  # a table that speaks for itself; a figure would need words
    _rename(article, page, pages)
    article.name, article["id"] = "section", key_of(page)
    article["class"] = "printed"
    return article


def _name_formula(formula: Tag) -> None:
    """Make a formula a drawing for whom it is read to, which says its TeX."""
    for drawing in formula.select("mjx-container"):
        drawing["role"], drawing["aria-label"] = "img", str(formula["data-tex"])
    for heard in formula.select("mjx-assistive-mml"):
        heard.decompose()
    for drawn in formula.select("[aria-hidden]"):
        del drawn["aria-hidden"]


def _rename(article: Tag, page: str, pages: set[str]) -> None:
    """Make names and links of a page unique in the book; drawings have unique ones."""
    key = key_of(page)
    for element in article.select("[id]"):
        if not element.find_parent("svg") and element.name != "svg":
            element["id"] = f"{key}--{element['id']}"
    for image in article.select("img[src]"):
        image["src"] = str(image["src"]).removeprefix("../")
    for link in article.select("a[href]"):
        target = target_of(str(link["href"]), page, pages)
        if target is not None:
            here = target.partition("--")[0] == key
            link["href"] = f"#{target}" if here else f"{ELSEWHERE}{target}"
            if target.startswith("glossary--") or link.find_parent("pre"):
                continue  # words in the order of the alphabet; lines of code that are full
            if not here or "answer-link" in link.get_attribute_list("class"):
                link.append(_page_number(target))


def _page_number(target: str) -> Tag:
    """Leave room for the number of a page."""
    soup = BeautifulSoup(f'<span class="page-number" data-to="{target}"></span>', "html.parser")
    return soup.contents[0]  # pyright: ignore[reportReturnType]


def documents(html: Path, parts: dict[str, list[str]], title: str) -> dict[str, str]:
    """Make a document of each page of the built book, and one with the contents before them."""
    names = {page for pages in parts.values() for page in pages}
    bodies: dict[str, str] = {FRONT: ""}
    heads: dict[str, str] = {}
    headings: dict[str, str] = {}
    for page in (page for pages in parts.values() for page in pages):
        text = (html / f"{page}.html").read_text(encoding="utf-8")
        article = printed(text, page, names)
        heading, key = article.select_one("h1"), key_of(page)
        headings[key] = heading.get_text(" ", strip=True) if heading else page
        bodies[key], heads[key] = str(article), _head(text)
    contents = "".join(_contents(parts, headings))
    bodies[FRONT] = CONTENTS.format(title=title, version=__version__, contents=contents)
    heads[FRONT], headings[FRONT] = next(iter(heads.values())), title
    targets = _targets(bodies)
    own = (BOOK / "_ext" / "templates" / "print.css").read_text(encoding="utf-8")
    return {
        key: DOCUMENT.format(
            title=escape(headings[key]), head=heads[key], own=own, body=body, targets=targets[key]
        )
        for key, body in bodies.items()
    }


def _targets(bodies: dict[str, str]) -> dict[str, str]:
    """Link to the places that others lead to: Chromium keeps the name of a place with a link."""
    told = {key: {key} for key in bodies}
    for body in bodies.values():
        for target in re.findall(rf'href="{ELSEWHERE}([^"]+)"', body):
            told[target.partition("--")[0]].add(target)
    return {
        key: "".join(f'<a href="#{target}" hidden></a>' for target in sorted(targets))
        for key, targets in told.items()
    }


def _contents(parts: dict[str, list[str]], headings: dict[str, str]) -> Iterator[str]:
    """List parts and chapters with their pages."""
    for caption, pages in parts.items():
        yield f"<p><strong>{caption}</strong></p><ul>"
        for key in map(key_of, pages):
            heading = f"{escape(headings[key])}{_page_number(key)}"
            yield f'<li><a href="{ELSEWHERE}{key}">{heading}</a></li>'
        yield "</ul>"


def _head(html: str) -> str:
    """Keep the styles of a page, as seen from the root of the book."""
    soup = BeautifulSoup(html.partition("</head>")[0], "html.parser")
    links = soup.select("head link[rel=stylesheet]")
    own = [f"<style>{style}</style>" for style in dict.fromkeys(_styles(html))]
    return "".join([*map(str, links), *own]).replace("../_static", "_static")


def _styles(html: str) -> list[str]:
    """List the styles that figures and formulas bring along."""
    return re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
