"""Exercises of Chapter 17: labels of pieces, the best legal span."""

from __future__ import annotations

import math
from functools import partial
from operator import sub

import numpy as np

from minibert.losses import IGNORED_LABEL

from .exercise import Exercise, Mistake


def _first(count, label):
    """Label the first piece of a word, if it has one."""
    return ([label] + [IGNORED_LABEL] * count)[:count]


def _marked(none):
    """Say by another number that a token has no label."""
    return {"of_word": lambda n, label: ([label] + [none] * n)[:n], "front": [none], "end": [none]}


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
        *(Mistake({"of_word": way}, "The last piece has the label. That works, too, if everybody "
                  "does it; here it is the first one.") for way in (
                  lambda n, label: _first(n, label)[::-1],
                  lambda n, label: [IGNORED_LABEL] * (n - 1) + [label])),
        Mistake({"of_word": lambda n, label: [IGNORED_LABEL] * n}, "No word has a label left. "
                "Which piece speaks for it?"),
        Mistake({"of_word": lambda n, label: [IGNORED_LABEL][:n] + [label] * (n - 1)}, "All pieces "
                "but the first have the label. It is the other way around."),
        *(Mistake(partial(_piece_labels, **{**_marked(none), **right}), f"{told}. With which "
                  "number do you say that there is no label?")
          for none, told in ((0, "0 is a label, too"), (-1, "The loss does not know −1"),
                             (None, "None is no number"), (100, "The loss does not know 100"))
          for right in ({}, {"front": [IGNORED_LABEL], "end": [IGNORED_LABEL]}, {"of_word": _first},
                        {"of_word": _first, "front": [IGNORED_LABEL]},
                        {"of_word": _first, "end": [IGNORED_LABEL]})),
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
        Mistake(lambda counts, labels: _piece_labels(counts[-1:], labels[-1:], front=()), "Only "
                "the last word is there. Does your loop make a new list in each round?"),
        Mistake(lambda counts, labels: _piece_labels(labels, counts), "You have exchanged the two "
                "lists: a word has as many pieces as the first one says."),
        Mistake(partial(_piece_labels, of_word=lambda n, label: [n] * label), "You have exchanged "
                "the two lists: a word has as many pieces as the first one says."),
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
               told=lambda first, last: (first, last), ahead=sub,
               score=lambda starts, ends, i, j: starts[i] + ends[j]):  # fmt: skip
    """Search through all pairs."""
    pairs = [
        (first, last)
        for first in range(len(starts))
        for last in range(len(ends))
        if (ahead(last, first) >= 0 or not ordered)
        and legal(inside, first, last)
        and ahead(last, first) < most + spare
    ]
    return told(*max(pairs, key=lambda pair: score(starts, ends, *pair)))


def _highest(scores):
    return max(range(len(scores)), key=lambda n: scores[n])


def _illegal(first, last, inside, most):
    return not (first <= last < first + most and _every_token(inside, first, last))


def _zero_where(zero):
    """Build the search through a table with 0 in some illegal places, and −∞ in the others."""

    def search(starts, ends, inside, most):
        sums = np.add.outer(starts, ends)
        for i, j in np.ndindex(sums.shape):
            if _illegal(i, j, inside, most):
                sums[i, j] = 0.0 if zero(i, j) else -math.inf
        return divmod(int(sums.argmax()), len(starts))

    return search


def _greedy(starts, ends, inside, most, *, first):
    """Take the best start, or the best end, and then the best of the others that goes with it."""
    scores = starts if first else ends
    fixed = max((n for n in range(len(scores)) if inside[n]), key=lambda n: scores[n])
    alone = [score if n == fixed else -math.inf for n, score in enumerate(scores)]
    return _best_span(*((alone, ends) if first else (starts, alone)), inside, most)


def _in_the_passage(starts, ends, inside, most):
    """Cut the question off, and count from there."""
    starts, ends = ([x for x, keep in zip(row, inside) if keep] for row in (starts, ends))
    return _best_span(starts, ends, [True] * len(starts), most)


def _as_probability(scores, n):
    return math.exp(scores[n]) / sum(map(math.exp, scores))


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
        ([0.0, 5.0, 0.0, 1.0], [0.0, 1.0, 5.0, 0.0], [False, True, True, True], 3),
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
        *(Mistake({"legal": legal}, f"The {end} is in the passage. Every token of an answer must "
                  "be inside.") for end, legal in (
                  ("start", lambda inside, first, last: inside[first]),
                  ("end", lambda inside, first, last: inside[last]))),
        *(Mistake(partial(_best_span, ahead=lambda last, first: first - last, legal=legal), "All "
                  "of your spans end before they start. Which of the two is a row, and which a "
                  "column of your table?") for legal in (_every_token, _by_counting)),
        *(Mistake(count, "You count from the first token of the passage. Count from that of the "
                  "whole row, the question included.") for count in (
                  _in_the_passage, lambda s, e, inside, most: tuple(
                      sum(inside[:n]) for n in _best_span(s, e, inside, most)))),
        Mistake({"told": lambda first, last: (last, first)}, "Turned around: first the start, then "
                "the end."),
        *(Mistake(lambda *case, told=told: told(case[0], case[1], *_best_span(*case)), hint)
          for told, hint in (
            (lambda s, e, i, j: i * len(s) + j, "argmax counts through the whole table, row by "
             "row. divmod(place, n) makes row and column of it."),
            (lambda s, e, i, j: s[i] + e[j], "That is the highest sum. Where does it stand?"))),
        Mistake(lambda *case: (0, 0), "Yours is (0, 0) whatever the scores are. Does your search "
                "end at what is excluded? Look for the highest sum."),
        *(Mistake(partial(_best_span, score=score), hint) for score, hint in (
            (lambda s, e, i, j: s[i] * e[j], "You multiply the scores. Their sum is wanted: two "
             "negative scores are no good span."),
            (lambda s, e, i, j: s[j] + e[j], "You add the two scores of one and the same token. In "
             "a table of all pairs the starts stand in a column: starts[:, None]."),
            (lambda s, e, i, j: _as_probability(s, i) + _as_probability(e, j), "You add "
             "probabilities. Add the scores themselves."))),
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
        Mistake(_zero_where(lambda i, j: j < i), "np.triu leaves 0 below the "
                "diagonal, and 0 beats a span whose sum is below 0. Which number beats nothing?"),
        Mistake(_zero_where(lambda i, j: True), "What is illegal counts 0, and beats a span whose "
                "sum is below 0. Which number beats nothing?"),
        Mistake({"spare": math.inf}, "Your answer may be too long. How many tokens may it have?"),
        Mistake({"spare": 1}, "Nearly: one token too many. From 3 to 5, these are three tokens."),
        Mistake({"spare": -1}, "Nearly: one token too few. From 3 to 5, these are three tokens."),
        Mistake({"told": lambda first, last: (first, last + 1)}, "Your end is the token behind the "
                "answer, as in a slice. Return the last token itself."),
        *(Mistake(partial(_greedy, first=one == "start"), f"You take the best {one} first, and "
                  f"then the best {other} for it. Another {one} may have a higher sum.")
          for one, other in (("start", "end"), ("end", "start"))),
    ],
)  # fmt: skip
