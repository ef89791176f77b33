"""The eight colors of the book, and which token has which.

They are chosen to keep a contrast of at least 3:1 on a white and on a dark page. Chapter 1.
"""

from collections.abc import Sequence

PALETTE = ("#2f7ec4", "#c8681e", "#2a8f5b", "#9a5fc0", "#cc4b5e", "#1b8a9c", "#93741c", "#75797f")


def token_colors(tokens: Sequence[str]) -> dict[str, str]:
    """Give every distinct token one color, in the order of first appearance.

    Args:
        tokens: Tokens of a sentence, or of a whole chapter. After eight the palette starts again;
            length seq.

    Returns:
        Token to hexadecimal color; equal tokens share one.

    >>> token_colors(["one", "cat", "one"])
    {'one': '#2f7ec4', 'cat': '#c8681e'}
    """
    distinct = dict.fromkeys(tokens)
    return {token: PALETTE[i % len(PALETTE)] for i, token in enumerate(distinct)}
