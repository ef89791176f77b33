"""Between words and pieces: labels for pieces, words' labels back, and entities. Chapter 17."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from minibert.losses import IGNORED_LABEL
from minibert.wordpiece import WordPieceTokenizer


class TaggedPieces(NamedTuple):
    """The pieces of a sentence with their labels, and how to get back to its words.

    Args:
        input_ids: The pieces between [CLS] and [SEP].
        labels: One for each piece: that of its word at the first piece, otherwise -100.
        first_pieces: For each word the place of its first piece; None if it has no piece.
    """

    input_ids: list[int]
    labels: list[int]
    first_pieces: list[int | None]


class Entity(NamedTuple):
    """A named entity: what it is, and which words.

    Args:
        kind: Such as ``PER``, ``LOC`` or ``ORG``.
        start, end: Its words, ``words[start:end]``.
    """

    kind: str
    start: int
    end: int


def tag_pieces(
    tokenizer: WordPieceTokenizer,
    words: Sequence[str],
    labels: Sequence[int] | None = None,
) -> TaggedPieces:
    """Cut words into pieces; a word's label goes to its first piece.

    A word counts once, however many pieces it has. Special tokens written in a word stand for
    themselves, and a word of characters that vanish has no piece, and so no label.

    Args:
        tokenizer: Knows the pieces.
        words: A sentence, cut into words.
        labels: One for each word; without them every piece has -100.

    Returns:
        Ids and labels, equally many; a place for each word.

    Raises:
        TypeError: If the words are one string.
        ValueError: If words and labels are not equally many.

    Source: Devlin et al. (2019), section 5.3.

    >>> from minibert.wordpiece import SPECIAL_TOKENS
    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "shang", "##hai", "is", "big"])
    >>> tag_pieces(tokenizer, ["Shanghai", "is", "big"], [1, 0, 0])
    TaggedPieces(input_ids=[2, 5, 6, 7, 8, 3], labels=[-100, 1, -100, 0, 0, -100], \
first_pieces=[1, 3, 4])
    """
    labels = _checked(words, labels)
    ids, piece_labels, first_pieces = [tokenizer.cls_token_id], [IGNORED_LABEL], []
    for word, label in zip(words, labels, strict=True):
        pieces = tokenizer.encode(word)[1:-1]
        first_pieces.append(len(ids) if pieces else None)
        ids += pieces
        piece_labels += [label, *[IGNORED_LABEL] * (len(pieces) - 1)] if pieces else []
    return TaggedPieces(
        [*ids, tokenizer.sep_token_id], [*piece_labels, IGNORED_LABEL], first_pieces
    )


def labels_of_words(
    first_pieces: Sequence[int | None], piece_labels: Sequence[int], missing: int
) -> list[int]:
    """Read off the label of each word from its first piece.

    Args:
        first_pieces: Of `TaggedPieces`.
        piece_labels: A label for every piece, such as the one with the highest score; padding may
            follow.
        missing: The label of words that have no piece.

    Returns:
        One label for each word.

    Source: Devlin et al. (2019), section 5.3.

    >>> labels_of_words([1, 3, None], [9, 4, 9, 5, 9], missing=0)
    [4, 5, 0]
    """
    return [missing if place is None else piece_labels[place] for place in first_pieces]


def find_entities(tags: Sequence[str]) -> list[Entity]:
    """Read entities off the tags of a sentence: B-PER begins one, I-PER continues it, O is none.

    A model may write what no person would. An I that follows no entity of its kind begins one, as
    in the CoNLL shared task.

    Args:
        tags: One for each word.

    Returns:
        In the order of the words; they do not overlap.

    Raises:
        ValueError: If a tag is neither O nor B- or I- and a kind.

    Source: Tjong Kim Sang and De Meulder (2003), section 2.

    >>> find_entities(["B-PER", "I-PER", "O", "I-LOC", "B-LOC"])
    [Entity(kind='PER', start=0, end=2), Entity(kind='LOC', start=3, end=4), \
Entity(kind='LOC', start=4, end=5)]
    """
    entities: list[Entity] = []
    open_kind = None
    for place, tag in enumerate(tags):
        prefix, _, kind = tag.partition("-")
        if tag != "O" and (prefix not in ("B", "I") or not kind):
            raise ValueError(f"tag {place} is {tag!r}; a tag is O, or B- or I- and a kind")
        if prefix == "I" and kind == open_kind:
            entities[-1] = entities[-1]._replace(end=place + 1)
        elif kind:
            entities.append(Entity(kind, place, place + 1))
        open_kind = kind or None
    return entities


def _checked(words: Sequence[str], labels: Sequence[int] | None) -> Sequence[int]:
    """Return the labels, or -100 for each word if there are none; raise if they do not fit."""
    if isinstance(words, str):
        raise TypeError(f"give a list of words, not the one string {words[:30]!r}")
    if labels is not None and len(labels) != len(words):
        raise ValueError(f"{len(words)} words and {len(labels)} labels do not fit; give one each")
    return [IGNORED_LABEL] * len(words) if labels is None else labels
