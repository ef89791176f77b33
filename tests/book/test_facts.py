"""What chapters say about the real BERT and about each other, held to something outside them."""

import ast
import re
import sys

import pytest
from definitions import CHAPTERS, cells_of, chapter_definitions

from bertbook.corpus import small_world, world_words

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

QUESTIONS = CHAPTERS.parents[1] / "bertbook" / "questions" / "word_pieces.toml"


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


def test_the_first_quiz_of_chapter_6_is_right_for_the_real_vocabulary(real_tokenizer):
    quiz = tomllib.loads(QUESTIONS.read_text(encoding="utf-8"))["quiz"]
    [first] = [each for each in quiz.values() if "real BERT has" in each["question"]]
    question, answers = first["question"], first["answers"]
    [correct] = [each["right"] for each in answers if "right" in each]
    others = [each["wrong"] for each in answers if "wrong" in each]
    word = re.search(r"“(\w+)”", question)[1]
    assert f"has {len(real_tokenizer.pieces):,} entries" in question
    assert word not in real_tokenizer.vocab
    pieces = ", ".join(real_tokenizer.tokenize(word))
    assert correct.endswith(f": {pieces}")
    assert not any(option.endswith(pieces) for option in others)


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


def test_the_first_figure_of_chapter_6_has_the_ids_of_the_real_vocabulary(real_tokenizer):
    chapter = chapter_definitions("06-from-text-to-ids")
    boxes = re.findall(r">([^<>]+)</text>", chapter.way_to_ids())
    ids = [int(text) for text in boxes if text.isdigit()]
    assert ids == real_tokenizer.encode(boxes[boxes.index("text") + 1])
    assert [real_tokenizer.pieces[i] for i in ids] == boxes[-len(ids) * 2 - 1 : -len(ids) - 1]


def test_the_longest_word_is_as_long_as_the_library_has_it(minilm):
    transformers = pytest.importorskip("transformers")
    library = transformers.BertTokenizer(vocab=str(minilm / "vocab.txt"))
    longest = int(re.search(r"more than (\d+) characters", sentence(6, "in the library, and"))[1])
    assert "[UNK]" not in library.tokenize("a" * longest)
    assert library.tokenize("a" * (longest + 1)) == ["[UNK]"]


def test_what_chapter_6_says_of_spelling_and_numbers_holds_in_the_real_vocabulary(real_tokenizer):
    told = sentence(6, "One slip of the keyboard")
    assert "turns *because* into three other pieces" in told
    assert real_tokenizer.tokenize("because") == ["because"]
    assert len(real_tokenizer.tokenize("becuase")) == 3
    assert "600 is one piece, 601 is 60 and a 1" in told
    assert real_tokenizer.tokenize("600 601") == ["600", "60", "##1"]
    # "All pieces that you will need are in the excerpt": not all that fit somewhere are.
    assert "##ly" in real_tokenizer.vocab and "##ly" not in value_of(6, "REAL")


def test_the_size_of_the_small_world():
    told = re.compile(
        r"small world (?:of|has) (?:a )?(\w+) words|[Tt]he (\w+) words of the small world"
    )
    prose = "\n".join("\n".join(cells(number)) for number in range(1, 27))
    right = str(len(world_words(small_world())))
    sizes = [first or second for first, second in told.findall(prose)]
    assert len(sizes) >= 2 and {*sizes} == {right}
