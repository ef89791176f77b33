"""All pages of the built book as one document: what is folded, moves or is clicked goes away.

Links between pages become links inside of the document, each followed by the number of the page
that it leads to; the numbers are known only after a first print (`printing.py`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

import yaml
from answers_behind import answers_behind
from bs4 import BeautifulSoup, Tag

BOOK = Path(__file__).resolve().parents[1]
ON_SCREEN_ONLY = (
    *("script", "style", "noscript", "button", "[hidden]", ".headerlink", ".mb-exercise"),
    *(".mb-controls input[type=range]", "details.borrowed", ".mb-gap", ".cell.tag_remove-cell"),
)
MARKS = {
    ("radio", False): "○ ",
    ("radio", True): "● ",
    ("checkbox", False): "☐ ",
    ("checkbox", True): "☑ ",
}
HEAD = (
    '<!doctype html><html lang="en" data-theme="light" data-mode="light"><head>'
    '<meta charset="utf-8"><title>{title}</title>{styles}<style>{own}</style></head>'
    '<body><h1 class="book-title">{title}</h1><nav aria-label="Contents"><h2>Contents</h2>'
    "{contents}</nav>{pages}{scripts}</body></html>"
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
    """Give the name of a page inside of the document."""
    return PurePosixPath(page).name


def target_of(link: str, page: str, pages: set[str]) -> str | None:
    """Say where a link of a page leads inside of the document, if it does."""
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
    article = BeautifulSoup(html, "html.parser").select_one("article.bd-article")
    assert article is not None, f"{page} has no article"
    answers_behind(article)
    for element in article.select(", ".join(ON_SCREEN_ONLY)):
        element.decompose()
    for control in article.select("input"):
        control.replace_with(MARKS.get((str(control.get("type")), control.has_attr("checked")), ""))
    for fold in article.select("details"):
        fold["open"] = ""
    _rename(article, page, pages)
    article.name, article["id"] = "section", key_of(page)
    article["class"] = "printed"
    return article


def _rename(article: Tag, page: str, pages: set[str]) -> None:
    """Make names and links of a page unique in the document; drawings have unique ones."""
    for element in article.select("[id]"):
        if not element.find_parent("svg") and element.name != "svg":
            element["id"] = f"{key_of(page)}--{element['id']}"
    for image in article.select("img[src]"):
        image["src"] = str(image["src"]).removeprefix("../")
    for link in article.select("a[href]"):
        target = target_of(str(link["href"]), page, pages)
        if target is not None:
            link["href"] = f"#{target}"
            if not target.startswith(key_of(page)) or "answer-link" in link.get_attribute_list(
                "class"
            ):
                link.append(_page_number(target))


def _page_number(target: str) -> Tag:
    """Leave room for the number of a page."""
    soup = BeautifulSoup(f'<span class="page-number" data-to="{target}"></span>', "html.parser")
    return soup.contents[0]  # pyright: ignore[reportReturnType]


def one_document(html: Path, parts: dict[str, list[str]], title: str = "BERT by Hand") -> str:
    """Put pages of the built book into one document, behind a list of contents."""
    names = {page for pages in parts.values() for page in pages}
    read = {page: (html / f"{page}.html").read_text(encoding="utf-8") for page in names}
    sections = {page: printed(read[page], page, names) for page in names}
    first = next(iter(read.values()))
    own = (BOOK / "_ext" / "templates" / "print.css").read_text(encoding="utf-8")
    return HEAD.format(
        title=title,
        styles="".join(_styles(first)),
        own=own + "".join(_styles_of_figures(read.values())),
        contents="".join(_contents(parts, sections)),
        pages="".join(str(sections[page]) for pages in parts.values() for page in pages),
        scripts=_scripts(first),
    )


def _contents(parts: dict[str, list[str]], sections: dict[str, Tag]) -> Iterator[str]:
    """List parts and chapters with their pages."""
    for caption, pages in parts.items():
        yield f"<p><strong>{caption}</strong></p><ul>"
        for page in pages:
            heading = sections[page].select_one("h1")
            name = heading.get_text(" ", strip=True) if heading else page
            yield f'<li><a href="#{key_of(page)}">{name}{_page_number(key_of(page))}</a></li>'
        yield "</ul>"


def _styles(html: str) -> Iterator[str]:
    """List the style sheets of a page, as the document names them."""
    for link in BeautifulSoup(html, "html.parser").select("head link[rel=stylesheet]"):
        href = str(link["href"]).replace("../", "")
        yield f'<link rel="stylesheet" href="{href}">'


def _styles_of_figures(pages: Iterable[str]) -> list[str]:
    """List the styles that figures bring along, each once."""
    found = (re.findall(r"<style>(.*?)</style>", html, re.DOTALL) for html in pages)
    return [*dict.fromkeys(text for texts in found for text in texts)]


def _scripts(html: str) -> str:
    """Keep what sets the formulas, and nothing else."""
    scripts = BeautifulSoup(html, "html.parser").select("head script")
    kept = [script for script in scripts if "MathJax" in str(script) or "mathjax" in str(script)]
    return "".join(str(script).replace("../_static", "_static") for script in kept)
