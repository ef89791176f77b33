"""What the customers of an internet provider ask for: the requests of Chapter 16, and any file."""

from __future__ import annotations

import re
from typing import NamedTuple

from .splits import split_text

REQUEST_LABELS = ("Hardware", "Software", "Billing")
MARKS = ("keyword", "negation", "two topics", "typo")
HEADING = re.compile(r"== (?P<label>[^:]+): (?P<origin>.+)")
MARKED = re.compile(r"(?:\((?P<mark>[^)]*)\) )?(?P<text>.+)")


class Request(NamedTuple):
    """One request, its department, and its origin.

    Args:
        text: What the customer writes.
        label: The department, one of `REQUEST_LABELS`.
        origin: How it was written, such as ``hand``, or the name of its template.
        mark: What makes it hard, one of `MARKS`, or empty.
    """

    text: str
    label: str
    origin: str
    mark: str


def service_requests(split: str) -> tuple[Request, ...]:
    """Return the requests of the book.

    Args:
        split: "train", "validation" or "test": 630, 120 or 180 of them, a third of each class; no
            way of saying it is in two splits.

    Returns:
        Class by class; shuffle them before you train.

    Raises:
        ValueError: When there is no such split.

    >>> [len(service_requests(split)) for split in ("train", "validation", "test")]
    [630, 120, 180]
    >>> service_requests("test")[0].text
    'Nothing lights up anymore when I flip the switch at the back.'
    """
    return parse_requests(split_text("requests_and_pairs", "requests", split))


def parse_requests(text: str) -> tuple[Request, ...]:
    r"""Read requests, a line each, under headings ``== Label: origin``.

    Args:
        text: Requests, some with ``(mark)`` before them; lines with # are passed over.

    Returns:
        In the order of the text.

    Raises:
        ValueError: If a label or a mark is unknown, or a request has no heading above it.
    """
    label, origin, found = "", "", []
    for number, line in enumerate(text.splitlines(), start=1):
        if heading := HEADING.fullmatch(line):
            label, origin = heading["label"], heading["origin"]
            _known(label, REQUEST_LABELS, "label", number)
        elif line.strip() and not line.startswith("#"):
            if not label:
                raise ValueError(
                    f"line {number} ({line!r}) has no heading above it; write one, "
                    "'== Hardware: hand'"
                )
            (marked,) = MARKED.finditer(line)
            if marked["mark"] is not None:
                _known(marked["mark"], MARKS, "mark", number)
            found.append(Request(marked["text"], label, origin, marked["mark"] or ""))
    return tuple(found)


def _known(word: str, words: tuple[str, ...], kind: str, number: int) -> None:
    """Raise for a word that is not one of those allowed."""
    if word not in words:
        raise ValueError(f"line {number} has the {kind} {word!r}; take one of {', '.join(words)}")
