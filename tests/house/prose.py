"""Prose in pieces: what a chapter or a page says, block by block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from markdown_it import MarkdownIt
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

CHAPTERS_NAMED = re.compile(r"\bChapters? (\d+(?:(?:, | and )\d+)*)")
TARGET = re.compile(r"^\(([\w-]+)\)=$", re.MULTILINE)
FENCE = re.compile(r"^\{[\w:-]+\}")
MARKDOWN = MarkdownIt("commonmark").enable("table").use(dollarmath_plugin, double_inline=True)


@dataclass(frozen=True)
class Block:
    """A heading, a paragraph, a row of a table, or a formula; words leave out formulas and code."""

    kind: str
    section: str
    text: str
    words: str
    links: tuple[str, ...] = ()
    level: int = 0
    columns: tuple[str, ...] = ()

    @property
    def chapters(self) -> set[int]:
        """The chapters it sends the reader to: "Chapter 2", "Chapters 4 and 5", or with a link."""
        linked = re.findall(r"(?:^|/)(\d\d)-[^/]*\.ipynb", "\n".join(self.links), re.MULTILINE)
        named = " ".join(CHAPTERS_NAMED.findall(self.text))
        return {int(number) for number in [*linked, *re.findall(r"\d+", named)]}

    def __str__(self) -> str:
        return self.text if len(self.text) <= 70 else self.text[:69] + "…"


def blocks(markdown: str, section: str = "") -> Iterator[Block]:
    """Cut markdown into headings, paragraphs, table rows and formulas."""
    tokens = MARKDOWN.parse(TARGET.sub("", markdown))
    for number, token in enumerate(tokens):
        kind = tokens[number - 1].type if number else ""
        if token.type == "inline" and kind == "heading_open":
            level = int(tokens[number - 1].tag[1])
            section = token.content if level == 2 else section
            yield Block("heading", section, *_prose([token]), level=level)
        elif token.type == "inline" and kind not in ("td_open", "th_open"):
            yield Block("paragraph", section, *_prose([token]))
        elif token.type == "tr_open":
            end = next(i for i in range(number, len(tokens)) if tokens[i].type == "tr_close")
            row = [t for t in tokens[number:end] if t.type == "inline"]
            yield Block("row", section, *_prose(row), columns=tuple(t.content for t in row))
        elif token.type in ("math_block", "math_block_eqno"):
            yield Block("formula", section, token.content, "")
        elif token.type == "fence" and FENCE.match(token.info):
            yield from blocks(token.content, section)


def _prose(inlines: list[Token]) -> tuple[str, str, tuple[str, ...]]:
    """Separate text, words and links of some inline elements."""
    text, words, links = "", "", []
    for token in (child for inline in inlines for child in [*inline.children, None]):
        content, word = token.content if token else " ", None
        if token is None or token.type in ("softbreak", "hardbreak"):
            content = " "
        elif token.type == "link_open":
            links.append(token.attrs["href"])
        elif token.type == "image":
            links.append(token.attrs["src"])
            word = ""
        elif token.type == "code_inline":
            content, word = f"`{content}`", "…"
        elif token.type.startswith("math"):
            content, word = f"${content}$", "…"
        text += content
        words += content if word is None else word
    return text.strip(), words.strip(), tuple(links)
