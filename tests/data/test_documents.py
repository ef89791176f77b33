"""Text files as documents: what is read, and what is refused."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from minibert.data import TextDocuments, split_documents
from minibert.data.documents import fingerprint

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
