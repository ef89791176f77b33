"""Sentence pairs: half of them follow each other in their document, half do not. Chapter 13."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from minibert.wordpiece import WordPieceTokenizer

from .documents import Documents

#: The labels of a pair: 0 if the second sentence follows the first, 1 if it does not.
IS_NEXT, NOT_NEXT = 0, 1
DRAWS = 64


class SentencePair(NamedTuple):
    """Two sentences, `first` and `second`; `next_sentence_label` is 0 if it follows, else 1."""

    first: str
    second: str
    next_sentence_label: int


def draw_pairs(
    documents: Documents,
    number: int,
    *,
    rng: np.random.Generator,
    start: int = 0,
    stop: int | None = None,
) -> Iterator[SentencePair]:
    """Yield a pair for each sentence of a document that has a next one, half of them at random.

    With probability 1/2 its partner is that next sentence, and otherwise a random sentence of a
    random other document; one that reads like the true next one is drawn again. After 64 such draws
    the pair stays a true one: none is ever called NotNext by mistake.

    Args:
        documents: At least two; see `check_documents`.
        number: Which document, from 0.
        rng: Draws partners and sentences.
        start, stop: Only the pairs whose first sentence has such a number, `stop` not included.

    Source: Devlin et al. (2019), section 3.1, task 2, and appendix A.2. There, a segment is as many
    sentences as fit; here it is one, which keeps the question sharp when sequences are short.

    >>> corpus = [["one cat", "it sleeps", "it eats"], ["one dog", "it barks"]]
    >>> for pair in draw_pairs(corpus, 0, rng=np.random.default_rng(0)):
    ...     print(*pair, sep=" | ")
    one cat | it sleeps | 0
    it sleeps | one dog | 1
    """
    document = documents[number]
    for place in range(len(document) - 1)[start:stop]:
        first, following = document[place], document[place + 1]
        other = _draw_other(documents, number, following, rng) if rng.random() < 0.5 else None
        if other is None:
            yield SentencePair(first, following, IS_NEXT)
        else:
            yield SentencePair(first, other, NOT_NEXT)


def _draw_other(
    documents: Documents, number: int, following: str, rng: np.random.Generator
) -> str | None:
    """Draw a sentence of another document that is not the true next one, if there is any."""
    for _ in range(DRAWS):
        other = int(rng.integers(len(documents) - 1))
        document = documents[other + (other >= number)]  # every number but `number`
        sentence = document[int(rng.integers(len(document)))]
        if _words(sentence) != _words(following):
            return sentence
    return None


def _words(sentence: str) -> list[str]:
    return sentence.casefold().split()


def check_documents(documents: Documents) -> None:
    """Raise for a corpus of which no pairs can be made."""
    is_list = isinstance(documents, Sequence) and not isinstance(documents, str)
    if not is_list or (len(documents) and isinstance(documents[0], str)):
        raise TypeError(
            "a corpus is a list of documents, and a document a list of sentences, not "
            f"{type(documents).__name__} ({documents!r:.40})"
        )
    counts = np.asarray([*map(len, documents)])
    if not counts.sum():
        raise ValueError("the corpus holds no sentence; write one sentence on each line")
    if not counts.all():
        raise ValueError(f"document {int(counts.argmin())} holds no sentence; leave it out")
    if len(counts) == counts[0] == 1:
        raise ValueError(
            f"the corpus is a single line of {len(documents[0][0])} characters; write one sentence "
            "on each line, and a blank line between documents"
        )
    if len(counts) == 1:
        raise ValueError(
            f"the corpus is a single document ({counts[0]} sentences), so no sentence can come "
            "from another one; put a blank line between documents, or add a file"
        )
    if counts.max() == 1:
        raise ValueError(
            f"each of the {len(counts)} documents is a single sentence, so none has a next one; "
            "put a blank line between documents, not between sentences"
        )


def truncate_both_ends(
    first: Sequence[int], second: Sequence[int], room: int, *, rng: np.random.Generator
) -> tuple[Sequence[int], Sequence[int]]:
    """Cut two rows so that both fit in `room`: the longer one first, at either end at random.

    Token by token, the longer row (of equal ones the second) loses its first or its last token. So
    the model also meets sentences that begin in the middle (Devlin et al., 2019, appendix A.2).
    """
    if len(first) + len(second) <= room:
        return first, second
    kept = min(len(first), max(room - len(second), room - room // 2))
    return _cut(first, kept, rng), _cut(second, room - kept, rng)


def _cut(row: Sequence[int], kept: int, rng: np.random.Generator) -> Sequence[int]:
    # Each token is cut at the front with probability 1/2.
    front = int(rng.binomial(len(row) - kept, 0.5))
    return row[front : front + kept]


def encode_pair(
    tokenizer: WordPieceTokenizer, pair: SentencePair, max_length: int, *, rng: np.random.Generator
) -> tuple[list[int], list[int]]:
    """Return the ids of ``[CLS] first [SEP] second [SEP]``, and the segment of each.

    A `pair` of which `tokenizer` makes more than `max_length` tokens, special tokens included, is
    cut, and `rng` decides at which end.

    Source: Devlin et al. (2019), section 3 and appendix A.2.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "one", "cat", "dog"])
    >>> pair = SentencePair("one cat", "one dog", NOT_NEXT)
    >>> encode_pair(tokenizer, pair, 512, rng=np.random.default_rng(0))
    ([2, 5, 6, 3, 5, 7, 3], [0, 0, 0, 0, 1, 1, 1])
    """
    first, second = (tokenizer.encode(text)[1:-1] for text in (pair.first, pair.second))
    first, second = truncate_both_ends(first, second, max_length - 3, rng=rng)
    ids = [tokenizer.cls_token_id, *first, tokenizer.sep_token_id, *second, tokenizer.sep_token_id]
    return ids, [0] * (len(first) + 2) + [1] * (len(second) + 1)
