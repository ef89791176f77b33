"""Text files as documents, and pairs: half true, never false by mistake, cut as the original."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minibert.data import (
    IS_NEXT,
    NOT_NEXT,
    SentencePair,
    TextDocuments,
    draw_pairs,
    encode_pair,
    split_documents,
)
from minibert.data.documents import fingerprint
from minibert.data.pairs import check_documents, truncate_both_ends
from minibert.wordpiece import SPECIAL_TOKENS, WordPieceTokenizer

BOM = b"\xef\xbb\xbf"


@pytest.fixture
def write(tmp_path):
    def write(content: bytes | str, name: str = "a.txt"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


# Any sentence without a line end in it; the mark at the beginning of a file is no text.
SENTENCE = (
    st.text(st.characters(blacklist_categories=("Cs",), blacklist_characters="\n\ufeff"))
    .map(str.strip)
    .filter(bool)
)


@given(
    st.lists(st.lists(SENTENCE, min_size=1, max_size=5), min_size=1, max_size=5),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_what_was_written_is_what_is_read(tmp_path_factory, documents, line_end, mark):
    text = (2 * line_end).join(line_end.join(document) for document in documents)
    path = tmp_path_factory.mktemp("corpus") / "a.txt"
    path.write_bytes(BOM * mark + text.encode())
    assert list(TextDocuments(path)) == documents


def test_several_files_in_order_and_blank_lines_of_any_kind_between(write):
    contents = ["", "\n \n\t\n a  \n\u3000\u00a0\n\tb\n\n\n", "\n\n", "c\n\x0c", " "]
    documents = TextDocuments(*(write(text, str(n)) for n, text in enumerate(contents)))
    assert list(documents) == [["a"], ["b"], ["c"]]


def test_a_long_document_is_cut_into_parts_and_cuts_are_counted(write):
    documents = TextDocuments(write("1\n2\n3\n4\n5\n\n6\n"), max_sentences=2)
    assert [*documents, documents.cut] == [["1", "2"], ["3", "4"], ["5"], ["6"], 2]


def test_what_cannot_be_read_is_named_by_file_and_line(write, tmp_path):
    with pytest.raises(ValueError, match=r"line 3 of '.*a\.txt' is not UTF-8 \(byte 0xef"):
        TextDocuments(write(b"fine\n\nna\xefve\n"))
    for empty in (b"", BOM + b" \n"):
        with pytest.raises(ValueError, match=r"a\.txt': no sentence in it; write one sentence"):
            TextDocuments(write(empty))
    with pytest.raises(IsADirectoryError, match=r"is a folder; name a file in it"):
        TextDocuments(tmp_path)
    with pytest.raises(ValueError, match="there is no file to read; give the path"):
        TextDocuments()
    with pytest.raises(ValueError, match=r"max_sentences \(1\) must be at least 2"):
        TextDocuments(tmp_path / "gone.txt", max_sentences=1)


def test_held_out_documents_are_disjoint(write):
    documents = TextDocuments(write("\n\n".join(f"{n}\nmore" for n in range(20))))
    train, held_out = split_documents(documents, 5, rng=np.random.default_rng(3))
    assert len(train) == 15 and len(held_out) == 5
    assert sorted([*train, *held_out]) == sorted(documents)
    again = split_documents(documents, 5, rng=np.random.default_rng(3))[1]
    assert list(again) == list(held_out)
    assert list(held_out) != list(split_documents(documents, 5, rng=np.random.default_rng(4))[1])
    for number in (0, 20, -1):
        with pytest.raises(ValueError, match=f"cannot hold out {number} of 20 documents"):
            split_documents(documents, number, rng=np.random.default_rng(0))


def test_another_text_or_another_cut_has_another_fingerprint():
    documents = [[["a", "b"], ["c"]], [["a", "B"], ["c"]], [["a"], ["b", "c"]], [["c"], ["a", "b"]]]
    documents += [[["a", "b"], ["c d"]], [["a"], ["b c"]], [["a", "b c"], ["c"]], [["a", "b"]]]
    assert len({fingerprint(each) for each in documents}) == len(documents)
    assert fingerprint(documents[0]) == fingerprint([tuple(each) for each in documents[0]])


# Pairs of sentences

CORPUS = [[f"document {d} sentence {s}" for s in range(4)] for d in range(5)]


def rng(seed=0):
    return np.random.default_rng(seed)


def many_pairs(corpus, epochs):
    generator = rng()
    for _ in range(epochs):
        for number in range(len(corpus)):
            yield from ((number, pair) for pair in draw_pairs(corpus, number, rng=generator))


def test_half_of_the_pairs_are_true_all_labels_are_and_each_sentence_has_its_chance():
    labels, drawn = Counter(), Counter()
    for number, pair in many_pairs(CORPUS, epochs=400):
        follows = CORPUS[number][CORPUS[number].index(pair.first) + 1] == pair.second
        assert pair.next_sentence_label == (IS_NEXT if follows else NOT_NEXT)
        if not follows:
            assert pair.second not in CORPUS[number]
            drawn[pair.second] += number == 0
        labels[pair.next_sentence_label] += 1
    assert (IS_NEXT, NOT_NEXT) == (0, 1)  # as Hugging Face has it
    assert labels.total() == 400 * 15
    # 5 standard deviations of 6000 throws of a coin.
    assert abs(labels[IS_NEXT] - 3000) < 5 * np.sqrt(6000 / 4)
    others = [drawn[sentence] for document in CORPUS[1:] for sentence in document]
    assert max(others) < 2 * min(others)


def test_a_sentence_that_reads_like_the_next_one_is_never_a_wrong_one():
    corpus = [["knock", "Who is there?"], ["  who is  THERE?", "nobody"], ["who is there?"]]
    wrong = [p for n, p in many_pairs(corpus, 300) if n == 0 and p[2] == NOT_NEXT]
    assert len(wrong) > 100
    assert {pair.second for pair in wrong} == {"nobody"}
    pairs = [pair for n, pair in many_pairs([["yes", "no"], ["No", "NO"]], 50) if n == 0]
    assert set(pairs) == {SentencePair("yes", "no", IS_NEXT)}  # when nothing else is there


NO_LIST = "a corpus is a list of documents, and a document a list"


NO_PAIRS = [
    ([["a", "b", "c"]], ValueError, r"a single document \(3 sentences\).*put a blank line between"),
    ([["all of it"]], ValueError, "a single line of 9 characters; write one sentence on each line"),
    ([["a"], ["b"]], ValueError, r"each of the 2 documents is a single sentence"),
    ([[], []], ValueError, "the corpus holds no sentence"),
    ([["a", "b"], []], ValueError, "document 1 holds no sentence; leave it out"),
    ("one cat", TypeError, NO_LIST),
    (["one cat", "one dog"], TypeError, NO_LIST),
    (iter([["a", "b"], ["c"]]), TypeError, NO_LIST),
]


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize(("corpus", "error", "sentence"), NO_PAIRS)
def test_a_corpus_without_pairs(corpus, error, sentence):
    with pytest.raises(error, match=sentence):
        check_documents(corpus)


def cut_token_by_token(first, second, room, generator):
    """Cut as the code of the paper does, one token and one coin at a time."""
    first, second = list(first), list(second)
    while len(first) + len(second) > room:
        longer = first if len(first) > len(second) else second
        longer.pop(0 if generator.random() < 0.5 else -1)
    return first, second


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 26), st.integers(0, 2**32))
def test_both_ends_lose_as_many_tokens_as_in_the_original(first, second, room, seed):
    rows = list(range(first)), list(range(100, 100 + second))
    ours = truncate_both_ends(*rows, room, rng=rng(seed))
    original = cut_token_by_token(*rows, room, rng(seed))
    assert [len(row) for row in ours] == [len(row) for row in original]
    for kept, row in zip(ours, rows, strict=True):
        begin = kept[0] - row[0] if kept else 0
        assert list(kept) == row[begin : begin + len(kept)]


def test_the_places_of_the_cuts_are_as_likely_as_in_the_original():
    draws, generator = 4000, rng()
    ours = Counter(truncate_both_ends(range(7), [0], 4, rng=generator)[0][0] for _ in range(draws))
    coins = Counter(cut_token_by_token(range(7), [0], 4, generator)[0][0] for _ in range(draws))
    for front, ways in enumerate([1, 4, 6, 4, 1]):
        for seen in (ours, coins):
            share = ways / 16
            assert abs(seen[front] - draws * share) < 5 * np.sqrt(draws * share * (1 - share))


def test_ids_and_segments_of_a_pair():
    tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, *"abcdef"])
    pair = SentencePair("a b c", "d e f", IS_NEXT)
    ids, types = encode_pair(tokenizer, pair, 128, rng=rng())
    assert ids == tokenizer.encode("a b c", "d e f") == [2, 5, 6, 7, 3, 8, 9, 10, 3]
    assert types == [0, 0, 0, 0, 0, 1, 1, 1, 1]
    assert types == tokenizer("a b c", "d e f")["token_type_ids"][0].tolist()
    ids, types = encode_pair(tokenizer, pair, 7, rng=rng())
    assert len(ids) == len(types) == 7 and ids.count(3) == 2 and types == [0] * 4 + [1] * 3
