"""The field's words: what only this house says, no reader can search for."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from book_tree import chapters, name_of
from planting import code, says
from prose import Block, blocks

INSTEAD = {
    r"riddles?": "a hidden word, or a masked token",
    r"deaf|hears?|heard": "what a token attends to",
    r"bent|bend(?:s|ing)?|unbent": "an activation, or what is not linear",
}


def house_words(root: Path) -> list[str]:
    """Read the prose of the chapters and pages for words that no paper uses."""
    return [
        f"{name}: says {match.group()!r} in {str(block)!r}. The field's word is {instead}."
        for name, block in _prose(root)
        for word, instead in INSTEAD.items()
        for match in re.finditer(rf"\b(?:{word})\b", block.words, re.IGNORECASE)
    ]


def _prose(root: Path) -> Iterator[tuple[str, Block]]:
    """Yield each piece of prose with the file that it stands in."""
    for chapter in chapters(root):
        yield from ((chapter.name, block) for block in [*chapter.blocks, *chapter.spoken])
    for path in [*root.glob("README.md"), *sorted((root / "book").glob("*.md"))]:
        text = path.read_text(encoding="utf-8")
        yield from ((name_of(path, root), block) for block in blocks(text))


def test_this_project_says_what_the_field_says(this_project):
    this_project.keeps(house_words)


@pytest.mark.parametrize(
    ("cell", "sentence"),
    [
        ("Two riddles.", "'riddles' in 'Two riddles.'. The field's word is a hidden word"),
        ("| a |\n| --- |\n| a bent line |", "'bent' in 'a bent line'. The field's word is an act"),
        ("Words that are unbending, and `riddle`.", ""),
        (code("quiz('A riddle?', right('a', 'b'), wrong('c', 'd'))"), "'riddle' in 'A riddle?"),
    ],
)
def test_a_word_of_the_house(plot, cell, sentence):
    says(house_words(plot.chapter("# T", cell)), sentence)


def test_a_word_of_the_house_on_a_page(plot):
    (sentence,) = house_words(plot.file("book/glossary.md", "### word\n\nIt hears."))
    assert sentence.startswith("book/glossary.md: says 'hears' in 'It hears.'")
