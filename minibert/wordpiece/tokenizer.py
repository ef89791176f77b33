"""The tokenizer: from text to ids by greedy longest match, and back. Chapter 6."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import index
from pathlib import Path
from typing import SupportsIndex

from minibert.text import clean_text, lower_case, space_chinese, split_words, strip_accents

from .added_tokens import AddedToken, TokenFinder, check_added_tokens
from .encode_batch import (
    Batch,
    check_lengths,
    check_padding_options,
    check_texts,
    pad_rows,
    require_text,
    truncate_pair,
)
from .learning import CONTINUED, LONGEST_WORD, SPECIAL_TOKENS, learn_vocabulary
from .vocabulary import check_pieces, longest_match, read_pieces, write_pieces

SPECIAL = re.compile("(" + "|".join(map(re.escape, SPECIAL_TOKENS)) + ")")
WORDS_CACHED = 100_000


class WordPieceTokenizer:
    """Cut text into the word pieces of a vocabulary and name each by its id.

    Args:
        vocab: The pieces; the index of a piece is its id. Those that continue a word begin with
            ``##``.
        do_lower_case: Whether the vocabulary knows no capitals.
        strip_accents: Whether it knows no accents; by default as `do_lower_case`.
        added_tokens: Tokens that are cut out of a text before its words are. One that is no piece
            gets the next id after the pieces.

    Source: Devlin et al. (2019), section 3, and Wu et al. (2016), section 4.1.

    >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing", "##s"])
    >>> tokenizer.tokenize("Playing plays [MASK] chess")
    ['play', '##ing', 'play', '##s', '[MASK]', '[UNK]']
    >>> tokenizer.encode("Playing")
    [2, 5, 6, 3]
    """

    def __init__(
        self,
        vocab: Iterable[str],
        do_lower_case: bool = True,
        strip_accents: bool | None = None,
        added_tokens: Iterable[AddedToken] = (),
    ):
        pieces = tuple(vocab)
        self.do_lower_case = do_lower_case
        self.strip_accents = do_lower_case if strip_accents is None else strip_accents
        self.added_tokens = check_added_tokens(added_tokens)
        known = {*pieces}
        others = (token.content for token in self.added_tokens)
        self.pieces = (*pieces, *(content for content in others if content not in known))
        self.vocab = {piece: number for number, piece in enumerate(self.pieces)}
        check_pieces(self.pieces, self.vocab)
        self._words = {piece: self.vocab[piece] for piece in pieces}
        self.vocab_size = len(self.pieces)
        self.pad_token_id, self.unk_token_id = self.vocab["[PAD]"], self.vocab["[UNK]"]
        self.cls_token_id, self.sep_token_id = self.vocab["[CLS]"], self.vocab["[SEP]"]
        self.mask_token_id = self.vocab["[MASK]"]
        self._continued = {
            piece.removeprefix(CONTINUED): number
            for piece, number in self._words.items()
            if piece.startswith(CONTINUED)
        }
        added = self.added_tokens
        raw = [*SPECIAL_TOKENS, *(token.content for token in added if not token.normalized)]
        self.raw_tokens = TokenFinder({content: self.vocab[content] for content in raw})
        self.normalized_tokens = TokenFinder(
            {self.normalize(t.content): self.vocab[t.content] for t in added if t.normalized}
        )
        self._not_words = {*SPECIAL_TOKENS, *(token.content for token in added if token.special)}
        self._word_ids = _Cache(self._ids_of_word)

    @classmethod
    def train(
        cls,
        texts: Iterable[str],
        vocab_size: int,
        do_lower_case: bool = True,
        min_frequency: int = 2,
    ) -> WordPieceTokenizer:
        """Return a tokenizer that learned its vocabulary from texts, in whatever order they come.

        Args:
            texts: The corpus; it is read once.
            vocab_size: Most entries of the vocabulary, special tokens and single characters
                included.
            do_lower_case: Whether to drop capitals and accents.
            min_frequency: How often two pieces must stand side by side to be merged, at least 1.

        >>> tokenizer = WordPieceTokenizer.train(["cat cat cot"], vocab_size=20)
        >>> tokenizer.tokenize("Cats")
        ['[UNK]']
        """
        if isinstance(texts, str):
            raise TypeError(f"give a list of texts, not the one string {texts[:30]!r}")
        plain = (SPECIAL.sub(" ", text) for text in _texts(texts))
        word_counts = Counter(chain.from_iterable(split_words(t, do_lower_case) for t in plain))
        return cls(learn_vocabulary(word_counts, vocab_size, min_frequency), do_lower_case)

    @classmethod
    def load(cls, path: str | Path, do_lower_case: bool = True) -> WordPieceTokenizer:
        """Return the tokenizer of the vocab.txt at `path`, which does not say `do_lower_case`."""
        return cls(read_pieces(path), do_lower_case)

    def save(self, path: str | Path) -> None:
        """Write a vocab.txt to `path`, without added tokens; `save_pretrained` writes both."""
        write_pieces(self.pieces[: len(self._words)], path)

    def tokenize(self, text: str) -> list[str]:
        """Return the pieces of `text`; special tokens in it stand for themselves."""
        require_text(text, "text")
        return [self.pieces[number] for number in self._ids(text)]

    def encode(self, text: str, pair: str | None = None) -> list[int]:
        """Return the ids of ``[CLS] text [SEP] pair [SEP]``, or of ``[CLS] text [SEP]``.

        Nothing is cut or padded of `text` and `pair`. Calling the tokenizer itself gives tensors.
        """
        require_text(text, "text")
        if pair is not None:
            require_text(pair, "pair")
        return self._row(text, pair, None)[0]

    def decode(self, ids: Iterable[SupportsIndex], skip_special_tokens: bool = False) -> str:
        """Return the text of `ids`; case, accents and spaces that were lost stay lost.

        A space stands before each word, none before ``.``, ``,``, ``!`` and ``?``.
        `skip_special_tokens` leaves out special tokens and padding.

        >>> tokenizer = WordPieceTokenizer([*SPECIAL_TOKENS, "play", "##ing"])
        >>> tokenizer.decode([2, 5, 6, 3]), tokenizer.decode([2, 5, 6, 3], skip_special_tokens=True)
        ('[CLS] playing [SEP]', 'playing')
        """
        pieces = [self._piece(number) for number in _ids_of_one_row(ids)]
        if skip_special_tokens:
            pieces = [piece for piece in pieces if piece not in self._not_words]
        spaced = [
            piece.removeprefix(CONTINUED)
            if piece.startswith(CONTINUED)
            else piece if piece in (".", ",", "!", "?") else " " + piece
            for piece in pieces[1:]
        ]  # fmt: skip
        return "".join([*pieces[:1], *spaced])

    def __call__(
        self,
        texts: str | Sequence,
        pairs: str | Sequence | None = None,
        padding: bool = True,
        truncation: bool = False,
        max_length: int | None = None,
    ) -> Batch:
        """Turn texts into the tensors that a model takes."""
        firsts, seconds = check_texts(texts, pairs)
        check_padding_options(padding, truncation, max_length, has_pairs=seconds[0] is not None)
        room = max_length if truncation else None
        rows = [self._row(*both, room) for both in zip(firsts, seconds, strict=True)]
        check_lengths([len(ids) for ids, _ in rows], padding, max_length)
        return pad_rows(rows, self.pad_token_id)

    def _row(
        self, text: str, pair: str | None, max_length: int | None
    ) -> tuple[list[int], list[int]]:
        first, second = self._ids(text), self._ids(pair or "")
        if max_length is not None:
            room = max_length - (2 if pair is None else 3)
            first, second = truncate_pair(first, second, room)
        ids = [self.cls_token_id, *first, self.sep_token_id]
        types = [0] * len(ids)
        if pair is None:
            return ids, types
        return [*ids, *second, self.sep_token_id], types + [1] * (len(second) + 1)

    def _ids(self, text: str) -> list[int]:
        """Look up a text, word by word; special and added tokens in it stand for themselves."""
        ids: list[int] = []
        for part, token_id in self.raw_tokens.split(text):
            if token_id is not None:
                ids.append(token_id)
            elif self.normalized_tokens.ids:
                for piece, its_id in self.normalized_tokens.split(self.normalize(part)):
                    ids += self._ids_of_words(piece) if its_id is None else [its_id]
            else:
                ids += self._ids_of_words(part)
        return ids

    def normalize(self, text: str) -> str:
        """Return `text` without control characters, and without capitals and accents if they go."""
        text = space_chinese(clean_text(text))
        text = strip_accents(text) if self.strip_accents else text
        return lower_case(text) if self.do_lower_case else text

    def _ids_of_words(self, text: str) -> Iterator[int]:
        """Look up every word of a text without tokens in it."""
        plain = self.strip_accents == self.do_lower_case
        if not plain:  # only the capitals go, or only the accents
            text = self.normalize(text)
        words = split_words(text, self.do_lower_case and plain)
        return chain.from_iterable(map(self._word_ids.__getitem__, words))

    def ids_of_word(self, word: str) -> list[int]:
        """Return the ids of one `word` of `split_words`; that of ``[UNK]`` if it cannot be cut."""
        return self._word_ids[word]

    def _ids_of_word(self, word: str) -> list[int]:
        fits = len(word) <= LONGEST_WORD
        return (fits and longest_match(word, self._words, self._continued)) or [self.unk_token_id]

    def _piece(self, number: int) -> str:
        if not 0 <= number < self.vocab_size:
            raise ValueError(
                f"id {number} is outside the vocabulary of {self.vocab_size} pieces; "
                f"ids run from 0 to {self.vocab_size - 1}"
            )
        return self.pieces[number]


def _texts(texts: Iterable[str]) -> Iterator[str]:
    """Yield the texts to learn from; raise for what is no text."""
    if not isinstance(texts, Iterable):
        raise TypeError(f"the texts are {type(texts).__name__} ({texts!r:.30}); give a list of str")
    for number, text in enumerate(texts):
        require_text(text, f"text {number}")
        yield text


def _ids_of_one_row(ids: Iterable[SupportsIndex]) -> Iterator[int]:
    """Yield plain ids; raise for several rows, or for what is no id."""
    if not isinstance(ids, Iterable) or getattr(ids, "ndim", 1) == 0:
        raise TypeError(f"ids are {type(ids).__name__} ({ids!r:.30}); give a list of ids")
    for place, number in enumerate(ids):
        try:
            yield index(number)
        except TypeError:
            kind = f"{type(number).__name__} ({number!r:.30})"
            raise TypeError(
                f"id {place} is {kind}, not a whole number; give the ids of one text, and of "
                "several one row after the other"
            ) from None


class _Cache(dict):
    """A cache of the ids of words, emptied when it is full."""

    def __init__(self, look_up: Callable[[str], list[int]]):
        self.look_up = look_up

    def __missing__(self, word: str) -> list[int]:
        ids = self.look_up(word)
        if len(word) <= LONGEST_WORD:
            if len(self) >= WORDS_CACHED:
                self.clear()
            self[word] = ids
        return ids
