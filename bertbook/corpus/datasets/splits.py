"""The parts of a data set of the book: to learn from, to choose by, to measure. Chapter 16."""

from minibert.text_files import packed_text

#: The parts of a data set.
SPLITS = ("train", "validation", "test")


def split_text(folder: str, name: str, split: str) -> str:
    """Read the file of one split."""
    if split not in SPLITS:
        raise ValueError(f"there is no split {split!r}; take 'train', 'validation' or 'test'")
    return packed_text(f"bertbook/corpus/datasets/{folder}/{name}_{split}.txt")
