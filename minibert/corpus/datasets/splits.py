"""The parts of a data set of the book: to learn from, to choose by, to measure. Chapter 16."""

from importlib import resources

SPLITS = ("train", "validation", "test")


def split_text(chapter: int, name: str, split: str) -> str:
    """Read the file of one split."""
    if split not in SPLITS:
        raise ValueError(f"there is no split {split!r}; take 'train', 'validation' or 'test'")
    path = (
        resources.files("minibert.corpus.datasets") / f"chapter{chapter:02}" / f"{name}_{split}.txt"
    )
    return path.read_text(encoding="utf-8")
