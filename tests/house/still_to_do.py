"""Chapters that do not hold a rule yet. The list shrinks: whoever mends a chapter takes it out."""

import re
from collections.abc import Callable
from pathlib import Path

CHAPTER = re.compile(r"book/chapters/(\d\d)-")

STILL_TO_DO: dict[int, set[str]] = {}


def apart_from_those(rule: Callable[[Path], list[str]]) -> Callable[[Path], list[str]]:
    """Let a rule pass over the chapters on its list, and complain about one that holds it."""

    def shrinking(root: Path, to_do: dict[int, set[str]] = STILL_TO_DO) -> list[str]:
        listed = {number for number, rules in to_do.items() if rule.__name__ in rules}
        found, broken = [], set()
        for sentence in rule(root):
            match = CHAPTER.match(sentence)
            number = int(match[1]) if match else None
            if number in listed:
                broken.add(number)
            else:
                found.append(sentence)
        return found + [
            f"Chapter {number} holds the rule {rule.__name__!r} now. Take it off the list in "
            f"{Path(__file__).name}."
            for number in sorted(listed - broken)
        ]

    return shrinking
