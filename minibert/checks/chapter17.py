"""Checkers of Chapter 17: labels of pieces, the best legal span, F1 of an answer, windows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from minibert.losses import IGNORED_LABEL
from minibert.metrics import answer_f1, exact_match, normalize_answer

from .verdict import Mistake, Verdict, check


def check_piece_labels(function: Callable) -> Verdict:
    """Check the labels of the pieces of a sentence.

    Parameters
    ----------
    function : callable
        Takes how many pieces each word has, and the label of each word; returns one number for each
        token, with ``[CLS]`` in front and ``[SEP]`` behind.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 17.
    """
    mistakes = [
        Mistake(_piece_labels(lambda n, label: [label] * n), "Every piece has the label of its "
                "word. Then a name of four pieces counts four times. Which piece speaks for the "
                "word?"),
        Mistake(_piece_labels(lambda n, label: ([IGNORED_LABEL] * n)[1:] + [label] * (n > 0)),
                "The last piece has the label. That works, too, if everybody does it; here it is "
                "the first one."),
        Mistake(_piece_labels(lambda n, label: ([label] + [0] * n)[:n], special=0), "0 is a label, "
                "too. With which number do you say that nothing is asked?"),
        Mistake(_piece_labels(lambda n, label: ([label] + [0] * n)[:n]), "The other pieces of a "
                "word have 0, which is a label. With which number do you say that nothing is "
                "asked?"),
        Mistake(_piece_labels(_first, special=0), "[CLS] and [SEP] have 0, which is a label. With "
                "which number do you say that nothing is asked?"),
    ]  # fmt: skip
    cases = [
        ([1, 2, 1], [1, 2, 4]),
        ([1, 1, 1], [3, 1, 2]),
        ([3, 1, 4, 2], [1, 5, 3, 4]),
        ([2, 0, 1], [3, 1, 5]),
    ]
    return check(function, right=_piece_labels(_first), cases=cases, mistakes=mistakes)


def check_best_span(function: Callable) -> Verdict:
    """Check which span is the best legal answer.

    Parameters
    ----------
    function : callable
        Takes the start and the end score of each token, whether each is in the passage, and the
        most tokens of an answer; returns the first and the last token of the best legal span.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 17.
    """
    mistakes = [
        Mistake(lambda s, e, inside, most: (_argmax(s), _argmax(e)), "You take the best start and "
                "the best end, each by itself. Are they a span?"),
        Mistake(_best_span(ordered=False), "Your end may come before its start."),
        Mistake(_best_span(only_inside=False), "Your answer may lie in the question. Which tokens "
                "belong to the passage?"),
        Mistake(_best_span(limited=False), "Your answer may be too long. How many tokens may it "
                "have?"),
        Mistake(_best_span(spare=1), "Nearly: one token too many. From 3 to 5, these are three "
                "tokens."),
        Mistake(_best_span(spare=-1), "Nearly: one token too few. From 3 to 5, these are three "
                "tokens."),
        Mistake(_greedy_span, "You take the best start first, and then the best end for it. "
                "Another start may have a higher sum."),
    ]  # fmt: skip
    cases = [
        ([9.0, 0.0, 4.0, 1.0, 2.0, 5.0], [8.0, 1.0, 2.0, 5.0, 0.0, 1.0], [False] + [True] * 5, 3),
        ([1.0, 8.0, 2.0, 6.0, 1.0, 0.0], [7.0, 1.0, 3.0, 1.0, 2.0, 9.0], [False] + [True] * 5, 2),
        ([0.0, 3.0, 2.5, 0.5, 2.0], [0.0, 0.5, 0.0, 1.0, 3.0], [False, True, True, True, True], 3),
        (
            [0.0, 7.0, 6.0, 1.0, 3.0, 1.0, 9.0],
            [0.0, 8.0, 7.0, 2.0, 1.0, 2.0, 9.0],
            [False, False, False, True, True, True, False],
            4,
        ),
    ]
    return check(function, right=_best_span(), cases=cases, mistakes=mistakes)


def check_answer_f1(function: Callable) -> Verdict:
    """Check the F1 of an answer.

    Parameters
    ----------
    function : callable
        Takes an answer and the true one; returns a number from 0 to 1.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 17.
    """
    mistakes = [
        Mistake(exact_match, "That is the exact match: all or nothing. How many words do both "
                "share?"),
        Mistake(lambda told, true: _f1(*map(_once, (told, true))), "A word that stands "
                "twice in both is shared twice. Count words, not different words."),
        Mistake(lambda told, true: _f1(told.split(), true.split()), "Capitals, punctuation marks "
                "and articles do not count. Normalize both answers first."),
        Mistake(lambda told, true: _f1(_words(told), _words(true), none=0.0), "Of two empty "
                "answers, each says that there is none. They agree."),
        Mistake(lambda told, true: _share(_words(told), _words(true)), "That is the precision. "
                "What share of the true answer was found?"),
        Mistake(lambda told, true: _share(_words(true), _words(told)), "That is the recall. What "
                "share of the given answer is right?"),
        Mistake(lambda told, true: (_share(_words(told), _words(true))
                + _share(_words(true), _words(told))) / 2, "That is the mean of precision and "
                "recall. F1 is their harmonic mean."),
        Mistake(lambda told, true: answer_f1(told, true) / 2, "Precision times recall, divided by "
                "their sum, is half of it."),
    ]  # fmt: skip
    cases = [
        ("The Bund.", "the Bund"),
        ("in the year 1990", "1990"),
        ("from bank to bank to bank", "bank to bank"),
        ("Ieoh Ming Pei", "the architect Pei"),
        ("Beijing", "Shanghai"),
        ("", ""),
        ("", "1990"),
    ]
    return check(function, right=answer_f1, cases=cases, mistakes=mistakes)


def check_number_of_windows(function: Callable) -> Verdict:
    """Check how many windows a passage needs.

    Parameters
    ----------
    function : callable
        Takes the number of pieces, how many fit into a window, and how many neighbors share;
        returns the number of windows.

    Returns
    -------
    Verdict
        Passed, or the first thing to mend.

    References
    ----------
    Chapter 17.
    """
    mistakes = [
        Mistake(lambda n, room, stride: math.ceil(n / room), "You lay the windows side by side. "
                "How far does each go beyond the one before, if they share some pieces?"),
        Mistake(lambda n, room, stride: 1 + math.ceil(max(0, n - room) / stride), "You move each "
                "window by what neighbors share. It is the room that is left which is new."),
        Mistake(lambda n, room, stride: 1 + max(0, n - room) // (room - stride), "The last pieces "
                "are in no window. Round up."),
        Mistake(lambda n, room, stride: math.ceil(n / (room - stride)), "Every window brings as "
                "many new pieces as the step, and the first one more than that."),
        Mistake(lambda n, room, stride: math.ceil(max(0, n - room) / (room - stride)), "You count "
                "those behind the first window. Where is the first?"),
        Mistake(lambda n, room, stride: 1 + math.ceil((n - room) / (room - stride)), "Nearly: a "
                "short passage has one window, not fewer."),
        Mistake(lambda n, room, stride: 2 + max(0, n - room) // (room - stride), "One too many "
                "where the last window ends with the passage."),
    ]  # fmt: skip
    cases = [(10, 5, 2), (11, 5, 2), (5, 5, 2), (3, 9, 4), (100, 60, 20), (140, 60, 20), (30, 5, 3)]
    return check(function, right=_number_of_windows, cases=cases, mistakes=mistakes)


def _first(count: int, label: int) -> list[int]:
    """Label the first piece of a word, if it has one."""
    return ([label] + [IGNORED_LABEL] * count)[:count]


def _piece_labels(of_word: Callable, special: int = IGNORED_LABEL) -> Callable:
    """Build a function that labels pieces; the right one, or with a usual mistake."""

    def label(counts: Sequence[int], labels: Sequence[int]) -> list[int]:
        inner = [n for both in zip(counts, labels, strict=True) for n in of_word(*both)]
        return [special, *inner, special]

    return label


def _best_span(
    ordered: bool = True, only_inside: bool = True, limited: bool = True, spare: int = 0
) -> Callable:
    """Build a search through all pairs; the right one, or with a usual mistake."""

    def search(
        starts: Sequence[float], ends: Sequence[float], inside: Sequence[bool], most: int
    ) -> tuple[int, int]:
        pairs = [
            (first, last)
            for first in range(len(starts))
            for last in range(len(ends))
            if (first <= last or not ordered)
            and (all(inside[min(first, last) : max(first, last) + 1]) or not only_inside)
            and (last - first < most + spare or not limited)
        ]
        return max(pairs, key=lambda pair: starts[pair[0]] + ends[pair[1]])

    return search


def _greedy_span(
    starts: Sequence[float], ends: Sequence[float], inside: Sequence[bool], most: int
) -> tuple[int, int]:
    """Take the best start, then the best end that goes with it."""
    fixed = max((n for n in range(len(starts)) if inside[n]), key=lambda n: starts[n])
    alone = [score if n == fixed else -math.inf for n, score in enumerate(starts)]
    return _best_span()(alone, ends, inside, most)


def _argmax(scores: Sequence[float]) -> int:
    return max(range(len(scores)), key=lambda n: scores[n])


def _words(text: str) -> list[str]:
    return normalize_answer(text).split()


def _once(text: str) -> list[str]:
    """Give each word of an answer once."""
    return sorted({*_words(text)})


def _shared(told: Sequence[str], true: Sequence[str]) -> int:
    """Count the words of both answers, each as often as it is in both."""
    told, true = list(told), list(true)
    return sum(min(told.count(word), true.count(word)) for word in set(told))


def _share(part: Sequence[str], whole: Sequence[str]) -> float:
    """Compute which share of one answer's words is in the other one."""
    if not part or not whole:
        return float(list(part) == list(whole))
    return _shared(part, whole) / len(part)


def _f1(told: Sequence[str], true: Sequence[str], none: float = 1.0) -> float:
    """Compute F1 of two collections of words."""
    if not told and not true:
        return none
    return 2 * _shared(told, true) / (len(told) + len(true))


def _number_of_windows(pieces: int, room: int, stride: int) -> int:
    """Count the first window, and one for each step that is needed behind it."""
    return 1 + math.ceil(max(0, pieces - room) / (room - stride))
