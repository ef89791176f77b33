"""The text of a run: what to learn from, what to hold out, and what is [UNK]. Chapter 14."""

import re
import warnings
from collections import Counter
from itertools import chain, pairwise

import numpy as np

from minibert.data import TextDocuments, split_documents
from minibert.data.documents import Documents
from minibert.data.pairs import check_documents
from minibert.wordpiece import WordPieceTokenizer
from minibert.wordpiece.learning import LONGEST_WORD

MOST_UNKNOWN = 0.2  # of all tokens
MOST_WRAPPED = 0.25  # of all lines with a next one
OPEN_END = re.compile(r"[\w,;-]$")


def describe_text(documents: TextDocuments) -> str:
    """Count documents and sentences; warn of the two usual mistakes with the ends of lines."""
    sentences = sum(map(len, documents))
    firsts = sentences - len(documents)
    if 2 * firsts < sentences:
        warnings.warn(
            f"only {firsts:,} of the {sentences:,} sentences have a next one in their document, "
            "and only they begin a pair; put blank lines between documents, not between sentences",
            stacklevel=2,
        )
    pairs = chain.from_iterable(map(pairwise, documents))
    wrapped = sum(bool(OPEN_END.search(first)) and then[0].islower() for first, then in pairs)
    # Of a text without full stops nobody can tell.
    if wrapped > MOST_WRAPPED * firsts and any("." in line for each in documents for line in each):
        warnings.warn(
            f"{wrapped:,} of {firsts:,} lines go on in the next one; a line should be a whole "
            "sentence, so join the lines of a paragraph and break them after each sentence",
            stacklevel=2,
        )
    cut = f" ({documents.cut:,} of them cut for want of a blank line)" if documents.cut else ""
    return (
        f"Text: {len(documents):,} documents{cut} with {sentences:,} sentences, {firsts:,} of "
        "them with a next one."
    )


def hold_out(documents: Documents, share: float, seed: int) -> tuple[Documents, Documents | None]:
    """Set a share of the documents aside, two at the least; of these no copy stays."""
    if not share:
        return documents, None
    count = max(2, round(share * len(documents)))
    try:
        parts = split_documents(documents, count, rng=np.random.default_rng(seed))
        for part in parts:
            check_documents(part)
    except ValueError as error:
        raise ValueError(
            f"of {len(documents)} documents, {count} were to be held out, but {error}. Give more "
            "documents (blank lines part them), another --seed, or --held-out 0"
        ) from error
    return parts


def count_pieces(documents: Documents, tokenizer: WordPieceTokenizer) -> Counter[int]:
    """Count how often each piece occurs."""
    counts: Counter[int] = Counter()
    for sentence in chain.from_iterable(documents):
        counts.update(tokenizer.encode(sentence)[1:-1])
    return counts


def share_unknown(documents: Documents, tokenizer: WordPieceTokenizer) -> str:
    """Return which share of the tokens is [UNK]; raise if it is too much."""
    counts = count_pieces(documents, tokenizer)
    unknown, tokens = counts[tokenizer.unk_token_id], counts.total()
    told = f"{unknown / max(1, tokens):.1%} of {tokens:,} tokens"
    if unknown > MOST_UNKNOWN * tokens:
        raise ValueError(
            f"{told} are [UNK], of which nothing can be learned: words of more than {LONGEST_WORD} "
            "characters, or with characters that the text to learn from lacks. Put spaces between "
            "words, also where the script has none; add text like this; or give another --seed"
        )
    return told
