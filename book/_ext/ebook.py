"""Make an e-book of the pages: `python book/_ext/ebook.py` writes `book/_build/bert-by-hand.epub`.

Names of pages behind the command, such as `chapters/02-self-attention-by-hand`, make one of these.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from datetime import datetime, timezone
from pathlib import Path
from xml.etree import ElementTree

import yaml
from browser import chromium
from ebook_cover import ALT, cover_picture
from ebook_figures import draw_figures, stored_outputs
from ebook_package import CONTAINER, FOLDER, Edition, contents, cover_page, package, title_page
from ebook_pages import article_of, file_of, hanging_lines, plain, written
from mathml import set_formulas
from packing import packed
from playwright.sync_api import Browser

from minibert import __version__
from minibert.disk import atomic_write

BOOK = Path(__file__).resolve().parents[1]
TARGET = BOOK / "_build" / "bert-by-hand.epub"
STYLE = BOOK / "_ext" / "templates" / "ebook.css"
ON_SCREEN = "API reference"  # it is looked up, not read


def parts_of_the_book(book: Path = BOOK) -> dict[str, list[str]]:
    """List the pages of the book under the captions of its parts."""
    toc = yaml.safe_load((book / "_toc.yml").read_text(encoding="utf-8"))
    return {
        part["caption"]: [chapter["file"] for chapter in part["chapters"]]
        for part in toc["parts"]
        if part["caption"] != ON_SCREEN
    }


def chosen(parts: dict[str, list[str]], names: Collection[str]) -> dict[str, list[str]]:
    """Keep the pages with these names."""
    kept = {caption: [page for page in pages if page in names] for caption, pages in parts.items()}
    return {caption: pages for caption, pages in kept.items() if pages}


def edition(book: Path = BOOK) -> Edition:
    """Read what the settings of the book say of it."""
    settings = yaml.safe_load((book / "_config.yml").read_text(encoding="utf-8"))
    return Edition(
        title=settings["title"],
        author=settings["author"],
        rights=settings["copyright"],
        address=settings["repository"]["url"],
        version=__version__,
        modified=datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def pages_of(html: Path, names: list[str]) -> tuple[dict, dict[str, bytes]]:
    """Make the pages, with the files of their figures."""
    articles, files = {}, {}
    for name in names:
        articles[name] = article_of((html / f"{name}.html").read_text(encoding="utf-8"))
        notebook = BOOK / f"{name}.ipynb"
        outputs = stored_outputs(notebook) if notebook.is_file() else []
        files |= draw_figures(articles[name], outputs, Path(name).name)
    for name, article in articles.items():
        set_formulas(article)
        plain(article, name, names)
        files[file_of(name)] = written(article).encode()
    return articles, files


def ebook(browser: Browser, html: Path, parts: dict[str, list[str]]) -> bytes:
    """Make an e-book of pages of the built book."""
    names = [name for pages in parts.values() for name in pages]
    articles, files = pages_of(html, names)
    whole = edition()
    whole.parts = {
        caption: {file_of(name): heading(articles[name]) for name in pages}
        for caption, pages in parts.items()
    }
    files |= {
        "ebook.css": STYLE.read_bytes() + hanging_lines().encode(),
        "cover.png": cover_picture(browser),
        "cover.xhtml": cover_page(ALT).encode(),
        "title.xhtml": title_page(whole).encode(),
        "contents.xhtml": contents(whole).encode(),
    }
    for name in files:
        if name.endswith((".xhtml", ".svg")):
            ElementTree.fromstring(files[name])
    inside = {f"{FOLDER}/{name}": content for name, content in files.items()}
    inside |= {
        "META-INF/container.xml": CONTAINER.encode(),
        f"{FOLDER}/book.opf": package(whole, files).encode(),
    }
    return packed(inside, stored={"mimetype": b"application/epub+zip"})


def heading(article) -> str:
    """Give the heading of a page, as XHTML may hold it."""
    title = article.h1.get_text(" ", strip=True) if article.h1 else ""
    return title.replace("&", "&amp;").replace("<", "&lt;")


def main(names: list[str]) -> None:
    """Write the e-book and say what it has become."""
    html = BOOK / "_build" / "html"
    if not (html / "index.html").is_file():
        raise SystemExit(f"There is no built book in {html}: run `make book` first.")
    parts = parts_of_the_book()
    with chromium() as browser:
        content = ebook(browser, html, chosen(parts, names) if names else parts)
    with atomic_write(TARGET) as draft:
        draft.write_bytes(content)
    print(f"{TARGET.relative_to(BOOK.parent)}: {len(content) / 1e6:.1f} MB")


if __name__ == "__main__":
    main(sys.argv[1:])
