"""The files of the built book: complete, linked, and naming no file outside it."""

import re
from collections import Counter
from functools import cache
from html import unescape
from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qs, unquote, urldefrag, urlsplit

import one_page
import pytest
import yaml
from assets import CODE_POINTS, chinese_characters
from bs4 import BeautifulSoup
from built_book import BOOK, HTML, built_pages

from minibert import __version__

LOADED = {
    "src": "script, img, iframe, source, video, audio, embed",
    "srcset": "img, source",
    "poster": "video",
    "data": "object",
    "href": "image, use, link:is([rel~=stylesheet], [rel~=icon], [rel~=preload], [rel~=prefetch], "
    "[rel~=modulepreload], [rel~=preconnect])",
    "xlink:href": "image, use",
}
STYLE_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")
FETCHED = r"\.(?:m?js|css|json|wasm|woff2?|ttf|png|jpe?g|gif|svg)\b"
SCRIPT_ADDRESS = re.compile(rf"""["'`]((?:https?:)?//[\w.-]+\.\w+/[^"'`\s]*{FETCHED})""")


class Page(NamedTuple):
    """What a page names, links to and loads."""

    text: str
    ids: list[str]
    links: list[str]
    loaded: list[str]
    styles: list[str]
    scripts: list[str]


@cache
def read_page(name: str) -> Page:
    """Read a page once."""
    text = (HTML / name).read_text(encoding="utf-8")
    soup = BeautifulSoup(text, "html.parser")
    loaded = [e.get(given) for given, which in LOADED.items() for e in soup.select(which)]
    return Page(
        text=text,
        ids=[each["id"] for each in soup.select("[id]")],
        links=[each["href"] for each in soup.select("a[href]")],
        loaded=[address for address in loaded if address],
        styles=[s.get_text() for s in soup("style")] + [e["style"] for e in soup.select("[style]")],
        scripts=[script.get_text() for script in soup("script")],
    )


def is_outside(address: str) -> bool:
    """Say whether a browser would leave the book to follow an address."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def is_missing(address: str, file: Path) -> bool:
    """Say whether a file of the book names one that is not there."""
    is_file = (file.parent / urlsplit(address).path).is_file()
    return not address.startswith(("data:", "#")) and not is_file


def test_internal_links_and_anchors_lead_somewhere(html, page_name):
    broken = []
    for link in read_page(page_name).links:
        if is_outside(link):
            continue
        path, anchor = urldefrag(unquote(link))
        target = ((html / page_name).parent / path).resolve() if path else html / page_name
        if not target.is_file():
            broken.append(f"{link}: there is no such file")
        elif anchor and anchor not in read_page(target.relative_to(html.resolve()).as_posix()).ids:
            broken.append(f"{link}: that page has no such anchor")
    assert not broken, "\n".join(broken)


def test_page_loads_only_files_of_the_book_and_each_anchor_is_unique(html, page_name):
    page = read_page(page_name)
    assert [name for name, times in Counter(page.ids).items() if times > 1] == []
    addresses = [a for style in page.styles for a in STYLE_ADDRESS.findall(style)] + page.loaded
    outside = [address for address in addresses if is_outside(address)]
    assert outside + [a for script in page.scripts for a in SCRIPT_ADDRESS.findall(script)] == []
    assert [address for address in page.loaded if is_missing(address, html / page_name)] == []
    names = [urlsplit(address).path.split("/")[-1] for address in page.loaded]
    assert names.count("minibert.js") == 1 and "fontawesome.js" not in names  # icons are a font
    assert page_name == "search.html" or "searchindex.js" not in names


def test_style_sheets_and_scripts_load_only_files_of_the_book(html):
    loaded = {
        ((html / name).parent / urlsplit(address).path).resolve()
        for name in built_pages()
        for address in read_page(name).loaded
    }
    texts = {file: file.read_text("utf-8") for file in loaded if file.suffix in (".css", ".js")}
    faults = [
        f"{file.name}: {address} is outside the book, or missing"
        for file, text in texts.items()
        for address in (STYLE_ADDRESS if file.suffix == ".css" else SCRIPT_ADDRESS).findall(text)
        if is_outside(address) or is_missing(address, file)
    ]
    assert faults == [] and len(texts) > 10


def test_every_chinese_character_is_in_a_font_of_the_book(html):
    sheet = (html / "_static" / "lib" / "fonts" / "fonts.css").read_text(encoding="utf-8")
    found = CODE_POINTS.findall(sheet)
    ranges = [range(int(first, 16), int(last or first, 16) + 1) for first, last in found]
    missing = [c for c in chinese_characters() if not any(ord(c) in those for those in ranges)]
    assert not missing, f"run `python book/_ext/assets.py` and build again: {missing}"


def test_bert_on_one_page_is_whole_and_linked_to_its_chapters(html):
    body, code = read_page(f"{one_page.PAGE}.html").text, one_page.CODE.read_text(encoding="utf-8")
    listing = re.search(r'<div class="one-page.*?<pre>(.*?)</pre>', body, re.DOTALL)[1]
    assert unescape(re.sub(r"<[^>]+>", "", listing)) == code
    for number, names in one_page.parts(code).items():
        for name in names:
            (place,) = body.split(f'id="the-{name}"')[1:]
            chapter = re.search(r'# <a href="([^"]+)" title="[^"]+">(\d+)</a>', place)
            assert int(chapter[2]) == number and (html / chapter[1]).is_file(), name


@pytest.mark.parametrize(
    "name", ["index", *(f"chapters/{p.stem}" for p in sorted((BOOK / "chapters").glob("*.ipynb")))]
)
def test_buttons_of_a_page_lead_to_the_right_place(name):
    config = yaml.safe_load((BOOK / "_config.yml").read_text(encoding="utf-8"))
    url, branch = config["repository"]["url"], config["repository"]["branch"]
    links = read_page(f"{name}.html").links
    (link,) = (link for link in links if link.startswith(f"{url}/issues/new?"))
    asked = parse_qs(urlsplit(link).query)
    assert asked["title"] == [f"{name}: "]
    assert f"Page {name}, version {__version__}\n" in asked["body"][0]
    owner, file = urlsplit(url).path.strip("/"), f"book/{name}.ipynb"
    wanted = {
        f"{url}/edit/{branch}/{file}",
        f"https://mybinder.org/v2/gh/{owner}/{branch}?urlpath=lab/tree/{file}",
        f"https://colab.research.google.com/github/{owner}/blob/{branch}/{file}",
        f"../_sources/{name}.ipynb",
    }
    assert name == "index" or wanted <= {*links}
