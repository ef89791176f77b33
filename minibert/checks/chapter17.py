"""Exercises of Chapter 17: labels of pieces, the best legal span."""

from __future__ import annotations

import math

import numpy as np

from minibert.losses import IGNORED_LABEL

from .exercise import Exercise, Mistake


def _first(count, label):
    """Label the first piece of a word, if it has one."""
    return ([label] + [IGNORED_LABEL] * count)[:count]


def _piece_labels(counts, labels, *, of_word=_first, front=(IGNORED_LABEL,), end=(IGNORED_LABEL,)):
    inner = [label for word in zip(counts, labels) for label in of_word(*word)]
    return [*front, *inner, *end]


check_piece_labels = Exercise(
    "Write the labels of all tokens of a sentence, from those of its words.",
    _piece_labels,
    cases=[
        ([1, 1, 1], [3, 1, 2]),
        ([1, 2, 1], [1, 2, 4]),
        ([3, 1, 4, 2], [1, 5, 3, 4]),
        ([2, 0, 1], [3, 1, 5]),
    ],
    mistakes=[
        Mistake({"of_word": lambda n, label: [label] * n}, "Every piece has the label of its word. "
                "Then a name of four pieces counts four times. Which piece speaks for the word?"),
        Mistake({"of_word": lambda n, label: _first(n, label)[::-1]}, "The last piece has the "
                "label. That works, too, if everybody does it; here it is the first one."),
        *(Mistake({"of_word": lambda n, label: ([label] + [0] * n)[:n], **ends}, "0 is a label, "
                  "too. With which number do you say that there is none?")
          for ends in ({"front": (0,), "end": (0,)}, {})),
        Mistake({"of_word": lambda n, label: ([label] + [label + 1] * n)[:n]}, "The other pieces "
                "of a word have the next label, the inside of a name. Here only the first piece "
                "has a label."),
        Mistake({"of_word": lambda n, label: [label] + [IGNORED_LABEL] * (n - 1)},
                "A word without pieces has no token, and so no label."),
        Mistake({"of_word": lambda n, label: [label] + [IGNORED_LABEL] * n}, "Each word has a "
                "token too many. Its label belongs to its first piece."),
        Mistake({"of_word": lambda n, label: [label]}, "One label for each word. Each piece is a "
                "token, and needs a number."),
        Mistake({"of_word": lambda n, label: [_first(n, label)]}, "A list stands inside your list. "
                "Do you append where you want to extend?"),
        Mistake(lambda counts, labels: _piece_labels(counts[:1], labels), "Only the first word is "
                "there. Does your loop return too early?"),
        Mistake({"front": (0,), "end": (0,)}, "[CLS] and [SEP] have 0, which is a label. With "
                "which number do you say that there is none?"),
        *(Mistake(ends, "[CLS] in front and [SEP] at the end are tokens, too. What is their label?")
          for ends in ({"front": (), "end": ()}, {"front": ()}, {"end": ()})),
    ],
)  # fmt: skip


def _every_token(inside, first, last):
    return all(inside[min(first, last) : max(first, last) + 1])


def _by_counting(inside, first, last):
    """Ask for no outsider between the two, whichever comes first."""
    return inside[first] and all(inside[min(first, last + 1) : max(first, last) + 1])


def _as_array(value):
    return np.array(value) if isinstance(value, list) else value


def _best_span(starts, ends, inside, most, *, ordered=True, legal=_every_token, spare=0,
               told=lambda first, last: (first, last)):  # fmt: skip
    """Search through all pairs."""
    pairs = [
        (first, last)
        for first in range(len(starts))
        for last in range(len(ends))
        if (first <= last or not ordered)
        and legal(inside, first, last)
        and last - first < most + spare
    ]
    return told(*max(pairs, key=lambda pair: starts[pair[0]] + ends[pair[1]]))


def _highest(scores):
    return max(range(len(scores)), key=lambda n: scores[n])


