"""Facts that the chapters quote, held to what they are quoted from."""

import re

from definitions import CHAPTERS, cells_of

from bertbook.corpus import small_world, world_words

SIZE = re.compile(
    r"small world (?:of|has) (?:a )?(\w+) words|[Tt]he (\w+) words of the small world"
)


def prose() -> dict[str, str]:
    """Join the prose of each chapter."""
    return {
        name: "\n".join(c["source"] for c in cells_of(name) if c["cell_type"] == "markdown")
        for name in sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
    }


def wrong_sizes(pages: dict[str, str]) -> list[str]:
    """List what chapters say about the size of the small world and what it does not have."""
    right = str(len(world_words(small_world())))
    return [
        f"{name}: {match[0]!r}, and it has {right}"
        for name, text in pages.items()
        for match in SIZE.finditer(text)
        if right not in match.groups()
    ]


def test_the_size_of_the_small_world():
    pages = prose()
    assert sum(len(SIZE.findall(text)) for text in pages.values()) >= 2
    assert wrong_sizes(pages) == []


def test_a_wrong_size_is_found():
    first, second = wrong_sizes(
        {"15": "or a small world of a thousand words", "16": "Of the 481 words of the small world"}
    )
    assert "'small world of a thousand words', and it has 482" in first
    assert "'the 481 words of the small world', and it has 482" in second


def test_how_often_bert_read_its_text():
    rows, updates, words = 256, 1_000_000, 3.3e9
    tokens = rows * updates * (0.9 * 128 + 0.1 * 512)
    low, high = tokens / (1.3 * words), tokens / words  # a word is one to 1.3 pieces
    assert 9.5 < low < 12 < high < 13.5
    assert "nearer to a dozen times" in prose()["14-pre-train-a-small-world"]
