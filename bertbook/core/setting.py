"""Whether somebody reads a chapter, or the book stores and compares it. Chapter 1."""

import os


def is_stored() -> bool:
    """Return whether what this kernel prints is stored or compared.

    Figures are then frozen, so that they work without a kernel, and every part is ours.
    """
    return os.environ.get("BOOK_STORED") == "1"