def _illegal_is_zero(starts, ends, inside, most):
    n = range(len(starts))
    legal = [[i <= j < i + most and _every_token(inside, i, j) for j in n] for i in n]
    return divmod(int(np.argmax(np.add.outer(starts, ends) * legal)), len(n))


def _greedy(starts, ends, inside, most):
    """Take the best start, then the best end that goes with it."""
    fixed = max((n for n in range(len(starts)) if inside[n]), key=lambda n: starts[n])
    alone = [score if n == fixed else -math.inf for n, score in enumerate(starts)]
    return _best_span(alone, ends, inside, most)


check_best_span = Exercise(
    "Find the best legal span: its start and its end score have the highest sum.",
    _best_span,
    cases=[
        ([0.0, 3.0, 2.5, 0.5, 2.0], [0.0, 0.5, 0.0, 1.0, 3.0], [False] + [True] * 4, 3),
        ([-1.0, 8.0, -2.0, 6.0, 1.0, -4.0], [7.0, 1.0, 3.0, 1.0, 2.0, 9.0],
         [False] + [True] * 5, 2),
        ([9.0, -3.0, -4.0, 6.0, -5.0, 5.0], [8.0, -2.0, 7.0, -1.0, 7.5, -3.0],
         [False, True, True, False, True, True], 4),
        ([0.0, 7.0, 6.0, -1.0, -3.0, -5.0, 9.0], [0.0, 8.0, 7.0, -2.0, -1.5, -4.0, 9.0],
         [False, False, False, True, True, True, False], 4),
        ([2.0, 5.0, 1.0], [1.0, 4.0, 2.0], [False, True, True], 2),
    ],
    given=_as_array,
    forbidden=["a loop", "best_spans"],
    mistakes=[
        Mistake(lambda s, e, inside, most: (_highest(s), _highest(e)), "You take the best start "
                "and the best end, each by itself. Are they a span?"),
        *(Mistake(wrong, "Your end may come before its start.")
          for wrong in ({"ordered": False}, {"ordered": False, "legal": _by_counting})),
        Mistake({"legal": lambda inside, first, last: True}, "Your answer may lie in the question. "
                "Which tokens belong to the passage?"),
        Mistake({"legal": lambda inside, first, last: inside[first] and inside[last]},
                "Start and end are in the passage, but what lies between them need not be. Every "
                "token of an answer must be inside."),
        Mistake({"legal": lambda inside, first, last: inside[first]}, "The start is in the "
                "passage. Every token of an answer must be inside."),
        Mistake({"legal": lambda inside, first, last: inside[first] and not any(
                inside[first + 1 : last + 1])}, "You count the tokens of the passage. Count the "
                "outsiders: where their number is the same at both ends, none lies between."),
        Mistake({"legal": lambda inside, first, last: first < last and _every_token(
                inside, first, last)}, "An answer may be a single token. Then start and end are "
                "the same."),
        Mistake({"legal": lambda inside, first, last: first == last and inside[first]}, "You add "
                "the two scores of one and the same token. In a table of all pairs the starts "
                "stand in a column: starts[:, None]."),
        Mistake(lambda s, e, *rest: _best_span(e, s, *rest), "Your rows are ends, and you read "
                "them as starts. Which of the two stands in a column, with [:, None]?"),
        Mistake(_illegal_is_zero, "What is illegal counts 0, and beats a span whose sum is below "
                "0. Which number beats nothing?"),
        Mistake({"spare": math.inf}, "Your answer may be too long. How many tokens may it have?"),
        Mistake({"spare": 1}, "Nearly: one token too many. From 3 to 5, these are three tokens."),
        Mistake({"spare": -1}, "Nearly: one token too few. From 3 to 5, these are three tokens."),
        Mistake({"told": lambda first, last: (first, last + 1)}, "Your end is the token behind the "
                "answer, as in a slice. Return the last token itself."),
        Mistake(_greedy, "You take the best start first, and then the best end for it. Another "
                "start may have a higher sum."),
    ],
)  # fmt: skip
