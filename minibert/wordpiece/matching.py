"""Cut one word into pieces of a vocabulary. Chapter 6."""

from collections.abc import Mapping


def longest_match(word: str, start: Mapping[str, int], inside: Mapping[str, int]) -> list[int]:
    """Take the longest piece that fits, again and again, from left to right.

    The pieces that may continue a word stand without their ``##``. No ids at all come back if at
    some place no piece fits: the choice is never taken back.
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
