"""The text of a run: what to learn from, what to hold out, and the pieces to write it with."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import numpy as np

from minibert.data import TextDocuments, split_documents
from minibert.data.documents import Documents
from minibert.data.pairs import check_documents
from minibert.fast import switch_on
from minibert.wordpiece import WordPieceTokenizer


def open_texts(files: Sequence[str]) -> TextDocuments:
    """Open text files, each of them once.

    Parameters
    ----------
    files : sequence of str
        Paths, at least one.

    Returns
    -------
    TextDocuments
        At least two documents, of which pairs can be made.

    Raises
    ------
    OSError, ValueError
        If a file cannot be read or occurs twice, or the text is too small.

    References
    ----------
    Chapter 14.
    """
    documents = TextDocuments(*files)
    resolved = [Path(file).resolve() for file in files]
    for number, path in enumerate(resolved):
        if path in resolved[:number]:
            # Otherwise the same document would be learnt from and held out.
            raise ValueError(f"{files[number]!r} is named twice; name every file once")
    check_documents(documents)
    return documents


def warn_of_cuts(documents: TextDocuments) -> None:
    """Warn if blank lines are so far apart that documents had to be cut.

    Parameters
    ----------
    documents : TextDocuments
        The text.

    References
    ----------
    Chapter 14.
    """
    if documents.cut:
        longest = max(documents.sentence_counts)
        warnings.warn(
            f"{documents.cut} of the {len(documents)} documents go on after {longest} lines "
            "without a blank one and were cut there; put a blank line wherever a document ends",
            stacklevel=2,
        )


def hold_out(documents: Documents, share: float, seed: int) -> tuple[Documents, Documents | None]:
    """Set a share of the documents aside, two at the least.

    Parameters
    ----------
    documents : sequence of documents
        The whole text.
    share : float
        At least 0 and below 1; 0 sets nothing aside.
    seed : int
        Chooses them.

    Returns
    -------
    tuple of two sequences of documents
        Those to train with, and those set aside, or None.

    Raises
    ------
    ValueError
        If one of both is too small to make pairs of.

    References
    ----------
    Chapter 14.

    Examples
    --------
    >>> corpus = [["one cat", "it sleeps"], ["one dog", "it barks"]] * 3
    >>> [len(part) for part in hold_out(corpus, 0.05, seed=0)]
    [4, 2]
    """
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
    """Learn the word pieces of documents.

    Parameters
    ----------
    documents : sequence of documents
        Those to train with; what is held out stays unknown.
    vocab_size : int
        The most pieces wanted.
    cased : bool
        Whether to keep capitals and accents.

    Returns
    -------
    WordPieceTokenizer
        The same one for the same text.

    Raises
    ------
    ValueError
        If there is no word, or no room for the characters.

    References
    ----------
    Chapter 14.

    Examples
    --------
    >>> learn_pieces([["one cat", "it sleeps"], ["one cat"]], 100, False).tokenize("one cat")
    ['one', 'cat']
    """
    try:
        with switch_on():
            return WordPieceTokenizer.train(chain.from_iterable(documents), vocab_size, not cased)
    except ValueError as error:
        raise ValueError(str(error).replace("vocab_size", "--vocab-size")) from error
