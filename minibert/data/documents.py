"""Documents of text files: one sentence a line, a blank line between two. Chapter 13."""

import hashlib
import zlib
from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

import numpy as np

from minibert.inputs import require_number
from minibert.text_files import read_text

Documents = Sequence[Sequence[str]]


class TextDocuments(list[list[str]]):
    r"""The documents of text files: lists of sentences.

    A line is a sentence, a blank line ends a document, and so does the end of a file.

    Args:
        *paths: UTF-8 text files, at least one; with the ends of lines of Windows, too.
        max_sentences: A longer document is cut after so many sentences, and its parts count as
            documents. `cut` is how often that was done.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_bytes(b"One cat.\r\nIt sleeps.\r\n\r\nOne dog.\r\n")
    >>> list(TextDocuments(path))
    [['One cat.', 'It sleeps.'], ['One dog.']]
    """

    def __init__(self, *paths: str | Path, max_sentences: int = 256) -> None:
        if not paths:
            raise ValueError("there is no file to read; give the path of at least one .txt file")
        require_number("max_sentences", max_sentences, 2, why=", to make a pair")
        super().__init__()
        self.cut = 0
        for whole in (document for path in paths for document in _read(path)):
            starts = range(0, len(whole), max_sentences)
            self.cut += len(starts) - 1
            self += [whole[at : at + max_sentences] for at in starts]
        if not self:
            names = ", ".join(repr(str(path)) for path in paths)
            raise ValueError(f"{names}: no sentence in it; write one sentence on each line")


def _read(path: str | Path) -> Iterator[list[str]]:
    lines = map(str.strip, read_text(path).split("\n"))
    for is_text, sentences in groupby(lines, key=bool):
        if is_text:
            yield list(sentences)


def split_documents(
    documents: Documents, held_out: int, *, rng: np.random.Generator
) -> tuple[Documents, Documents]:
    """Return the documents to train with, and those set aside to measure with.

    Whole documents are set aside: neighbors in one know too much of each other. Copies, which
    differ in capitals and spaces at most, count as one: none of a document that is set aside stays
    to train with, and none is measured twice. `documents` are sequences of sentences; `rng` chooses
    `held_out` of them, at least 1, and fewer than there are different ones.

    >>> corpus = [["one cat"], ["one dog"], ["one bird"]]
    >>> rest, held_out = split_documents(corpus, 1, rng=np.random.default_rng(0))
    >>> list(rest), list(held_out)
    ([['one cat'], ['one dog']], [['one bird']])
    """
    contents = [_content(document) for document in documents]
    different = len({*contents})
    if not 1 <= held_out < different:
        copies = f" ({different} without copies)" if different < len(documents) else ""
        raise ValueError(
            f"cannot hold out {held_out} of {len(documents)} documents{copies}; hold out at least "
            "1 and keep at least 1"
        )
    aside: dict[bytes, int] = {}
    for number in rng.permutation(len(documents)).tolist():
        if len(aside) < held_out:
            aside.setdefault(contents[number], number)
    rest = [number for number, content in enumerate(contents) if content not in aside]
    return [documents[n] for n in rest], [documents[n] for n in sorted(aside.values())]


def _content(document: Sequence[str]) -> bytes:
    """Return what is equal for copies: a check sum of the words, without capitals."""
    text = "\n".join(" ".join(sentence.casefold().split()) for sentence in document)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def fingerprint(documents: Documents) -> int:
    """Compute a check sum of all sentences of the corpus."""
    check_sum = 0
    for document in documents:
        check_sum = zlib.crc32("\n".join([*document, "\n"]).encode(), check_sum)
    return check_sum
