"""The text of a run: what to learn from, what to hold out, and its word pieces. Chapter 14."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from minibert.data import TextDocuments, split_documents
from minibert.data.documents import Documents
from minibert.data.pairs import check_documents
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.wordpiece import WordPieceTokenizer


def open_texts(files: Sequence[str]) -> TextDocuments:
    """Open text files, each of them once."""
    documents = TextDocuments(*files)
    resolved = [Path(file).resolve() for file in files]
    for number, path in enumerate(resolved):
        if path in resolved[:number]:
            # Otherwise the same document would be learnt from and held out.
            raise ValueError(f"{files[number]!r} is named twice; name every file once")
    check_documents(documents)
    return documents


def warn_of_cuts(documents: TextDocuments) -> None:
    """Warn if blank lines are so far apart that documents had to be cut."""
    if documents.cut:
        longest = max(documents.sentence_counts)
        warnings.warn(
            f"{documents.cut} of the {len(documents)} documents go on after {longest} lines "
            "without a blank one and were cut there; put a blank line wherever a document ends",
            stacklevel=2,
        )


def hold_out(documents: Documents, share: float, seed: int) -> tuple[Documents, Documents | None]:
    """Set a share of the documents aside, two at the least."""
    if not share:
        return documents, None
    count = max(2, round(share * len(documents)))
    if len(documents) - count < 2:
        raise ValueError(
            f"the text has {len(documents)} documents, too few to hold out {count} and learn from "
            "at least 2; put blank lines between documents, add text, or give --held-out 0"
        )
    parts = split_documents(documents, count, rng=np.random.default_rng(seed))
    for part in parts:
        try:
            check_documents(part)
        except ValueError as error:
            raise ValueError(
                f"of {len(documents)} documents, {count} were to be held out, but {error}; or give "
                "another --seed, or --held-out 0"
            ) from error
    return parts


def learn_pieces(documents: Documents, vocab_size: int, cased: bool) -> WordPieceTokenizer:
    """Learn the word pieces of documents."""
    try:
        with override(**fast_parts()):
            return WordPieceTokenizer.train(chain.from_iterable(documents), vocab_size, not cased)
    except ValueError as error:
        raise ValueError(str(error).replace("vocab_size", "--vocab-size")) from error
