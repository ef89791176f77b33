"""The files of an e-book that say what it is, and in which order its pages follow each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath
from uuid import NAMESPACE_URL, uuid5

from ebook_pages import PAGE

FOLDER = "EPUB"
CONTAINER = """<?xml version="1.0" encoding="utf-8"?>
<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>
<rootfile full-path="EPUB/book.opf" media-type="application/oebps-package+xml"/>
</rootfiles></container>
"""
TYPES = {
    ".xhtml": "application/xhtml+xml",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".css": "text/css",
}
OPF = """<?xml version="1.0" encoding="utf-8"?>
<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id" xml:lang="en">
<metadata xmlns:dc="http://purl.org/dc/elements/1.1/">
<dc:identifier id="id">urn:uuid:{uuid}</dc:identifier>
<dc:title>{title}</dc:title>
<dc:creator>{author}</dc:creator>
<dc:language>en</dc:language>
<dc:rights>{rights}</dc:rights>
<dc:source>{address}</dc:source>
<meta property="dcterms:modified">{modified}</meta>
<meta property="schema:version">{version}</meta>
<meta property="schema:accessMode">textual</meta>
<meta property="schema:accessMode">visual</meta>
<meta property="schema:accessModeSufficient">textual</meta>
<meta property="schema:accessibilityFeature">alternativeText</meta>
<meta property="schema:accessibilityFeature">MathML</meta>
<meta property="schema:accessibilityFeature">structuralNavigation</meta>
<meta property="schema:accessibilityFeature">tableOfContents</meta>
<meta property="schema:accessibilityHazard">none</meta>
<meta property="schema:accessibilitySummary">Pictures have a description, formulas are MathML with
their TeX, and answers are links to the end of a chapter and back.</meta>
</metadata>
<manifest>
{items}
</manifest>
<spine>
{spine}
</spine>
</package>
"""
COVER = '<section epub:type="cover" class="cover"><img src="cover.png" alt="{alt}"/></section>'


@dataclass
class Edition:
    """What a package says of the whole book.

    Args:
        title, author, rights, address, version: As in the settings of the book.
        modified: When it was made: year, month, day and time in UTC.
        parts: The captions of the parts, and in each the files of its pages with their headings.
    """

    title: str
    author: str
    rights: str
    address: str
    version: str
    modified: str
    parts: dict[str, dict[str, str]] = field(default_factory=dict)


def package(edition: Edition, files: Mapping[str, bytes]) -> str:
    """Write the list of all files, with the order in which they are read."""
    order = ["cover.xhtml", "title.xhtml", "contents.xhtml"]
    order += [name for pages in edition.parts.values() for name in pages]
    told = {name: escape(str(value)) for name, value in vars(edition).items() if name != "parts"}
    return OPF.format(
        **told,
        uuid=uuid5(NAMESPACE_URL, f"{edition.address}@{edition.version}"),
        items="\n".join(_items(files)),
        spine="\n".join(f'<itemref idref="{_id(name)}"/>' for name in order),
    )


def _items(files: Mapping[str, bytes]) -> Iterator[str]:
    """List each file with its type and with what is special about it."""
    for name, content in sorted(files.items()):
        special = [word for word, tag in (("mathml", b"<math"), ("svg", b"<svg")) if tag in content]
        special = special if name.endswith(".xhtml") else []
        special += {"contents.xhtml": ["nav"], "cover.png": ["cover-image"]}.get(name, [])
        properties = f' properties="{" ".join(special)}"' if special else ""
        kind = TYPES[PurePosixPath(name).suffix]
        yield f'<item id="{_id(name)}" href="{name}" media-type="{kind}"{properties}/>'


def _id(name: str) -> str:
    """Give a file an identifier, which begins with a letter."""
    return "f-" + name.replace("/", "-")


def contents(edition: Edition) -> str:
    """Write the list of contents: parts, and chapters in each; readers have it in their menu."""
    parts = ""
    for caption, pages in edition.parts.items():
        entries = "".join(f'<li><a href="{name}">{title}</a></li>' for name, title in pages.items())
        parts += f"<li><span>{escape(caption)}</span><ol>{entries}</ol></li>"
    first = next(iter(next(iter(edition.parts.values()))))
    body = (
        f'<nav epub:type="toc" id="toc"><h1>Contents</h1><ol>{parts}</ol></nav>'
        '<nav epub:type="landmarks" hidden=""><ol>'
        '<li><a epub:type="cover" href="cover.xhtml">Cover</a></li>'
        '<li><a epub:type="toc" href="#toc">Contents</a></li>'
        f'<li><a epub:type="bodymatter" href="{first}">Start</a></li></ol></nav>'
    )
    return PAGE.format(title="Contents", body=body)


def cover_page(alt: str) -> str:
    """Write the page that shows the cover."""
    return PAGE.format(title="Cover", body=COVER.format(alt=escape(alt)))


def title_page(edition: Edition) -> str:
    """Write the page that says what this is, and what only the pages for a browser have."""
    told = {name: escape(str(value)) for name, value in vars(edition).items() if name != "parts"}
    body = (
        '<section epub:type="titlepage" class="title"><h1>{title}</h1><p>{author}</p>'
        "<p>Version {version}, made on {modified}</p><p>© {rights}</p>"
        "<p>Here you read. In the pages for a browser figures move, questions reply and code runs, "
        'and in the notebooks you write your own: <a href="{address}">{address}</a>. '
        "Where a question or an exercise stands, a link leads to its answer at the end of the "
        "chapter, and another one back. A figure with controls is shown in its first state.</p>"
        "</section>"
    ).format(**{**told, "modified": told["modified"][:10]})
    return PAGE.format(title=told["title"], body=body)
