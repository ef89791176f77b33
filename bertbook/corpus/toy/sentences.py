"""The hundred sentences of Chapter 5, and sentences from a text file."""

from pathlib import Path

from minibert.text_files import packed_text, read_text


def read_sentences(path: str | Path) -> tuple[str, ...]:
    r"""Read a UTF-8 text file with one sentence a line; blank lines are skipped.

    Parameters
    ----------
    path : str or Path
        The file.

    Returns
    -------
    tuple of str
        The sentences, without white space at their ends.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is not UTF-8, or holds no sentence.
    """
    sentences = tuple(filter(None, map(str.strip, read_text(path).split("\n"))))
    if not sentences:
        raise ValueError(f"{str(path)!r} holds no sentence; write one sentence on each line")
    return sentences


def hundred_sentences() -> tuple[str, ...]:
    """Return the hundred training sentences of the toy BERT.

    Returns
    -------
    tuple of str
        100 different sentences, lower case, no punctuation, made of 88 words.

    Examples
    --------
    >>> hundred_sentences()[0]
    'the cat sits on the mat'
    """
    return tuple(packed_text("bertbook/corpus/toy/sentences.txt").splitlines())
