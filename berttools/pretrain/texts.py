"""The text of a run: what to learn from, what to hold out, and its word pieces. Chapter 14."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from itertools import chain, pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from minibert.data import TextDocuments, split_documents
from minibert.data.documents import Documents
from minibert.data.pairs import check_documents
from minibert.fast import fast_parts
from minibert.parts import override
from minibert.text import split_words
from minibert.wordpiece import WordPieceTokenizer
from minibert.wordpiece.learning import LONGEST_WORD

MOST_UNKNOWN = 0.2  # of all tokens
MOST_WRAPPED = 0.25  # of all lines with a next one
SENTENCE_END = re.compile(r"[.!?\u2026\u3002\uff01\uff1f]\W*$")
OPEN_END = re.compile(r"[\w,;-]$")


class Census(NamedTuple):
    """What becomes of a text: of its tokens, and of its pairs of neighboring sentences."""

    tokens: int
    unknown: int
    pairs: int
    cut: int
    longest: int


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
        longest = max(map(len, documents))
        warnings.warn(
            f"{documents.cut} of the {len(documents)} documents go on after {longest} lines "
            "without a blank one and were cut there; put a blank line wherever a document ends",
            stacklevel=2,
        )


def describe_text(documents: Documents) -> str:
    """Count documents, sentences and first sentences of pairs; warn if these are few."""
    sentences = sum(map(len, documents))
    firsts = sentences - len(documents)
    if 2 * firsts < sentences:
        warnings.warn(
            f"only {firsts:,} of the {sentences:,} sentences have a next one in their document, "
            "and only they begin a pair; put blank lines between documents, not between sentences",
            stacklevel=2,
        )
    return (
        f"Text: {len(documents):,} documents with {sentences:,} sentences, {firsts:,} of them with "
        "a next one."
    )


def warn_of_wrapped_lines(documents: Documents) -> None:
    """Warn if lines go on in the next one, as in a text that was wrapped at some width."""
    pairs = wrapped = 0
    has_marks = False
    for document in documents:
        has_marks = has_marks or any(map(SENTENCE_END.search, document))
        for first, second in pairwise(document):
            pairs += 1
            wrapped += bool(OPEN_END.search(first)) and second[:1].islower()
    if has_marks and wrapped > MOST_WRAPPED * pairs:
        warnings.warn(
            f"{wrapped:,} of {pairs:,} lines go on in the next one, which begins with a small "
            "letter; a line should be a whole sentence, so join the lines of a paragraph and break "
            "them after each sentence",
            stacklevel=2,
        )


def take_census(documents: Documents, tokenizer: WordPieceTokenizer, max_length: int) -> Census:
    """Count tokens and [UNK], and how many pairs of neighbors are longer than `max_length`."""
    tokens = unknown = pairs = cut = longest = 0
    for document in documents:
        rows = [tokenizer.encode(sentence)[1:-1] for sentence in document]
        tokens += sum(map(len, rows))
        unknown += sum(row.count(tokenizer.unk_token_id) for row in rows)
        lengths = [len(one) + len(other) + 3 for one, other in pairwise(rows)]
        pairs += len(lengths)
        cut += sum(length > max_length for length in lengths)
        longest = max([longest, *lengths])
    return Census(tokens, unknown, pairs, cut, longest)


def examine(
    rest: Documents, held_out: Documents | None, tokenizer: WordPieceTokenizer, max_length: int
) -> str:
    """Say how much is [UNK] and how much is cut; raise if too much is [UNK]."""
    parts = {"to learn from": rest, "held out": held_out}
    counted = {
        name: take_census(documents, tokenizer, max_length)
        for name, documents in parts.items()
        if documents is not None
    }
    for name, census in counted.items():
        if census.unknown > MOST_UNKNOWN * census.tokens:
            raise ValueError(_too_much_unknown(name, parts[name] or [], census))
    shares = ", ".join(
        f"{census.unknown / max(1, census.tokens):.1%} of {census.tokens:,} tokens {name}"
        for name, census in counted.items()
    )
    lines = [f"[UNK], for words that cannot be spelled: {shares}."]
    pairs, cut = (sum(getattr(c, key) for c in counted.values()) for key in ("pairs", "cut"))
    if cut:
        longest = max(census.longest for census in counted.values())
        lines.append(
            f"{cut:,} of {pairs:,} pairs of neighboring sentences have more than {max_length} "
            f"tokens and are cut; with --max-length {longest} none would be."
        )
    return "\n".join(lines)


def _too_much_unknown(name: str, documents: Documents, census: Census) -> str:
    words = (len(w) for w in chain.from_iterable(map(split_words, chain.from_iterable(documents))))
    if (longest := max(words, default=0)) > LONGEST_WORD:
        reason = (
            f"its longest word has {longest:,} characters, and a word of more than {LONGEST_WORD} "
            "becomes [UNK]; put spaces between words, also where the script has none, as in Thai "
            "or DNA"
        )
    else:
        reason = (
            "the rest of the text lacks their characters; add text like this to it, leave this "
            "out, or give another --seed"
        )
    return (
        f"{census.unknown:,} of the {census.tokens:,} tokens {name} are [UNK], more than "
        f"{MOST_UNKNOWN:.0%}, and nothing can be learned of them: {reason}"
    )


def hold_out(documents: Documents, share: float, seed: int) -> tuple[Documents, Documents | None]:
    """Set a share of the documents aside, two at the least; of these no copy stays."""
    if not share:
        return documents, None
    count = max(2, round(share * len(documents)))
    if len(documents) - count < 2:
        raise ValueError(
            f"the text has {len(documents)} documents, too few to hold out {count} and learn from "
            "at least 2; put blank lines between documents, add text, or give --held-out 0"
        )
    try:
        parts = split_documents(documents, count, rng=np.random.default_rng(seed))
    except ValueError as error:
        raise ValueError(f"{error}; add other text, or give --held-out 0") from error
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
        with override(fast_parts()):
            return WordPieceTokenizer.train(chain.from_iterable(documents), vocab_size, not cased)
    except ValueError as error:
        raise ValueError(str(error).replace("vocab_size", "--vocab-size")) from error
