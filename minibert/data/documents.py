"""Documents on disk: one sentence a line, a blank line between two documents. Chapter 13."""

from __future__ import annotations

import hashlib
import os
import zlib
from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minibert.inputs import require_number
from minibert.text_files import decode_line, require_file

LONGEST_LINE = 2**20  # bytes
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

Documents = Sequence[Sequence[str]]


class TextDocuments(Sequence):
    r"""The documents of text files, read one at a time without holding the files in memory.

    A line is a sentence, a blank line ends a document, and so does the end of a file. The files are
    read once from beginning to end, to check them and to note where each document begins: 20 bytes
    of memory a document. A document itself is read when it is indexed.

    Args:
        *paths: UTF-8 text files, at least one. Lines may end as on Windows, and a file may begin
            with a byte order mark.
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
        self.paths = [_checked(path) for path in paths]
        self._versions: list[tuple[int, int]] = []
        self._first_in_file: list[int] = []
        self.cut = 0
        self._begins, self._ends, self._counts = array("q"), array("q"), array("i")
        self.fingerprint = max_sentences
        for path in self.paths:
            self._versions.append(_version(os.stat(path)))
            self._first_in_file.append(len(self._begins))
            for span in _scan(path, max_sentences):
                self._begins.append(span.begin)
                self._ends.append(span.end)
                self._counts.append(span.sentences)
                self.cut += span.is_cut
                self.fingerprint = zlib.crc32(span.check_sum.to_bytes(4, "big"), self.fingerprint)
        if not self._begins:
            names = ", ".join(repr(str(path)) for path in self.paths)
            raise ValueError(f"{names}: no sentence in it; write one sentence on each line")

    def __len__(self) -> int:
        return len(self._begins)

    def __getitem__(self, number: int | slice) -> list:
        """Read one document, or a list of some."""
        if isinstance(number, slice):
            return [self[each] for each in range(len(self))[number]]
        number = range(len(self))[number]
        in_file = bisect_right(self._first_in_file, number) - 1
        # A file without a sentence has the same first document as the file after it.
        path, version = self.paths[in_file], self._versions[in_file]
        with open(path, "rb") as file:
            if _version(os.fstat(file.fileno())) != version:
                raise ValueError(
                    f"{str(path)!r} was changed after it was opened; begin again with the new text"
                )
            file.seek(self._begins[number])
            text = file.read(self._ends[number] - self._begins[number]).decode("utf-8")
        return [line.strip() for line in text.rstrip("\r\n").split("\n")]

    @property
    def sentence_counts(self) -> Sequence[int]:
        """Return the number of sentences of every document."""
        return self._counts


class _Span(NamedTuple):
    """The bytes of a document in its file, its sentences and its check sum."""

    begin: int
    end: int
    sentences: int
    check_sum: int
    is_cut: bool = False


def _scan(path: Path, max_sentences: int) -> Iterator[_Span]:
    """Find the documents of a file, line by line."""
    with open(path, "rb") as file:
        position = file.seek(3 if file.read(3) == BYTE_ORDER_MARK else 0)
        begin, sentences, check_sum = position, 0, 0
        lines = iter(partial(file.readline, LONGEST_LINE + 1), b"")
        for number, line in enumerate(lines, start=1):
            blank = _is_blank(line, number, path)
            if sentences and (blank or sentences == max_sentences):
                yield _Span(begin, position, sentences, check_sum, is_cut=not blank)
                sentences = 0
            if not sentences:
                begin, check_sum = position, 0
            check_sum = zlib.crc32(line, check_sum)
            position += len(line)
            sentences += not blank
        if sentences:
            yield _Span(begin, position, sentences, check_sum)


def _is_blank(line: bytes, number: int, path: Path) -> bool:
    """Return whether a line is blank; raise if it cannot be decoded."""
    if len(line) > LONGEST_LINE:
        raise ValueError(
            f"line {number} of {str(path)!r} is longer than {LONGEST_LINE} bytes; "
            "write one sentence on each line"
        )
    return not decode_line(line, number, path).strip()


def _checked(path: str | Path) -> Path:
    if Path(path).is_dir():
        raise IsADirectoryError(f"{str(path)!r} is a folder; name the .txt files in it")
    return require_file(path)


def _version(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


class _Selection(Sequence):
    """Some documents of a corpus, read only when they are indexed."""

    def __init__(self, documents: Documents, numbers: Sequence[int]) -> None:
        self.documents, self.numbers = documents, array("q", numbers)
        counts = sentence_counts(documents)
        self.sentence_counts = array("i", (counts[number] for number in self.numbers))
        self.fingerprint = zlib.crc32(self.numbers.tobytes(), fingerprint(documents))

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, number: int | slice) -> Sequence:
        if isinstance(number, slice):
            return [self.documents[each] for each in self.numbers[number]]
        return self.documents[self.numbers[number]]


def split_documents(
    documents: Documents, held_out: int, *, rng: np.random.Generator
) -> tuple[Documents, Documents]:
    """Set some documents aside, to measure with what training has never seen.

    Whole documents are set aside: neighbors in one document know too much of each other. Copies,
    which differ in capitals and spaces at most, count as one: of a document that is set aside none
    stays to train with, and none is measured twice.

    Args:
        documents: A document is a sequence of sentences.
        held_out: How many different documents to set aside, at least 1 and fewer than there are.
        rng: Chooses them.

    Returns:
        Those to train with and those set aside, each in the order of the corpus; together they are
        all, but for copies of the latter.

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
    return _Selection(documents, rest), _Selection(documents, sorted(aside.values()))


def _content(document: Sequence[str]) -> bytes:
    """Return what is equal for copies: a check sum of the words, without capitals."""
    text = "\n".join(" ".join(sentence.casefold().split()) for sentence in document)
    return hashlib.blake2b(text.encode(), digest_size=16).digest()


def sentence_counts(documents: Documents) -> Sequence[int]:
    """Count the sentences of every document, without reading files a second time."""
    known = getattr(documents, "sentence_counts", None)
    return [len(document) for document in documents] if known is None else known


def fingerprint(documents: Documents) -> int:
    """Compute a check sum of all sentences of the corpus."""
    known = getattr(documents, "fingerprint", None)
    if known is not None:
        return known
    check_sum = 0
    for document in documents:
        check_sum = zlib.crc32("\n".join([*document, "\n"]).encode(), check_sum)
    return check_sum
