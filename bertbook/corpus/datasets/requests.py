"""What the customers of an internet provider ask for: the requests of Chapter 16."""

import re
from collections.abc import Iterator
from typing import NamedTuple

from .splits import split_text

#: The departments, in the order of their ids.
REQUEST_LABELS = ("Hardware", "Software", "Billing")
#: Why a request may be hard: what `Request.mark` says.
MARKS = ("keyword", "negation", "two topics", "typo")
MARKED = re.compile(r"(?:\(([^)]*)\) )?(.+)")


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

    >>> [len(service_requests(split)) for split in ("train", "validation", "test")]
    [630, 120, 180]
    >>> service_requests("test")[0].text
    'Nothing lights up anymore when I flip the switch at the back.'
    """
    return tuple(_parse(split_text("requests_and_pairs", "requests", split)))


def _parse(text: str) -> Iterator[Request]:
    """Read requests, a line each, some with ``(mark)`` before them, under ``== Label: origin``."""
    label = origin = ""
    for line in text.splitlines():
        if line.startswith("== "):
            label, origin = line.removeprefix("== ").split(": ")
        elif line.strip() and not line.startswith("#"):
            ((mark, words),) = MARKED.findall(line)
            yield Request(words, label, origin, mark)
