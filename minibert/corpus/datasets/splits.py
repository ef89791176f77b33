"""The parts of a data set that is packed with the book: to learn from, to choose by, to measure."""

from importlib import resources

SPLITS = ("train", "validation", "test")


def split_text(chapter: int, name: str, split: str) -> str:
    """Read the file of one split.

    Parameters
    ----------
    chapter : int
        The chapter that the data belong to.
    name : str
        What the data set is called.
    split : {"train", "validation", "test"}
        Which part of it.

    Returns
    -------
    str
        The text of ``minibert/corpus/chapterNN/name_split.txt``.

    Raises
    ------
    ValueError
        When there is no such split.

    References
    ----------
    Chapter 16.

    Examples
    --------
    >>> split_text(16, "requests", "test").splitlines()[4]
    'Nothing lights up anymore when I flip the switch at the back.'
    """
    if split not in SPLITS:
        raise ValueError(f"there is no split {split!r}; take 'train', 'validation' or 'test'")
    path = (
        resources.files("minibert.corpus.datasets") / f"chapter{chapter:02}" / f"{name}_{split}.txt"
    )
    return path.read_text(encoding="utf-8")
