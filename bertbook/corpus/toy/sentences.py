"""The hundred sentences of Chapter 5."""

from minibert.text_files import packed_text


def hundred_sentences() -> tuple[str, ...]:
    """Return the hundred training sentences of the toy BERT.

    Returns:
        100 different sentences, lower case, no punctuation, made of 88 words.

    >>> hundred_sentences()[0]
    'the cat sits on the mat'
    """
    return tuple(packed_text("bertbook/corpus/toy/sentences.txt").splitlines())
