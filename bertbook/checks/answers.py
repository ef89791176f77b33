"""Exercises of Chapter 17: F1 of an answer, the windows of a passage."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from operator import add, eq, sub

from minibert.tasks.metrics import exact_match, normalize_answer

from .exercise import Exercise, Mistake


def _words(text):
    return normalize_answer(text).split()


def _different(text):
    return sorted({*_words(text)})


def _shared(told, true):
    """Count the words of both answers, each as often as it is in both."""
    return sum(min(told.count(word), true.count(word)) for word in {*told})


def _harmonic(precision, recall):
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def _joined(told, true):
    told, true = Counter(_words(told)), Counter(_words(true))
    return 2 * (told | true).total() / (told.total() + true.total()) if told or true else 1.0


def _answer_f1(told, true, *, words=_words, none=1.0, mean=_harmonic, common=_shared):
    told, true = words(told), words(true)
    if not told or not true:
        return none if told == true else 0.0
    shared = common(told, true)
    return mean(shared / len(told), shared / len(true))


check_answer_f1 = Exercise(
    "Return the F1 of an answer, given the true one.",
    _answer_f1,
    cases=[
        ("Beijing", "Shanghai"),
        ("The Bund.", "the Bund"),
        ("in the year 1990", "1990"),
        ("from bank to bank to bank", "bank to bank"),
        ("Ieoh Ming Pei", "the architect Pei"),
        ("Pei", "Ieoh Ming Pei"),
        ("the bank of China", "the bank of England"),
        ("to the bank", "from bank to bank"),
        ("", ""),
        ("", "1990"),
    ],
    forbidden=["answer_f1", "score_answers"],
    mistakes=[
        Mistake(exact_match, "That is the exact match: all or nothing. How many words do both "
                "share?"),
        Mistake({"words": _different}, "A word that stands twice in both is shared twice. Count "
                "words, not different words."),
        Mistake({"common": lambda told, true: len({*told} & {*true})}, "len counts the different "
                "words that both share. How often is each in both? A Counter has a total."),
        *(Mistake({"common": lambda told, true, turn=turn: sum(
                  word in (told, true)[turn] for word in (true, told)[turn])}, "A word that one of "
                  "the two has once is shared once, however often the other one says it.")
          for turn in (1, 0)),
        *(Mistake({"words": words}, "Capitals, punctuation marks and articles do not count. "
                  "Normalize both answers first.")
          for words in (str.split, lambda text: text.lower().split())),
        Mistake({"words": lambda text: list(normalize_answer(text))}, "You compare letters. F1 "
                "counts the words that both share."),
        Mistake({"none": 0.0}, "Of two empty answers, each says that there is none. They agree."),
        Mistake({"common": lambda told, true: sum(map(eq, told, true))}, "You compare word by "
                "word, in their places. A word that both have is shared wherever it stands."),
        Mistake({"mean": min}, "You divide by the longer of the two answers. F1 divides by both: "
                "it is the harmonic mean of precision and recall."),
        Mistake({"mean": max}, "You divide by the shorter of the two answers. F1 divides by both: "
                "it is the harmonic mean of precision and recall."),
        Mistake({"mean": lambda precision, recall: precision}, "That is the precision. What share "
                "of the true answer was found?"),
        Mistake({"mean": lambda precision, recall: recall}, "That is the recall. What share of the "
                "given answer is right?"),
        Mistake({"mean": lambda precision, recall: (precision + recall) / 2}, "That is the mean of "
                "precision and recall. F1 is their harmonic mean."),
        *(Mistake(partial(_answer_f1, mean=mean), hint) for mean, hint in (
            (lambda p, r: math.sqrt(p * r), "That is the geometric mean of precision and recall. "
             "F1 is their harmonic mean."),
            (lambda p, r: p * r / (p + r - p * r) if p + r else 0.0, "You divide by how many words "
             "there are in all, shared ones counted once. F1 counts them in both answers."),
            (lambda p, r: 2 * p * r, "Two times precision times recall: by what must you divide?"),
            (lambda p, r: 100 * _harmonic(p, r), "These are percentages. F1 is 1 at most."),
            (lambda p, r: float(p > 0), "One shared word is enough for you. What share of both "
             "answers is it?"))),
        Mistake(lambda told, true: float(normalize_answer(true) in normalize_answer(told)), "You "
                "ask whether the true answer stands in the other one. F1 counts shared words."),
        Mistake(lambda told, true: float(_shared(_words(told), _words(true)) or told == true),
                "That is how many words they share. What share of both answers is it?"),
        Mistake(lambda told, true: _answer_f1(told, true) if told and true else 1.0, "If one of "
                "the two is empty and the other is not, they share nothing."),
        Mistake(_joined, "| keeps what either of the two has. & keeps what both share."),
        *(Mistake(wrong, "Precision times recall, divided by their sum, is half of it.") for wrong
          in (lambda *case: _answer_f1(*case) / 2, {"mean": lambda *two: _harmonic(*two) / 2})),
        Mistake(ZeroDivisionError, "It divides by 0 when an answer has no words, or when both "
                "share none. What is F1 then?"),
    ],
)  # fmt: skip


def _windows(pieces, room, stride, *, step=sub, up=math.ceil, first=1,
             left=lambda pieces, room: max(0, pieces - room)):  # fmt: skip
    """Count the first window, and one for each step that is needed behind it."""
    return first + up(left(pieces, room) / step(room, stride))


check_number_of_windows = Exercise(
    "Count the windows that a passage needs.",
    _windows,
    cases=[(5, 5, 2), (3, 9, 4), (10, 5, 2), (11, 5, 2), (30, 5, 3), (13, 5, 4), (100, 60, 20),
           (140, 60, 20)],
    forbidden=["sliding_windows"],
    mistakes=[
        *(Mistake(lambda n, room, stride, more=more: more + math.ceil(n / room), "You lay the "
                  "windows side by side. How far does each go beyond the one before, if they share "
                  "some pieces?") for more in (0, 1)),
        *(Mistake(lambda n, room, stride, up=up: up((n - room) / stride) + 1, "That is the formula "
                  "of a convolution, whose stride is the step. Here it is what neighbors share.")
          for up in (math.floor, float)),
        Mistake(lambda n, room, stride: math.ceil(n / stride), "You divide by what neighbors "
                "share. It is the room that is left which is new."),
        Mistake(lambda n, room, stride: list(range(0, max(1, n - stride), room - stride)), "That "
                "is where windows begin. How many are there?"),
        Mistake({"step": lambda room, stride: room - 2 * stride}, "A window shares `stride` pieces "
                "with the one before. Subtract them once."),
        *(Mistake({"step": lambda room, stride, more=more: room - stride + more}, "Your step is "
                  f"{what} by one. If 5 pieces fit and 2 are shared, 3 are new.")
          for more, what in ((-1, "too small"), (1, "too large"))),
        Mistake({"step": lambda room, stride: stride}, "You move each window by what neighbors "
                "share. It is the room that is left which is new."),
        Mistake({"step": add}, "What neighbors share makes the step shorter, not longer."),
        *(Mistake({"up": up}, "The last pieces are in no window. Round up.")
          for up in (math.floor, round)),
        Mistake(lambda n, room, stride: len(range(0, n - room + 1, room - stride)), "You count "
                "windows that are full. The last one may hold less."),
        Mistake({"up": float}, "A number of windows is whole. Round up."),
        *(Mistake(count, "Every window brings as many new pieces as the step, and the first one "
                  "more than that. What is left behind the first?") for count in (
                  lambda n, room, stride: math.ceil(n / (room - stride)),
                  lambda n, room, stride: n // (room - stride) + 1,
                  lambda n, room, stride: math.ceil(n / (room - stride)) + 1,
                  lambda n, room, stride: math.ceil((n - stride) / (room - stride)) + 1,
                  lambda n, room, stride: math.ceil(max(0, n - stride) / (room - stride)) + 1)),
        Mistake({"first": 0}, "You count those behind the first window. Where is the first?"),
        Mistake({"left": lambda pieces, room: pieces - room}, "Nearly: a short passage has one "
                "window, not fewer."),
        Mistake({"first": 2, "up": math.floor}, "One too many where the last window ends with the "
                "passage."),
    ],
)  # fmt: skip
