"""Exercises of Chapter 17: F1 of an answer, the windows of a passage."""

from __future__ import annotations

import math
from collections import Counter

from minibert.tasks.metrics import exact_match, normalize_answer

from .exercise import Exercise


def _answer_f1(answer, true):
    answer, true = (normalize_answer(text).split() for text in (answer, true))
    if not answer or not true:
        return float(answer == true)
    shared = (Counter(answer) & Counter(true)).total()
    p, r = shared / len(answer), shared / len(true)
    return 2 * p * r / (p + r) if shared else 0.0


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
    mistakes={
        exact_match: "That is the exact match: all or nothing. How many words do both share?",
        "split() → split()||Counter(answer) & Counter(true) → Counter({*answer} & "
            "{*true})||len(answer) → len({*answer})||len(true) → len({*true})":
            "A word that stands twice in both is shared twice. Count words, not different words.",
        "(Counter(answer) & Counter(true)).total() → len({*answer} & {*true})":
            "len counts the different words that both share. How often is each in both? A Counter "
            "has a total.",
        ("(Counter(answer) & Counter(true)).total() → sum(word in true for word in answer)",
            "(Counter(answer) & Counter(true)).total() → sum(word in answer for word in true)"):
            "A word that one of the two has once is shared once, however often the other one says "
            "it.",
        ("normalize_answer(text) → text", "normalize_answer(text) → text.lower()"):
            "Capitals, punctuation marks and articles do not count. Normalize both answers first.",
        "normalize_answer(text).split() → list(normalize_answer(text))":
            "You compare letters. F1 counts the words that both share.",
        "float(answer == true) → 0.0": "Of two empty answers, each says that there is none. They "
            "agree.",
        "(Counter(answer) & Counter(true)).total() → sum(map(str.__eq__, answer, true))":
            "You compare word by word, in their places. A word that both have is shared wherever "
            "it stands.",
        "2 * p * r / (p + r) → min(p, r)": "You divide by the longer of the two answers. F1 "
            "divides by both: it is the harmonic mean of precision and recall.",
        "2 * p * r / (p + r) → max(p, r)": "You divide by the shorter of the two answers. F1 "
            "divides by both: it is the harmonic mean of precision and recall.",
        "2 * p * r / (p + r) → p": "That is the precision. What share of the true answer was "
            "found?",
        "2 * p * r / (p + r) → r": "That is the recall. What share of the given answer is right?",
        "2 * p * r / (p + r) → (p + r) / 2": "That is the mean of precision and recall. F1 is "
            "their harmonic mean.",
        "2 * p * r / (p + r) → (p * r) ** 0.5": "That is the geometric mean of precision and "
            "recall. F1 is their harmonic mean.",
        "2 * p * r / (p + r) → p * r / (p + r - p * r)": "You divide by how many words there are "
            "in all, shared ones counted once. F1 counts them in both answers.",
        "/ (p + r) →": "Two times precision times recall: by what must you divide?",
        "2 * p → 200 * p": "These are percentages. F1 is 1 at most.",
        "2 * p * r / (p + r) → 1.0": "One shared word is enough for you. What share of both "
            "answers is it?",
        "→ float(normalize_answer(true) in normalize_answer(answer))": "You ask whether the true "
            "answer stands in the other one. F1 counts shared words.",
        "2 * p * r / (p + r) → float(shared)": "That is how many words they share. What share of "
            "both answers is it?",
        "float(answer == true) → 1.0": "If one of the two is empty and the other is not, they "
            "share nothing.",
        "→ answer, true = (Counter(normalize_answer(text).split()) for text in (answer, "
            "true))\nboth = answer.total() + true.total()\nreturn 2 * (answer | true).total() / "
            "both if both else 1.0": "| keeps what either of the two has. & keeps what both share.",
        ("→ right(answer, true) / 2", "2 * p → p"): "Precision times recall, divided by their sum, "
            "is half of it.",
        ZeroDivisionError: "It divides by 0 when an answer has no words, or when both share none. "
            "What is F1 then?",
    },
)  # fmt: skip


def _windows(pieces, room, stride):
    left, step = max(0, pieces - room), room - stride
    return 1 + math.ceil(left / step)


check_number_of_windows = Exercise(
    "Count the windows that a passage needs.",
    _windows,
    cases=[(5, 5, 2), (3, 9, 4), (10, 5, 2), (11, 5, 2), (30, 5, 3), (13, 5, 4), (100, 60, 20),
           (140, 60, 20)],
    forbidden=["sliding_windows"],
    mistakes={
        ("→ math.ceil(pieces / room)", "→ 1 + math.ceil(pieces / room)"):
            "You lay the windows side by side. How far does each go beyond the one before, if they "
            "share some pieces?",
        ("→ (pieces - room) // stride + 1", "→ (pieces - room) / stride + 1"):
            "That is the formula of a convolution, whose stride is the step. Here it is what "
            "neighbors share.",
        "→ math.ceil(pieces / stride)": "You divide by what neighbors share. It is the room that "
            "is left which is new.",
        "→ list(range(0, max(1, pieces - stride), room - stride))": "That is where windows begin. "
            "How many are there?",
        "room - stride → room - 2 * stride": "A window shares `stride` pieces with the one before. "
            "Subtract them once.",
        "room - stride → room - stride - 1": "Your step is too small by one. If 5 pieces fit and 2 "
            "are shared, 3 are new.",
        "room - stride → room - stride + 1": "Your step is too large by one. If 5 pieces fit and 2 "
            "are shared, 3 are new.",
        "room - stride → stride": "You move each window by what neighbors share. It is the room "
            "that is left which is new.",
        "room - stride → room + stride": "What neighbors share makes the step shorter, not longer.",
        ("math.ceil → math.floor", "math.ceil → round"): "The last pieces are in no window. Round "
            "up.",
        "→ len(range(0, pieces - room + 1, room - stride))": "You count windows that are full. The "
            "last one may hold less.",
        "math.ceil(left / step) → left / step": "A number of windows is whole. Round up.",
        ("1 + math.ceil(left / step) → math.ceil(pieces / step)",
            "1 + math.ceil(left / step) → pieces // step + 1", "left / step → pieces / step",
            "left / step → (pieces - stride) / step",
            "left / step → max(0, pieces - stride) / step"): "Every window brings as many new "
            "pieces as the step, and the first one more than that. What is left behind the first?",
        "1 + →": "You count those behind the first window. Where is the first?",
        "max(0, pieces - room) → pieces - room": "Nearly: a short passage has one window, not "
            "fewer.",
        "1 + math.ceil → 2 + math.floor": "One too many where the last window ends with the "
            "passage.",
    },
)  # fmt: skip
