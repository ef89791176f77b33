"""The hundred sentences of Chapter 5, and sentences from a text file."""

from importlib import resources
from pathlib import Path


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
    path = Path(path)
    if not path.is_file():
        raise FileNotFoundError(f"there is no file {str(path)!r}; check the name and the folder")
    sentences = []
    for number, line in enumerate(path.read_bytes().split(b"\n"), start=1):
        try:
            sentences.append(line.decode("utf-8-sig").strip())
        except UnicodeDecodeError as error:
            raise ValueError(
                f"line {number} of {str(path)!r} is not UTF-8 (byte 0x{line[error.start]:02x}); "
                "open the file in an editor and save it with the encoding UTF-8"
            ) from error
    if not any(sentences):
        raise ValueError(f"{str(path)!r} holds no sentence; write one sentence on each line")
    return tuple(filter(None, sentences))


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
    with resources.as_file(resources.files("minibert") / "sentences.txt") as path:
        return read_sentences(path)
