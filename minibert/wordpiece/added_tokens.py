"""Tokens that are found in a text before its words: [MASK], and added ones. Chapters 6 and 15."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple


class AddedToken(NamedTuple):
    """A token that stays whole; a `normalized` one is looked for when capitals are gone."""

    content: str
    special: bool = True
    normalized: bool = False


class TokenFinder:
    """Find tokens in a text: the first that begins, and of those the longest."""

    def __init__(self, ids: Mapping[str, int]) -> None:
        self.ids = dict(ids)
        longest_first = sorted(self.ids, key=len, reverse=True)
        self._pattern = re.compile("(" + "|".join(map(re.escape, longest_first)) + ")")

    def split(self, text: str) -> Iterator[tuple[str, int | None]]:
        """Yield the parts of a text, each with its id, or None between the tokens."""
        if not self.ids:
            yield text, None
            return
        for number, part in enumerate(self._pattern.split(text)):
            if part:
                yield part, self.ids[part] if number % 2 else None


def check_added_tokens(tokens: Iterable[AddedToken]) -> tuple[AddedToken, ...]:
    """Raise for tokens that cannot be found."""
    tokens = tuple(tokens)
    for token in tokens:
        if not isinstance(token, AddedToken):
            raise TypeError(f"an added token is {token!r:.40}; give AddedToken({str(token)!r:.40})")
        if not token.content.strip():
            raise ValueError(f"the added token {token.content!r} is empty; leave it out")
    contents = [token.content for token in tokens]
    if twice := [content for content in contents if contents.count(content) > 1]:
        raise ValueError(f"the added token {twice[0]!r} is given twice; keep one")
    return tokens
