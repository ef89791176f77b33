"""Cut one word into pieces of a vocabulary. Chapter 6."""

from collections.abc import Mapping


def longest_match(word: str, start: Mapping[str, int], inside: Mapping[str, int]) -> list[int]:
    """Take the longest piece that fits, again and again, from left to right.

    Parameters
    ----------
    word : str
        A word without white space.
    start : mapping from str to int
        Ids of the pieces that may begin a word.
    inside : mapping from str to int
        Ids of the pieces that may continue one, written here without their ``##``.

    Returns
    -------
    list of int
        Ids; none at all if at some place no piece fits. The choice is never taken back.

    References
    ----------
    Wu et al. (2016), section 4.1.

    Examples
    --------
    >>> longest_match("cats", {"c": 5, "cat": 7}, {"a": 6, "s": 8})
    [7, 8]
    >>> longest_match("cots", {"c": 5, "cat": 7}, {"a": 6, "s": 8})
    []
    """
    ids, position, pieces = [], 0, start
    while position < len(word):
        for end in range(len(word), position, -1):
            if word[position:end] in pieces:
                break
        else:
            return []
        ids.append(pieces[word[position:end]])
        position, pieces = end, inside
    return ids
