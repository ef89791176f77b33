"""Sentences that show a word in two senses, and the class of words: those of Chapter 21."""

from __future__ import annotations

from typing import NamedTuple

from minibert.text_files import packed_text

WORD_CLASSES = ("noun", "verb", "adjective")


class SenseSentence(NamedTuple):
    """A sentence with a word of several senses.

    Args:
        word: The word, in small letters.
        sense: Its sense in this sentence, such as ``river`` for ``bank``.
        text: The sentence; it holds the word once.
    """

    word: str
    sense: str
    text: str


def sense_sentences() -> tuple[SenseSentence, ...]:
    """Return ten words in two senses each, in eight sentences a sense.

    Returns:
        In groups of one sense; the two senses of a word follow each other.

    >>> sentences = sense_sentences()
    >>> len(sentences), sentences[8].sense, sentences[8].text
    (160, 'river', 'We sat on the bank and watched the boats go by.')
    """
    return parse_senses(packed_text("bertbook/corpus/datasets/meanings_of_words/senses.txt"))


def parse_senses(text: str) -> tuple[SenseSentence, ...]:
    r"""Read groups of sentences, each below a line ``word/sense``.

    Args:
        text: A line ``word/sense``, below it the sentences; lines with # are passed over.

    Returns:
        In the order of the text.

    Raises:
        ValueError: If a sentence does not hold its word exactly once.

    >>> parse_senses("bank/river\nThe bank is steep.")
    (SenseSentence(word='bank', sense='river', text='The bank is steep.'),)
    """
    found, word, sense = [], "", ""
    for line in _lines(text):
        if "/" in line:
            word, _, sense = line.partition("/")
            continue
        count = "".join(c if c.isalpha() else " " for c in line.lower()).split().count(word)
        if not word or count != 1:
            raise ValueError(
                f"{line!r} holds {word or 'its word'!r} {count} times; write it once, below a line "
                "such as bank/river"
            )
        found.append(SenseSentence(word, sense, line))
    return tuple(found)


def word_classes() -> dict[str, str]:
    """Return words of the small world with their class.

    Returns:
        Word to ``noun``, ``verb`` or ``adjective``, in alphabetical order.

    >>> classes = word_classes()
    >>> classes["fence"], classes["throws"], classes["yellow"]
    ('noun', 'verb', 'adjective')
    """
    found, current = {}, ""
    for line in _lines(packed_text("bertbook/corpus/datasets/meanings_of_words/word_classes.txt")):
        if line in WORD_CLASSES:
            current = line
        else:
            found |= dict.fromkeys(line.split(), current)
    return dict(sorted(found.items()))


def _lines(text: str) -> list[str]:
    stripped = (line.strip() for line in text.splitlines())
    return [line for line in stripped if line and not line.startswith("#")]
