"""The files of the built book: complete, linked, and naming no file outside it."""

import re
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs, unquote, urldefrag, urlsplit

import pytest
import yaml
from assets import CODE_POINTS, chinese_characters
from built_book import BOOK, HTML, built_pages

from minibert import __version__

LOADED = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",),
    "image": ("href", "xlink:href"), "use": ("href", "xlink:href"),
}  # fmt: skip
LOADING_RELATIONS = {"stylesheet", "icon", "preload", "prefetch", "modulepreload", "preconnect"}
STYLE_ADDRESS = re.compile(r"""(?:url\(\s*|@import\s+)["']?([^"')\s;]+)""")
FETCHED = r"\.(?:m?js|css|json|wasm|woff2?|ttf|png|jpe?g|gif|svg)\b"
SCRIPT_ADDRESS = re.compile(rf"""["'`]((?:https?:)?//[\w.-]+\.\w+/[^"'`\s]*{FETCHED})""")


class Page(HTMLParser):
    """What a page names, links to and loads."""

    def __init__(self, text: str):
        super().__init__()
        self.ids, self.links, self.loaded, self.styles, self.scripts = [], [], [], [], []
        self.sheets = []
        self._inside = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        """Sort the addresses of an element into links and loaded files."""
        given = dict(attributes)
        if given.get("id"):
            self.ids.append(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "link" and LOADING_RELATIONS & set(given.get("rel", "").split()):
            self.loaded.append(given["href"])
        self.loaded += [given[name] for name in LOADED.get(tag, ()) if given.get(name)]
        self.styles.append(given.get("style") or "")
        self._inside = tag if tag in ("style", "script") else None

    def handle_data(self, data):
        """Keep the styles and scripts that stand in the page itself."""
        if self._inside:
            getattr(self, self._inside + "s").append(data)
        if self._inside == "style":
            self.sheets.append(data)

    def handle_endtag(self, tag):
        """Leave a style or a script."""
        self._inside = None


@cache
def read_page(name: str) -> Page:
    """Read a page once."""
    return Page((HTML / name).read_text(encoding="utf-8"))


def is_outside(address: str) -> bool:
    """Say whether a browser would leave the book to follow an address."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme not in ("", "data")


def is_missing(address: str, file: Path) -> bool:
    """Say whether a file of the book names one that is not there."""
    is_file = (file.parent / urlsplit(address).path).is_file()
    return not address.startswith(("data:", "#")) and not is_file


def toc_files() -> list[str]:
    """Name the files of the table of contents, the landing page first."""
    toc = yaml.safe_load((BOOK / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(c["file"] for part in toc["parts"] for c in part["chapters"])]


def test_every_file_of_the_contents_is_a_page_and_nothing_else_is(html):
    expected = {f"{name}.html" for name in toc_files()} | {"search.html"}
    built = set(built_pages())
    assert not expected - built, "in _toc.yml but not built"
    assert not built - expected, "built but not in _toc.yml: run `make clean book`"


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
    twice = sorted(name for name, times in Counter(page.ids).items() if times > 1)
    assert not twice, f"ids used more than once: {twice}"
    written = [a for style in page.styles for a in STYLE_ADDRESS.findall(style)]
    outside = [address for address in page.loaded + written if is_outside(address)]
    outside += [a for script in page.scripts for a in SCRIPT_ADDRESS.findall(script)]
    assert not outside, outside
    missing = [address for address in page.loaded if is_missing(address, html / page_name)]
    assert not missing, missing


def test_page_has_the_live_script_and_none_that_it_does_not_need(html, page_name):
    page = read_page(page_name)
    names = [urlsplit(address).path.split("/")[-1] for address in page.loaded]
    assert names.count("minibert.js") == 1
    assert "fontawesome.js" not in names, "the icons come from a font"
    assert page_name == "search.html" or "searchindex.js" not in names
    twice = {style[:80] for style in page.sheets if page.sheets.count(style) > 1}
    assert not twice, f"a style stands in the page more than once: {twice}"


def loaded_files(suffix: str) -> list[Path]:
    """Name the style sheets or scripts that pages load, and what those style sheets import."""
    files = set()
    for name in built_pages():
        for address in read_page(name).loaded:
            path = ((HTML / name).parent / urlsplit(address).path).resolve()
            if path.suffix == suffix:
                files.add(path)
    return sorted(files)


def test_style_sheets_load_only_files_of_the_book(html):
    faults = []
    for sheet in loaded_files(".css"):
        for address in STYLE_ADDRESS.findall(sheet.read_text(encoding="utf-8")):
            if is_outside(address):
                faults.append(f"{sheet.name} asks outside the book: {address}")
            elif is_missing(address, sheet):
                faults.append(f"{sheet.name} names a missing file: {address}")
    assert not faults, "\n".join(faults)


def test_scripts_name_no_file_outside_the_book(html):
    named = {
        address
        for script in loaded_files(".js")
        for address in SCRIPT_ADDRESS.findall(script.read_text(encoding="utf-8"))
    }
    assert not named, named


def test_every_chinese_character_is_in_a_font_of_the_book(html):
    sheet = (html / "_static" / "lib" / "fonts" / "fonts.css").read_text(encoding="utf-8")
    found = CODE_POINTS.findall(sheet)
    ranges = [range(int(first, 16), int(last or first, 16) + 1) for first, last in found]
    missing = [c for c in chinese_characters() if not any(ord(c) in those for those in ranges)]
    assert not missing, f"run `python book/_ext/assets.py` and build again: {missing}"


@pytest.mark.parametrize("name", toc_files())
def test_buttons_lead_to_the_right_place(html, name):
    config = yaml.safe_load((BOOK / "_config.yml").read_text(encoding="utf-8"))
    url, branch = config["repository"]["url"], config["repository"]["branch"]
    links = read_page(f"{name}.html").links
    (link,) = (link for link in links if link.startswith(f"{url}/issues/new?"))
    asked = parse_qs(urlsplit(link).query)
    assert asked["title"] == [f"{name}: "]
    assert f"Page {name}, version {__version__}\n" in asked["body"][0]
    if not name.startswith("chapters/"):
        return
    owner_and_name = urlsplit(url).path.strip("/")
    file = f"{config['repository']['path_to_book']}/{name}.ipynb"
    for expected in (
        url,
        f"{url}/edit/{branch}/{file}",
        f"https://mybinder.org/v2/gh/{owner_and_name}/{branch}?urlpath=lab/tree/{file}",
        f"https://colab.research.google.com/github/{owner_and_name}/blob/{branch}/{file}",
        f"../_sources/{name}.ipynb",
    ):
        assert expected in links, f"no button leads to {expected}"
