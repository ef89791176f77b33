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
    """Hold one request, the department that has to act, and where the words come from.

    Parameters
    ----------
    text : str
        What the customer wrote.
    label : {"Hardware", "Software", "Billing"}
        The class; its number is its place in ``REQUEST_LABELS``.
    origin : str
        ``hand``, or the group of rules whose frame was filled.
    mark : {"", "keyword", "negation", "two topics", "typo"}
        What is hard about it: a word that points to another class, a negation, a second topic, or
        misspelled words.

    References
    ----------
    Chapter 16.

    Examples
    --------
    >>> request = Request("I paid for a router that blinks red.", "Hardware", "hand", "keyword")
    >>> REQUEST_LABELS.index(request.label)
    0
    """

    text: str
    label: str
    origin: str
    mark: str


def service_requests(split: str) -> tuple[Request, ...]:
    """Return the requests of the book.

    Parameters
    ----------
    split : {"train", "validation", "test"}
        630, 120 or 180 of them, a third of each class; no way of saying it is in two splits.

    Returns
    -------
    tuple of Request
        Class by class; shuffle them before you train.

    Raises
    ------
    ValueError
        When there is no such split.

    References
    ----------
    Chapter 16.

    Examples
    --------
    >>> [len(service_requests(split)) for split in ("train", "validation", "test")]
    [630, 120, 180]
    >>> service_requests("test")[0].text
    'Nothing lights up anymore when I flip the switch at the back.'
    """
    return parse_requests(split_text(16, "requests", split))


def parse_requests(text: str) -> tuple[Request, ...]:
    r"""Read requests, a line each, under headings ``== Label: origin``.

    Parameters
    ----------
    text : str
        Lines may begin with a mark, ``(typo)``; blank ones and those that begin with # are skipped.

    Returns
    -------
    tuple of Request
        In the order of the lines.

    Raises
    ------
    ValueError
        When a line has no heading above it, or names a label or a mark that does not exist.

    References
    ----------
    Chapter 16.

    Examples
    --------
    >>> parse_requests("== Billing: hand\n(typo) was chraged twice")
    (Request(text='was chraged twice', label='Billing', origin='hand', mark='typo'),)
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
            marked = MARKED.fullmatch(line)
            if marked["mark"] is not None:
                _known(marked["mark"], MARKS, "mark", number)
            found.append(Request(marked["text"], label, origin, marked["mark"] or ""))
    return tuple(found)


def _known(word: str, words: tuple[str, ...], kind: str, number: int) -> None:
    """Refuse a word that is none of those."""
    if word not in words:
        raise ValueError(f"line {number} has the {kind} {word!r}; take one of {', '.join(words)}")
