"""What chapters say about the real BERT and about each other, held to something outside them."""

import ast
import re

from definitions import CHAPTERS, cells_of, chapter_definitions

from bertbook.corpus import small_world, world_words


def cells(number, kind="markdown"):
    """Take the sources of a chapter's cells."""
    name = next(CHAPTERS.glob(f"{number:02}-*.ipynb")).stem
    return [cell["source"] for cell in cells_of(name) if cell["cell_type"] == kind]


def sentence(number, pattern):
    """Find the one line of a chapter's prose that holds a pattern."""
    lines = "\n".join(cells(number)).splitlines()
    found = [line for line in lines if re.search(pattern, line)]
    assert len(found) == 1, f"{pattern!r} stands in {len(found)} lines of Chapter {number}"
    return found[0]


def test_the_ids_that_chapter_6_names_are_those_of_the_real_vocabulary(real_tokenizer):
    named = sentence(6, "In all three, ")
    assert f"has {len(real_tokenizer.pieces):,} entries" in named
    tokens = re.findall(r"`(\[\w+\])`", named)
    ids = [int(number) for number in re.findall(r"\d+", named.split("`[PAD]`")[1].split(".")[0])]
    assert len(tokens) == 5 and [real_tokenizer.vocab[token] for token in tokens] == ids
    between = real_tokenizer.pieces[ids[0] + 1 : ids[1]]
    assert all(re.fullmatch(r"\[unused\d+\]", piece) for piece in between)


def value_of(number, name):
    """Read what a chapter assigns to a name, where it is written out."""
    for cell in cells(number, "code"):
        for node in ast.parse(cell).body:
            if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
                return ast.literal_eval(node.value)
    raise AssertionError(f"Chapter {number} assigns nothing to {name}")


def test_the_excerpt_and_the_cuts_of_chapter_6_are_those_of_the_real_vocabulary(real_tokenizer):
    excerpt = value_of(6, "REAL")
    assert len(excerpt) >= 30
    assert {piece: real_tokenizer.vocab[piece] for piece in excerpt} == excerpt
    chapter = chapter_definitions("06-from-text-to-ids")
    words = value_of(6, "to_cut")
    assert len(words) == 10
    for word in words:
        assert chapter.longest_match_solution(word, excerpt) == real_tokenizer.tokenize(word)


def test_the_size_of_the_small_world():
    told = re.compile(
        r"small world (?:of|has) (?:a )?(\w+) words|[Tt]he (\w+) words of the small world"
    )
    prose = "\n".join("\n".join(cells(number)) for number in range(1, 27))
    right = str(len(world_words(small_world())))
    sizes = [first or second for first, second in told.findall(prose)]
    assert len(sizes) >= 2 and {*sizes} == {right}
