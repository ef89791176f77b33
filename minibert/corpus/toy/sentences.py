"""The hundred sentences of Chapter 5, and sentences from a text file."""

from importlib import resources
from pathlib import Path

from minibert.text_files import read_text


def read_sentences(path: str | Path) -> tuple[str, ...]:
    r"""Read a UTF-8 text file with one sentence a line; blank lines are skipped.

    Parameters
    ----------
    path : str or Path
        The text file.

    Returns
    -------
    tuple of str
        The sentences in the order of the file, at least one, none of them empty.

    Raises
    ------
    FileNotFoundError
        When there is no such file.
    ValueError
        When the file holds no sentence, or a line of it is not UTF-8.

    References
    ----------
    Chapter 5.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "two.txt"
    >>> _ = path.write_text("one cat\n\none dog\n", encoding="utf-8")
    >>> read_sentences(path)
    ('one cat', 'one dog')
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

    References
    ----------
    Chapter 5.

    Examples
    --------
    >>> hundred_sentences()[0]
    'the cat sits on the mat'
    """
    with resources.as_file(resources.files("minibert.corpus.toy") / "sentences.txt") as path:
        return read_sentences(path)
